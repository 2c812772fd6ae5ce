//! Settings of the goal GAN.

use crate::curriculum::{CurriculumError, refuse};
use serde::{Deserialize, Serialize};

/// Settings of a [`GoalGan`](super::GoalGan).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GanSpec {
    /// Dimensions of the generator's noise input.
    pub noise_dims: usize,
    /// Widths of the generator's hidden layers.
    pub generator_hidden: Vec<usize>,
    /// Widths of the discriminator's hidden layers.
    pub discriminator_hidden: Vec<usize>,
    /// Learning rate of RMSProp, for both networks.
    pub learning_rate: f64,
    /// Labelled goals per discriminator step; as many generated ones are added.
    pub batch: usize,
    /// GAN iterations after each iteration of the training loop.
    pub iterations: u64,
    /// GAN iterations on the states of the untrained policy, before the first iteration of the loop.
    pub initial_iterations: u64,
    /// Standard deviation of the noise added to every entry of a proposal, in the entry's unit (metres for positions).
    pub noise_std_m: f64,
}

impl GanSpec {
    /// The reference code's constants with the paper's 200 iterations; `docs/deviations.md` lists where the two disagree.
    pub fn reference() -> Self {
        Self {
            noise_dims: 4,
            generator_hidden: vec![256, 256],
            discriminator_hidden: vec![128, 128],
            learning_rate: 1e-3,
            batch: 64,
            iterations: 200,
            initial_iterations: 200,
            noise_std_m: 0.5,
        }
    }
}

/// Limits that catch typing errors before they allocate terabytes.
const MOST_WIDTH: usize = 10_000;
const MOST_BATCH: usize = 1_000_000;
const MOST_LAYERS: usize = 100;

impl GanSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), CurriculumError> {
        if !(1..=MOST_WIDTH).contains(&self.noise_dims) {
            return refuse("noise_dims", self.noise_dims as f64, "in 1…10,000");
        }
        check_widths("generator_hidden", &self.generator_hidden)?;
        check_widths("discriminator_hidden", &self.discriminator_hidden)?;
        if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) {
            return refuse("learning_rate", self.learning_rate, "above 0");
        }
        if !(1..=MOST_BATCH).contains(&self.batch) {
            let rule = "at least 1 and at most a million";
            return refuse("batch", self.batch as f64, rule);
        }
        if !(self.noise_std_m >= 0.0 && self.noise_std_m.is_finite()) {
            return refuse("noise_std_m", self.noise_std_m, "not negative");
        }
        Ok(())
    }
}

fn check_widths(field: &'static str, hidden: &[usize]) -> Result<(), CurriculumError> {
    if hidden.len() > MOST_LAYERS {
        return refuse(field, hidden.len() as f64, "at most 100 layers");
    }
    match hidden
        .iter()
        .find(|width| !(1..=MOST_WIDTH).contains(*width))
    {
        Some(&width) => refuse(field, width as f64, "in 1…10,000 for each layer"),
        None => Ok(()),
    }
}
