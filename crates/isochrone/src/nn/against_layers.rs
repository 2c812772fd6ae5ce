//! Hand-written derivatives against automatic differentiation.

use super::{matrix, numbers};
use crate::kernel::Activation;
use crate::layers::{Layers, Pass, Scratch};
use crate::rng::{Purpose, Seed};
use burn::tensor::Tensor;
use burn::tensor::activation::{leaky_relu, relu};
use rand::RngExt;

const INPUTS: usize = 5;
const HIDDEN: [usize; 2] = [9, 7];
const OUTPUTS: usize = 3;
const ROWS: usize = 4;

/// ∂⟨weights, results⟩/∂θ and ∂⟨weights, results⟩/∂rows by the tensor library.
fn automatic(
    parameters: &[f32],
    layers: &Layers,
    activation: Activation,
    rows: &[f32],
    weights: &[f32],
) -> (Vec<f32>, Vec<f32>) {
    let shapes = layers.shapes();
    let leaves = shapes
        .iter()
        .map(|(shape, place)| matrix(parameters[place.clone()].to_vec(), shape[1]).require_grad());
    let leaves: Vec<Tensor<2>> = leaves.collect();
    let seen = matrix(rows.to_vec(), INPUTS).require_grad();
    let mut now = seen.clone();
    for (layer, pair) in leaves.chunks(2).enumerate() {
        now = now.matmul(pair[0].clone()) + pair[1].clone();
        if layer < HIDDEN.len() {
            now = match activation {
                Activation::Tanh => now.tanh(),
                Activation::Relu => relu(now),
                Activation::LeakyRelu => leaky_relu(now, 0.1),
            };
        }
    }
    let sum = (now * matrix(weights.to_vec(), OUTPUTS)).sum();
    let gradients = sum.backward();
    let each = leaves.iter().map(|leaf| leaf.grad(&gradients).map(numbers));
    let of_rows = seen.grad(&gradients).map(numbers).unwrap_or_default();
    (each.flat_map(Option::unwrap_or_default).collect(), of_rows)
}

/// Jᵀ row by row by the tensor library is all of J: both products must follow from it.
#[test]
fn written_out_derivatives_are_the_automatic_ones() {
    for activation in [Activation::Tanh, Activation::Relu, Activation::LeakyRelu] {
        let mut rng = Seed(2).stream(Purpose::Weights, 0, 0);
        let layers = Layers::new(INPUTS, &HIDDEN, OUTPUTS, activation);
        let mut draw = |n: usize| {
            (0..n)
                .map(|_| 2.0 * rng.random::<f32>() - 1.0)
                .collect::<Vec<f32>>()
        };
        let (parameters, direction) = (draw(layers.n_parameters()), draw(layers.n_parameters()));
        let (rows, weights) = (draw(ROWS * INPUTS), draw(ROWS * OUTPUTS));
        let (mut pass, mut scratch) = (Pass::default(), Scratch::default());
        layers.forward(&parameters, &rows, &mut pass);

        let mut gradient = vec![0.0; parameters.len()];
        layers.pull_back(
            &parameters,
            &rows,
            &pass,
            &weights,
            &mut scratch,
            &mut gradient,
        );
        let to_rows = layers.pull_back_to_rows(&parameters, &pass, &weights);
        let (expected, expected_rows) =
            automatic(&parameters, &layers, activation, &rows, &weights);
        assert_eq!(gradient.len(), expected.len());
        assert_eq!(to_rows.len(), expected_rows.len());
        let pairs = gradient.iter().zip(&expected);
        for (found, expected) in pairs.chain(to_rows.iter().zip(&expected_rows)) {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }

        let mut pushed = Vec::new();
        layers.push_forward(
            &parameters,
            &direction,
            &rows,
            &pass,
            &mut scratch,
            &mut pushed,
        );
        for (at, found) in pushed.iter().enumerate() {
            let mut unit = vec![0.0; ROWS * OUTPUTS];
            unit[at] = 1.0;
            let (row, _) = automatic(&parameters, &layers, activation, &rows, &unit);
            let expected: f32 = row.iter().zip(&direction).map(|(j, v)| j * v).sum();
            assert!((found - expected).abs() < 2e-5, "{found} {expected}");
        }
    }
}
