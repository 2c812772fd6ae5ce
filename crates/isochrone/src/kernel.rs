//! Inference of frozen networks, one row at a time, without a tensor library.
//!
//! A call into a tensor library costs more than a small network does, so code that needs one row at a time (a rollout, a
//! nearest-state search) copies the weights into this kernel. It adds in one fixed order per output: a row gives the same
//! bits alone and in any batch.

mod tanh;

use crate::rng::Rng;
use rand::RngExt;
use tanh::tanh_in_place;

/// Layers that do not form a network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// Shapes of consecutive layers do not match.
    #[error("layer {layer} has {got} weights, {expected} are needed")]
    Shape {
        /// Index of the layer, from 0.
        layer: usize,
        /// Number of its weights.
        got: usize,
        /// Number expected.
        expected: usize,
    },
    /// A parameter that is NaN or infinite. An activation could hide it later.
    #[error("a parameter of layer {layer} is {value}")]
    NonFinite {
        /// Index of the layer, from 0.
        layer: usize,
        /// Its value.
        value: f32,
    },
}

/// The activation between two layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// Hyperbolic tangent.
    Tanh,
    /// max(0, x).
    Relu,
    /// max(x ÷ 10, x).
    LeakyRelu,
}

/// The slope of leaky ReLU below zero.
pub(crate) const LEAK: f32 = 0.1;

/// Applies the activation to every entry.
pub(crate) fn activate(activation: Activation, values: &mut [f32]) {
    // Neither `f32::max`, which would turn a NaN into zero, nor a branch, which would be mispredicted half of the time.
    match activation {
        Activation::Tanh => tanh_in_place(values),
        Activation::Relu => values
            .iter_mut()
            .for_each(|x| *x = if *x < 0.0 { 0.0 } else { *x }),
        Activation::LeakyRelu => values
            .iter_mut()
            .for_each(|x| *x *= if *x < 0.0 { LEAK } else { 1.0 }),
    }
}

/// One linear layer, `y = xW + b`: `weights[input · outputs + output]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// Row by row, one row per input.
    pub weights: Vec<f32>,
    /// One per output.
    pub bias: Vec<f32>,
}

impl Linear {
    /// An untrained layer: weights uniform in ±√(6 ÷ (inputs + outputs)) (Glorot), zero biases.
    pub fn untrained(inputs: usize, outputs: usize, rng: &mut Rng) -> Self {
        let bound = (6.0 / (inputs + outputs) as f32).sqrt();
        let mut weight = || bound * (2.0 * rng.random::<f32>() - 1.0);
        Self {
            weights: (0..inputs * outputs).map(|_| weight()).collect(),
            bias: vec![0.0; outputs],
        }
    }
}

/// Layers with activations between them and a linear end:
///
/// ```text
/// y = (a(… a(xW₁ + b₁) …))W_n + b_n
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FrozenMlp {
    inputs: usize,
    outputs: usize,
    layers: Vec<Blocked>,
    activation: Activation,
    /// Length of the widest row.
    widest: usize,
}

impl FrozenMlp {
    /// A frozen copy of these layers, for rows of `inputs` numbers.
    pub fn new(
        inputs: usize,
        layers: &[Linear],
        activation: Activation,
    ) -> Result<Self, LayerError> {
        let (mut rows, mut blocked) = (inputs, Vec::new());
        for (layer, linear) in layers.iter().enumerate() {
            let (got, expected) = (linear.weights.len(), rows * linear.bias.len());
            if got != expected {
                return Err(LayerError::Shape {
                    layer,
                    got,
                    expected,
                });
            }
            let mut values = linear.weights.iter().chain(&linear.bias);
            if let Some(&value) = values.find(|value| !value.is_finite()) {
                return Err(LayerError::NonFinite { layer, value });
            }
            rows = linear.bias.len();
            blocked.push(Blocked::new(linear));
        }
        let widths = blocked.iter().map(Blocked::padded);
        Ok(Self {
            inputs,
            outputs: rows,
            widest: widths.chain([inputs]).max().unwrap_or(0),
            layers: blocked,
            activation,
        })
    }

