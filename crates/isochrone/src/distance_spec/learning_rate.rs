//! The learning rate of a fit: constant, or decaying.

use super::SpecError;
use serde::{Deserialize, Serialize};

/// Adam's learning rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LearningRate {
    /// Constant.
    Constant(f64),
    /// Exponential decay from one value to another.
    Decay {
        /// At the first step.
        from: f64,
        /// From step `steps` on.
        to: f64,
        /// Number of decay steps.
        steps: u64,
    },
}

impl LearningRate {
    /// The learning rate at a step.
    pub fn at(self, step: u64) -> f64 {
        match self {
            Self::Constant(rate) => rate,
            Self::Decay { from, to, steps } => {
                let done = (step as f64 / steps.max(1) as f64).min(1.0);
                from * (to / from).powf(done)
            }
        }
    }

    /// Refuses rates that are not positive.
    pub(crate) fn check(self) -> Result<(), SpecError> {
        for step in [0, u64::MAX] {
            let value = self.at(step);
            if !(value > 0.0 && value.is_finite()) {
                let (field, rule) = ("learning_rate", "above 0");
                return Err(SpecError { field, value, rule });
            }
        }
        Ok(())
    }
}
