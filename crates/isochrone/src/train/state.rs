//! Everything a training needs to go on.

use super::Training;
use crate::nn::{Named, NamedError};
use serde::{Deserialize, Serialize};

/// Totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Iterations done.
    pub iteration: u64,
    /// Policy updates done.
    pub updates: u64,
    /// Steps that the policy learned from.
    pub steps: u64,
    /// All steps but those of evaluation: tails, labels and gathered states too.
    pub env_steps: u64,
}

/// A training as it stands at the end of an iteration. There is no position of a random stream in it: streams belong to
/// pieces of work, which the counters number.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingState {
    /// Policy, baseline, predictor, generator, archive.
    pub arrays: Vec<Named>,
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
    /// Everything needed to go on.
    pub fn save(&self) -> TrainingState {
        let mut arrays = self.policy.save();
        arrays.extend(self.baseline.save());
        arrays.extend(self.judge.save());
        arrays.extend(self.feed.save());
        arrays.push(self.archive.save());
        arrays.extend(self.save_range());
        TrainingState {
            arrays,
            counters: self.counters,
        }
    }

    /// The opposite: what follows is, to the byte, what would have followed.
    pub fn restore(&mut self, state: &TrainingState) -> Result<(), NamedError> {
        self.policy.restore(&state.arrays)?;
        self.baseline.restore(&state.arrays)?;
        self.judge.restore(&state.arrays)?;
        self.restore_range(&state.arrays)?;
        self.feed.restore(&state.arrays)?;
        self.archive.restore(&state.arrays)?;
        self.counters = state.counters;
        Ok(())
    }
}
