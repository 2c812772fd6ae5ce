//! A trainable Gaussian policy.

use super::{FrozenPolicy, InputRow, PolicyError};
use crate::kernel::Activation;
use crate::layers::Layers;
use crate::nn::{NamedArray, NamedArrayError, find};
use crate::rng::{Seed, Stream};
use serde::{Deserialize, Serialize};

/// Lower bound of log σ.
const LEAST_LOG_STD: f32 = -13.815_511;

/// Whether standard deviations are learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Std {
    /// They are parameters.
    Learned,
    /// They keep their initial value.
    Fixed,
}

/// Inputs and layer widths.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyShape {
    /// What it sees.
    pub inputs: InputRow,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Entries of an action.
    pub actions: usize,
}

/// `π(a | s, g) = N(μ_θ(s, g), diag σ²)`: tanh layers with a linear end, and a σ that does not depend on the state.
///
/// Its parameters θ are one vector: the layers of the mean, then log σ where it is learned.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianPolicy {
    inputs: InputRow,
    layers: Layers,
    std: Std,
    mean: Vec<f32>,
    log_std: Vec<f32>,
}

impl GaussianPolicy {
    /// An untrained policy: Glorot's weights, no biases, all standard deviations `first_std`.
    pub fn untrained(shape: &PolicyShape, std: Std, first_std: f32, seed: Seed) -> Self {
        let layers = Layers::new(
            shape.inputs.len(),
            &shape.hidden,
            shape.actions,
            Activation::Tanh,
        );
        Self {
            inputs: shape.inputs.clone(),
            mean: layers.untrained(&mut seed.of(Stream::PolicyWeights)),
            log_std: vec![first_std.ln(); shape.actions],
            layers,
            std,
        }
    }

    /// The network of the mean.
    pub(crate) const fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Parameters of the mean.
    pub(crate) fn mean_parameters(&self) -> &[f32] {
        &self.mean
    }

    /// Are the standard deviations parameters?
    pub const fn std(&self) -> Std {
        self.std
    }

    /// log σ as it is used, one per entry of an action.
    pub fn log_std(&self) -> Vec<f32> {
        // Not `f32::max`, which would hide a NaN.
        let used = |x: &f32| {
            if *x < LEAST_LOG_STD {
                LEAST_LOG_STD
            } else {
                *x
            }
        };
        self.log_std.iter().map(used).collect()
    }

    /// θ.
    pub fn parameters(&self) -> Vec<f32> {
        match self.std {
            Std::Learned => [self.mean.as_slice(), &self.log_std].concat(),
            Std::Fixed => self.mean.clone(),
        }
    }

    /// Another θ of the same length.
    pub fn set_parameters(&mut self, parameters: &[f32]) {
        let (mean, log_std) = parameters.split_at(self.mean.len().min(parameters.len()));
        self.mean.clone_from_slice(mean);
        if self.std == Std::Learned {
            self.log_std.clone_from_slice(log_std);
        }
    }

    /// A copy for rollouts.
    pub fn freeze(&self) -> Result<FrozenPolicy, PolicyError> {
        let layers = self.layers.linear(&self.mean);
        FrozenPolicy::new(self.inputs.clone(), &layers, &self.log_std())
    }

    /// All parameters, as named arrays.
    pub fn save(&self) -> Vec<NamedArray> {
        let mut arrays = self.layers.save("policy", &self.mean);
        arrays.push(NamedArray::f32(
            "policy.log_std",
            [1, self.log_std.len()],
            self.log_std.clone(),
        ));
        arrays
    }

    /// Restores saved parameters.
    pub fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        self.layers.restore("policy", arrays, &mut self.mean)?;
        let log_std = find(arrays, "policy.log_std", [1, self.log_std.len()])?;
        self.log_std.copy_from_slice(log_std);
        Ok(())
    }
}
