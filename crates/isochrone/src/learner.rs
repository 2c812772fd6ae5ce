//! Policy learners: how a goal-conditioned policy learns from trajectories.
//!
//! The training loop uses only the trait [`PolicyLearner`]: it rolls out the learner's actor and passes it the
//! trajectories. To add a learner, implement the trait in its own file here, then add a variant to
//! [`LearnerSpec`] with an arm in [`LearnerSpec::build`], and one to [`LearnerReport`].

mod path;
mod planned;
mod replay;
mod reward;
mod sac;
mod sac_spec;
mod trpo;

pub use reward::{GoalReward, GoalStep, RewardScale, StepEnd};
pub use sac::SacLearner;
pub use sac_spec::SacLearnerSpec;
pub use trpo::{TrpoLearner, TrpoLearnerSpec};

use crate::baseline::BaselineError;
use crate::batch::BatchError;
use crate::comm::{CommError, Workers};
use crate::distance::DistanceError;
use crate::distance_spec::SpecError;
use crate::env::{ActionSpec, ObservationSpec};
use crate::goal::{GoalError, GoalSpace};
use crate::nn::{NamedArray, NamedArrayError};
use crate::policy::{Actor, PolicyError};
use crate::rng::Seed;
use crate::rollout::Waypoints;
use crate::sac::{SacError, SacReport};
use crate::task::Task;
use crate::trajectory::Trajectories;
use crate::trpo::{TrpoError, TrpoReport};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A policy and the algorithm that improves it.
pub trait PolicyLearner: Send + Sync {
    /// A frozen snapshot of the policy for rollouts.
    fn actor(&self) -> Result<Box<dyn Actor>, LearnerError>;

    /// The same without exploration noise.
    fn greedy_actor(&self) -> Result<Box<dyn Actor>, LearnerError>;

    /// The one that is evaluated.
    fn evaluation_actor(&self) -> Result<Box<dyn Actor>, LearnerError> {
        self.actor()
    }

    /// Which trajectories it can learn from.
    fn wants(&self) -> Wants;

    /// Improves the policy with the latest training rollouts. A learner with a replay buffer adds them to it, then takes its
    /// gradient steps.
    ///
    /// Called on every rank with that rank's trajectories; afterwards all ranks must hold equal parameters.
    fn learn(
        &mut self,
        experience: &Experience<'_>,
        workers: &Workers<'_>,
    ) -> Result<LearnerReport, LearnerError>;

    /// The same with an end on request: [`LearnerError::Stopped`] once `poll` breaks, after which the learner must be restored.
    /// One that can take many gradient steps at once polls between them, equally often on every rank; the numbers do not
    /// depend on it.
    fn learn_until_stopped(
        &mut self,
        experience: &Experience<'_>,
        workers: &Workers<'_>,
        _poll: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<LearnerReport, LearnerError> {
        self.learn(experience, workers)
    }

    /// Adds rollouts other than those of [`PolicyLearner::learn`] to the replay buffer, without learning. Called only if
    /// the learner wants [`Wants::Replay`], on every rank with that rank's trajectories, of which there may be none.
    fn observe(
        &mut self,
        _experience: &Experience<'_>,
        _workers: &Workers<'_>,
    ) -> Result<(), LearnerError> {
        Ok(())
    }

    /// Everything learned, as named arrays.
    fn save(&self) -> Vec<NamedArray>;

    /// Restores what [`PolicyLearner::save`] returned.
    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError>;
}

/// Which trajectories a learner can learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Training rollouts of the current policy, used once.
    OnPolicyBatch,
    /// Transitions of any policy, kept in a replay buffer: also rollouts for labels and for visited states.
    Replay,
}

/// Trajectories, and what a learner needs to compute their rewards.
#[derive(Clone, Copy, Debug)]
pub struct Experience<'a> {
    /// This rank's episodes, including random tails.
    pub trajectories: &'a Trajectories,
    /// Projects a state to the goal that it achieves: for hindsight relabelling.
    pub goals: &'a GoalSpace,
    /// Tests whether a state reaches a goal: the reward of a relabelled transition.
    pub task: Task<'a>,
    /// The planner's roadmap; `None` without one, and where nothing is learned.
    pub waypoints: Option<Waypoints<'a>>,
}

/// Input and output shapes of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyIo {
    /// Shape of observations.
    pub observation: ObservationSpec,
    /// The goal space.
    pub goals: GoalSpace,
    /// Half widths of the range of goals; empty if it is unknown.
    pub goal_half_width: Vec<f32>,
    /// Shape and bounds of actions.
    pub action: ActionSpec,
}

/// Which learner, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LearnerSpec {
    /// Trust-region policy optimisation.
    Trpo(TrpoLearnerSpec),
    /// Soft actor-critic with hindsight.
    Sac(SacLearnerSpec),
}

impl LearnerSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), SpecError> {
        match self {
            Self::Trpo(spec) => spec.check(),
            Self::Sac(spec) => spec.check(),
        }
    }

    /// An untrained learner.
    pub fn build(&self, io: &PolicyIo, seed: Seed) -> Result<Box<dyn PolicyLearner>, LearnerError> {
        Ok(match self {
            Self::Trpo(spec) => Box::new(TrpoLearner::new(spec, io, seed)?),
            Self::Sac(spec) => Box::new(SacLearner::new(spec, io, seed)?),
        })
    }
}

/// Report of a call of [`PolicyLearner::learn`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LearnerReport {
    /// One trust-region step.
    Trpo(TrpoReport),
    /// Some updates of SAC.
    Sac(SacReport),
}

/// Why a learner cannot act or learn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnerError {
    /// A stop was requested.
    #[error("stopped")]
    Stopped,
    /// A setting out of range.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The policy's shapes do not match the environment's.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The trajectories cannot form a batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The trust-region step failed.
    #[error(transparent)]
    Trpo(#[from] TrpoError),
    /// An update of SAC failed.
    #[error(transparent)]
    Sac(#[from] SacError),
    /// The planner's waypoints are not goals of this learner.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// The ranks could not share their episodes.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A state or goal that the distance is not defined for.
    #[error(transparent)]
    Distance(#[from] DistanceError),
    /// The baseline could not be fitted.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}
