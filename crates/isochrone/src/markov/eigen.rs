//! Eigenpairs of a dense symmetric matrix, accurate at any scale.
//!
//! faer 0.24's divide and conquer (128 rows and more) is not scale-invariant: on matrices whose entries are
//! about 1e10 or 1e-10, both usual here (commute times, and probabilities per state), some of its vectors
//! miss by 2e-4 of the norm; near 1 by 1e-14. So the matrix is first multiplied by the power of two that
//! brings its largest entry near 1, which is exact.

use faer::Side;
use faer::prelude::*;

/// A matrix whose eigenvalues could not be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the eigenvalues of a {size}×{size} matrix did not converge")]
pub struct EigenError {
    /// Rows of the matrix.
    pub size: usize,
}

/// Eigenvalues ascending, and unit eigenvectors as columns. Only the lower triangle is read.
pub fn symmetric_eigen(a: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>), EigenError> {
    let failed = EigenError { size: a.nrows() };
    if !a
        .col_iter()
        .all(|column| column.iter().all(|x| x.is_finite()))
    {
        return Err(failed);
    }
    let largest = a.norm_max();
    let exponent = if largest > 0.0 {
        largest.log2().floor()
    } else {
        0.0
    };
    // Beyond ±1000 the power itself would overflow; nothing that large or small occurs.
    let scale = 2_f64.powi(exponent.clamp(-1000.0, 1000.0) as i32);
    let near_one = Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] / scale);
    let eigen = near_one
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| failed)?;
    let values = eigen.S().column_vector().iter().map(|value| value * scale);
    Ok((values.collect(), eigen.U().to_owned()))
}
