//! The goal generator's numbers.

use super::{CurriculumError, refuse};
use serde::{Deserialize, Serialize};

/// What a [`GoalGan`](super::GoalGan) is made of. Unless said otherwise it is the reference code's, with the paper's 200
/// iterations; `docs/deviations.md` says where the two disagree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GanSpec {
    /// Numbers of noise that the generator makes a goal from.
    pub noise_dims: usize,
    /// Widths of the generator's hidden layers.
    pub generator_hidden: Vec<usize>,
    /// Widths of the discriminator's hidden layers.
    pub discriminator_hidden: Vec<usize>,
    /// RMSProp's, for both.
    pub learning_rate: f64,
    /// Goals shown to the discriminator in an iteration, and as many made ones.
    pub batch: usize,
    /// Iterations after the goals of an outer iteration were labelled.
    pub iterations: u64,
    /// Iterations on the states of the untrained policy, before everything else.
    pub initial_iterations: u64,
    /// Standard deviation of what is added to every number of a goal, in the goal's unit.
    pub noise_std: f32,
}

impl Default for GanSpec {
    fn default() -> Self {
        Self {
            noise_dims: 4,
            generator_hidden: vec![256, 256],
            discriminator_hidden: vec![128, 128],
            learning_rate: 1e-3,
            batch: 64,
            iterations: 200,
            initial_iterations: 200,
            noise_std: 0.5,
        }
    }
}

/// Widths, batches and learning rates beyond which no computer follows.
const MOST_WIDTH: usize = 10_000;
const MOST_BATCH: usize = 1_000_000;
const MOST_LAYERS: usize = 100;

impl GanSpec {
    /// Is it one that can be trained?
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
        if !(self.noise_std >= 0.0 && self.noise_std.is_finite()) {
            return refuse("noise_std", self.noise_std.into(), "not negative");
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
