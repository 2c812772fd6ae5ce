//! Settings of soft actor-critic.

use crate::distance_spec::{SpecError, check_hidden};
use std::f64::consts::LN_2;

/// Settings of [`Sac`](super::Sac).
#[derive(Clone, Debug, PartialEq)]
pub struct SacSpec {
    /// Widths of the hidden layers of policy and critics.
    pub hidden: Vec<usize>,
    /// Adam's, of policy, critics and temperature.
    pub learning_rate: f64,
    /// Transitions of an update.
    pub batch: usize,
    /// τ: how far the targets follow the critics in an update.
    pub tau: f64,
    /// The entropy asked for, per entry of an action; at most ln 2, which no density on −1 … 1 exceeds: the temperature would
    /// grow without bound.
    pub target_entropy: f64,
    /// α at the beginning.
    pub first_temperature: f64,
}

/// Catches typing errors before they allocate terabytes.
const MOST_BATCH: usize = 1_000_000;

impl SacSpec {
    /// The published constants.
    pub fn published(hidden: &[usize]) -> Self {
        Self {
            hidden: hidden.to_vec(),
            learning_rate: 3e-4,
            batch: 256,
            tau: 0.005,
            target_entropy: -1.0,
            first_temperature: 1.0,
        }
    }

    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), SpecError> {
        let refuse = |field, value, rule| Err(SpecError { field, value, rule });
        check_hidden(&self.hidden)?;
        if !(1..=MOST_BATCH).contains(&self.batch) {
            return refuse("batch", self.batch as f64, "from 1 to a million");
        }
        let Self {
            learning_rate,
            tau,
            target_entropy,
            first_temperature,
            ..
        } = *self;
        let above = |value: f64| value.is_finite() && value > 0.0;
        let positive = "finite and above 0";
        let rules = [
            (
                "learning_rate",
                learning_rate,
                above(learning_rate),
                positive,
            ),
            (
                "tau",
                tau,
                above(tau) && tau <= 1.0,
                "above 0 and at most 1",
            ),
            (
                "target_entropy",
                target_entropy,
                target_entropy.is_finite() && target_entropy <= LN_2,
                "finite and at most ln 2 = 0.693, the entropy of uniform actions from -1 to 1",
            ),
            (
                "first_temperature",
                first_temperature,
                above(first_temperature),
                positive,
            ),
        ];
        match rules.into_iter().find(|(.., is_kept, _)| !is_kept) {
            Some((field, value, _, rule)) => refuse(field, value, rule),
            None => Ok(()),
        }
    }
}
