//! Goal generators: propose new goals for the policy.
//!
//! | kind | proposes | learns from |
//! |---|---|---|
//! | [`uniform`](Uniform) | points drawn uniformly from the goal range | nothing |
//! | [`goal_gan`](GoalGan) | samples of a GAN | labelled goals |
//! | [`action_noise`](ActionNoise) | states reached by random actions after a success | those states |
//! | [`frontier`](Frontier) | visited states of lowest density | visited states |
//!
//! The training loop uses only the trait [`GoalGenerator`]. To add a generator, implement the trait in its own file
//! beside the others, then add a variant to [`GeneratorSpec`] and an arm to [`GeneratorSpec::build`].

mod action_noise;
mod frontier;
mod gan;
mod gan_spec;
mod goal_gan;
mod goal_queue;
mod uniform;

pub use action_noise::{ActionNoise, ActionNoiseSpec};
pub use frontier::{Frontier, FrontierSpec};
pub use gan_spec::GanSpec;
pub use goal_gan::{GanReport, GoalGan};
pub use goal_queue::GoalQueue;
pub use uniform::Uniform;

use crate::curriculum::{CurriculumError, Labelled};
use crate::distance::DistanceError;
use crate::goal::GoalRange;
use crate::nn::{NamedArray, NamedArrayError};
use crate::rng::{Rng, Seed};
use serde::{Deserialize, Serialize};

/// Proposes goals, and learns from their success rates and from visited states.
///
/// Inputs and outputs are proposals ([`Proposals`](crate::goal::Proposals)). Every call gets equal arguments on every
/// rank, so ranks stay equal without communication.
pub trait GoalGenerator: Send + Sync {
    /// `count` new goals, or fewer if fewer are known.
    fn propose(
        &self,
        count: usize,
        distance: &dyn ProposalDistance,
        rng: &mut Rng,
    ) -> Result<Vec<Vec<f32>>, DistanceError>;

    /// Learns from states that the untrained policy visits. Called once, before the first iteration.
    fn begin(&mut self, states: &[Vec<f32>], rng: &mut Rng) -> Result<(), CurriculumError>;

    /// Learns from one iteration. Returns losses if the generator is a GAN.
    fn learn(
        &mut self,
        feedback: &Feedback<'_>,
        rng: &mut Rng,
    ) -> Result<Option<GanReport>, CurriculumError>;

    /// Random actions that it needs after each success, in steps; 0 if none.
    fn tail_steps(&self) -> usize {
        0
    }

    /// Whether the working set includes archived goals, and the policy's states are collected for the archive and for
    /// [`Feedback::visited`].
    fn uses_archive(&self) -> bool {
        true
    }

    /// Its learned state, as named arrays.
    fn save(&self) -> Vec<NamedArray>;

    /// Restores what [`GoalGenerator::save`] returned.
    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError>;
}

/// The results of one iteration.
#[derive(Clone, Copy, Debug)]
pub struct Feedback<'a> {
    /// The working set with its success rates.
    pub labelled: &'a [Labelled],
    /// States after successes; empty unless [`GoalGenerator::tail_steps`] is positive.
    pub tails: &'a [TailState],
    /// States that the policy visits after its updates; empty without [`GoalGenerator::uses_archive`].
    pub visited: &'a [Vec<f32>],
}

/// A state reached by random actions after a goal was reached.
#[derive(Clone, Debug, PartialEq)]
pub struct TailState {
    /// The goal that was reached.
    pub goal: Vec<f32>,
    /// The state, as a proposal.
    pub state: Vec<f32>,
}

/// The training's distance between proposals, Euclidean or learned.
pub trait ProposalDistance {
    /// The embedding of a proposal for [`ProposalDistance::between`]: computed once, compared often.
    fn embed(&self, proposal: &[f32]) -> Result<Vec<f32>, DistanceError>;

    /// d(from, to) of two embedded proposals, in the distance's unit.
    fn between(&self, from: &[f32], to: &[f32]) -> Result<f64, DistanceError>;
}

/// Which generator, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum GeneratorSpec {
    /// Goals drawn uniformly from the range. (With braces, because serde ignores unknown keys of unit variants.)
    Uniform {},
    /// A GAN learns to propose goals of intermediate difficulty.
    GoalGan(GanSpec),
    /// States reached by random actions after a success become the next goals.
    ActionNoise(ActionNoiseSpec),
    /// Visited states of lowest density.
    Frontier(FrontierSpec),
}

impl GeneratorSpec {
    /// The name of its kind in specs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Uniform {} => "uniform",
            Self::GoalGan(_) => "goal_gan",
            Self::ActionNoise(_) => "action_noise",
            Self::Frontier(_) => "frontier",
        }
    }

    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), CurriculumError> {
        match self {
            Self::Uniform {} => Ok(()),
            Self::GoalGan(spec) => spec.check(),
            Self::ActionNoise(spec) => spec.check(),
            Self::Frontier(spec) => spec.check(),
        }
    }

    /// An untrained generator for proposals in `range`.
    pub fn build(
        &self,
        range: &GoalRange,
        seed: Seed,
    ) -> Result<Box<dyn GoalGenerator>, CurriculumError> {
        Ok(match self {
            Self::Uniform {} => Box::new(Uniform::new(range)),
            Self::GoalGan(spec) => Box::new(GoalGan::new(spec, range, seed)?),
            Self::ActionNoise(spec) => Box::new(ActionNoise::new(*spec, range)?),
            Self::Frontier(spec) => Box::new(Frontier::new(*spec, range)?),
        })
    }
}
