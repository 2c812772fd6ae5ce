//! The action distance as the paper redefines it for sampling.

use faer::prelude::*;

/// The ρ-weighted target
///
/// ```text
/// d(i,j) = ( ρ_i m(j|i) + ρ_j m(i|j) ) / ( ρ_i + ρ_j )          Method, unnumbered after Eq. (4)
/// ```
///
/// Equal to half the commute time where ρ is uniform. Elsewhere it is **not a metric**: in the paper's
/// non-uniform maze one triple in eight violates the triangle inequality (`oracle::rho_weighted_target_matches_and_is_not_a_metric`).
pub fn rho_weighted_target(passage: &Mat<f64>, rho: &[f64]) -> Mat<f64> {
    let n = passage.nrows();
    Mat::from_fn(n, n, |i, j| {
        (rho[i] * passage[(i, j)] + rho[j] * passage[(j, i)]) / (rho[i] + rho[j])
    })
}
