//! Policy learners: how a goal-conditioned policy learns from trajectories.
//!
//! The training loop knows only the trait [`PolicyLearner`]: it rolls out the learner's actor, then hands over the
//! trajectories. To add a learner, implement the trait in a file of its own here, then add a variant to
//! [`LearnerSpec`] with an arm in [`LearnerSpec::build`], and one to [`LearnerReport`].

mod trpo;

pub use trpo::{TrpoLearner, TrpoLearnerSpec};

use crate::baseline::BaselineError;
use crate::batch::BatchError;
use crate::comm::Workers;
use crate::distance_spec::SpecError;
use crate::env::{ActionSpec, ObservationSpec};
use crate::goal::GoalSpace;
use crate::nn::{NamedArray, NamedArrayError};
use crate::policy::{Actor, PolicyError};
use crate::rng::Seed;
use crate::task::Task;
use crate::trajectory::Trajectories;
use crate::trpo::{TrpoError, TrpoReport};
use serde::{Deserialize, Serialize};

/// A policy and the algorithm that improves it.
pub trait PolicyLearner: Send + Sync {
    /// A frozen snapshot of the policy for rollouts.
    fn actor(&self) -> Result<Box<dyn Actor>, LearnerError>;

    /// The same without exploration noise.
    fn greedy_actor(&self) -> Result<Box<dyn Actor>, LearnerError>;

    /// Which trajectories it can learn from.
    fn wants(&self) -> Wants;

    /// Improves the policy with the latest training rollouts. A learner with a replay adds them to it, then takes its
    /// gradient steps.
    ///
    /// Called on every rank with the rank's own trajectories; afterwards all ranks must hold equal parameters.
    fn learn(
        &mut self,
        experience: &Experience<'_>,
        workers: &Workers<'_>,
    ) -> Result<LearnerReport, LearnerError>;

    /// Adds rollouts other than those of [`PolicyLearner::learn`] to the replay, without learning. Called only if it
    /// wants [`Wants::Replay`], and not equally often on all ranks: it must not communicate.
    fn observe(
        &mut self,
        _experience: &Experience<'_>,
        _workers: &Workers<'_>,
    ) -> Result<(), LearnerError> {
        Ok(())
    }

    /// Everything it has learned.
    fn save(&self) -> Vec<NamedArray>;

    /// Restores what [`PolicyLearner::save`] returned.
    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError>;
}

/// Which trajectories a learner can learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Training rollouts of the current policy, used once.
    OnPolicyBatch,
    /// Transitions of any policy, kept in a replay: rollouts for labels and for visited states as well.
    Replay,
}

/// Trajectories with what a learner needs to compute rewards.
#[derive(Clone, Copy, Debug)]
pub struct Experience<'a> {
    /// This rank's episodes, random tails included.
    pub trajectories: &'a Trajectories,
    /// Turns a state into the goal that it reaches: for hindsight relabelling.
    pub goals: &'a GoalSpace,
    /// Decides whether a state reaches a goal: the reward of a relabelled transition.
    pub task: Task<'a>,
}

/// What goes into a policy and what comes out.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyIo {
    /// Observations.
    pub observation: ObservationSpec,
    /// Numbers in a goal.
    pub goal_dims: usize,
    /// Actions.
    pub action: ActionSpec,
}

/// Which learner, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LearnerSpec {
    /// Trust-region policy optimisation.
    Trpo(TrpoLearnerSpec),
}

impl LearnerSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), SpecError> {
        match self {
            Self::Trpo(spec) => spec.check(),
        }
    }

    /// An untrained learner.
    pub fn build(&self, io: &PolicyIo, seed: Seed) -> Result<Box<dyn PolicyLearner>, LearnerError> {
        Ok(match self {
            Self::Trpo(spec) => Box::new(TrpoLearner::new(spec, io, seed)?),
        })
    }
}

/// What a call of [`PolicyLearner::learn`] did, in the learner's own numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LearnerReport {
    /// One trust-region step.
    Trpo(TrpoReport),
}

/// Why a learner cannot act or learn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnerError {
    /// A setting out of its range.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The policy does not fit its world.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The trajectories do not form a batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The trust-region step failed.
    #[error(transparent)]
    Trpo(#[from] TrpoError),
    /// The value estimate could not be fitted.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}
