//! What is minimised, as graphs that can be differentiated.

use super::{Adam, Network, matrix, power_norm, scalar};
use crate::embedding::{DistanceSpec, Head};
use burn::tensor::Tensor;

/// A loss with its graph.
pub(crate) struct Loss(Tensor<1>);

impl Loss {
    /// One step of Adam down this loss; returns its value. A loss that is not finite moves nothing.
    pub(crate) fn descend(self, network: &mut Network, adam: &Adam, learning_rate: f64) -> f32 {
        let gradients = self.0.backward();
        let value = scalar(self.0);
        if value.is_finite() {
            network.descend(adam, &gradients, learning_rate);
        }
        value
    }

    /// Its value, and behind it its slopes along all parameters of the network, end to end.
    pub(crate) fn slopes(self, network: &Network) -> Vec<f32> {
        let gradients = self.0.backward();
        let mut slopes = vec![scalar(self.0)];
        network.slopes(&gradients, &mut slopes);
        slopes
    }
}

/// d(s, g) in the network's unit, from the points' differences, as one column: `‖x_g − x_s‖_p^q`, and with a
/// potential `+ u_g − u_s`.
fn distances(spec: &DistanceSpec, apart: Tensor<2>) -> Tensor<2> {
    match spec.encoder.head {
        Head::Symmetric => power_norm(apart, spec.p, spec.q),
        Head::Potential => {
            let dims = spec.encoder.dims;
            let norm = power_norm(apart.clone().narrow(1, 0, dims), spec.p, spec.q);
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
    let missed = distances(spec, apart) - matrix(targets, 1);
    Loss(missed.square().mean())
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
    let points = network.encode(states).narrow(1, 0, spec.encoder.dims);
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
    Loss(together + repulsion.mul_scalar(beta))
}
