//! Lags that may not have been seen to their end, and the mean that is fair to them.
//!
//! An episode of T steps shows, for a state at time t and a goal, either the first hit after so many steps, or only
//! that none came in the `T − t` steps that were left: a *censored* lag. Dropping censored lags makes every goal look
//! near; taking them as hits does too. Kaplan and Meier's product counts each for as long as it was watched.

use super::error::AssessError;
use serde::Serialize;

/// What an episode shows of one lag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The goal was first met after this many steps.
    Hit {
        /// Steps from the state to the first hit.
        lag_steps: u32,
    },
    /// The episode ended first.
    Censored {
        /// Steps watched without a hit.
        watched_steps: u32,
    },
}

impl Outcome {
    /// Steps watched.
    pub const fn steps(self) -> u32 {
        match self {
            Self::Hit { lag_steps } => lag_steps,
            Self::Censored { watched_steps } => watched_steps,
        }
    }
}

/// The first hit among the states that follow, the next one first, to the end of the episode.
///
/// ```
/// use isochrone::evaluate::{Outcome, first_hit};
/// let path = [4, 2, 4, 7, 4];
/// assert_eq!(first_hit(&path[1..], |&s| s == 7), Outcome::Hit { lag_steps: 3 });
/// assert_eq!(first_hit(&path[1..], |&s| s == 0), Outcome::Censored { watched_steps: 4 });
/// ```
pub fn first_hit<S>(
    following: impl IntoIterator<Item = S>,
    mut is_at_goal: impl FnMut(S) -> bool,
) -> Outcome {
    let mut watched_steps = 0;
    for state in following {
        watched_steps += 1;
        if is_at_goal(state) {
            return Outcome::Hit {
                lag_steps: watched_steps,
            };
        }
    }
    Outcome::Censored { watched_steps }
}

/// The mean of lags cut at a horizon, `E[min(lag, horizon)]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RestrictedMean {
    /// The estimate. Below the mean lag itself unless `unhit` is zero: what comes after the horizon was not seen.
    pub mean_steps: f64,
    /// The horizon: the longest that any of the lags was watched.
    pub horizon_steps: u32,
    /// The estimated share of lags longer than the horizon.
    pub unhit: f64,
}

/// Kaplan and Meier's estimate from hits and censored lags together:
///
/// ```text
/// S(k) = Π_{l ≤ k} (1 − hits after l steps ÷ lags watched for l steps or more)
/// E[min(lag, h)] = Σ_{k=0}^{h−1} S(k)
/// ```
///
/// Right if being censored says nothing about the lag that would have come: true of a horizon, and of goals chosen
/// without looking ahead; false of an episode that ended because something happened (a fall), and of goals taken
/// from the episode's own future, which cannot be missed.
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
