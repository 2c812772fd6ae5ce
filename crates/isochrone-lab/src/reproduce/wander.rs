//! Random rollouts of a world, and the paper's predictor learned from them.

use super::Size;
use anyhow::Result;
use isochrone::distance::{Distance, Learned};
use isochrone::embedding::{DistanceSpec, DistanceTrainer, LearningRate, Scaling};
use isochrone::env::Environment;
use isochrone::evaluate::spearman;
use isochrone::goal::GoalSpace;
use isochrone::pairs::{Episodes, PairSource, Sampler, Target};
use isochrone::policy::Uniform;
use isochrone::rng::{Purpose, Seed};
use isochrone::rollout::{NoGoal, Phase, Plan, Streams, Tail, Threads, collect_alone};
use isochrone::trajectory::Episode;
use isochrone_mujoco::{Anywhere, World, WorldName};
use serde::Serialize;
use std::ops::Range;

/// The reference code's horizon: the longest lag that is seen.
pub(super) const HORIZON_STEPS: usize = 500;

/// Where episodes begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Starts {
    /// At the world's own start: how the paper initialises its predictor.
    Fixed,
    /// Wherever there is room: the paper's batch setting.
    Anywhere,
}

/// What the predictor sees of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Seen {
    /// All of it: the paper's full goal space.
    FullState,
    /// The place alone: its (x, y) goal space.
    Place,
}

/// How far the regression is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Rates {
    /// Adam at 1e-5 on plain steps, as the paper prints it.
    Printed,
    /// Adam from 1e-3 down to 1e-5 on scaled steps: until more of it changes nothing.
    Settled,
}

/// How much is seen and learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Amount {
    steps: usize,
    pub(super) held_out_steps: usize,
    epochs: u64,
}

impl Amount {
    /// In full the paper's 100,000 samples and 50 epochs.
    pub(super) const fn of(size: Size) -> Self {
        match size {
            Size::Full => Self {
                steps: 100_000,
                held_out_steps: 20_000,
                epochs: 50,
            },
            Size::Quick => Self {
                steps: 5_000,
                held_out_steps: 2_000,
                epochs: 8,
            },
        }
    }
}

/// What is to be learned, and from what.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Asked {
    #[serde(serialize_with = "as_name")]
    pub(super) world: WorldName,
    pub(super) starts: Starts,
    pub(super) seen: Seen,
    pub(super) rates: Rates,
    pub(super) amount: Amount,
    pub(super) q: f32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn as_name<S: serde::Serializer>(world: &WorldName, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(world.as_str())
}

impl Asked {
    /// 64 ReLU → 20, 1-norm to the power q, batch 32.
    fn spec(&self, inputs: usize) -> DistanceSpec {
        let paper = DistanceSpec::paper(inputs, HORIZON_STEPS);
        let batches = self.amount.steps / paper.batch;
        let spec = match self.rates {
            Rates::Printed => paper,
            Rates::Settled => DistanceSpec {
                scaling: Scaling::Running,
                learning_rate: LearningRate::Decay {
                    from: 1e-3,
                    to: 1e-5,
                    steps: self.amount.epochs * batches as u64,
                },
                ..paper
            },
        };
        DistanceSpec { q: self.q, ..spec }
    }
}

/// States of random rollouts, as the predictor sees them.
pub(super) struct Walks {
    states: Vec<f32>,
    width: usize,
    ranges: Vec<Range<usize>>,
}

/// Rollouts to learn from, and others to judge by.
pub(super) struct Data {
    pub(super) world: World,
    pub(super) space: GoalSpace,
    learn: Walks,
    held_out: Walks,
}

impl Data {
    /// Uniform random actions; the same for every q and every rate.
    pub(super) fn gather(asked: &Asked, seed: u64) -> Result<Self> {
        let world = asked.world.build()?;
        let space = match asked.seen {
            Seen::FullState => world.full_state_space()?,
            Seen::Place => world.xy_space()?,
        };
        let roll = |phase, steps| match asked.starts {
            Starts::Fixed => Walks::of(&world, &space, seed, phase, steps),
            Starts::Anywhere => {
                let anywhere = Anywhere::new(world.clone())?;
                Walks::of(&anywhere, &space, seed, phase, steps)
            }
        };
        Ok(Self {
            learn: roll(Phase::Train, asked.amount.steps)?,
            held_out: roll(Phase::Evaluate, asked.amount.held_out_steps)?,
            space,
            world,
        })
    }

