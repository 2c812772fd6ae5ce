//! The smallest eigenpairs of a Laplacian, dense or through its factor as the size suggests.

use super::eigen::{EigenError, symmetric_eigen};
use super::grounded::Grounded;
use super::lanczos::Krylov;
use super::laplacian::GraphLaplacian;
use super::sparse_cholesky::NotFactored;
use faer::prelude::*;

/// Below this many states the dense solver is used: it is faster and finds every multiplicity.
const DENSE_LIMIT_STATES: usize = 600;

/// Beyond this many states the dense solver is no way out either: its matrix alone takes 800 MB.
const DENSE_MOST_STATES: usize = 10_000;

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
    /// Too many for the iteration, too large for the dense solver.
    #[error("{wanted} eigenpairs asked for, but of {states} states at most {} can be found", states / 8)]
    TooManyForTheSize {
        /// Asked for.
        wanted: usize,
        /// Number of states.
        states: usize,
    },
    /// The matrix whose eigenvalues are counted could not be factored.
    #[error(transparent)]
    NotFactored(#[from] NotFactored),
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
            if states > DENSE_MOST_STATES {
                return Err(EigenpairsError::TooManyForTheSize { wanted, states });
            }
            return Self::dense(graph, wanted);
        }
        let mut pairs = Krylov::new(graph, grounded, wanted).run(watch)?;
        pairs.refine(graph);
        pairs.truncate(wanted);
        Ok(pairs)
    }

    /// Rayleigh quotients in place of the iteration's eigenvalues, and the order they ask for.
    fn refine(&mut self, graph: &GraphLaplacian) {
        let columns = self.vectors.col_iter();
        let values: Vec<f64> = columns.map(|v| graph.rayleigh_quotient(v)).collect();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        self.eigenvalues = order.iter().map(|&k| values[k]).collect();
        // Rounding swaps close neighbours at most; a second matrix would double the memory.
        for at in 0..order.len() {
            let mut from = order[at];
            while from < at {
                from = order[from];
            }
            if from != at {
                for row in 0..self.vectors.nrows() {
                    let entry = self.vectors[(row, at)];
                    self.vectors[(row, at)] = self.vectors[(row, from)];
                    self.vectors[(row, from)] = entry;
                }
            }
        }
    }

    fn truncate(&mut self, wanted: usize) {
        self.eigenvalues.truncate(wanted);
        self.vectors
            .resize_with(self.vectors.nrows(), wanted, |_, _| 0.0);
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
