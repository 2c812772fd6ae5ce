//! Spectral and scaled spectral embeddings of the Laplacian, and how well they keep commute times.

use super::eigen::{EigenError, symmetric_eigen};
use crate::rng::Rng;
use faer::prelude::*;
use rand::RngExt;

/// Eigenvalues closer than this, relative to the larger, are one eigenvalue of higher multiplicity. The
/// computed ones differ by about 1e-15; the closest distinct pair in the paper's mazes by 4e-3.
const SAME_EIGENVALUE: f64 = 1e-9;

/// `L = Σ_k λ_k v_k v_kᵀ` without its null space, eigenvalues ascending.
#[derive(Clone, Debug)]
pub struct Spectrum {
    eigenvalues: Vec<f64>,
    vectors: Mat<f64>,
}

impl Spectrum {
    /// All eigenpairs of a connected graph's dense Laplacian but the constant vector.
    pub fn of_laplacian(l: &Mat<f64>) -> Result<Self, EigenError> {
        let (values, vectors) = symmetric_eigen(l)?;
        Ok(Self {
            eigenvalues: values[1..].to_vec(),
            vectors: vectors.subcols(1, l.nrows() - 1).to_owned(),
        })
    }

    /// Non-zero eigenvalues, ascending.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Number of dimensions available: states minus one.
    pub fn n_dims(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Rows are states: the `dims` eigenvectors of smallest eigenvalue (§3.4), or as many as there are.
    pub fn embedding(&self, dims: usize) -> Mat<f64> {
        self.vectors.subcols(0, dims.min(self.n_dims())).to_owned()
    }

    /// Rows are states: each eigenvector divided by √λ. With all dimensions, squared distances are the
    /// commute times (Eq. (18)).
    pub fn scaled_embedding(&self, dims: usize) -> Mat<f64> {
        Mat::from_fn(self.vectors.nrows(), dims.min(self.n_dims()), |i, k| {
            self.vectors[(i, k)] / self.eigenvalues[k].sqrt()
        })
    }

    /// The eigenspaces: runs of equal eigenvalues, as ranges of dimensions.
    pub fn eigenspaces(&self) -> Vec<std::ops::Range<usize>> {
        let mut spaces: Vec<std::ops::Range<usize>> = Vec::new();
        for k in 0..self.n_dims() {
            let joins = k > 0 && {
                let (low, high) = (self.eigenvalues[k - 1], self.eigenvalues[k]);
                high - low <= SAME_EIGENVALUE * high
            };
            match spaces.last_mut() {
                Some(space) if joins => space.end = k + 1,
                _ => spaces.push(k..k + 1),
            }
        }
        spaces
    }

    /// Does an embedding of `dims` dimensions end between two eigenspaces? If it cuts one, it depends on
    /// which basis the solver happened to return.
    pub fn is_basis_independent(&self, dims: usize) -> bool {
        self.eigenspaces().iter().any(|space| space.end == dims)
    }

    /// Distances from `centre` to every state in the first `dims` dimensions, both embeddings.
    ///
    /// Where `dims` cuts an eigenspace of multiplicity μ after r dimensions, the squared distance is
    /// averaged over all orthonormal bases of it (Haar measure): the whole eigenspace's contribution
    /// times r/μ. That makes every dimension well defined.
    pub fn distances_from(&self, centre: usize, dims: usize) -> CentreDistances {
        let n = self.vectors.nrows();
        let mut spectral = vec![0.0; n];
        let mut scaled = vec![0.0; n];
        for space in self.eigenspaces() {
            let taken = dims.saturating_sub(space.start).min(space.len());
            let share = taken as f64 / space.len() as f64;
            for k in space.filter(|_| taken > 0) {
                for i in 0..n {
                    let gap = self.vectors[(i, k)] - self.vectors[(centre, k)];
                    spectral[i] += share * gap * gap;
                    scaled[i] += share * gap * gap / self.eigenvalues[k];
                }
            }
        }
        let root = |squares: Vec<f64>| squares.into_iter().map(f64::sqrt).collect();
        CentreDistances {
            spectral: root(spectral),
            scaled: root(scaled),
        }
    }
}

/// A basis drawn at random.
impl Spectrum {
    /// The same spectrum with another orthonormal basis of every eigenspace, drawn uniformly (Haar): what
    /// another eigenvalue solver might have returned.
    #[must_use]
    pub fn in_random_bases(&self, rng: &mut Rng) -> Self {
        let mut vectors = self.vectors.clone();
        for space in self
            .eigenspaces()
            .into_iter()
            .filter(|space| space.len() > 1)
        {
            let size = space.len();
            let gaussian = Mat::from_fn(size, size, |_, _| standard_normal(rng));
            // Q of a Gaussian matrix is uniform up to the signs of its columns, which no distance sees.
            let rotation = gaussian.qr().compute_thin_Q();
            let rotated = self.vectors.subcols(space.start, size) * rotation;
            vectors.subcols_mut(space.start, size).copy_from(rotated);
        }
        Self {
            eigenvalues: self.eigenvalues.clone(),
            vectors,
        }
    }