    /// The state at rest at a place, as the predictor sees it.
    pub(super) fn at_rest(&self, place_m: [f64; 2]) -> Vec<f32> {
        let state = self.world.state_at(place_m.map(|x| x as f32));
        self.space.project(&state).into_owned()
    }
}

impl Walks {
    /// At least `steps` steps in whole episodes.
    pub(super) fn of<E: Environment + Clone + Send>(
        world: &E,
        space: &GoalSpace,
        seed: u64,
        phase: Phase,
        steps: usize,
    ) -> Result<Self> {
        let plan = Plan {
            streams: Streams {
                seed: Seed(seed),
                iteration: 0,
                phase,
            },
            actor: &Uniform(world.action_spec()),
            goals: &NoGoal,
            task: None,
            horizon_steps: HORIZON_STEPS,
            tail: Tail::Off,
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let seen = collect_alone(&mut Threads::new(threads, || world.clone()), &plan, steps)?;
        let rows = seen.observations().as_f32().unwrap_or_default();
        let each = rows.chunks_exact(space.observation_length());
        Ok(Self {
            states: each.flat_map(|row| space.project(row).to_vec()).collect(),
            width: space.dims(),
            ranges: seen.episodes().iter().map(Episode::rows).collect(),
        })
    }

    pub(super) fn episodes(&self) -> Result<Episodes<'_>> {
        let ranges = self.ranges.clone();
        Ok(Episodes::new(&self.states, self.width, ranges)?)
    }
}

/// A learned distance and what it is worth on trajectories that it has not seen.
pub(super) struct Predictor {
    /// Everything it depends on but its seed.
    pub(super) spec: (Asked, DistanceSpec),
    pub(super) distance: Learned,
    pub(super) worth: Worth,
}

/// Predicted against observed lags of held-out pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    pub(super) rmse_steps: f64,
    /// Of the best constant.
    pub(super) constant_rmse_steps: f64,
    pub(super) spearman: f64,
}

impl Predictor {
    /// The paper's network on whole episodes.
    pub(super) fn learn(asked: &Asked, data: &Data, seed: u64) -> Result<Self> {
        let episodes = data.learn.episodes()?;
        let spec = asked.spec(data.space.dims());
        let mut trainer = DistanceTrainer::new(spec.clone(), Seed(seed))?;
        for epoch in 0..asked.amount.epochs {
            trainer.epoch(&episodes, epoch)?;
        }
        let distance = trainer.distance()?;
        let worth = Worth::of(&distance, &data.held_out.episodes()?, seed)?;
        Ok(Self {
            spec: (asked.clone(), spec),
            distance,
            worth,
        })
    }

    /// Steps from the state at rest at a place to that at the reference.
    pub(super) fn steps_to<'a>(
        &'a self,
        data: &'a Data,
        reference_m: [f64; 2],
    ) -> impl Fn([f64; 2]) -> f64 + 'a {
        let embed = |place_m| self.distance.embed(&data.at_rest(place_m));
        let goal = embed(reference_m);
        move |place_m| self.distance.metric().one_way(&embed(place_m), &goal)
    }
}

impl Worth {
    fn of(distance: &Learned, held_out: &Episodes<'_>, seed: u64) -> Result<Self> {
        let window = Target::Window {
            steps: HORIZON_STEPS,
        };
        let source = PairSource::new(held_out, window, Sampler::UniformStartThenEnd);
        let pairs = source.epoch(&mut Seed(seed).stream(Purpose::Assess, 0, 0));
        let both = pairs.iter().map(|pair| {
            let (from, to) = (held_out.state(pair.from), held_out.state(pair.to));
            (distance.between(from, to), f64::from(pair.lag_steps))
        });
        let (predicted, lags): (Vec<f64>, Vec<f64>) = both.unzip();
        let mean = lags.iter().sum::<f64>() / lags.len() as f64;
        Ok(Self {
            rmse_steps: rms(predicted.iter().zip(&lags).map(|(p, lag)| p - lag)),
            constant_rmse_steps: rms(lags.iter().map(|lag| lag - mean)),
            spearman: spearman(&predicted, &lags)?.unwrap_or(0.0),
        })
    }
}

fn rms(errors: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = errors.len() as f64;
    (errors.map(|e| e * e).sum::<f64>() / n).sqrt()
}
