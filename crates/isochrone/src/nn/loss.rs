//! Losses, as differentiable graphs.

use super::encoder::{Encoded, Features};
use super::{Network, indices, matrix, power_norm, scalar};
use crate::distance_spec::{DistanceSpec, Head};
use burn::tensor::Tensor;

/// A loss with its graph, and what the gradient of convolutions needs beside it.
pub(crate) struct Loss(Tensor<1>, Option<Features>);

impl Loss {
    /// Its value, followed by its gradient with respect to all parameters of the network; all times `weight`.
    pub(crate) fn gradients(self, network: &Network, weight: f32) -> Vec<f32> {
        let gradients = self.0.backward();
        let mut numbers = vec![scalar(self.0)];
        network.gradients(&gradients, self.1.as_ref(), &mut numbers);
        numbers.iter_mut().for_each(|x| *x *= weight);
        numbers
    }
}

/// d(s, g) in the network's unit, from the points' differences, as one column: `‖x_g − x_s‖_p^q`, and with a
/// potential `+ u_g − u_s`; in a quasimetric the norm is over `(x, u)`.
fn distances(spec: &DistanceSpec, apart: Tensor<2>) -> Tensor<2> {
    match spec.encoder.head {
        Head::Symmetric => power_norm(apart, spec.p, spec.q),
        head @ (Head::Potential | Head::Quasimetric) => {
            let dims = spec.encoder.dims;
            let under_norm = apart.clone().narrow(1, 0, head.norm_dims(dims));
            let norm = power_norm(under_norm, spec.p, spec.q);
            norm + apart.narrow(1, dims, 1)
        }
    }
}

/// The mean of `(d(s, g) − y)²` over pairs of states, rows end to end; `targets` are in the network's unit.
pub(crate) fn lag_loss(
    spec: &DistanceSpec,
    network: &Network,
    from: Vec<f32>,
    to: Vec<f32>,
    targets: Vec<f32>,
) -> Loss {
    let apart = network.apart(from, to);
    let missed = distances(spec, apart.points) - matrix(targets, 1);
    Loss(missed.square().mean(), apart.features)
}

/// The same over pairs of rows of some states, each of which is embedded once.
pub(crate) fn clip_loss(
    spec: &DistanceSpec,
    network: &Network,
    states: Vec<f32>,
    pairs: &[(usize, usize)],
    targets: Vec<f32>,
) -> Loss {
    let Encoded { points, features } = network.encode(states);
    let row = |at: usize| i64::try_from(at).unwrap_or(i64::MAX);
    let from = indices(pairs.iter().map(|pair| row(pair.0)).collect());
    let to = indices(pairs.iter().map(|pair| row(pair.1)).collect());
    let apart = points.clone().select(0, to) - points.select(0, from);
    let missed = distances(spec, apart) - matrix(targets, 1);
    Loss(missed.square().mean(), features)
}

/// The mean of `‖π(x) − a‖²` over rows end to end, per entry of an action: behavioural cloning.
pub(crate) fn action_loss(
    network: &Network,
    inputs: Vec<f32>,
    actions: Vec<f32>,
    action_len: usize,
) -> Loss {
    let encoded = network.encode(inputs);
    let missed = encoded.points - matrix(actions, action_len);
    Loss(missed.square().mean(), encoded.features)
}

