//! Censored lags, and an unbiased mean of them.
//!
//! For a state at time t and a goal, an episode of T steps shows either the first hit after some steps, or only that there was
//! none in the remaining `T − t` steps: a *censored* lag. Dropping censored lags makes every goal look near; counting them as
//! hits does too. The Kaplan–Meier estimator uses each for as long as it was observed.

use super::error::AssessError;
use serde::Serialize;

/// The outcome of one lag in an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The goal was first met after this many steps.
    Hit {
        /// Steps from the state to the first hit.
        lag_steps: u32,
    },
    /// The episode ended first.
    Censored {
        /// Steps observed without a hit.
        observed_steps: u32,
    },
}

impl Outcome {
    /// Steps observed.
    pub const fn steps(self) -> u32 {
        match self {
            Self::Hit { lag_steps } => lag_steps,
            Self::Censored { observed_steps } => observed_steps,
        }
    }
}

/// The first hit among the states that follow, the next one first, to the end of the episode.
///
/// ```
/// use isochrone::evaluate::{Outcome, first_hit};
/// let path = [4, 2, 4, 7, 4];
/// assert_eq!(first_hit(&path[1..], |&s| s == 7), Outcome::Hit { lag_steps: 3 });
/// assert_eq!(first_hit(&path[1..], |&s| s == 0), Outcome::Censored { observed_steps: 4 });
/// ```
pub fn first_hit<S>(
    following: impl IntoIterator<Item = S>,
    mut is_at_goal: impl FnMut(S) -> bool,
) -> Outcome {
    let mut observed_steps = 0;
    for state in following {
        observed_steps += 1;
        if is_at_goal(state) {
            return Outcome::Hit {
                lag_steps: observed_steps,
            };
        }
    }
    Outcome::Censored { observed_steps }
}

/// The mean of lags cut at a horizon, `E[min(lag, horizon)]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RestrictedMean {
    /// The estimate. It is below the mean lag unless `unhit` is zero: lags beyond the horizon are not observed.
    pub mean_steps: f64,
    /// The horizon: the longest observation of any lag.
    pub horizon_steps: u32,
    /// The estimated share of lags longer than the horizon.
    pub unhit: f64,
}

/// The Kaplan–Meier estimate from hits and censored lags together:
///
/// ```text
/// S(k) = Π_{l ≤ k} (1 − hits after l steps ÷ lags observed for l steps or more)
/// E[min(lag, h)] = Σ_{k=0}^{h−1} S(k)
/// ```
///
/// Unbiased if censoring is independent of the lag: true for a horizon, and for goals chosen without looking ahead; false for
/// an episode that terminated (a fall), and for goals taken from the episode's own future, which are always reached.
pub fn restricted_mean(outcomes: &[Outcome]) -> Result<RestrictedMean, AssessError> {
    AssessError::at_least(1, outcomes.len(), "lags")?;
    let mut sorted = outcomes.to_vec();
    sorted.sort_by_key(|outcome| outcome.steps());
    let (mut unhit, mut mean_steps, mut before) = (1.0, 0.0, 0);
    let mut at_risk = sorted.len();
    for together in sorted.chunk_by(|a, b| a.steps() == b.steps()) {
        let now = together[0].steps();
        mean_steps += unhit * f64::from(now - before);
        let is_hit = |outcome: &&Outcome| matches!(outcome, Outcome::Hit { .. });
        let hits = together.iter().filter(is_hit).count();
        unhit *= 1.0 - hits as f64 / at_risk as f64;
        at_risk -= together.len();
        before = now;
    }
    Ok(RestrictedMean {
        mean_steps,
        horizon_steps: before,
        unhit,
    })
}
