//! A Gaussian policy's network, evaluated by its own kernel.

use super::tanh::tanh_in_place;
use super::{Actor, PolicyError};
use crate::env::{ActionSpec, Dtype, Observation, ObservationSpec};
use crate::rng::Rng;
use rand::RngExt;
use rand_distr::StandardNormal;

/// One linear map, `y = xW + b`: `weights[input · outputs + output]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// Row by row, one row per input.
    pub weights: Vec<f32>,
    /// One per output.
    pub bias: Vec<f32>,
}

impl Linear {
    /// An untrained layer: weights evenly from ±√(6 ÷ (inputs + outputs)) (Glorot), no bias.
    pub fn untrained(inputs: usize, outputs: usize, rng: &mut Rng) -> Self {
        let bound = (6.0 / (inputs + outputs) as f32).sqrt();
        let mut weight = || bound * (2.0 * rng.random::<f32>() - 1.0);
        Self {
            weights: (0..inputs * outputs).map(|_| weight()).collect(),
            bias: vec![0.0; outputs],
        }
    }
}

/// A diagonal Gaussian whose mean is a network of tanh layers with a linear end, frozen for a rollout:
///
/// ```text
/// a = μ(s, g) + σ·ξ,   ξ ~ N(0, 1),   μ = (tanh(… tanh([s, g]W₁ + b₁) …))W_n + b_n
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FrozenPolicy {
    layers: Vec<Blocked>,
    std: Vec<f32>,
    /// Room for the widest row.
    widest: usize,
}

impl FrozenPolicy {
    /// A frozen copy of a network for rows of `inputs` numbers; one `log_std` per action entry.
    pub fn new(inputs: usize, layers: &[Linear], log_std: &[f32]) -> Result<Self, PolicyError> {
        let (mut rows, mut blocked) = (inputs, Vec::new());
        for (layer, linear) in layers.iter().enumerate() {
            let (got, expected) = (linear.weights.len(), rows * linear.bias.len());
            if got != expected {
                return Err(PolicyError::Shape {
                    layer,
                    what: "weights",
                    got,
                    expected,
                });
            }
            rows = linear.bias.len();
            blocked.push(Blocked::new(linear));
        }
        if rows != log_std.len() {
            return Err(PolicyError::Shape {
                layer: layers.len(),
                what: "standard deviations",
                got: log_std.len(),
                expected: rows,
            });
        }
        let widths = blocked.iter().map(Blocked::padded);
        Ok(Self {
            widest: widths.chain([inputs]).max().unwrap_or(0),
            layers: blocked,
            std: log_std.iter().map(|x| x.exp()).collect(),
        })
    }

    /// An untrained network with these hidden widths and a standard deviation of one.
    pub fn untrained(
        inputs: usize,
        hidden: &[usize],
        outputs: usize,
        rng: &mut Rng,
    ) -> Result<Self, PolicyError> {
        let (mut rows, mut layers) = (inputs, Vec::new());
        for &width in hidden.iter().chain([&outputs]) {
            layers.push(Linear::untrained(rows, width, rng));
            rows = width;
        }
        Self::new(inputs, &layers, &vec![0.0; outputs])
    }

    fn inputs(&self) -> usize {
        self.layers.first().map_or(self.std.len(), |l| l.inputs)
    }

    /// μ(s, g) for one row; the result is the first entries of the returned slice.
    fn mean<'s>(&self, state: &[f32], goal: &[f32], scratch: &'s mut Vec<f32>) -> &'s [f32] {
        scratch.resize(2 * self.widest, 0.0);
        let (mut row, mut next) = scratch.split_at_mut(self.widest);
        row[..state.len()].copy_from_slice(state);
        row[state.len()..state.len() + goal.len()].copy_from_slice(goal);
        for (number, layer) in self.layers.iter().enumerate() {
            let out = &mut next[..layer.padded()];
            layer.apply(&row[..layer.inputs], out);
            if number + 1 < self.layers.len() {
                tanh_in_place(out);
            }
            std::mem::swap(&mut row, &mut next);
        }
        row
    }
}

impl Actor for FrozenPolicy {
    fn check(
        &self,
        observation: &ObservationSpec,
        goal_dims: usize,
        action: &ActionSpec,
    ) -> Result<(), PolicyError> {
        if observation.dtype == Dtype::U8 {
            return Err(PolicyError::Image);
        }
        let (takes, seen) = (self.inputs(), observation.len());
        if takes != seen + goal_dims {
            return Err(PolicyError::Inputs {
                takes,
                observation: seen,
                goal: goal_dims,
            });
        }
        let (gives, action) = (self.std.len(), action.len());
        if gives == action {
            Ok(())
        } else {
            Err(PolicyError::Outputs { gives, action })
        }
    }

    fn act(
        &self,
        seen: &Observation,
        goal: &[f32],
        rng: &mut Rng,
        scratch: &mut Vec<f32>,
        action: &mut [f32],
    ) {
        // `check` has refused images.
        let mean = self.mean(seen.as_f32().unwrap_or_default(), goal, scratch);
        for ((value, mean), std) in action.iter_mut().zip(mean).zip(&self.std) {
            *value = mean + std * rng.sample::<f32, _>(StandardNormal);
        }
    }
}

