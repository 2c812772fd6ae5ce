//! From a predicted distance to the steps that it takes: a mean and an interval, by what was seen.
//!
//! A distance is right on average at best, and its error depends on how far the goal is. Held-out episodes show both: at
//! frame t the distance to the episode's own end is `d(s_t, s_T)`, and the steps left are `T − t`.
//!
//! ```text
//! mean       isotonic regression of T − t on d, linear between its knots
//! interval   mean + quantiles of the residuals, in bands of equally many frames with similar d
//! ```
//!
//! Frames of one episode are not independent, so a band counts as many observations as it has episodes: its quantiles are
//! those of split conformal prediction for that number, a little wider than the plain ones.

use super::error::AssessError;
use super::isotonic::{Weighted, isotonic};
use super::quantile::{ascending, bands, mean, quantile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bands at most.
const MOST_BANDS: usize = 30;
/// Frames in each, at least.
const LEAST_FRAMES: usize = 40;
/// Fewer episodes than this say nothing about the next one.
const LEAST_EPISODES: usize = 5;

/// A frame of an episode whose end is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameToGo {
    /// Its episode.
    pub episode: usize,
    /// The distance to the end, in predicted steps.
    pub distance: f64,
    /// The steps that were left.
    pub steps: f64,
}

/// Steps to a goal, by the distance to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepsToGo {
    /// The mean.
    pub mean: f64,
    /// The interval begins here.
    pub low: f64,
    /// It ends here.
    pub high: f64,
}

/// A map from distances to steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepsToGoCurve {
    /// The share of frames that the interval is to hold.
    pub coverage: f64,
    /// Episodes that it was found by.
    pub episodes: u64,
    /// Their frames.
    pub frames: u64,
    /// By distance, nearest first.
    pub knots: Vec<StepsKnot>,
}

/// Frames at about the same distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepsKnot {
    /// The distance.
    pub distance: f64,
    /// The mean of the steps left.
    pub mean: f64,
    /// From the mean to the lower end of the interval; not positive.
    pub below: f64,
    /// From the mean to its upper end; not negative.
    pub above: f64,
}

impl StepsToGoCurve {
    /// Finds the curve; `None` of fewer than five episodes, or if nothing in them moves.
    pub fn fit(frames: &[FrameToGo], coverage: f64) -> Result<Option<Self>, AssessError> {
        if !(coverage > 0.0 && coverage < 1.0) {
            return Err(AssessError::Setting {
                what: "the coverage of the interval",
                value: coverage,
                must: "between 0 and 1",
            });
        }
        let distances: Vec<f64> = frames.iter().map(|frame| frame.distance).collect();
        let steps: Vec<f64> = frames.iter().map(|frame| frame.steps).collect();
        AssessError::all_finite(&distances, "distance")?;
        AssessError::all_finite(&steps, "steps")?;
        let episodes: BTreeSet<usize> = frames.iter().map(|frame| frame.episode).collect();
        if episodes.len() < LEAST_EPISODES {
            return Ok(None);
        }
        let n_bands = (frames.len() / LEAST_FRAMES).clamp(1, MOST_BANDS);
        let bands = bands(&distances, n_bands);
        let line = mean_line(&bands, &distances, &steps);
        if line.len() < 2 {
            return Ok(None);
        }
        let residual = |at: usize| steps[at] - at_distance(&line, distances[at]).mean;
        let knots = bands.iter().filter_map(|band| {
            let residuals = ascending(&band.iter().map(|&at| residual(at)).collect::<Vec<f64>>());
            let members: BTreeSet<usize> = band.iter().map(|&at| frames[at].episode).collect();
            let tail = tail_share(coverage, members.len());
            let distance = mean(&band.iter().map(|&at| distances[at]).collect::<Vec<f64>>())?;
            Some(StepsKnot {
                distance,
                mean: at_distance(&line, distance).mean,
                below: quantile(&residuals, tail)?.min(0.0),
                above: quantile(&residuals, 1.0 - tail)?.max(0.0),
            })
        });
        Ok(Some(Self {
            coverage,
            episodes: episodes.len() as u64,
            frames: frames.len() as u64,
            knots: knots.collect(),
        }))
    }

    /// The steps at this distance. Beyond the farthest knot they go on in proportion to the distance. NaN stays NaN.
    pub fn at(&self, distance: f64) -> StepsToGo {
        let StepsKnot {
            mean, below, above, ..
        } = at_distance(&self.knots, distance);
        StepsToGo {
            mean,
            low: (mean + below).clamp(0.0, f64::INFINITY),
            high: mean + above,
        }
    }
}

