//! Policies as the rollout sees them: frozen, evaluated one row at a time by [`crate::kernel`] on the thread that
//! steps the world.

mod frozen;
mod gaussian;
mod input;
mod squashed;
mod straight_line;

pub use frozen::FrozenPolicy;
pub use gaussian::{GaussianPolicy, PolicyShape, Std};
pub use input::{InputRow, PolicyInput};
pub use squashed::SquashedPolicy;
pub(crate) use squashed::{clamp_log_std, log_std_is_free};
pub use straight_line::StraightLine;

use crate::env::{ActionSpec, Dtype, Observation, ObservationSpec};
use crate::kernel::LayerError;
use crate::rng::Rng;
use rand::RngExt;

/// Why a policy does not fit a world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// Layers that do not form a network.
    #[error(transparent)]
    Layers(#[from] LayerError),
    /// Wrong number of inputs.
    #[error(
        "the policy takes {takes} inputs; the observation has {observation} and the goal {goal}"
    )]
    Inputs {
        /// Inputs of the network.
        takes: usize,
        /// Entries of the observation.
        observation: usize,
        /// Entries of the goal.
        goal: usize,
    },
    /// Wrong number of outputs.
    #[error("the policy gives {gives} numbers, an action has {action}")]
    Outputs {
        /// Outputs of the network.
        gives: usize,
        /// Entries of an action.
        action: usize,
    },
    /// A standard deviation that is NaN or infinite.
    #[error("the logarithm of standard deviation {entry} is {value}")]
    Std {
        /// Which entry of the action.
        entry: usize,
        /// What it is.
        value: f32,
    },
    /// A vector policy in a world with image observations.
    #[error("this policy sees vectors, the world shows images")]
    Image,
}

/// Chooses actions in a rollout.
pub trait Actor: Send + Sync {
    /// Checks that it fits these observations, goals and actions.
    fn check(
        &self,
        observation: &ObservationSpec,
        goal_dims: usize,
        action: &ActionSpec,
    ) -> Result<(), PolicyError>;

    /// Chooses an action for an observation and a goal. `scratch` is a buffer that the caller keeps between steps to avoid
    /// allocations.
    fn act(
        &self,
        seen: &Observation,
        goal: &[f32],
        rng: &mut Rng,
        scratch: &mut Vec<f32>,
        action: &mut [f32],
    );
}

/// Checks that a policy takes these observations and goals.
fn check_inputs(
    takes: [usize; 2],
    observation: &ObservationSpec,
    goal_dims: usize,
) -> Result<(), PolicyError> {
    if observation.dtype == Dtype::U8 {
        return Err(PolicyError::Image);
    }
    if takes == [observation.len(), goal_dims] {
        return Ok(());
    }
    Err(PolicyError::Inputs {
        takes: takes.iter().sum(),
        observation: observation.len(),
        goal: goal_dims,
    })
}

/// Checks the number of outputs.
fn check_outputs(gives: usize, action: &ActionSpec) -> Result<(), PolicyError> {
    match action.len() {
        action if gives == action => Ok(()),
        action => Err(PolicyError::Outputs { gives, action }),
    }
}

/// Actions drawn evenly from their bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform(pub ActionSpec);

impl Actor for Uniform {
    fn check(
        &self,
        _observation: &ObservationSpec,
        _goal_dims: usize,
        action: &ActionSpec,
    ) -> Result<(), PolicyError> {
        check_outputs(self.0.len(), action)
    }

    fn act(
        &self,
        _seen: &Observation,
        _goal: &[f32],
        rng: &mut Rng,
        _scratch: &mut Vec<f32>,
        action: &mut [f32],
    ) {
        let bounds = self.0.low.iter().zip(&self.0.high);
        for (value, (low, high)) in action.iter_mut().zip(bounds) {
            *value = low + (high - low) * rng.random::<f32>();
        }
    }
}
