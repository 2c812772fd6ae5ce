//! A Gaussian policy's network, frozen for a rollout.

use super::{Actor, InputRow, PolicyError, check_inputs, check_outputs};
use crate::env::{ActionSpec, Observation, ObservationSpec};
use crate::kernel::{Activation, FrozenMlp, Linear};
use crate::rng::Rng;
use rand::RngExt;
use rand_distr::StandardNormal;

/// A diagonal Gaussian whose mean is a network of tanh layers with a linear end:
///
/// ```text
/// a = μ(s, g) + σ·ξ,   ξ ~ N(0, 1),   μ = (tanh(… tanh([s, g]W₁ + b₁) …))W_n + b_n
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FrozenPolicy {
    inputs: InputRow,
    mean: FrozenMlp,
    std: Vec<f32>,
}

impl FrozenPolicy {
    /// A frozen copy of a network for such rows; one `log_std` per action entry.
    pub fn new(inputs: InputRow, layers: &[Linear], log_std: &[f32]) -> Result<Self, PolicyError> {
        let mean = FrozenMlp::new(inputs.len(), layers, Activation::Tanh)?;
        let (gives, action) = (mean.outputs(), log_std.len());
        if gives != action {
            return Err(PolicyError::Outputs { gives, action });
        }
        if let Some(entry) = log_std.iter().position(|value| !value.is_finite()) {
            let value = log_std[entry];
            return Err(PolicyError::Std { entry, value });
        }
        Ok(Self {
            inputs,
            mean,
            std: log_std.iter().map(|x| x.exp()).collect(),
        })
    }

    /// An untrained network with these hidden widths and a standard deviation of one.
    pub fn untrained(
        inputs: InputRow,
        hidden: &[usize],
        outputs: usize,
        rng: &mut Rng,
    ) -> Result<Self, PolicyError> {
        let (mut rows, mut layers) = (inputs.len(), Vec::new());
        for &width in hidden.iter().chain([&outputs]) {
            layers.push(Linear::untrained(rows, width, rng));
            rows = width;
        }
        Self::new(inputs, &layers, &vec![0.0; outputs])
    }

    /// The same policy without exploration noise: its action is μ(s, g).
    #[must_use]
    pub fn without_noise(mut self) -> Self {
        self.std.fill(0.0);
        self
    }
}

impl Actor for FrozenPolicy {
    fn check(
        &self,
        observation: &ObservationSpec,
        goal_dims: usize,
        action: &ActionSpec,
    ) -> Result<(), PolicyError> {
        let takes = [self.inputs.observation_length(), self.inputs.goal_dims()];
        check_inputs(takes, observation, goal_dims)?;
        check_outputs(self.std.len(), action)
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
        let mean = if self.inputs.is_plain() {
            self.mean.apply([state, goal], scratch)
        } else {
            let mut row = Vec::with_capacity(self.inputs.len());
            self.inputs.extend(&mut row, state, goal);
            self.mean.apply([&row, &[]], scratch)
        };
        for ((value, mean), std) in action.iter_mut().zip(mean).zip(&self.std) {
            *value = mean + std * rng.sample::<f32, _>(StandardNormal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    #[test]
    fn misfits_are_refused() {
        let mut rng = Seed(3).stream(Purpose::Weights, 0, 0);
        let policy = FrozenPolicy::untrained(InputRow::plain(2, 2), &[8], 2, &mut rng).unwrap();
        let (seen, body) = (ObservationSpec::vector(3), ActionSpec::symmetric(2, 1.0));
        assert_eq!(
            policy.check(&seen, 2, &body).unwrap_err().to_string(),
            "the policy takes 4 inputs; the observation has 3 and the goal 2"
        );
        let (seen, arm) = (ObservationSpec::vector(2), ActionSpec::symmetric(3, 1.0));
        assert_eq!(
            policy.check(&seen, 2, &arm).unwrap_err().to_string(),
            "the policy gives 2 numbers, an action has 3"
        );
    }

    /// The noise is that of a standard normal, scaled.
    #[test]
    fn actions_scatter_round_the_mean() {
        let layer = Linear {
            weights: vec![0.0],
            bias: vec![3.0],
        };
        let policy = FrozenPolicy::new(InputRow::plain(1, 0), &[layer], &[0.5_f32.ln()]).unwrap();
        let mut rng = Seed(1).stream(Purpose::Act, 0, 0);
        let seen = Observation::F32(vec![0.0]);
        let (mut scratch, mut sum, mut squares, n) = (Vec::new(), 0.0, 0.0, 40_000);
        for _ in 0..n {
            let mut action = [0.0];
            policy.act(&seen, &[], &mut rng, &mut scratch, &mut action);
            sum += f64::from(action[0]);
            squares += f64::from(action[0]).powi(2);
        }
        let mean = sum / f64::from(n);
        let std = (squares / f64::from(n) - mean * mean).sqrt();
        assert!(
            (mean - 3.0).abs() < 0.01 && (std - 0.5).abs() < 0.01,
            "{mean} {std}"
        );
    }
}