/// Wu, Tucker and Nachum's graph drawing on n neighbours (u, v) and n independent states x, with φ in d dimensions and
/// the diagonal target δ:
///
/// ```text
/// mean‖φ(u) − φ(v)‖² + β [ mean_{i≠j} (φ(x_i)·φ(x_j))² − 2δ·mean‖φ(x)‖² + d·δ² ]
/// ```
///
/// The bracket estimates ‖E[φφᵀ] − δI‖². States are rows end to end: all u, all v, all x.
pub(crate) fn drawing_loss(
    spec: &DistanceSpec,
    network: &Network,
    states: Vec<f32>,
    pairs: usize,
    beta: f32,
    delta: f32,
) -> Loss {
    let encoded = network.encode(states);
    let points = encoded.points.narrow(1, 0, spec.encoder.dims);
    let rows = |from: usize| points.clone().narrow(0, from * pairs, pairs);
    let together = (rows(0) - rows(1)).square().sum_dim(1).mean();
    let x = rows(2);
    let n = pairs as f32;
    let squares = x.clone().square().sum_dim(1);
    // All products, less those of a state with itself.
    let products = x.clone().matmul(x.transpose()).square().sum();
    let own = squares.clone().square().sum();
    let apart = (products - own).div_scalar(n * (n - 1.0));
    let size = squares.mean().mul_scalar(2.0 * delta);
    let constant = spec.encoder.dims as f32 * delta * delta;
    let repulsion = (apart - size).add_scalar(constant);
    Loss(together + repulsion.mul_scalar(beta), encoded.features)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance_spec::{Architecture, EncoderSpec};
    use crate::rng::{Purpose, Seed};
    use rand::RngExt;

    const INPUTS: usize = 3;
    const HIDDEN: usize = 8;
    const DIMS: usize = 4;
    const PAIRS: usize = 5;

    fn spec(head: Head, p: f32, q: f32) -> DistanceSpec {
        DistanceSpec {
            encoder: EncoderSpec {
                inputs: INPUTS,
                architecture: Architecture::Mlp {
                    hidden: vec![HIDDEN],
                },
                dims: DIMS,
                head,
            },
            p,
            q,
            ..DistanceSpec::paper(INPUTS, 100)
        }
    }

    fn states(rows: usize, seed: u64) -> Vec<f32> {
        let mut rng = Seed(seed).stream(Purpose::Pairs, 0, 0);
        (0..rows * INPUTS)
            .map(|_| 2.0 * rng.random::<f32>())
            .collect()
    }

    /// The points of states in plain loops, from all parameters end to end.
    fn points(parameters: &[f64], states: &[f32]) -> Vec<Vec<f64>> {
        let (first, rest) = parameters.split_at(INPUTS * HIDDEN);
        let (first_bias, rest) = rest.split_at(HIDDEN);
        let outputs = rest.len() / (HIDDEN + 1);
        let (second, second_bias) = rest.split_at(HIDDEN * outputs);
        let layer = |weights: &[f64], bias: &[f64], x: &[f64]| -> Vec<f64> {
            let columns = bias.len();
            let sum =
                |j: usize| -> f64 { (0..x.len()).map(|i| x[i] * weights[i * columns + j]).sum() };
            (0..columns).map(|j| sum(j) + bias[j]).collect()
        };
        let point = |state: &[f32]| {
            let state: Vec<f64> = state.iter().map(|x| f64::from(*x)).collect();
            let hidden = layer(first, first_bias, &state);
            let hidden: Vec<f64> = hidden.into_iter().map(|x| x.max(0.0)).collect();
            layer(second, second_bias, &hidden)
        };
        states.chunks_exact(INPUTS).map(point).collect()
    }

    /// The loss equals that of the plain loops, and its gradient their finite differences.
    fn assert_like(loss: Loss, network: &Network, plain: impl Fn(&[f64]) -> f64, what: &str) {
        let (value, slopes) = {
            let mut found = loss.gradients(network, 1.0);
            (f64::from(found.remove(0)), found)
        };
        let values = network
            .save()
            .into_iter()
            .filter_map(|array| array.as_f32().map(<[f32]>::to_vec))
            .flatten();
        let parameters: Vec<f64> = values.map(f64::from).collect();
        let expected = plain(&parameters);
        assert!(
            (value - expected).abs() <= 1e-4 * expected.abs(),
            "{what}: {value}, {expected}"
        );
        let steepest = slopes
            .iter()
            .map(|s| f64::from(s.abs()))
            .fold(0.0, f64::max);
        assert!(steepest > 0.0 && slopes.len() == parameters.len(), "{what}");
        for (k, slope) in slopes.iter().enumerate() {
            let moved = |by: f64| {
                let mut moved = parameters.clone();
                moved[k] += by;
                plain(&moved)
            };
            let expected = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            let missed = (f64::from(*slope) - expected).abs();
            assert!(
                missed <= 1e-3 * steepest,
                "{what}, {k}: {slope}, {expected}"
            );
        }
    }

    #[test]
    fn slopes_of_every_power_and_head_are_those_of_differences() {
        let (from, to) = (states(PAIRS, 1), states(PAIRS, 2));
        let targets = vec![0.5, 2.0, 1.0, 0.1, 3.0];
        for head in [Head::Symmetric, Head::Potential, Head::Quasimetric] {
            for (p, q) in [1.0, 1.5, 2.0, 3.0]
                .into_iter()
                .flat_map(|p| [0.5, 1.0, 2.0, 4.0].map(|q| (p, q)))
            {
                let spec = spec(head, p, q);
                let network =
                    Network::untrained(&spec.encoder, &mut Seed(3).stream(Purpose::Weights, 0, 0));
                let plain = |parameters: &[f64]| -> f64 {
                    let (p, q) = (f64::from(p), f64::from(q));
                    let ends = points(parameters, &from)
                        .into_iter()
                        .zip(points(parameters, &to));
                    let missed = ends.zip(&targets).map(|((s, g), y)| {
                        let under_norm = 0..head.norm_dims(DIMS);
                        let sum: f64 = under_norm.map(|k| (g[k] - s[k]).abs().powf(p)).sum();
                        let potential = if head.is_symmetric() {
                            0.0
                        } else {
                            g[DIMS] - s[DIMS]
                        };
                        (sum.powf(q / p) + potential - f64::from(*y)).powi(2)
                    });
                    missed.sum::<f64>() / PAIRS as f64
                };
                let loss = lag_loss(&spec, &network, from.clone(), to.clone(), targets.clone());
                assert_like(loss, &network, plain, &format!("{head:?}, p {p}, q {q}"));
            }
        }
    }

    /// All pairs of some states cost what the same pairs cost one by one.
    #[test]
    fn clips_are_their_pairs() {
        let spec = spec(Head::Potential, 2.0, 1.0);
        let network =
            Network::untrained(&spec.encoder, &mut Seed(6).stream(Purpose::Weights, 0, 0));
        let states = states(4, 7);
        let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let targets = vec![0.5, 2.0, 1.0, 0.1, 3.0, 0.7];
        let row = |at: usize| states[at * INPUTS..][..INPUTS].to_vec();
        let from = pairs.iter().flat_map(|pair| row(pair.0)).collect();
        let to = pairs.iter().flat_map(|pair| row(pair.1)).collect();
        let apart = lag_loss(&spec, &network, from, to, targets.clone());
        let clip = clip_loss(&spec, &network, states.clone(), &pairs, targets);
        let apart = apart.gradients(&network, 1.0);
        let clip = clip.gradients(&network, 1.0);
        for (a, b) in apart.iter().zip(&clip) {
            assert!((a - b).abs() < 1e-5, "{a}, {b}");
        }
        assert!(apart[0] > 0.0 && apart.len() == clip.len());
    }

    #[test]
    fn graph_drawing_is_its_equation() {
        let (beta, delta) = (0.7, 0.3);
        let spec = spec(Head::Symmetric, 2.0, 2.0);
        let network =
            Network::untrained(&spec.encoder, &mut Seed(4).stream(Purpose::Weights, 0, 0));
        let states = states(3 * PAIRS, 5);
        let plain = |parameters: &[f64]| -> f64 {
            let (beta, delta, n) = (f64::from(beta), f64::from(delta), PAIRS as f64);
            let points = points(parameters, &states);
            let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            let (u, rest) = points.split_at(PAIRS);
            let (v, x) = rest.split_at(PAIRS);
            let apart = |(u, v): (&Vec<f64>, &Vec<f64>)| -> f64 {
                u.iter().zip(v).map(|(a, b)| (a - b).powi(2)).sum()
            };
            let together = u.iter().zip(v).map(apart).sum::<f64>() / n;
            let mut products = 0.0;
            for (i, a) in x.iter().enumerate() {
                for (j, b) in x.iter().enumerate() {
                    products += if i == j { 0.0 } else { dot(a, b).powi(2) };
                }
            }
            let size = x.iter().map(|x| dot(x, x)).sum::<f64>() / n;
            together
                + beta
                    * (products / (n * (n - 1.0)) - 2.0 * delta * size
                        + DIMS as f64 * delta * delta)
        };
        let loss = drawing_loss(&spec, &network, states.clone(), PAIRS, beta, delta);
        assert_like(loss, &network, plain, "drawing");
    }
}
