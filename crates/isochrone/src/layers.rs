//! Multilayer perceptrons with hand-written derivatives: TRPO's policy, the MLP baseline, the goal GAN, SAC's policy and critics.
//!
//! Burn (`nn`) is the engine of everything that learns by gradients and may want a GPU. These layers exist for what it
//! cannot do: Fisher-vector products by forward mode, and gradients as sums over shards, equal to the byte for any number
//! of ranks and threads; and for SAC's many small updates, where a call of the library costs more than the products.
//!
//! A trust-region update needs the mean of a small network on all rows, and its Jacobian applied from either side, many
//! times over the same rows. Both are a handful of matrix products, so they are written as such: what an automatic
//! derivative would allocate and record is not needed. With layers `z = hW + b`, `h' = a(z)`:
//!
//! ```text
//! forward        z_k = h_{k−1}W_k + b_k                                    h_k = a(z_k)
//! push forward   ż_k = ḣ_{k−1}W_k + h_{k−1}V_k + c_k                       ḣ_k = a'(z_k) ż_k        (J v)
//! pull back      W̄_k = h_{k−1}ᵀ z̄_k,  b̄_k = 1ᵀ z̄_k,  h̄_{k−1} = z̄_k W_kᵀ    z̄_k = a'(z_k) h̄_k        (Jᵀ c)
//! ```
//!
//! Checked against finite differences, against each other (⟨c, Jv⟩ = ⟨Jᵀc, v⟩) and against automatic derivatives.

use crate::kernel::{Activation, LEAK, Linear, activate};
use crate::named_array::{NamedArray, NamedArrayError, find};
use crate::rng::Rng;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::ops::Range;

/// The shape of a network: parameters are one run of numbers, layer after layer, weights (one row per input) before the
/// bias.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layers {
    widths: Vec<usize>,
    activation: Activation,
}

/// Where a layer's numbers are.
#[derive(Clone, Debug)]
struct Place {
    inputs: usize,
    outputs: usize,
    weights: Range<usize>,
    bias: Range<usize>,
}

/// What a forward pass leaves behind for the derivatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pass {
    /// After each hidden layer, row by row.
    hidden: Vec<Vec<f32>>,
    /// The results, row by row.
    pub(crate) output: Vec<f32>,
}

/// Room for intermediate results, kept from call to call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    now: Vec<f32>,
    next: Vec<f32>,
}

impl Layers {
    /// `inputs` → `hidden` → `outputs`, linear at the end.
    pub(crate) fn new(
        inputs: usize,
        hidden: &[usize],
        outputs: usize,
        activation: Activation,
    ) -> Self {
        let widths = [&[inputs], hidden, &[outputs]].concat();
        Self { widths, activation }
    }

    /// Numbers in a row.
    pub(crate) fn inputs(&self) -> usize {
        self.widths[0]
    }

    /// Numbers in a result.
    pub(crate) fn outputs(&self) -> usize {
        self.widths[self.widths.len() - 1]
    }

    /// Parameters in all.
    pub(crate) fn n_parameters(&self) -> usize {
        self.places().last().map_or(0, |place| place.bias.end)
    }

    fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.widths.windows(2).scan(0, |start, pair| {
            let (inputs, outputs) = (pair[0], pair[1]);
            let weights = *start..*start + inputs * outputs;
            let bias = weights.end..weights.end + outputs;
            *start = bias.end;
            Some(Place {
                inputs,
                outputs,
                weights,
                bias,
            })
        })
    }

    /// Untrained parameters: Glorot's weights, no biases.
    pub(crate) fn untrained(&self, rng: &mut Rng) -> Vec<f32> {
        let layers = self.widths.windows(2);
        let layers = layers.map(|pair| Linear::untrained(pair[0], pair[1], rng));
        layers
            .flat_map(|layer| [layer.weights, layer.bias].concat())
            .collect()
    }

    /// The layers one by one.
    pub(crate) fn linear(&self, parameters: &[f32]) -> Vec<Linear> {
        let layer = |place: Place| Linear {
            weights: parameters[place.weights].to_vec(),
            bias: parameters[place.bias].to_vec(),
        };
        self.places().map(layer).collect()
    }

    /// Shapes of the arrays, weights and bias in turn, for whoever names them.
    pub(crate) fn shapes(&self) -> Vec<([usize; 2], Range<usize>)> {
        self.places()
            .flat_map(|place| {
                [
                    ([place.inputs, place.outputs], place.weights),
                    ([1, place.outputs], place.bias),
                ]
            })
            .collect()
    }

    /// Parameters, or numbers of the same length, as arrays `NAME.layer.0.weight`, `NAME.layer.0.bias`, ….
    pub(crate) fn save(&self, name: &str, numbers: &[f32]) -> Vec<NamedArray> {
        let arrays = self.shapes().into_iter().enumerate();
        let arrays = arrays.map(|(at, (shape, place))| {
            NamedArray::f32(array_name(name, at), shape, &numbers[place])
        });
        arrays.collect()
    }

    /// Restores what [`Layers::save`] returned.
    pub(crate) fn restore(
        &self,
        name: &str,
        arrays: &[NamedArray],
        numbers: &mut [f32],
    ) -> Result<(), NamedArrayError> {
        for (at, (shape, place)) in self.shapes().into_iter().enumerate() {
            numbers[place].copy_from_slice(find(arrays, &array_name(name, at), shape)?);
        }
        Ok(())
    }

    /// The results for all rows, and what their derivatives need.
    pub(crate) fn forward(&self, parameters: &[f32], rows: &[f32], pass: &mut Pass) {
        let n_rows = rows.len() / self.inputs().max(1);
        let n_hidden = self.widths.len() - 2;
        pass.hidden.resize(n_hidden, Vec::new());
        for (at, place) in self.places().enumerate() {
            let (before, from) = pass.hidden.split_at_mut(at);
            let input = before.last().map_or(rows, Vec::as_slice);
            let out = match from.first_mut() {
                Some(hidden) => hidden,
                None => &mut pass.output,
            };
            fill_with_bias(out, &parameters[place.bias.clone()], n_rows);
            let weights = matrix(&parameters[place.weights], place.inputs);
            product(
                out,
                place.outputs,
                Accum::Add,
                matrix_of(input, place.inputs),
                weights,
            );
            if at < n_hidden {
                activate(self.activation, out);
            }
        }
    }

    /// `Jv`: how the results move when the parameters move along `direction`.
    pub(crate) fn push_forward(
        &self,
        parameters: &[f32],
        direction: &[f32],
        rows: &[f32],
        pass: &Pass,
        scratch: &mut Scratch,
        out: &mut Vec<f32>,
    ) {
        let n_rows = rows.len() / self.inputs().max(1);
        let n_hidden = self.widths.len() - 2;
        for (at, place) in self.places().enumerate() {
            let input = if at == 0 { rows } else { &pass.hidden[at - 1] };
            let to = if at < n_hidden {
                &mut scratch.next
            } else {
                &mut *out
            };
            fill_with_bias(to, &direction[place.bias.clone()], n_rows);
            let moved = matrix(&direction[place.weights.clone()], place.inputs);
            product(
                to,
                place.outputs,
                Accum::Add,
                matrix_of(input, place.inputs),
                moved,
            );
            if at > 0 {
                let weights = matrix(&parameters[place.weights], place.inputs);
                let before = matrix_of(&scratch.now, place.inputs);
                product(to, place.outputs, Accum::Add, before, weights);
            }
            if at < n_hidden {
                times_slope(self.activation, &mut scratch.next, &pass.hidden[at]);
                std::mem::swap(&mut scratch.now, &mut scratch.next);
            }
        }
    }

    /// `Jᵀc` over all rows, into `gradient`: how a sum with these weights per result moves with the parameters.
    pub(crate) fn pull_back(
        &self,
        parameters: &[f32],
        rows: &[f32],
        pass: &Pass,
        weights_of_results: &[f32],
        scratch: &mut Scratch,
        gradient: &mut [f32],
    ) {
        scratch.now.clear();
        scratch.now.extend_from_slice(weights_of_results);
        let places: Vec<Place> = self.places().collect();
        for (at, place) in places.iter().enumerate().rev() {
            let input = if at == 0 { rows } else { &pass.hidden[at - 1] };
            let slopes = matrix_of(&scratch.now, place.outputs);
            let to = &mut gradient[place.weights.clone()];
            let by_input = matrix_of(input, place.inputs).transpose();
            product(to, place.outputs, Accum::Replace, by_input, slopes);
            sum_rows(&scratch.now, &mut gradient[place.bias.clone()]);
            if at > 0 {
                scratch.next.resize(input.len(), 0.0);
                let weights = matrix(&parameters[place.weights.clone()], place.inputs);
                let (to, back) = (&mut scratch.next, weights.transpose());
                product(to, place.inputs, Accum::Replace, slopes, back);
                times_slope(self.activation, &mut scratch.next, input);
                std::mem::swap(&mut scratch.now, &mut scratch.next);
            }
        }
    }

    /// `cᵀ ∂y/∂x` row by row: how a sum with these weights per result moves with the rows themselves.
    pub(crate) fn pull_back_to_rows(
        &self,
        parameters: &[f32],
        pass: &Pass,
        weights_of_results: &[f32],
    ) -> Vec<f32> {
        let places: Vec<Place> = self.places().collect();
        let mut now = weights_of_results.to_vec();
        for (at, place) in places.iter().enumerate().rev() {
            let n_rows = now.len().checked_div(place.outputs).unwrap_or(0);
            let mut next = vec![0.0; n_rows * place.inputs];
            let weights = matrix(&parameters[place.weights.clone()], place.inputs);
            let slopes = matrix_of(&now, place.outputs);
            let (how, back) = (Accum::Replace, weights.transpose());
            product(&mut next, place.inputs, how, slopes, back);
            if at > 0 {
                times_slope(self.activation, &mut next, &pass.hidden[at - 1]);
            }
            now = next;
        }
        now
    }
}

