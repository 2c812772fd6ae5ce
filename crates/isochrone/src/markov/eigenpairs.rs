//! The smallest eigenpairs of a Laplacian, dense or through its factor as the size suggests.

use super::eigen::{EigenError, symmetric_eigen};
use super::grounded::Grounded;
use super::lanczos::Krylov;
use super::laplacian::GraphLaplacian;
use faer::prelude::*;

/// Below this many states the dense solver is used: it is faster and finds every multiplicity.
const DENSE_LIMIT_STATES: usize = 600;

/// Why no eigenpairs were found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EigenpairsError {
    /// More than there are.
    #[error("{wanted} eigenpairs asked for, but {states} states have only {} non-zero ones", states - 1)]
    TooMany {
        /// Asked for.
        wanted: usize,
        /// Number of states.
        states: usize,
    },
    /// A small eigenproblem inside the iteration failed.
    #[error(transparent)]
    Eigen(#[from] EigenError),
    /// The iteration stalled.
    #[error("only {found} of {wanted} eigenpairs converged in {restarts} restarts")]
    NotConverged {
        /// Converged so far.
        found: usize,
        /// Asked for.
        wanted: usize,
        /// Restarts done.
        restarts: usize,
    },
}

/// How far a long computation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Units of work done.
    pub done: usize,
    /// Units in all.
    pub total: usize,
}

/// The smallest non-zero eigenvalues of a Laplacian, ascending, and their eigenvectors.
#[derive(Clone, Debug)]
pub struct Eigenpairs {
    /// `λ_1 ≤ λ_2 ≤ …`, the zero of the constant vector left out.
    pub eigenvalues: Vec<f64>,
    /// Columns are unit eigenvectors; rows are states.
    pub vectors: Mat<f64>,
}

impl Eigenpairs {
    /// The `wanted` smallest pairs; `watch` hears how many have converged.
    pub fn smallest(
        graph: &GraphLaplacian,
        grounded: &Grounded,
        wanted: usize,
        watch: &mut dyn FnMut(Progress),
    ) -> Result<Self, EigenpairsError> {
        let states = grounded.n_states();
        if wanted >= states {
            return Err(EigenpairsError::TooMany { wanted, states });
        }
        if states <= DENSE_LIMIT_STATES || states < 8 * wanted {
            return Self::dense(graph, wanted);
        }
        let mut pairs = Krylov::new(grounded, wanted).run(watch)?;
        let columns = pairs.vectors.col_iter();
        pairs.eigenvalues = columns.map(|v| graph.rayleigh_quotient(v)).collect();
        Ok(pairs)
    }

    /// All pairs by the dense solver, then the first `wanted`.
    fn dense(graph: &GraphLaplacian, wanted: usize) -> Result<Self, EigenpairsError> {
        let n = graph.n_states();
        let mut l = Mat::<f64>::zeros(n, n);
        for u in 0..n {
            l[(u, u)] = graph.degree(u);
            for (v, weight) in graph.edges(u) {
                l[(u, v)] = -weight;
            }
        }
        let (values, vectors) = symmetric_eigen(&l)?;
        Ok(Self {
            eigenvalues: values[1..=wanted].to_vec(),
            vectors: vectors.subcols(1, wanted).to_owned(),
        })
    }
}
