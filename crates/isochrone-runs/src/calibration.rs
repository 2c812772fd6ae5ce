//! Calibration of a distance: predictions against observed steps.

mod episodes;
mod observed;
mod to_go;
mod within;
mod zeros;

pub use episodes::{EpisodeEnd, ObservedEpisodes};
pub use observed::observations;
pub use to_go::error_to_go;
pub use within::within_episodes;
pub use zeros::at_zero;

use crate::progress::Observer;
use anyhow::Result;
use isochrone::evaluate::{Outcome, calibrate, spearman};
use isochrone::pairs::Target;
use isochrone::rng::Seed;
use isochrone_files::model::{Calibrated, CalibratedBand, DistanceModel};

/// Pairs compared.
const PAIRS: usize = 20_000;
/// Bins of the summary.
const BANDS: usize = 10;

/// The summary in a model file; `None` if the episodes contain no pair. The observer may stop it.
pub fn calibrated(
    model: &DistanceModel,
    episodes: &ObservedEpisodes,
    seed: Seed,
    observer: &dyn Observer,
) -> Result<Option<Calibrated>> {
    let observations = observations(model, episodes, PAIRS, seed, observer)?;
    if observations.is_empty() {
        return Ok(None);
    }
    let found = calibrate(&observations, BANDS)?;
    let is_conditional = !matches!(model.target(), Some(Target::Bootstrapped { .. }));
    let bands = found.bins.iter().filter_map(|bin| {
        // A target that is conditional on reaching the goal is compared with hits only.
        let (predicted_steps, seen_steps) = match (is_conditional, bin.hits) {
            (true, Some(hits)) => (hits.mean_predicted, hits.mean_steps),
            (true, None) => return None,
            (false, _) => (bin.mean_predicted, bin.restricted.mean_steps),
        };
        Some(CalibratedBand {
            pairs: bin.n as u64,
            censored: bin.n_censored as u64,
            predicted_steps: rounded(predicted_steps),
            seen_steps: rounded(seen_steps),
        })
    });
    let line = if is_conditional {
        found.among_hits
    } else {
        found.with_censored
    };
    let hits = observations.iter().filter_map(|o| match o.outcome {
        Outcome::Hit { lag_steps } => Some((o.predicted, f64::from(lag_steps))),
        Outcome::Censored { .. } => None,
    });
    let (predicted, seen): (Vec<f64>, Vec<f64>) = hits.unzip();
    Ok(Some(Calibrated {
        pairs: found.n_observations as u64,
        censored: found.n_censored as u64,
        error_steps: line.map(|line| rounded(line.error_steps)),
        relative_error: line
            .filter(|_| found.n_censored > 0)
            .and_then(|line| line.relative_error)
            .map(rounded),
        spearman: if predicted.len() < 2 {
            None
        } else {
            spearman(&predicted, &seen)?.map(rounded)
        },
        bands: bands.collect(),
        within_episodes: Some(within_episodes(model, episodes, seed, observer)?),
        at_zero: Some(at_zero(model, episodes, seed, observer)?),
        steps_to_go: to_go::steps_to_go(model, episodes, observer)?,
    }))
}

/// Seven digits: all that is known of it, and read back to the bit.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}
