//! Calibration: do predicted steps match observed steps on held-out trajectories?
//!
//! An [`Observation`] is a prediction `d(s_t, g)` and what the rest of the episode showed: the first hit of g after
//! `lag_steps`, or none before the end ([`first_hit`](super::first_hit)). Observations are sorted into bins of
//! equally many predictions, and each bin's mean prediction is set beside what was observed in it.
//!
//! **Two things can be observed, and they are not the same.**
//!
//! * The mean lag *among hits*: what a window target predicts, the mean passage time given that it happens before the
//!   episode ends. Take goals from the episode's own future, `g = s_{t+k}`: then every lag is a hit.
//! * The mean lag *with censored ones counted* ([`RestrictedMean`]): what a one-way passage time `m(g|s)` predicts. Take
//!   goals without looking ahead (a reservoir). A bin shows it only if nearly every lag in it was seen to its end;
//!   elsewhere the restricted mean is a lower bound, and a prediction below it is too small.
//!
//! Neither is a commute time. A symmetric distance that is right about half the commute time is wrong about both
//! wherever going there is not like coming back, and these numbers will say so.
//!
//! Observations from one episode overlap, so counts here are not independent trials: no interval is computed from them.

use super::error::AssessError;
use super::quantile::{bands, mean, median};
use super::survival::{Outcome, RestrictedMean, restricted_mean};
use serde::Serialize;

/// A bin has a mean lag if at most this share of its lags is longer than any observation.
const RESOLVED_SHARE: f64 = 0.05;

/// A prediction and its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Predicted steps.
    pub predicted: f64,
    /// The outcome in the episode.
    pub outcome: Outcome,
}

/// Predictions against observations; by default of none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Calibration {
    /// Observations in all.
    pub n_observations: usize,
    /// Those whose episode ended first.
    pub n_censored: usize,
    /// Bins by prediction, smallest first; equal predictions share a bin.
    pub bins: Vec<CalibrationBin>,
    /// Mean lag among hits against the mean prediction of those hits, over bins with hits.
    pub among_hits: Option<Line>,
    /// Restricted mean lag against mean prediction, over bins in which at most 5 % of lags exceed the longest observation;
    /// `None` if there is no such bin.
    pub with_censored: Option<Line>,
}

/// Observations of similar prediction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// Observations in it.
    pub n: usize,
    /// Those whose episode ended first.
    pub n_censored: usize,
    /// Mean prediction, of all.
    pub mean_predicted: f64,
    /// Statistics of the hits; `None` without one.
    pub hits: Option<HitLags>,
    /// The restricted mean lag, with censored lags (Kaplan–Meier).
    pub restricted: RestrictedMean,
}

/// The lags of a bin that ended in a hit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HitLags {
    /// Mean prediction, of these alone: they are the nearer ones of the bin.
    pub mean_predicted: f64,
    /// Mean observed lag.
    pub mean_steps: f64,
    /// Median observed lag.
    pub median_steps: f64,
}

/// A weighted linear regression through the bins, `observed ≈ intercept + slope · predicted`, with the number of
/// observations as weights; and the error of `observed = predicted`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Number of bins.
    pub n_bins: usize,
    /// 1 is calibrated; below 1, predictions vary too much. `None` if all bins predict the same.
    pub slope: Option<f64>,
    /// In steps; `None` with the slope.
    pub intercept_steps: Option<f64>,
    /// Mean of |observed − predicted| over bins, in steps.
    pub error_steps: f64,
    /// That, relative to the mean observed lag; `None` if that is zero.
    pub relative_error: Option<f64>,
}

/// Sorts observations into at most `n_bins` bins by prediction, and compares.
pub fn calibrate(observations: &[Observation], n_bins: usize) -> Result<Calibration, AssessError> {
    AssessError::at_least(1, observations.len(), "observations")?;
    AssessError::at_least(1, n_bins, "bins")?;
    let predicted: Vec<f64> = observations.iter().map(|o| o.predicted).collect();
    AssessError::all_finite(&predicted, "prediction")?;
    let mut bins = Vec::new();
    for places in bands(&predicted, n_bins) {
        let inside: Vec<Observation> = places.iter().map(|&at| observations[at]).collect();
        bins.push(bin(&inside)?);
    }
    let hits = bins.iter().filter_map(|bin| {
        let hits = bin.hits?;
        Some((
            (bin.n - bin.n_censored) as f64,
            hits.mean_predicted,
            hits.mean_steps,
        ))
    });
    let resolved = bins
        .iter()
        .filter(|bin| bin.restricted.unhit <= RESOLVED_SHARE);
    let resolved = resolved.map(|b| (b.n as f64, b.mean_predicted, b.restricted.mean_steps));
    Ok(Calibration {
        n_observations: observations.len(),
        n_censored: bins.iter().map(|bin| bin.n_censored).sum(),
        among_hits: line(&hits.collect::<Vec<_>>()),
        with_censored: line(&resolved.collect::<Vec<_>>()),
        bins,
    })
}

fn bin(inside: &[Observation]) -> Result<CalibrationBin, AssessError> {
    let outcomes: Vec<Outcome> = inside.iter().map(|o| o.outcome).collect();
    let predicted: Vec<f64> = inside.iter().map(|o| o.predicted).collect();
    let hits = inside.iter().filter_map(|o| match o.outcome {
        Outcome::Hit { lag_steps } => Some((o.predicted, f64::from(lag_steps))),
        Outcome::Censored { .. } => None,
    });
    let (hit_predicted, lags): (Vec<f64>, Vec<f64>) = hits.unzip();
    let seen = mean(&hit_predicted).zip(mean(&lags)).zip(median(&lags));
    Ok(CalibrationBin {
        n: inside.len(),
        n_censored: inside.len() - lags.len(),
        mean_predicted: mean(&predicted).unwrap_or(f64::NAN),
        hits: seen.map(|((mean_predicted, mean_steps), median_steps)| HitLags {
            mean_predicted,
            mean_steps,
            median_steps,
        }),
        restricted: restricted_mean(&outcomes)?,
    })
}

/// From (weight, predicted, observed) of each bin.
fn line(bins: &[(f64, f64, f64)]) -> Option<Line> {
    let weight: f64 = bins.iter().map(|(w, _, _)| w).sum();
    let average = |of: &dyn Fn(f64, f64) -> f64| {
        bins.iter().map(|&(w, x, y)| w * of(x, y)).sum::<f64>() / weight
    };
    if bins.is_empty() {
        return None;
    }
    let (x_mean, y_mean) = (average(&|x, _| x), average(&|_, y| y));
    let spread = average(&|x, _| (x - x_mean).powi(2));
    let slope = average(&|x, y| (x - x_mean) * (y - y_mean)) / spread;
    let slope = (bins.len() > 1 && slope.is_finite()).then_some(slope);
    let error_steps = average(&|x, y| (y - x).abs());
    Some(Line {
        n_bins: bins.len(),
        slope,
        intercept_steps: slope.map(|slope| y_mean - slope * x_mean),
        error_steps,
        relative_error: (y_mean > 0.0).then(|| error_steps / y_mean),
    })
}
