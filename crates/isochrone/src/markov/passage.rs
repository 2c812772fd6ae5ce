//! All-pairs passage times of any chain, through the fundamental matrix.

use super::chain::Chain;
use faer::linalg::solvers::DenseSolveCore;
use faer::prelude::*;

/// `Z = (I − P + 1ρᵀ)⁻¹`.
pub fn fundamental_matrix(chain: &Chain, rho: &[f64]) -> Mat<f64> {
    let n = chain.n_states();
    let p = chain.to_dense();
    let identity = |i, j| if i == j { 1.0 } else { 0.0 };
    let a = Mat::from_fn(n, n, |i, j| identity(i, j) - p[(i, j)] + rho[j]);
    a.partial_piv_lu().inverse()
}

/// Mean first-passage times `m(j|i)`, in row i, column j.
///
/// ```text
/// m(j|i) = 1 + Σ_k P(k|i) m(j|k)  (i ≠ j),   m(i|i) = 0          Background, "Markov Chain based distances"
/// m(j|i) = (Z_jj − Z_ij) / ρ_j                                    Appendix F.1
/// ```
///
/// The recursion in the paper writes `m(k|i)` under the sum; see `docs/deviations.md`, slip 1. Checked by
/// `laws::passage_times_satisfy_their_recurrence`.
pub fn passage_times(chain: &Chain, rho: &[f64]) -> Mat<f64> {
    let z = fundamental_matrix(chain, rho);
    let n = chain.n_states();
    Mat::from_fn(n, n, |i, j| (z[(j, j)] - z[(i, j)]) / rho[j])
}

/// Commute times `n(i,j) = m(j|i) + m(i|j)`: there and back, in steps.
pub fn commute_times(passage: &Mat<f64>) -> Mat<f64> {
    let n = passage.nrows();
    Mat::from_fn(n, n, |i, j| passage[(i, j)] + passage[(j, i)])
}

/// Action distances `d(i,j) = ½ m(j|i) + ½ m(i|j)`, Eq. (3): half the commute time.
pub fn action_distances(passage: &Mat<f64>) -> Mat<f64> {
    let n = passage.nrows();
    Mat::from_fn(n, n, |i, j| f64::midpoint(passage[(i, j)], passage[(j, i)]))
}

/// Kemeny's constant `K = Σ_j ρ_j m(j|i)`: the same for every start i, which makes it a fine test.
/// Returned for state 0.
pub fn kemeny_constant(passage: &Mat<f64>, rho: &[f64]) -> f64 {
    rho.iter()
        .enumerate()
        .map(|(j, r)| r * passage[(0, j)])
        .sum()
}
