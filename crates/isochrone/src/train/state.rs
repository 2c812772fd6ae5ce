//! Saving and restoring a training run.

use super::Training;
use crate::nn::{NamedArray, NamedArrayError};
use serde::{Deserialize, Serialize};

/// Totals of a training run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Iterations done.
    pub iteration: u64,
    /// Policy updates done.
    pub updates: u64,
    /// Steps that the policy learned from.
    pub steps: u64,
    /// All environment steps, including tails, labels and visited states, excluding evaluation.
    pub env_steps: u64,
}

/// A training run at the end of an iteration. It holds no generator position: every piece of work has a random stream of
/// its own, numbered by the counters.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingState {
    /// Learner, predictor, generator, archive.
    pub arrays: Vec<NamedArray>,
    /// Totals.
    pub counters: Counters,
}

impl std::fmt::Debug for Training {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Training")
            .field("spec", &self.spec)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}

impl Training {
    /// The state at the end of an iteration.
    pub fn save(&self) -> TrainingState {
        let mut arrays = self.learner.save();
        arrays.extend(self.distance.save());
        arrays.extend(self.generator.save());
        arrays.push(self.archive.save());
        arrays.extend(self.save_range());
        TrainingState {
            arrays,
            counters: self.counters,
        }
    }

    /// Restores a saved state. Training then continues byte for byte as if it had not stopped.
    pub fn restore(&mut self, state: &TrainingState) -> Result<(), NamedArrayError> {
        self.learner.restore(&state.arrays)?;
        self.distance.restore(&state.arrays)?;
        self.restore_range(&state.arrays)?;
        self.generator.restore(&state.arrays)?;
        self.archive.restore(&state.arrays)?;
        self.counters = state.counters;
        Ok(())
    }
}
