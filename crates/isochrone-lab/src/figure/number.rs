//! How numbers are written on a figure.

/// A number with as many digits as `step` tells apart.
pub(super) fn written(value: f64, step: f64) -> String {
    if value == 0.0 || value.abs() < step * 1.0e-6 {
        return "0".to_owned();
    }
    if value.abs() >= 1.0e6 || step.abs() < 1.0e-4 {
        return powers_of_ten(value);
    }
    let decimals = if step.abs() >= 1.0 {
        0
    } else {
        decimals_of(step)
    };
    fixed(value, decimals)
}

/// A number with exactly this many decimals and a true minus sign.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{value:.decimals$}");
    match digits.strip_prefix('-') {
        Some(rest) if rest.chars().all(|digit| matches!(digit, '0' | '.')) => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => digits,
    }
}

fn decimals_of(step: f64) -> usize {
    (0..12_i32)
        .find(|decimals| {
            let scaled = step.abs() * 10_f64.powi(*decimals);
            (scaled - scaled.round()).abs() < 1.0e-6 * scaled && scaled >= 0.999
        })
        .and_then(|decimals| usize::try_from(decimals).ok())
        .unwrap_or(3)
}

fn powers_of_ten(value: f64) -> String {
    let text = format!("{value:.2e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = mantissa
        .trim_end_matches('0')
        .trim_end_matches('.')
        .replace('-', "−");
    let raised: String = exponent.chars().map(superscript).collect();
    if mantissa == "1" {
        format!("10{raised}")
    } else {
        format!("{mantissa}×10{raised}")
    }
}

fn superscript(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rounded_zero_has_no_sign() {
        assert_eq!(fixed(-0.001, 1), "0.0");
        assert_eq!(fixed(-1.25, 1), "−1.2");
    }

    #[test]
    fn digits_follow_the_step() {
        assert_eq!(written(0.5, 0.25), "0.50");
        assert_eq!(written(1200.0, 200.0), "1200");
        assert_eq!(written(-3.0e7, 1.0e7), "−3×10⁷");
        assert_eq!(written(1.0e-9, 1.0), "0");
    }
}
