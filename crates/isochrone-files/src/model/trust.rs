//! How far a distance can be trusted, in one sentence that follows from the numbers beside it.

use super::distance::Calibrated;
use isochrone::evaluate::Progress;
use isochrone::pairs::Target;
use serde::{Deserialize, Serialize};

/// How a distance orders the frames of episodes that it has not seen. Frames in which an episode rests at its end are
/// left out: the distance is rightly 0 there while time goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithinEpisodes {
    /// The share of frames that were left out.
    pub at_rest: f64,
    /// Rank correlation of predicted with seen steps within the window; absent if either never changes.
    pub spearman: Option<f64>,
    /// The same beyond the window; absent if no episode is longer.
    pub beyond_window: Option<BeyondWindow>,
    /// Rank correlation of the distance to an episode's own end with the frames left.
    pub progress: Option<Progress>,
}

/// Pairs that are farther apart than the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeyondWindow {
    /// How many were compared.
    pub pairs: u64,
    /// Rank correlation of predicted with seen steps; absent if either never changes.
    pub spearman: Option<f64>,
}

/// Different states that a distance does not tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtZero {
    /// Pairs of different states.
    pub pairs: u64,
    /// Those at distance 0.
    pub at_zero: u64,
}

impl AtZero {
    /// Their share.
    pub fn share(self) -> f64 {
        self.at_zero as f64 / self.pairs.max(1) as f64
    }
}

/// Progress from which on a distance follows episodes to their ends.
const FOLLOWS: f64 = 0.9;
/// A rank correlation from which on the distance separates near from far.
const ORDERS: f64 = 0.6;
/// Off by less than this share of the seen steps, predictions come true.
const CALIBRATED: f64 = 0.25;
/// If more goals than this are never met, there is no verdict.
const MOSTLY: f64 = 0.5;
/// Different states at distance 0 that make a distance useless.
const BLIND: f64 = 0.1;

/// One sentence for people.
pub fn verdict(found: &Calibrated, target: Option<Target>) -> String {
    let zero = found.at_zero.map_or(0.0, AtZero::share);
    if zero > BLIND {
        return format!(
            "do not trust it: {:.0} % of different states are at distance 0",
            100.0 * zero
        );
    }
    let Some(within) = &found.within_episodes else {
        return "nothing is known of it beyond the numbers below".to_owned();
    };
    if let Some(Target::Bootstrapped { .. }) = target {
        return of_times(found);
    }
    if let Some(Target::Geodesic { .. }) = target {
        return format!(
            "fewest steps along what was walked: lags of episodes are upper limits, not truth (rank correlation with them {:.2})",
            found.spearman.unwrap_or(0.0)
        );
    }
    let window = target.and_then(Target::window_steps);
    let progress = within.progress.map(|progress| progress.median);
    let beyond = within
        .beyond_window
        .map(|beyond| beyond.spearman.unwrap_or(0.0));
    if progress.is_some_and(|median| median >= FOLLOWS) && beyond.is_none_or(|b| b >= ORDERS) {
        return format!(
            "it follows episodes from start to end: the distance to the end falls with the frames left (rank correlation {:.2}, \
             median of {} episodes)",
            progress.unwrap_or(0.0),
            within.progress.map_or(0, |progress| progress.episodes)
        );
    }
    let Some(near) = within.spearman.or(found.spearman) else {
        return "unknown: the episodes have too few pairs of states".to_owned();
    };
    if near < ORDERS {
        let times = if comes_true(found) {
            "mean steps come true, but they"
        } else {
            "predicted steps do not come true, and"
        };
        return format!(
            "do not compare states by it: {times} hardly order what was seen (rank correlation {near:.2})"
        );
    }
    let reach = match (target, window) {
        (_, Some(steps)) => format!("up to {steps} steps"),
        (_, None) => "within episodes".to_owned(),
    };
    let rest = match (beyond, progress) {
        (Some(b), _) if b < ORDERS => {
            format!(
                "; beyond that it does not order states (rank correlation {b:.2}): a longer window may help"
            )
        }
        (_, Some(p)) if p < FOLLOWS => format!(
            "; do not use it as progress: episodes here do not head straight for their ends, or it does not know it (rank \
             correlation with the frames left {p:.2})"
        ),
        _ => String::new(),
    };
    format!("trust it {reach} (rank correlation {near:.2}){rest}")
}

/// Of times that go on beyond the episode: most goals are never met in time, and single times scatter round their mean,
/// so a rank correlation says little.
fn of_times(found: &Calibrated) -> String {
    let unmet = found.censored as f64 / found.pairs.max(1) as f64;
    let rank = found
        .spearman
        .map_or("none".to_owned(), |rho| format!("{rho:.2}"));
    let met = format!("rank correlation {rank} over those that were");
    if unmet > MOSTLY {
        return format!(
            "unknown from these episodes: {:.0} % of goals were not met before their episode ended ({met})",
            100.0 * unmet
        );
    }
    if comes_true(found) {
        format!("trust it as mean times: they come true ({met})")
    } else {
        format!("do not trust it: mean times do not come true ({met})")
    }
}

/// Do the bands say what was seen?
fn comes_true(found: &Calibrated) -> bool {
    let pairs: f64 = found.bands.iter().map(|band| band.pairs as f64).sum();
    let seen = found
        .bands
        .iter()
        .map(|band| band.pairs as f64 * band.seen_steps);
    let mean = seen.sum::<f64>() / pairs.max(1.0);
    found
        .error_steps
        .is_some_and(|error| error <= CALIBRATED * mean)
}