/// A linear map whose outputs are computed in blocks that stay in registers.
#[derive(Clone, Debug, PartialEq)]
struct Blocked {
    inputs: usize,
    /// Block by block, input by input: the weights of one block's outputs side by side, zero beyond the last.
    weights: Vec<f32>,
    bias: Vec<f32>,
    width: Width,
}

/// Outputs per block. Wide ones hide the latency of additions; a small layer would waste them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    Wide,
    Narrow,
}

const WIDE: usize = 32;
const NARROW: usize = 8;

impl Blocked {
    fn new(linear: &Linear) -> Self {
        let outputs = linear.bias.len();
        let inputs = linear.weights.len().checked_div(outputs).unwrap_or(0);
        let (width, block) = if outputs < WIDE {
            (Width::Narrow, NARROW)
        } else {
            (Width::Wide, WIDE)
        };
        let padded = outputs.next_multiple_of(block);
        let mut bias = linear.bias.clone();
        bias.resize(padded, 0.0);
        let mut weights = vec![0.0; inputs * padded];
        for (at, weight) in linear.weights.iter().enumerate() {
            let (input, output) = (at / outputs, at % outputs);
            weights[(output / block * inputs + input) * block + output % block] = *weight;
        }
        Self {
            inputs,
            weights,
            bias,
            width,
        }
    }

    fn padded(&self) -> usize {
        self.bias.len()
    }

    fn apply(&self, row: &[f32], out: &mut [f32]) {
        match self.width {
            Width::Wide => self.apply_blocks::<WIDE>(row, out),
            Width::Narrow => self.apply_blocks::<NARROW>(row, out),
        }
    }

    /// Each output is `((b + x₀w₀) + x₁w₁) + …`, whatever the width of its block.
    fn apply_blocks<const BLOCK: usize>(&self, row: &[f32], out: &mut [f32]) {
        let blocks = self.weights.chunks_exact(BLOCK * self.inputs.max(1));
        let outs = out.as_chunks_mut::<BLOCK>().0.iter_mut();
        let biases = self.bias.as_chunks::<BLOCK>().0;
        for ((weights, out), bias) in blocks.zip(outs).zip(biases) {
            let mut sums = *bias;
            for (x, weights) in row.iter().zip(weights.as_chunks::<BLOCK>().0) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += x * weight;
                }
            }
            *out = sums;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    fn random_layer(inputs: usize, outputs: usize, rng: &mut Rng) -> Linear {
        let mut draw = |n: usize| -> Vec<f32> {
            (0..n)
                .map(|_| rng.sample::<f32, _>(StandardNormal) / (inputs as f32).sqrt())
                .collect()
        };
        Linear {
            weights: draw(inputs * outputs),
            bias: draw(outputs),
        }
    }

    /// The same network as three loops in f64.
    fn plain(layers: &[Linear], input: &[f32]) -> Vec<f64> {
        let mut row: Vec<f64> = input.iter().map(|x| f64::from(*x)).collect();
        for (number, layer) in layers.iter().enumerate() {
            let outputs = layer.bias.len();
            let out = (0..outputs).map(|j| {
                let products = row.iter().enumerate();
                let sum: f64 = products
                    .map(|(i, x)| x * f64::from(layer.weights[i * outputs + j]))
                    .sum();
                let sum = sum + f64::from(layer.bias[j]);
                if number + 1 < layers.len() {
                    sum.tanh()
                } else {
                    sum
                }
            });
            row = out.collect();
        }
        row
    }

    #[test]
    fn the_kernel_computes_the_network() {
        let mut rng = Seed(3).stream(Purpose::Weights, 0, 0);
        for (inputs, hidden, outputs) in [(43, 64, 8), (6, 64, 2), (5, 33, 3), (1, 7, 40)] {
            let layers = [
                random_layer(inputs, hidden, &mut rng),
                random_layer(hidden, hidden, &mut rng),
                random_layer(hidden, outputs, &mut rng),
            ];
            let policy = FrozenPolicy::new(inputs, &layers, &vec![0.0; outputs]).unwrap();
            let input: Vec<f32> = (0..inputs).map(|_| rng.sample(StandardNormal)).collect();
            let mut scratch = Vec::new();
            let found = policy.mean(&input[..1], &input[1..], &mut scratch);
            for (found, expected) in found.iter().zip(plain(&layers, &input)) {
                assert!(
                    (f64::from(*found) - expected).abs() < 2e-6,
                    "{found} {expected}"
                );
            }
        }
    }

    #[test]
    fn misfits_are_refused() {
        let mut rng = Seed(3).stream(Purpose::Weights, 0, 0);
        let layer = random_layer(4, 2, &mut rng);
        let refused = FrozenPolicy::new(5, std::slice::from_ref(&layer), &[0.0; 2]);
        assert_eq!(
            refused.unwrap_err().to_string(),
            "layer 0 has 8 weights, 10 are needed"
        );
        let policy = FrozenPolicy::new(4, &[layer], &[0.0; 2]).unwrap();
        let (seen, body) = (ObservationSpec::vector(3), ActionSpec::symmetric(2, 1.0));
        assert_eq!(
            policy.check(&seen, 2, &body).unwrap_err().to_string(),
            "the policy takes 4 inputs; the observation has 3 and the goal 2"
        );
    }
}
