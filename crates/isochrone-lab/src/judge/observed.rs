//! Predictions, and what came of them.

use super::watched::Watched;
use crate::model::DistanceModel;
use anyhow::{Result, bail};
use isochrone::distance::Distance;
use isochrone::evaluate::{Observation, Outcome, first_hit};
use isochrone::pairs::{Episodes, Pair, PairSource, Sampler, Target};
use isochrone::rng::{Purpose, Rng, Seed};
use rand::RngExt;

/// At most `n` pairs of states with the predicted steps between them and what the episode showed.
///
/// What must be seen depends on what was learned. Windows and first passages are times *given that they happen*:
/// pairs are drawn as in training, and all of them are hits. A bootstrapped time is a time until any goal, so goals
/// are drawn from all states without looking ahead, and many are not met before the episode ends.
pub(crate) fn observations(
    model: &DistanceModel,
    watched: &Watched,
    n: usize,
    seed: Seed,
) -> Result<Vec<Observation>> {
    let mut rng = seed.stream(Purpose::Assess, u64::MAX - 1, 0);
    match model.target() {
        Some(Target::Bootstrapped { radius, .. }) => any_goals(model, watched, n, radius, &mut rng),
        Some(target) => own_futures(model, watched, n, target, &mut rng),
        None => bail!("a distance that was not fitted to steps cannot be calibrated in steps"),
    }
}

fn own_futures(
    model: &DistanceModel,
    watched: &Watched,
    n: usize,
    target: Target,
    rng: &mut Rng,
) -> Result<Vec<Observation>> {
    Ok(pairs_of(
        model,
        watched,
        &watched.episodes()?,
        n,
        target,
        rng,
    ))
}

/// At most `n` pairs of these episodes, drawn as in training.
pub(super) fn pairs_of(
    model: &DistanceModel,
    watched: &Watched,
    episodes: &Episodes<'_>,
    n: usize,
    target: Target,
    rng: &mut Rng,
) -> Vec<Observation> {
    let sampler = model.sampler().unwrap_or(Sampler::UniformStartThenEnd);
    let source = PairSource::new(episodes, target, sampler);
    let pairs = source.epoch(rng);
    // An epoch is in random order, but that of a sampler that keeps only first hits may be long.
    let stride = (pairs.len() / n.max(1)).max(1);
    let observe = |pair: &Pair| Observation {
        predicted: model
            .distance
            .between(watched.state(pair.from), watched.state(pair.to)),
        outcome: Outcome::Hit {
            lag_steps: pair.lag_steps,
        },
    };
    pairs.iter().step_by(stride).take(n).map(observe).collect()
}

fn any_goals(
    model: &DistanceModel,
    watched: &Watched,
    n: usize,
    radius: f32,
    rng: &mut Rng,
) -> Result<Vec<Observation>> {
    let starts: Vec<(usize, usize)> = watched.episodes()?.starts().collect();
    let mut found = Vec::new();
    if starts.is_empty() {
        return Ok(found);
    }
    let is_one = |a: &[f32], b: &[f32]| {
        let squared: f32 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        squared <= radius * radius
    };
    for _ in 0..n {
        let (from, end) = starts[rng.random_range(0..starts.len())];
        let goal = watched.state(rng.random_range(0..watched.n_states()));
        if is_one(watched.state(from), goal) {
            continue;
        }
        let following = (from + 1..end).map(|row| watched.state(row));
        found.push(Observation {
            predicted: model.distance.between(watched.state(from), goal),
            outcome: first_hit(following, |state| is_one(state, goal)),
        });
    }
    Ok(found)
}
