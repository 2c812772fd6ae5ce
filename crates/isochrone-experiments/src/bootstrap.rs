//! How far numbers of few runs can be trusted, without a distribution to believe in.

use isochrone::rng::{Purpose, Rng, Seed};
use rand::RngExt;

/// Samples drawn from the runs.
const RESAMPLES: usize = 2_000;
/// Of the intervals: the middle 95 %.
const TAIL: f64 = 0.025;

/// A number and the ends of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A statistic of runs with its percentile interval: runs are drawn anew, with replacement, as many as there are. The same
/// runs give the same interval.
pub(crate) fn estimate(values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Estimate {
    let mut rng = Seed(0).stream(Purpose::Assess, 0, 0);
    let drawn = (0..RESAMPLES).map(|_| statistic(&redrawn(values, &mut rng)));
    let mut drawn: Vec<f64> = drawn.collect();
    drawn.sort_by(f64::total_cmp);
    let at = |share: f64| drawn[((share * RESAMPLES as f64) as usize).min(RESAMPLES - 1)];
    Estimate {
        value: statistic(values),
        low: at(TAIL),
        high: at(1.0 - TAIL),
    }
}

fn redrawn(values: &[f64], rng: &mut Rng) -> Vec<f64> {
    let any = |_| values[rng.random_range(0..values.len())];
    (0..values.len()).map(any).collect()
}

/// The mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The interquartile mean: the mean of what is left without the lowest and the highest quarter.
pub(crate) fn interquartile_mean(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let cut = values.len() / 4;
    mean(&values[cut..values.len() - cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_half_is_averaged() {
        assert!((interquartile_mean(&[9.0, 1.0, 2.0, 3.0, -50.0]) - 2.0).abs() < 1e-12);
    }

    /// The bootstrap's standard error of a mean is s ÷ √n with n in place of n − 1.
    #[test]
    fn an_interval_is_as_wide_as_the_theory_says() {
        let values: Vec<f64> = (0..400).map(|k| f64::from(k % 20)).collect();
        let found = estimate(&values, mean);
        let half = 1.96 * (399.0_f64 / 12.0).sqrt() / 20.0;
        assert!((found.value - 9.5).abs() < 1e-12);
        assert!(
            (found.high - 9.5 - half).abs() < 0.12 * half,
            "{found:?} {half}"
        );
        assert!(
            (9.5 - found.low - half).abs() < 0.12 * half,
            "{found:?} {half}"
        );
    }
}
