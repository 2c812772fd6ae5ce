//! Saving and restoring a training run.

use super::Training;
use super::online_map::OnlineMap;
use crate::curriculum::PooledLabels;
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
        arrays.extend(self.pooled_labels.iter().map(PooledLabels::save));
        arrays.extend(self.has_moving_epsilon().then(|| self.epsilon.save()));
        arrays.extend(self.map.iter().flat_map(OnlineMap::save));
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
        if let Some(pooled) = &mut self.pooled_labels {
            pooled.restore(&state.arrays)?;
        }
        if self.has_moving_epsilon() {
            self.epsilon.restore(&state.arrays)?;
        }
        if let Some(map) = &mut self.map {
            map.restore(&state.arrays)?;
        }
        let refreshed = self.refresh_map();
        refreshed.map_err(|error| NamedArrayError::Layers {
            reason: error.to_string(),
        })?;
        self.counters = state.counters;
        Ok(())
    }
}
