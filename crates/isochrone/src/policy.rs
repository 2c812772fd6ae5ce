//! Policies as the rollout sees them: frozen, evaluated one row at a time on the thread that steps the world.
//!
//! An engine call per step would cost more than the network, so a rollout takes a copy of the weights and
//! runs its own kernel. It adds in one fixed order per output, whatever else is evaluated beside it: a row
//! gives the same bits alone and in any batch.

mod frozen;
mod tanh;

pub use frozen::{FrozenPolicy, Linear};

use crate::env::{ActionSpec, Observation, ObservationSpec};
use crate::rng::Rng;
use rand::RngExt;

/// Why a policy cannot act here.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// Layers that do not follow one another.
    #[error("layer {layer} has {got} {what}, {expected} are needed")]
    Shape {
        /// Which layer, from 0.
        layer: usize,
        /// Which count is wrong.
        what: &'static str,
        /// What it is.
        got: usize,
        /// What it should be.
        expected: usize,
    },
    /// A network for another world or goal.
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
    /// A network for another body.
    #[error("the policy gives {gives} numbers, an action has {action}")]
    Outputs {
        /// Outputs of the network.
        gives: usize,
        /// Entries of an action.
        action: usize,
    },
    /// A network of vectors before an image.
    #[error("this policy sees vectors, the world shows images")]
    Image,
}

/// Chooses actions in a rollout.
pub trait Actor: Send + Sync {
    /// Can it act on these observations, goals and actions?
    fn check(
        &self,
        observation: &ObservationSpec,
        goal_dims: usize,
        action: &ActionSpec,
    ) -> Result<(), PolicyError>;

    /// An action for what is seen and wanted. `scratch` is the caller's, kept from step to step so that
    /// nothing is allocated; what it holds means nothing.
    fn act(
        &self,
        seen: &Observation,
        goal: &[f32],
        rng: &mut Rng,
        scratch: &mut Vec<f32>,
        action: &mut [f32],
    );
}

/// Every legal action with equal probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform(pub ActionSpec);

impl Actor for Uniform {
    fn check(
        &self,
        _observation: &ObservationSpec,
        _goal_dims: usize,
        action: &ActionSpec,
    ) -> Result<(), PolicyError> {
        let (gives, action) = (self.0.len(), action.len());
        if gives == action {
            Ok(())
        } else {
            Err(PolicyError::Outputs { gives, action })
        }
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
