//! Words and numbers on a figure.

use kuva::render::layout::TickFormat;

/// The mean width of a letter, in letter sizes: an estimate, because the plotting
/// crate keeps its own metrics private.
const LETTER_WIDTH_EM: f64 = 0.57;

/// The width of a text in units, roughly.
pub(crate) fn width(content: &str, size: u32) -> f64 {
    content.chars().count() as f64 * LETTER_WIDTH_EM * f64::from(size)
}

/// How many letters of a size fit into a width, at least one.
pub(crate) fn letters(width: f64, size: u32) -> usize {
    ((width / (LETTER_WIDTH_EM * f64::from(size))) as usize).max(1)
}

/// The text without the characters that XML forbids or a line cannot show.
pub(crate) fn printable(content: &str) -> String {
    content
        .chars()
        .map(|letter| if letter.is_whitespace() { ' ' } else { letter })
        .filter(|letter| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}'))
        .collect()
}

/// The printable text, cut with an ellipsis to `letters` letters.
pub(crate) fn shortened(content: &str, letters: usize) -> String {
    let text = printable(content);
    if text.chars().count() <= letters {
        return text;
    }
    let kept: String = text.chars().take(letters.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Numbers at the ticks of an axis of this length, with the digits that tell them apart.
///
/// The plotting crate's own format has three decimals whatever the axis, and
/// writes 10⁹ with all its zeros.
pub(crate) fn ticks(span: f64) -> TickFormat {
    TickFormat::Custom(std::sync::Arc::new(move |value| number(value, span)))
}

/// A number that differs from its neighbours by a good part of `span`.
pub(crate) fn number(value: f64, span: f64) -> String {
    if value.abs() <= span * 1.0e-6 {
        return "0".to_owned();
    }
    if value.abs() >= 1.0e6 || span < 1.0e-3 && value.abs() < 1.0 {
        let text = format!("{value:.2e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", without_zeros(mantissa));
    }
    let decimals = (2.0 - span.log10().floor()).clamp(0.0, 12.0) as usize;
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_span() {
        assert_eq!(number(2.5, 10.0), "2.5");
        assert_eq!(number(1200.0, 2000.0), "1200");
        assert_eq!(number(1000.0015, 0.002), "1000.0015");
        assert_eq!(number(-3.0e7, 1.0e7), "-3e7");
        assert_eq!(number(2.0e-7, 1.0e-6), "2e-7");
        assert_eq!(number(1.0e-9, 1.0), "0");
    }

    #[test]
    fn a_text_too_long_ends_in_an_ellipsis() {
        assert_eq!(shortened("abc def", 7), "abc def");
        assert_eq!(shortened("abc def", 5), "abc…");
    }

    #[test]
    fn characters_forbidden_in_xml_are_left_out() {
        assert_eq!(printable("a\u{0}b\nc\u{1b}d\u{fffe}"), "ab cd");
    }
}