/// The knots of the mean: band means, made non-decreasing.
fn mean_line(bands: &[Vec<usize>], distances: &[f64], steps: &[f64]) -> Vec<StepsKnot> {
    let points = bands.iter().filter_map(|band| {
        let of = |values: &[f64]| mean(&band.iter().map(|&at| values[at]).collect::<Vec<f64>>());
        Some(Weighted {
            x: of(distances)?,
            y: of(steps)?,
            weight: band.len() as f64,
        })
    });
    let pooled = isotonic(points).into_iter();
    let knot = |point: Weighted| StepsKnot {
        distance: point.x,
        mean: point.y,
        below: 0.0,
        above: 0.0,
    };
    pooled.map(knot).collect()
}

/// The share of each tail outside an interval, with the correction of conformal prediction for `n` observations: the
/// `⌈(n + 1)(1 − α/2)⌉`-th of them, interpolated.
fn tail_share(coverage: f64, n: usize) -> f64 {
    let tail = (1.0 - coverage) / 2.0;
    let n = n as f64;
    if n < 2.0 {
        return 0.0;
    }
    ((tail * (n + 1.0) - 1.0) / (n - 1.0)).max(0.0)
}

/// No steps at no distance.
const ZERO: StepsKnot = StepsKnot {
    distance: 0.0,
    mean: 0.0,
    below: 0.0,
    above: 0.0,
};

/// The line through these knots at a distance: linear between them, the first one before it, and the last one in proportion
/// to the distance beyond it.
fn at_distance(knots: &[StepsKnot], distance: f64) -> StepsKnot {
    let mix = |a: StepsKnot, b: StepsKnot, part: f64| {
        let between = |value: fn(&StepsKnot) -> f64| value(&a) + part * (value(&b) - value(&a));
        StepsKnot {
            distance,
            mean: between(|knot| knot.mean),
            below: between(|knot| knot.below),
            above: between(|knot| knot.above),
        }
    };
    let after = knots.partition_point(|knot| knot.distance < distance);
    let before = after.checked_sub(1).map(|at| knots[at]);
    match (before, knots.get(after).copied()) {
        _ if distance.is_nan() => mix(ZERO, ZERO, f64::NAN),
        (Some(a), Some(b)) => mix(a, b, (distance - a.distance) / (b.distance - a.distance)),
        (Some(last), None) if last.distance > 0.0 => mix(ZERO, last, distance / last.distance),
        (Some(only), None) | (None, Some(only)) => mix(only, only, 0.0),
        (None, None) => mix(ZERO, ZERO, f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use rand::RngExt;

    /// Episodes of different speeds: the distance is right on average, and the steps scatter round it.
    fn frames(episodes: usize, seed: u64) -> Vec<FrameToGo> {
        let mut rng = Seed(seed).stream(Purpose::Assess, 0, 0);
        let mut frames = Vec::new();
        for episode in 0..episodes {
            let pace: f64 = 0.7 + 0.6 * rng.random::<f64>();
            for left in 0..60 {
                let noise = 4.0 * (rng.random::<f64>() - 0.5);
                frames.push(FrameToGo {
                    episode,
                    distance: (f64::from(left) * pace + noise).max(0.0),
                    steps: f64::from(left),
                });
            }
        }
        frames
    }

    #[test]
    fn intervals_hold_the_share_that_they_promise_in_every_third() {
        let curve = StepsToGoCurve::fit(&frames(60, 0), 0.8).unwrap().unwrap();
        for third in 0..3 {
            let (low, high) = (f64::from(20 * third), f64::from(20 * third + 20));
            let new = frames(400, 1).into_iter();
            let new: Vec<FrameToGo> = new.filter(|f| f.steps >= low && f.steps < high).collect();
            let is_held = |frame: &&FrameToGo| {
                let found = curve.at(frame.distance);
                found.low <= frame.steps && frame.steps <= found.high
            };
            let share = new.iter().filter(is_held).count() as f64 / new.len() as f64;
            assert!((0.72..0.88).contains(&share), "{third}: {share}");
        }
    }

    #[test]
    fn the_mean_never_falls_and_goes_on_beyond_the_last_knot() {
        let curve = StepsToGoCurve::fit(&frames(30, 2), 0.8).unwrap().unwrap();
        let means: Vec<f64> = (0..300).map(|d| curve.at(f64::from(d)).mean).collect();
        assert!(curve.at(f64::NAN).mean.is_nan() && curve.at(f64::NAN).low.is_nan());
        assert!(means.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9));
        assert!(
            means[250] > 1.5 * means[100],
            "{} {}",
            means[250],
            means[100]
        );
    }

    #[test]
    fn few_episodes_and_what_never_moves_have_no_curve() {
        assert_eq!(StepsToGoCurve::fit(&frames(4, 0), 0.8).unwrap(), None);
        let still = frames(30, 0).into_iter().map(|frame| FrameToGo {
            distance: 0.0,
            ..frame
        });
        assert_eq!(
            StepsToGoCurve::fit(&still.collect::<Vec<_>>(), 0.8).unwrap(),
            None
        );
        assert!(StepsToGoCurve::fit(&frames(30, 0), 1.0).is_err());
    }
}
