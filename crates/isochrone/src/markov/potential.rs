//! One extra number per state turns a symmetric distance into both one-way times.

use faer::prelude::*;

/// The potential `h(j) = Σ_k ρ_k n(k,j)`: the mean commute time to j from a state of the long walk.
pub fn potential(commute: &Mat<f64>, rho: &[f64]) -> Vec<f64> {
    let column = |j| {
        rho.iter()
            .enumerate()
            .map(|(k, r)| r * commute[(k, j)])
            .sum()
    };
    (0..commute.ncols()).map(column).collect()
}

/// One-way times from commute times and a potential,
///
/// ```text
/// m(j|i) = ½ [ n(i,j) + h(j) − h(i) ]            for reversible chains
/// ```
///
/// On a non-reversible chain the identity fails, by 18 to 42 % of the largest passage time on the
/// examples in the tests: it is a test of reversibility. Checked by
/// `laws::potential_gives_one_way_times_of_reversible_chains`.
pub fn one_way_times(commute: &Mat<f64>, h: &[f64]) -> Mat<f64> {
    let n = commute.nrows();
    Mat::from_fn(n, n, |i, j| 0.5 * (commute[(i, j)] + h[j] - h[i]))
}