/// Layers that do not learn, for many rows at once: products of matrices, which read weights once for all rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrozenLayers {
    layers: Layers,
    parameters: Vec<f32>,
}

impl FrozenLayers {
    /// Layers that follow each other.
    pub(crate) fn new(inputs: usize, linear: &[Linear], activation: Activation) -> Self {
        let widths = linear.iter().map(|layer| layer.bias.len());
        let arrays = linear
            .iter()
            .flat_map(|layer| [&layer.weights, &layer.bias]);
        Self {
            layers: Layers {
                widths: [inputs].into_iter().chain(widths).collect(),
                activation,
            },
            parameters: arrays.flatten().copied().collect(),
        }
    }

    /// The results of rows, end to end.
    pub(crate) fn rows(&self, rows: &[f32]) -> Vec<f32> {
        let mut pass = Pass::default();
        self.layers.forward(&self.parameters, rows, &mut pass);
        pass.output
    }
}

/// Weights and biases alternate.
fn array_name(network: &str, array: usize) -> String {
    let what = if array.is_multiple_of(2) {
        "weight"
    } else {
        "bias"
    };
    format!("{network}.layer.{}.{what}", array / 2)
}

/// A matrix with this many rows.
fn matrix(values: &[f32], rows: usize) -> MatRef<'_, f32> {
    MatRef::from_row_major_slice(values, rows, values.len().checked_div(rows).unwrap_or(0))
}

/// A matrix with this many columns.
fn matrix_of(values: &[f32], columns: usize) -> MatRef<'_, f32> {
    MatRef::from_row_major_slice(
        values,
        values.len().checked_div(columns).unwrap_or(0),
        columns,
    )
}

/// `to ← ab` or `to ← to + ab`, on one thread: parallel sums have no fixed order.
fn product(to: &mut [f32], columns: usize, how: Accum, a: MatRef<'_, f32>, b: MatRef<'_, f32>) {
    let rows = to.len().checked_div(columns).unwrap_or(0);
    let to = MatMut::from_row_major_slice_mut(to, rows, columns);
    matmul(to, how, a, b, 1.0, Par::Seq);
}

fn fill_with_bias(to: &mut Vec<f32>, bias: &[f32], rows: usize) {
    to.clear();
    // Without it the buffer grows by doubling, which is more work than the copies.
    to.reserve(rows * bias.len());
    (0..rows).for_each(|_| to.extend_from_slice(bias));
}