    /// Entries of an input row.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Entries of an output row.
    pub const fn outputs(&self) -> usize {
        self.outputs
    }

    /// The output for one row, given in two pieces. `scratch` is a buffer that the caller keeps between calls to avoid
    /// allocations; its content is arbitrary. Pieces of the wrong total length give NaN.
    pub fn apply<'s>(&self, row: [&[f32]; 2], scratch: &'s mut Vec<f32>) -> &'s [f32] {
        scratch.clear();
        scratch.resize(2 * self.widest, 0.0);
        if row[0].len() + row[1].len() != self.inputs {
            scratch.fill(f32::NAN);
            return &scratch[..self.outputs];
        }
        let (mut input, mut output) = scratch.split_at_mut(self.widest);
        for (entry, value) in input.iter_mut().zip(row[0].iter().chain(row[1])) {
            *entry = *value;
        }
        for (number, layer) in self.layers.iter().enumerate() {
            let out = &mut output[..layer.padded()];
            layer.apply(&input[..layer.inputs], out);
            if number + 1 < self.layers.len() {
                activate(self.activation, out);
            }
            std::mem::swap(&mut input, &mut output);
        }
        &input[..self.outputs]
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

/// Outputs per block. Wide blocks hide the latency of additions; a small layer would waste them.
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

    /// The same network as three loops in f64.
    fn plain(layers: &[Linear], activation: Activation, input: &[f32]) -> Vec<f64> {
        let mut row: Vec<f64> = input.iter().map(|x| f64::from(*x)).collect();
        for (number, layer) in layers.iter().enumerate() {
            let outputs = layer.bias.len();
            let out = (0..outputs).map(|j| {
                let products = row.iter().enumerate();
                let sum: f64 = products
                    .map(|(i, x)| x * f64::from(layer.weights[i * outputs + j]))
                    .sum();
                let sum = sum + f64::from(layer.bias[j]);
                match activation {
                    _ if number + 1 == layers.len() => sum,
                    Activation::Tanh => sum.tanh(),
                    Activation::Relu => sum.max(0.0),
                    Activation::LeakyRelu => sum.max(0.1 * sum),
                }
            });
            row = out.collect();
        }
        row
    }

    #[test]
    fn the_kernel_computes_the_network() {
        let mut rng = Seed(3).stream(Purpose::Weights, 0, 0);
        for activation in [Activation::Tanh, Activation::Relu, Activation::LeakyRelu] {
            for (inputs, hidden, outputs) in [(43, 64, 8), (6, 64, 2), (5, 33, 3), (1, 7, 40)] {
                let mut layers = [(inputs, hidden), (hidden, hidden), (hidden, outputs)]
                    .map(|(rows, columns)| Linear::untrained(rows, columns, &mut rng));
                for layer in &mut layers {
                    layer.bias.fill_with(|| rng.random::<f32>() - 0.5);
                }
                let mlp = FrozenMlp::new(inputs, &layers, activation).unwrap();
                let input: Vec<f32> = (0..inputs)
                    .map(|_| 4.0 * rng.random::<f32>() - 2.0)
                    .collect();
                let mut scratch = vec![7.0; 3];
                let found = mlp.apply([&input[..1], &input[1..]], &mut scratch);
                assert_eq!(found.len(), outputs);
                for (found, expected) in found.iter().zip(plain(&layers, activation, &input)) {
                    assert!(
                        (f64::from(*found) - expected).abs() < 3e-6,
                        "{found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn layers_that_do_not_follow_are_refused() {
        let layer = Linear::untrained(4, 2, &mut Seed(3).stream(Purpose::Weights, 0, 0));
        let refused = FrozenMlp::new(5, &[layer], Activation::Relu);
        let told = refused.unwrap_err().to_string();
        assert_eq!(told, "layer 0 has 8 weights, 10 are needed");
    }
}
