//! How far a mean of few numbers can be trusted.

/// t at 97.5 % for 1, 2, … degrees of freedom.
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];
/// The normal distribution's.
const Z_975: f64 = 1.959_964;

/// A mean and the ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Student's, from independent values: mean ± t s ÷ √n. One value alone has no width; `None` of none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let [mean, square] = mean_and_error(values)?;
        let half = match values.len() {
            1 => 0.0,
            more => t_975(more - 1) * square.sqrt(),
        };
        Some(Self {
            mean,
            low: mean - half,
            high: mean + half,
        })
    }

    /// Welch's, of the difference of two means, a − b; their variances may differ. Without width unless both have two values;
    /// `None` if one has none.
    pub fn of_difference(a: &[f64], b: &[f64]) -> Option<Self> {
        let ([mean_a, square_a], [mean_b, square_b]) = (mean_and_error(a)?, mean_and_error(b)?);
        let square = square_a + square_b;
        let freedom = |square: f64, n: usize| square * square / (n as f64 - 1.0);
        let half = if a.len() < 2 || b.len() < 2 || square <= 0.0 {
            0.0
        } else {
            // Rounded down: rather too wide.
            let degrees =
                square * square / (freedom(square_a, a.len()) + freedom(square_b, b.len()));
            t_975((degrees as usize).max(1)) * square.sqrt()
        };
        let mean = mean_a - mean_b;
        Some(Self {
            mean,
            low: mean - half,
            high: mean + half,
        })
    }

    /// The same within the range of what was measured.
    #[must_use]
    pub const fn within(self, least: f64, most: f64) -> Self {
        Self {
            low: self.low.max(least),
            high: self.high.min(most),
            ..self
        }
    }
}

/// The mean, and the square of its standard error, 0 of one value; `None` of none.
fn mean_and_error(values: &[f64]) -> Option<[f64; 2]> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    match values.len() {
        0 => None,
        1 => Some([mean, 0.0]),
        _ => {
            let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
            Some([mean, squares / (n - 1.0) / n])
        }
    }
}

/// Beyond the table, the first three terms of the expansion about the normal distribution: right to a thousandth.
fn t_975(degrees: usize) -> f64 {
    let (z, n) = (Z_975, degrees as f64);
    let expansion = || {
        let second = (z.powi(3) + z) / (4.0 * n);
        let third = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n);
        z + second + third
    };
    let told = T_975.get(degrees.saturating_sub(1));
    told.copied().unwrap_or_else(expansion)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// t₄ = 2.776 and s = 1.5811 by hand.
    #[test]
    fn five_numbers_have_an_interval() {
        let found = Interval::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let half = 2.776 * 1.581_138_8 / 5.0_f64.sqrt();
        assert!((found.mean - 3.0).abs() < 1e-12);
        assert!((found.high - 3.0 - half).abs() < 1e-6, "{found:?}");
        assert!((3.0 - found.low - half).abs() < 1e-6, "{found:?}");
        assert_eq!(found.within(2.5, 3.5).low.to_bits(), 2.5_f64.to_bits());
        assert_eq!(Interval::of(&[]), None);
        let alone = Interval::of(&[0.5]).unwrap();
        assert!((alone.high - alone.low).abs() < 1e-12);
    }

    /// Two means of five, by hand: variances 2.5 and 10, 5.88 degrees of freedom, of which 5 count.
    #[test]
    fn a_difference_has_an_interval() {
        let found = Interval::of_difference(&[1.0, 2.0, 3.0, 4.0, 5.0], &[0.0, 2.0, 4.0, 6.0, 8.0])
            .unwrap();
        let half = 2.571 * 2.5_f64.sqrt();
        assert!((found.mean + 1.0).abs() < 1e-12);
        assert!((found.high + 1.0 - half).abs() < 1e-9, "{found:?}");
        assert!((found.low + 1.0 + half).abs() < 1e-9, "{found:?}");
        assert_eq!(Interval::of_difference(&[], &[1.0]), None);
    }

    #[test]
    fn the_table_goes_over_into_the_expansion() {
        assert!((t_975(31) - 2.0395).abs() < 1e-3);
        assert!((t_975(1_000_000) - Z_975).abs() < 1e-5);
        assert!((1..60).all(|n| t_975(n) > t_975(n + 1)));
    }
}
