//! A tanh-squashed Gaussian policy, frozen for a rollout.

use super::{Actor, InputRow, PolicyError, check_inputs, check_outputs};
use crate::env::{ActionSpec, Observation, ObservationSpec};
use crate::kernel::{Activation, FrozenMlp, Linear};
use crate::rng::Rng;
use rand::RngExt;
use rand_distr::StandardNormal;

/// Limits of log σ.
const LOG_STD: [f32; 2] = [-20.0, 2.0];

/// log σ as it is used. A NaN stays one.
pub(crate) const fn clamp_log_std(log_std: f32) -> f32 {
    log_std.clamp(LOG_STD[0], LOG_STD[1])
}

/// Whether log σ is within its limits: beyond them it has no effect.
pub(crate) fn log_std_is_free(log_std: f32) -> bool {
    (LOG_STD[0]..=LOG_STD[1]).contains(&log_std)
}

/// A Gaussian squashed into the bounds of the actions:
///
/// ```text
/// a = c + w·tanh(μ(s, g) + σ(s, g)·ξ),   ξ ~ N(0, 1)        c and w: centre and half width of the bounds
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SquashedPolicy {
    inputs: InputRow,
    /// μ, then log σ.
    network: FrozenMlp,
    bounds: ActionSpec,
    noise: Noise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noise {
    On,
    Off,
}

impl SquashedPolicy {
    /// A frozen copy of a network for such rows, whose results are μ and log σ.
    pub fn new(
        inputs: InputRow,
        layers: &[Linear],
        bounds: ActionSpec,
    ) -> Result<Self, PolicyError> {
        let network = FrozenMlp::new(inputs.len(), layers, Activation::Relu)?;
        let (gives, action) = (network.outputs(), bounds.len());
        if gives != 2 * action {
            return Err(PolicyError::Outputs {
                gives: gives / 2,
                action,
            });
        }
        Ok(Self {
            inputs,
            network,
            bounds,
            noise: Noise::On,
        })
    }

    /// The same policy without exploration noise: its action is c + w·tanh μ(s, g).
    #[must_use]
    pub const fn without_noise(mut self) -> Self {
        self.noise = Noise::Off;
        self
    }
}

impl Actor for SquashedPolicy {
    fn check(
        &self,
        observation: &ObservationSpec,
        goal_dims: usize,
        action: &ActionSpec,
    ) -> Result<(), PolicyError> {
        let takes = [self.inputs.observation_length(), self.inputs.goal_dims()];
        check_inputs(takes, observation, goal_dims)?;
        check_outputs(self.bounds.len(), action)
    }

    fn act(
        &self,
        seen: &Observation,
        goal: &[f32],
        rng: &mut Rng,
        scratch: &mut Vec<f32>,
        action: &mut [f32],
    ) {
        // `check` has refused images; without a state the action is NaN, which every world refuses.
        let state = seen.as_f32().unwrap_or(&[]);
        let mut row = Vec::with_capacity(self.inputs.len());
        self.inputs.extend(&mut row, state, goal);
        let (means, log_stds) = self
            .network
            .apply([&row, &[]], scratch)
            .split_at(self.bounds.len());
        let bounds = self.bounds.low.iter().zip(&self.bounds.high);
        let outputs = means.iter().zip(log_stds);
        for ((value, (mean, log_std)), (low, high)) in action.iter_mut().zip(outputs).zip(bounds) {
            let xi: f32 = match self.noise {
                Noise::On => rng.sample(StandardNormal),
                Noise::Off => 0.0,
            };
            let share = (mean + clamp_log_std(*log_std).exp() * xi).tanh();
            *value = 0.5 * (low + high) + 0.5 * (high - low) * share;
        }
    }
}
