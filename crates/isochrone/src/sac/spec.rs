//! Settings of soft actor-critic.

use crate::distance_spec::SpecError;

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
    pub target_share: f64,
    /// The entropy asked for, per entry of an action.
    pub target_entropy: f64,
    /// α at the beginning.
    pub first_temperature: f64,
}

/// Limits that catch typing errors before they allocate terabytes.
const MOST_LAYERS: usize = 16;
const MOST_WIDTH: usize = 4_096;
const MOST_BATCH: usize = 1_000_000;

impl SacSpec {
    /// The published constants.
    pub fn published(hidden: &[usize]) -> Self {
        Self {
            hidden: hidden.to_vec(),
            learning_rate: 3e-4,
            batch: 256,
            target_share: 0.005,
            target_entropy: -1.0,
            first_temperature: 1.0,
        }
    }

    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), SpecError> {
        let refuse = |field, value, rule| Err(SpecError { field, value, rule });
        if self.hidden.len() > MOST_LAYERS {
            return refuse("hidden", self.hidden.len() as f64, "at most 16 layers");
        }
        let is_odd = |width: &&usize| !(1..=MOST_WIDTH).contains(*width);
        if let Some(&width) = self.hidden.iter().find(is_odd) {
            return refuse("hidden", width as f64, "1 to 4096 units for each layer");
        }
        if !(1..=MOST_BATCH).contains(&self.batch) {
            return refuse("batch", self.batch as f64, "from 1 to a million");
        }
        let Self {
            learning_rate,
            target_share,
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
                "target_share",
                target_share,
                above(target_share) && target_share <= 1.0,
                "above 0 and at most 1",
            ),
            (
                "target_entropy",
                target_entropy,
                target_entropy.is_finite(),
                "finite",
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