fn sum_rows(rows: &[f32], to: &mut [f32]) {
    to.fill(0.0);
    for row in rows.chunks_exact(to.len().max(1)) {
        to.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
}

/// Multiplies by a'(z), which all activations know from a(z): 1 − h², [h > 0], and that with a leak.
fn times_slope(activation: Activation, values: &mut [f32], after: &[f32]) {
    let each = values.iter_mut().zip(after);
    match activation {
        Activation::Tanh => each.for_each(|(value, h)| *value *= 1.0 - h * h),
        Activation::Relu => each.for_each(|(value, h)| *value *= f32::from(u8::from(*h > 0.0))),
        Activation::LeakyRelu => {
            each.for_each(|(value, h)| *value *= if *h > 0.0 { 1.0 } else { LEAK });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use rand::RngExt;

    struct Case {
        layers: Layers,
        parameters: Vec<f32>,
        direction: Vec<f32>,
        rows: Vec<f32>,
        weights: Vec<f32>,
    }

    fn case(activation: Activation) -> Case {
        let mut rng = Seed(5).stream(Purpose::Weights, 0, 0);
        let layers = Layers::new(5, &[9, 7], 3, activation);
        let mut draw =
            |n: usize| -> Vec<f32> { (0..n).map(|_| 2.0 * rng.random::<f32>() - 1.0).collect() };
        Case {
            parameters: draw(layers.n_parameters()),
            direction: draw(layers.n_parameters()),
            rows: draw(11 * 5),
            weights: draw(11 * 3),
            layers,
        }
    }

    fn dot(a: &[f32], b: &[f32]) -> f64 {
        a.iter()
            .zip(b)
            .map(|(x, y)| f64::from(*x) * f64::from(*y))
            .sum()
    }

    /// ⟨c, y(θ)⟩ in full precision would be better; f32 with a step of a thousandth is enough to see a wrong sign,
    /// factor or index.
    #[test]
    fn derivatives_are_those_of_the_function() {
        for activation in [Activation::Tanh, Activation::Relu, Activation::LeakyRelu] {
            let Case {
                layers,
                parameters,
                direction,
                rows,
                weights,
            } = case(activation);
            let value = |step: f32| {
                let moved = parameters.iter().zip(&direction);
                let moved: Vec<f32> = moved.map(|(p, d)| p + step * d).collect();
                let mut pass = Pass::default();
                layers.forward(&moved, &rows, &mut pass);
                dot(&pass.output, &weights)
            };
            let (mut pass, mut scratch) = (Pass::default(), Scratch::default());
            layers.forward(&parameters, &rows, &mut pass);
            let mut pushed = Vec::new();
            layers.push_forward(
                &parameters,
                &direction,
                &rows,
                &pass,
                &mut scratch,
                &mut pushed,
            );
            let mut gradient = vec![f32::NAN; layers.n_parameters()];
            layers.pull_back(
                &parameters,
                &rows,
                &pass,
                &weights,
                &mut scratch,
                &mut gradient,
            );
            let differences = (value(1e-3) - value(-1e-3)) / 2e-3;
            for found in [dot(&pushed, &weights), dot(&gradient, &direction)] {
                assert!(
                    (found - differences).abs() < 2e-2 * differences.abs(),
                    "{found} {differences}"
                );
            }
            let (a, b) = (dot(&pushed, &weights), dot(&gradient, &direction));
            assert!((a - b).abs() < 1e-4 * a.abs(), "{a} {b}");
        }
    }

    #[test]
    fn the_rows_are_those_of_the_frozen_kernel() {
        let Case {
            layers,
            parameters,
            rows,
            ..
        } = case(Activation::Tanh);
        let mut pass = Pass::default();
        layers.forward(&parameters, &rows, &mut pass);
        let frozen =
            crate::kernel::FrozenMlp::new(5, &layers.linear(&parameters), Activation::Tanh);
        let (frozen, mut scratch) = (frozen.unwrap(), Vec::new());
        for (row, found) in rows.chunks(5).zip(pass.output.chunks(3)) {
            for (a, b) in frozen.apply([row, &[]], &mut scratch).iter().zip(found) {
                assert!((a - b).abs() < 1e-5, "{a} {b}");
            }
        }
    }
}
