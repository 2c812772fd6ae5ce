//! A hyperbolic tangent that compilers turn into vector instructions.

/// 2^f on −½…½ as its Taylor series: the next term is 5e-9.
const EXP2: [f32; 8] = {
    let ln2 = std::f64::consts::LN_2;
    let (mut terms, mut term, mut k) = ([0.0_f32; 8], 1.0_f64, 0_usize);
    while k < terms.len() {
        terms[k] = term as f32;
        k += 1;
        term *= ln2 / k as f64;
    }
    terms
};
/// Added and subtracted, this rounds to the nearest whole number, which is then in the lowest bits of the sum.
const ROUNDER: f32 = 12_582_912.0;
/// 2^−126 is the smallest normal number; from there tanh is 1 to every digit.
const LEAST_EXPONENT: f32 = -126.0;

/// tanh x in every entry, to 2e-7:
///
/// ```text
/// tanh|x| = (1 − e) ÷ (1 + e),   e = exp(−2|x|) = 2^k · 2^f,   k whole, |f| ≤ ½
/// ```
///
/// No branch and no call into a mathematical library: the loop is vectorised, and gives the same bits
/// everywhere. NaN stays NaN.
#[inline]
pub(super) fn tanh_in_place(values: &mut [f32]) {
    for value in values {
        let exponent = -2.0 * std::f32::consts::LOG2_E * value.abs();
        // Written out, because `f32::max` would swallow a NaN.
        let exponent = if exponent < LEAST_EXPONENT {
            LEAST_EXPONENT
        } else {
            exponent
        };
        let rounded = exponent + ROUNDER;
        let fraction = exponent - (rounded - ROUNDER);
        let mut power = EXP2[7];
        for k in (0..7).rev() {
            power = power * fraction + EXP2[k];
        }
        let whole = rounded.to_bits().wrapping_sub(ROUNDER.to_bits());
        let scale = f32::from_bits(whole.wrapping_add(127) << 23);
        let e = power * scale;
        *value = ((1.0 - e) / (1.0 + e)).copysign(*value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tanh_is_right_everywhere() {
        let mut worst = 0.0_f64;
        for k in -400_000..=400_000 {
            let x = k as f32 * 2.5e-5;
            let mut value = [x];
            tanh_in_place(&mut value);
            worst = worst.max((f64::from(value[0]) - f64::from(x).tanh()).abs());
        }
        assert!(worst < 2e-7, "{worst:e}");
        let mut ends = [f32::INFINITY, f32::NEG_INFINITY, 1e30, -0.0, f32::NAN];
        tanh_in_place(&mut ends);
        assert_eq!(ends[..4], [1.0, -1.0, 1.0, 0.0]);
        assert!(ends[4].is_nan());
    }
}
