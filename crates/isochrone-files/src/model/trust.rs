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
        let times = match comes_true(found) {
            Some(true) => "mean steps come true, but they",
            Some(false) => "predicted steps do not come true, and",
            None => "predicted steps",
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
    match comes_true(found) {
        Some(true) => format!("trust it as mean times: they come true ({met})"),
        Some(false) => format!("do not trust it: mean times do not come true ({met})"),
        None => format!(
            "unknown from these episodes: at no distance were nearly all goals met before their episode ended ({met})"
        ),
    }
}

/// Do the bands say what was seen? `None` if too few goals were met to tell.
fn comes_true(found: &Calibrated) -> Option<bool> {
    let error = found.error_steps?;
    if found.censored > 0 {
        // The error is of the bins in which nearly all goals were met; the mean of all bands is larger.
        return found.relative_error.map(|share| share <= CALIBRATED);
    }
    let pairs: f64 = found.bands.iter().map(|band| band.pairs as f64).sum();
    let seen = found
        .bands
        .iter()
        .map(|band| band.pairs as f64 * band.seen_steps);
    let mean = seen.sum::<f64>() / pairs.max(1.0);
    Some(error <= CALIBRATED * mean)
}

#[cfg(test)]
mod tests {
    use super::super::distance::CalibratedBand;
    use super::*;

    fn band(pairs: u64, censored: u64, predicted_steps: f64, seen_steps: f64) -> CalibratedBand {
        CalibratedBand {
            pairs,
            censored,
            predicted_steps,
            seen_steps,
        }
    }

    /// Unconditional times of near goals, which were all met, and of far ones, of which a third was not.
    fn verdict_of(error_steps: Option<f64>, relative_error: Option<f64>) -> String {
        let found = Calibrated {
            pairs: 300,
            censored: 50,
            error_steps,
            relative_error,
            spearman: Some(0.9),
            bands: vec![band(150, 0, 20.0, 10.0), band(150, 50, 200.0, 100.0)],
            within_episodes: Some(WithinEpisodes {
                at_rest: 0.0,
                spearman: None,
                beyond_window: None,
                progress: None,
            }),
            at_zero: None,
            steps_to_go: None,
        };
        let target = Target::Bootstrapped {
            radius: 0.5,
            steps: 100,
        };
        verdict(&found, Some(target))
    }

    #[test]
    fn an_error_is_held_against_the_bins_that_it_is_of() {
        // Ten steps of ten are wrong by a factor of two, though they are few of the 55 of all bands.
        let twice = verdict_of(Some(10.0), Some(1.0));
        assert!(
            twice.starts_with("do not trust it: mean times do not come true"),
            "{twice}"
        );
        let right = verdict_of(Some(1.0), Some(0.1));
        assert!(right.starts_with("trust it as mean times"), "{right}");
    }

    #[test]
    fn where_no_bin_was_seen_to_its_end_nothing_is_claimed() {
        let unknown = verdict_of(None, None);
        assert!(
            unknown.starts_with("unknown from these episodes"),
            "{unknown}"
        );
    }
}
