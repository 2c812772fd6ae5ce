//! Learning from episodes that are all there from the start.

use anyhow::Result;
use isochrone::comm::Single;
use isochrone::distance::Learned;
use isochrone::embedding::{DistanceSpec, DistanceTrainer, LearningRate, Part};
use isochrone::pairs::Episodes;
use isochrone::rng::Seed;

/// Learns epoch by epoch until the step size has fallen to its last value.
pub(super) fn learn(spec: &DistanceSpec, seed: Seed, episodes: &Episodes<'_>) -> Result<Learned> {
    let steps = match spec.learning_rate {
        LearningRate::Decay { steps, .. } => steps,
        LearningRate::Constant(_) => 1,
    };
    let mut trainer = DistanceTrainer::new(spec.clone(), seed)?;
    let mut epoch = 0;
    while trainer.step() < steps {
        trainer.epoch(&Part::whole(episodes), epoch, &Single)?;
        epoch += 1;
    }
    Ok(trainer.distance()?)
}
