//! Predictions with their outcomes.

use super::episodes::ObservedEpisodes;
use crate::progress::Observer;
use anyhow::{Result, bail};
use isochrone::distance::Distance;
use isochrone::evaluate::{Observation, Outcome, first_hit};
use isochrone::pairs::{Episodes, Pair, PairSource, Sampler, Target};
use isochrone::rng::{Rng, Seed, Stream};
use isochrone_files::model::DistanceModel;
use rand::RngExt;

/// At most `n` pairs of states with predicted steps and outcomes. The observer may stop it.
///
/// The observation depends on the target. Windows and first passages are times *given that they happen*: pairs are sampled as
/// in training, and all of them are hits. A bootstrapped time is unconditional, so goals are drawn from all states without
/// looking ahead, and many are not reached before the episode ends.
pub fn observations(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    n: usize,
    seed: Seed,
    observer: &dyn Observer,
) -> Result<Vec<Observation>> {
    observer.check()?;
    let mut rng = seed.of(Stream::AssessPairs);
    match model.target() {
        Some(Target::Bootstrapped { radius, .. }) => {
            any_goals(model, observed, n, radius, &mut rng, observer)
        }
        Some(target) => {
            let episodes = observed.episodes()?;
            pairs_of(model, observed, &episodes, n, target, &mut rng, observer)
        }
        None => bail!("a distance that was not fitted to steps cannot be calibrated in steps"),
    }
}

/// At most `n` pairs of these episodes, drawn as in training.
pub(super) fn pairs_of(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    episodes: &Episodes<'_>,
    n: usize,
    target: Target,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Vec<Observation>> {
    let sampler = model.sampler().unwrap_or(Sampler::UniformStartThenEnd);
    let source = PairSource::new(episodes, target, sampler);
    let pairs = source.epoch(rng);
    // An epoch is in random order, but that of a sampler that keeps only first hits may be long.
    let stride = (pairs.len() / n.max(1)).max(1);
    let observe = |pair: &Pair| {
        observer.check()?;
        let (from, to) = (observed.state(pair.from), observed.state(pair.to));
        Ok(Observation {
            predicted: model.distance.between(from, to)?,
            outcome: Outcome::Hit {
                lag_steps: pair.lag_steps,
            },
        })
    };
    pairs.iter().step_by(stride).take(n).map(observe).collect()
}

fn any_goals(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    n: usize,
    radius: f32,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Vec<Observation>> {
    let starts: Vec<(usize, usize)> = observed.episodes()?.starts().collect();
    let mut found = Vec::new();
    if starts.is_empty() {
        return Ok(found);
    }
    let is_one = |a: &[f32], b: &[f32]| {
        let squared: f32 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        squared <= radius * radius
    };
    for _ in 0..n {
        observer.check()?;
        let (from, end) = starts[rng.random_range(0..starts.len())];
        let goal = observed.state(rng.random_range(0..observed.n_states()));
        if is_one(observed.state(from), goal) {
            continue;
        }
        let following = (from + 1..end).map(|row| observed.state(row));
        found.push(Observation {
            predicted: model.distance.between(observed.state(from), goal)?,
            outcome: first_hit(following, |state| is_one(state, goal)),
        });
    }
    Ok(found)
}
