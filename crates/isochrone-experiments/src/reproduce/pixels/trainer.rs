//! A training on images whose held-out error can be looked at.

use super::frames::Frames;
use super::method::{EPISODE_STEPS, Method, Setting};
use crate::reproduce::Size;
use anyhow::Result;
use isochrone::comm::Single;
use isochrone::distance::Distance;
use isochrone::embedding::{DistanceSpec, DistanceTrainer, LearningRate, Objective, Part};
use isochrone::pairs::{Episodes, Pair, PairSource, Sampler, Target};
use isochrone::rng::{Purpose, Seed};

const DIMS: usize = 32;
/// Images of an epoch, and so of about 25 updates.
const EPOCH_FRAMES: usize = 1_600;
/// Held-out pairs.
const PAIRS: usize = 400;
/// Constant, so that the error at any time is what that many updates give.
const LEARNING_RATE: f64 = 3e-4;

/// The data of a benchmark: those of the figures.
pub(crate) struct BenchmarkFrames(Frames);

impl BenchmarkFrames {
    pub(crate) fn gather(seed: u64) -> Result<Self> {
        Ok(Self(Frames::gather(&setting(), seed, None)?))
    }
}

fn setting() -> Setting {
    Setting::new(Method::Images { dims: DIMS }, Size::Full)
}

/// A training in small epochs.
pub(crate) struct PixelTrainer<'a> {
    trainer: DistanceTrainer,
    parts: Vec<Episodes<'a>>,
    held_out: Episodes<'a>,
    /// The same at every look.
    pairs: Vec<Pair>,
    epoch: u64,
}

impl<'a> PixelTrainer<'a> {
    /// The paper's: two images for each pair.
    pub(crate) fn of_pairs(frames: &'a BenchmarkFrames, seed: u64) -> Result<Self> {
        let (target, sampler) = (TARGET, Sampler::UniformPairs);
        Self::new(&frames.0, seed, Objective::Regression { target, sampler })
    }

    /// All pairs of clips.
    pub(crate) fn of_clips(frames: &'a BenchmarkFrames, seed: u64) -> Result<Self> {
        let objective = setting().spec(frames.0.width()).objective;
        Self::new(&frames.0, seed, objective)
    }

    fn new(frames: &'a Frames, seed: u64, objective: Objective) -> Result<Self> {
        let spec = DistanceSpec {
            objective,
            learning_rate: LearningRate::Constant(LEARNING_RATE),
            ..setting().spec(frames.width())
        };
        let held_out = frames.held_out_episodes()?;
        let source = PairSource::new(&held_out, TARGET, Sampler::UniformPairs);
        let mut pairs = source.epoch(&mut Seed(seed).stream(Purpose::Assess, 0, 0));
        pairs.truncate(PAIRS);
        Ok(Self {
            trainer: DistanceTrainer::new(spec, Seed(seed))?,
            parts: frames.parts(EPOCH_FRAMES)?,
            held_out,
            pairs,
            epoch: 0,
        })
    }

    /// Updates so far.
    pub(crate) const fn updates(&self) -> u64 {
        self.trainer.step()
    }

    /// One epoch.
    pub(crate) fn go_on(&mut self) -> Result<()> {
        let part = Part::whole(&self.parts[self.epoch as usize % self.parts.len()]);
        self.trainer.epoch(&part, self.epoch, &Single)?;
        self.epoch += 1;
        Ok(())
    }

    /// The root of the mean squared error of predicted steps.
    pub(crate) fn held_out_rmse(&self) -> Result<f64> {
        let distance = self.trainer.distance()?;
        let mut squares = 0.0;
        for pair in &self.pairs {
            let (from, to) = (self.held_out.state(pair.from), self.held_out.state(pair.to));
            squares += (distance.between(from, to)? - f64::from(pair.lag_steps)).powi(2);
        }
        Ok((squares / self.pairs.len() as f64).sqrt())
    }
}

const TARGET: Target = Target::Window {
    steps: EPISODE_STEPS,
};
