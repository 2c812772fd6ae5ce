//! Classical multidimensional scaling: the configuration whose squared distances are given.

use super::eigen::{EigenError, symmetric_eigen};
use faer::prelude::*;

/// Why dissimilarities have no configuration.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MdsError {
    /// Not square.
    #[error("the dissimilarities are {rows}×{columns}, not square")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// NaN or infinite.
    #[error("the dissimilarity of {i} and {j} is {value}")]
    NotFinite {
        /// First object.
        i: usize,
        /// Second object.
        j: usize,
        /// The value.
        value: f64,
    },
    /// More dimensions asked for than there are.
    #[error("{dims} dimensions asked for, but {objects} objects have at most {objects}")]
    TooManyDims {
        /// Asked for.
        dims: usize,
        /// Objects.
        objects: usize,
    },
    /// A shape that is no distance, or no room to put points.
    #[error(
        "the norm p = {p} must be at least 1, the power q = {q} above 0, and the {dims} dimensions at least 1"
    )]
    BadShape {
        /// The norm.
        p: f64,
        /// The power.
        q: f64,
        /// The dimensions.
        dims: usize,
    },
    /// The eigenvalue solver gave up.
    #[error(transparent)]
    Eigen(#[from] EigenError),
}

/// `JAJ` with `J = I − 11ᵀ/n`: rows and columns balanced on zero.
///
/// ```text
/// (JAJ)_ij = a_ij − (1/n)Σ_k a_ik − (1/n)Σ_m a_mj + (1/n²)Σ_mk a_mk          Appendix A.3
/// ```
pub fn double_centred(a: &Mat<f64>) -> Mat<f64> {
    let n = a.nrows();
    let rows: Vec<f64> = (0..n)
        .map(|i| (0..n).map(|k| a[(i, k)]).sum::<f64>() / n as f64)
        .collect();
    let columns: Vec<f64> = (0..n)
        .map(|j| (0..n).map(|m| a[(m, j)]).sum::<f64>() / n as f64)
        .collect();
    let all = rows.iter().sum::<f64>() / n as f64;
    Mat::from_fn(n, n, |i, j| a[(i, j)] - rows[i] - columns[j] + all)
}

/// The configuration `X = Q₊Λ₊^{½}` of `B = −½JD⁽²⁾J = QΛQᵀ`, Eq. (8) and (9), in `dims` dimensions,
/// eigenvalues descending. Negative eigenvalues (the input is not Euclidean) give zero columns.
///
/// With commute times as D⁽²⁾, B is L† and X is the scaled spectral embedding up to rotation
/// (`laws::classical_mds_of_commute_times_is_scaled_spectral`).
pub fn classical_mds(squared_distances: &Mat<f64>, dims: usize) -> Result<Mat<f64>, MdsError> {
    let n = squared_distances.nrows();
    largest_entry(squared_distances)?;
    if dims > n {
        return Err(MdsError::TooManyDims { dims, objects: n });
    }
    let centred = double_centred(squared_distances);
    let b = Mat::from_fn(n, n, |i, j| -0.25 * (centred[(i, j)] + centred[(j, i)]));
    let (lambda, q) = symmetric_eigen(&b)?;
    Ok(Mat::from_fn(n, dims, |i, k| {
        let from_the_end = n - 1 - k;
        q[(i, from_the_end)] * lambda[from_the_end].max(0.0).sqrt()
    }))
}

/// Strain `‖XXᵀ − B‖_F² = Σ_{i,j} (x_i·x_j − B_ij)²`: what classical scaling minimises. Eq. (10) prints the sum over i < j
/// (`docs/deviations.md`, slip 10).
pub fn strain(x: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let gram = x * x.transpose();
    (gram - b).squared_norm_l2()
}

/// The largest absolute entry; refuses anything that is not a finite square matrix.
pub(super) fn largest_entry(a: &Mat<f64>) -> Result<f64, MdsError> {
    let (rows, columns) = (a.nrows(), a.ncols());
    if rows != columns {
        return Err(MdsError::NotSquare { rows, columns });
    }
    let mut largest = 0.0_f64;
    for j in 0..columns {
        for i in 0..rows {
            let value = a[(i, j)];
            if !value.is_finite() {
                return Err(MdsError::NotFinite { i, j, value });
            }
            largest = largest.max(value.abs());
        }
    }
    Ok(largest)
}
