//! Metric multidimensional scaling on exact dissimilarities: the tabular form of what the network learns.

use super::mds::{MdsError, largest_entry};
use crate::optim::lbfgs::{self, Stop};
use crate::rng::{Purpose, Seed};
use faer::prelude::*;
use rand::RngExt;

/// The shape of a distance in the embedding, `‖x_i − x_j‖_p^q` as in Eq. (4).
///
/// With p = 2 the power is the paper's f: the generalised stress compares `f(d)` with `f(δ)` for
/// `f(x) = x^q`, so q = 1 is raw stress and q = 2 the S-stress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormPower {
    /// Norm, p ≥ 1.
    pub p: f64,
    /// Power, q > 0.
    pub q: f64,
}

impl NormPower {
    /// `‖gap‖_p^q`, and its derivative by each entry of the gap, finite at zero distance.
    fn value_and_slope(self, gap: &[f64], slope: &mut [f64]) -> f64 {
        let powers: f64 = gap.iter().map(|g| g.abs().powf(self.p)).sum();
        if powers <= 0.0 {
            slope.fill(0.0);
            return 0.0;
        }
        let norm = powers.powf(self.p.recip());
        // d(‖g‖^q)/dg_k = q ‖g‖^(q−p) |g_k|^(p−1) sign(g_k)
        let outer = self.q * norm.powf(self.q - self.p);
        for (s, g) in slope.iter_mut().zip(gap) {
            *s = if *g == 0.0 {
                0.0
            } else {
                outer * g.abs().powf(self.p - 1.0) * g.signum()
            };
        }
        norm.powf(self.q)
    }
}

/// How much each pair counts.
#[derive(Clone, Debug)]
pub enum Weights {
    /// `w_ij = 1`.
    Uniform,
    /// `w_ij = ρ_i + ρ_j`, the paper's choice (§4.2).
    Visits(Vec<f64>),
    /// Any symmetric non-negative weights.
    Pairs(Mat<f64>),
}

impl Weights {
    fn of(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Uniform => 1.0,
            Self::Visits(rho) => rho[i] + rho[j],
            Self::Pairs(weights) => weights[(i, j)],
        }
    }
}

/// Stress to minimise,
///
/// ```text
/// σ(X) = Σ_{i<j} w_ij ( ‖x_i − x_j‖_p^q − δ_ij )²          Eq. (2), (4), (6)
/// ```
///
/// where δ already stands on the scale of `‖·‖_p^q`: with q = 2 and δ half the commute time, distances
/// are `√(n/2)`, not √n (slips 7 and 8).
#[derive(Clone, Debug)]
pub struct MetricMds {
    /// Size of the embedding.
    pub dims: usize,
    /// Shape of its distances.
    pub shape: NormPower,
    /// Weight of each pair.
    pub weights: Weights,
    /// Iterations of the minimiser at most.
    pub max_iterations: usize,
    /// Where the random start comes from. The problem is not convex: other seeds may find other minima.
    pub seed: Seed,
}

/// A configuration and its stress.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Rows are states.
    pub points: Mat<f64>,
    /// What is left of the stress.
    pub stress: f64,
}

impl MetricMds {
    /// The stress of a configuration.
    pub fn stress(&self, points: &Mat<f64>, dissimilarities: &Mat<f64>) -> f64 {
        let x = flatten(points);
        let mut gradient = vec![0.0; x.len()];
        self.stress_and_gradient(&x, dissimilarities, &mut gradient)
    }

    /// A local minimum of the stress, from a random start on the scale of the dissimilarities.
    pub fn fit(&self, dissimilarities: &Mat<f64>) -> Result<Configuration, MdsError> {
        let n = dissimilarities.nrows();
        let NormPower { p, q } = self.shape;
        if p < 1.0 || q <= 0.0 || self.dims == 0 || p.is_nan() || q.is_nan() {
            let dims = self.dims;
            return Err(MdsError::BadShape { p, q, dims });
        }
        let largest = largest_entry(dissimilarities)?;
        let spread = largest.powf(self.shape.q.recip()) / (self.dims as f64).sqrt();
        let mut rng = self.seed.stream(Purpose::Configuration, 0, 0);
        let mut x: Vec<f64> = (0..n * self.dims)
            .map(|_| spread * (rng.random::<f64>() - 0.5))
            .collect();
        let stop = Stop {
            max_iterations: self.max_iterations,
            gradient: 1e-13,
        };
        let objective = |x: &[f64], g: &mut [f64]| self.stress_and_gradient(x, dissimilarities, g);
        let stress = lbfgs::minimise(&mut x, objective, stop);
        let points = Mat::from_fn(n, self.dims, |i, k| x[i * self.dims + k]);
        Ok(Configuration { points, stress })
    }

    fn stress_and_gradient(&self, x: &[f64], delta: &Mat<f64>, gradient: &mut [f64]) -> f64 {
        let d = self.dims;
        gradient.fill(0.0);
        let (mut gap, mut slope) = (vec![0.0; d], vec![0.0; d]);
        let mut stress = 0.0;
        for i in 0..delta.nrows() {
            for j in 0..i {
                for k in 0..d {
                    gap[k] = x[i * d + k] - x[j * d + k];
                }
                let distance = self.shape.value_and_slope(&gap, &mut slope);
                let weight = self.weights.of(i, j);
                let miss = distance - delta[(i, j)];
                stress += weight * miss * miss;
                for (k, s) in slope.iter().enumerate() {
                    let g = 2.0 * weight * miss * s;
                    gradient[i * d + k] += g;
                    gradient[j * d + k] -= g;
                }
            }
        }
        stress
    }
}

/// The iterative form of classical scaling: minimises the strain of Eq. (10) from a random start. Its
/// minima are exactly classical scaling's configuration, up to rotation.
pub fn strain_embedding(
    b: &Mat<f64>,
    dims: usize,
    max_iterations: usize,
    seed: Seed,
) -> Result<Configuration, MdsError> {
    let n = b.nrows();
    let spread = largest_entry(b)?.sqrt() / (dims as f64).sqrt();
    let mut rng = seed.stream(Purpose::Configuration, 1, 0);
    let mut x: Vec<f64> = (0..n * dims)
        .map(|_| spread * (rng.random::<f64>() - 0.5))
        .collect();
    let objective = |x: &[f64], gradient: &mut [f64]| {
        let points = Mat::from_fn(n, dims, |i, k| x[i * dims + k]);
        let miss = &points * points.transpose() - b;
        let slope = 4.0 * &miss * &points;
        for (at, g) in gradient.iter_mut().enumerate() {
            *g = slope[(at / dims, at % dims)];
        }
        miss.squared_norm_l2()
    };
    let stop = Stop {
        max_iterations,
        gradient: 1e-13,
    };
    let stress = lbfgs::minimise(&mut x, objective, stop);
    let points = Mat::from_fn(n, dims, |i, k| x[i * dims + k]);
    Ok(Configuration { points, stress })
}

fn flatten(points: &Mat<f64>) -> Vec<f64> {
    let columns = points.ncols();
    let at = |index: usize| points[(index / columns, index % columns)];
    (0..points.nrows() * columns).map(at).collect()
}