    /// As [`Self::distances_from`], in this very basis: nothing is averaged.
    pub fn distances_in_this_basis(&self, centre: usize, dims: usize) -> CentreDistances {
        let length = |i: usize, weight: &dyn Fn(usize) -> f64| {
            let gap = |k: usize| self.vectors[(i, k)] - self.vectors[(centre, k)];
            let squares = (0..dims.min(self.n_dims())).map(|k| gap(k) * gap(k) * weight(k));
            squares.sum::<f64>().sqrt()
        };
        let states = 0..self.vectors.nrows();
        CentreDistances {
            spectral: states.clone().map(|i| length(i, &|_| 1.0)).collect(),
            scaled: states
                .map(|i| length(i, &|k| self.eigenvalues[k].recip()))
                .collect(),
        }
    }
}

/// Box and Muller's transform; one of its two values.
fn standard_normal(rng: &mut Rng) -> f64 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// Distances from one state to all, in two embeddings of the same size.
#[derive(Clone, Debug, PartialEq)]
pub struct CentreDistances {
    /// Plain eigenvectors.
    pub spectral: Vec<f64>,
    /// Eigenvectors over √λ.
    pub scaled: Vec<f64>,
}

impl CentreDistances {
    /// The spectral distances on the scale of the scaled ones: multiplied by the ratio of the two
    /// largest distances (Appendix F.1).
    pub fn spectral_rescaled(&self) -> Vec<f64> {
        let largest = |d: &[f64]| d.iter().copied().fold(0.0, f64::max);
        let ratio = largest(&self.scaled) / largest(&self.spectral);
        self.spectral.iter().map(|d| d * ratio).collect()
    }
}

/// Root of the mean squared difference over all states, the centre's zero included.
pub fn rmse(estimate: &[f64], truth: &[f64]) -> f64 {
    let pairs = estimate.iter().zip(truth);
    let sum: f64 = pairs.map(|(e, t)| (e - t) * (e - t)).sum();
    (sum / truth.len() as f64).sqrt()
}

/// Figure 7: RMSE against √commute time from `centre`, for 1…n−1 dimensions: (spectral, scaled).
pub fn rmse_curves(spectrum: &Spectrum, centre: usize, commute: &[f64]) -> Vec<(f64, f64)> {
    let truth: Vec<f64> = commute.iter().map(|n| n.sqrt()).collect();
    (1..=spectrum.n_dims())
        .map(|dims| {
            let distances = spectrum.distances_from(centre, dims);
            let spectral = rmse(&distances.spectral_rescaled(), &truth);
            (spectral, rmse(&distances.scaled, &truth))
        })
        .collect()
}
