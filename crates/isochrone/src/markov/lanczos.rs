//! The smallest eigenpairs of a large Laplacian, through its factor.
//!
//! Block Lanczos with thick restarts on `L† = J G J`, whose largest eigenvalues are the reciprocals of the
//! smallest of L. Blocks of four, because one pass over the factor then serves four vectors, and because a
//! symmetric maze has eigenvalues of multiplicity two and more, which a single vector cannot see.
//!
//! A new block is made orthogonal to the blocks it couples to, normalised, and then made orthogonal to the
//! whole basis and to the constant vector, as often as it takes. What those passes remove is as small as the
//! rounding of a solve (which errs most along the smoothest vectors) and does not enter the projection.
//! Directions that the operator no longer leaves are replaced by random ones: on a star or a hypercube, with
//! their few distinct eigenvalues, that is where most pairs come from.
//!
//! Convergence alone does not show that no pair was passed over, so before pairs are returned the eigenvalues
//! below them are counted by the inertia of `L − σI`. If some are missing, the iteration goes on from a random
//! block. Eigenvalues are Rayleigh quotients over the edges, which squares the vectors' error. Rows stay in
//! the factor's pivot order until the end.

use super::block::{self, Block, Small};
use super::eigen::{EigenError, symmetric_eigen};
use super::eigenpairs::{Eigenpairs, EigenpairsError, Progress};
use super::grounded::Grounded;
use super::laplacian::GraphLaplacian;
use super::sparse_cholesky::BLOCK;
use crate::rng::{Purpose, Rng, Seed};
use faer::linalg::matmul::matmul;
use faer::prelude::*;
use faer::{Accum, Par};
use rand::RngExt;

/// Residual at which a pair counts as found, relative to its eigenvalue of L†.
const RESIDUAL: f64 = 1e-10;
/// Rows rotated at a time: with 70 basis vectors they stay in a core's cache.
const ROWS: usize = 1_024;
/// Memory for the basis: between two and three times the wanted pairs, as many as fit into it. A longer basis
/// restarts less often, and costs more to stay orthogonal to.
const BASIS_BYTES: usize = 600 << 20;
/// A vector this short beside the longest product is rounding.
const EXHAUSTED: f64 = 1e-15;
/// Passes that make a block orthogonal: two in the usual case, another after random vectors came in.
const MAX_PASSES: usize = 6;
/// Eigenvalues this close to the last one wanted may stand in for each other.
const SAME: f64 = 1e-7;
/// Restarts before giving up; a few suffice where the spectrum is not clustered beyond the basis.
const MAX_RESTARTS: usize = 500;
/// A growing orthonormal basis and the operator projected on it.
pub(super) struct Krylov<'a> {
    graph: &'a GraphLaplacian,
    grounded: &'a Grounded,
    wanted: usize,
    /// Blocks at which the iteration restarts.
    limit: usize,
    /// Orthonormal blocks; the last has not been multiplied yet.
    basis: Vec<Block>,
    /// Blocks that the next product couples to: two, or all of them after a restart.
    coupled: usize,
    /// `Vᵀ L† V` on the multiplied blocks.
    projected: Mat<f64>,
    /// The product of the last multiplied block leaves the basis by `last block · coupling`.
    coupling: Small,
    /// The longest product so far: what "small" is measured by.
    scale: f64,
    random: Rng,
}

impl<'a> Krylov<'a> {
    pub(super) fn new(graph: &'a GraphLaplacian, grounded: &'a Grounded, wanted: usize) -> Self {
        let n = grounded.n_states();
        // Whole blocks, all of them converged in the end: then they can be kept without their residuals.
        let wanted = wanted.next_multiple_of(BLOCK);
        let affordable = BASIS_BYTES / (8 * n);
        let columns = affordable
            .clamp(2 * wanted, 3 * wanted)
            .max(wanted + 4 * BLOCK);
        let limit = columns.div_ceil(BLOCK);
        let mut krylov = Self {
            graph,
            grounded,
            wanted,
            limit,
            basis: Vec::with_capacity(limit + 1),
            coupled: 2,
            projected: Mat::zeros(limit * BLOCK, limit * BLOCK),
            coupling: block::ZERO,
            scale: 0.0,
            // The start is fixed: an eigenvector does not depend on it, and a run repeats.
            random: Seed(0).stream(Purpose::Eigen, 0, 0),
        };
        krylov.extend(vec![[0.0; BLOCK]; n]);
        krylov
    }

    pub(super) fn run(
        mut self,
        watch: &mut dyn FnMut(Progress),
    ) -> Result<Eigenpairs, EigenpairsError> {
        let total = self.wanted;
        let mut done = 0;
        for _ in 0..MAX_RESTARTS {
            while self.basis.len() <= self.limit {
                self.multiply_last_block();
                watch(Progress { done, total });
                if self.is_due_for_a_look() {
                    let (theta, vectors) = self.ritz()?;
                    done = self.n_converged(&theta, &vectors);
                    if done == total {
                        self.keep_converged(&theta, &vectors);
                        if self.is_complete(&theta)? {
                            return Ok(self.finish(&theta));
                        }
                        let n = self.grounded.n_states();
                        self.extend(vec![[0.0; BLOCK]; n]);
                    }
                }
            }
            let (theta, vectors) = self.ritz()?;
            self.restart(&theta, &vectors);
        }
        Err(EigenpairsError::NotConverged {
            found: done,
            wanted: total,
            restarts: MAX_RESTARTS,
        })
    }

    /// Convergence is looked at every fourth block and at the end: the small eigenproblem is not free.
    fn is_due_for_a_look(&self) -> bool {
        let multiplied = self.basis.len() - 1;
        multiplied == self.limit
            || (multiplied.is_multiple_of(4) && multiplied * BLOCK >= self.wanted + BLOCK)
    }

    /// `W = L† V_last`, made orthogonal to the basis. W couples to itself, by a symmetric block of the
    /// projection, to the block before it (or, after a restart, to all kept vectors), whose coefficients
    /// are known already, and to the next block, by R.
    fn multiply_last_block(&mut self) {
        let last = self.basis.len() - 1;
        let mut w = self.basis[last].clone();
        // The basis is centred already: J G J V = J G V.
        self.grounded.solve_block_in_pivot_order(&mut w);
        block::centre(&mut w);
        let near = self.basis.len().saturating_sub(self.coupled);
        self.coupled = 2;
        let h = block::project_out(&self.basis[near..], &mut w);
        let own = block::symmetric_part(&h[last - near]);
        self.record(last, last, &own);
        let sizes = own.iter().flatten().map(|value| value.abs());
        self.scale = sizes.fold(self.scale, f64::max);
        self.coupling = self.extend(w);
        if last + 1 < self.limit {
            let coupling = self.coupling;
            self.record(last + 1, last, &coupling);
        }
    }

    /// Appends the orthonormal block Q of `W = V H + Q R` and returns R. Each pass works on a normalised
    /// block: where R is small, one pass would magnify what it left behind.
    fn extend(&mut self, mut w: Block) -> Small {
        let mut r = block::orthonormalise(&mut w, EXHAUSTED * self.scale);
        for _pass in 0..MAX_PASSES {
            let mut is_settled = true;
            for lane in 0..BLOCK {
                if w.iter().all(|row| row[lane] == 0.0) {
                    self.draw(&mut w, lane);
                    is_settled = false;
                }
            }
            block::centre(&mut w);
            block::project_out(&self.basis, &mut w);
            let pass = block::orthonormalise(&mut w, EXHAUSTED);
            r = block::product(&pass, &r);
            is_settled &= (0..BLOCK).all(|lane| pass[lane][lane] > 0.5);
            if is_settled {
                break;
            }
        }
        self.basis.push(w);
        r
    }

    /// A random unit vector in one lane; nothing couples to it.
    fn draw(&mut self, w: &mut Block, lane: usize) {
        let size = (w.len() as f64 / 12.0).sqrt();
        for row in w.iter_mut() {
            row[lane] = (self.random.random::<f64>() - 0.5) / size;
        }
    }

    /// Writes one block of the projection and its mirror image.
    fn record(&mut self, row_block: usize, column_block: usize, h: &Small) {
        for (i, row) in h.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                let (row, column) = (row_block * BLOCK + i, column_block * BLOCK + j);
                self.projected[(row, column)] = value;
                self.projected[(column, row)] = value;
            }
        }
    }

    /// Eigenpairs of the projection on the multiplied blocks, largest first.
    fn ritz(&self) -> Result<(Vec<f64>, Mat<f64>), EigenError> {
        let m = (self.basis.len() - 1) * BLOCK;
        let projected = self.projected.submatrix(0, 0, m, m).to_owned();
        let (values, vectors) = symmetric_eigen(&projected)?;
        let theta = values.into_iter().rev().collect();
        Ok((theta, vectors.reverse_cols().to_owned()))
    }

    /// `R s`, s the last block's rows of a Ritz vector: what L† times that vector has outside the basis.
    fn residual(&self, vectors: &Mat<f64>, k: usize) -> [f64; BLOCK] {
        let last = vectors.nrows() - BLOCK;
        self.coupling.map(|row| {
            let products = row
                .iter()
                .enumerate()
                .map(|(i, r)| r * vectors[(last + i, k)]);
            products.sum()
        })
    }

    /// How many leading pairs have a residual of at most tol·θ.
    fn n_converged(&self, theta: &[f64], vectors: &Mat<f64>) -> usize {
        let found = |&k: &usize| {
            let square: f64 = self.residual(vectors, k).iter().map(|r| r * r).sum();
            theta[k] > 0.0 && square.sqrt() <= RESIDUAL * theta[k]
        };
        (0..self.wanted).take_while(found).count()
    }

    /// Keeps the best Ritz vectors and the residual block, and goes on from there.
    fn restart(&mut self, theta: &[f64], vectors: &Mat<f64>) {
        let spare = self.limit - self.wanted.div_ceil(BLOCK);
        let keep = self.wanted.div_ceil(BLOCK) + spare / 3;
        self.rotate(vectors, keep);
        let residual_block = self.basis.pop();
        self.basis.truncate(keep);
        self.basis.extend(residual_block);
        self.projected.fill(0.0);
        for k in 0..keep * BLOCK {
            self.projected[(k, k)] = theta[k];
            for (i, value) in self.residual(vectors, k).into_iter().enumerate() {
                self.projected[(keep * BLOCK + i, k)] = value;
                self.projected[(k, keep * BLOCK + i)] = value;
            }
        }
        self.coupled = keep + 1;
    }

    /// `V ← V S` for the first `keep` blocks of S's columns, a few rows at a time in place.
    fn rotate(&mut self, s: &Mat<f64>, keep: usize) {
        let n = self.basis[0].len();
        let multiplied = self.basis.len() - 1;
        let mut old = Mat::<f64>::zeros(ROWS, multiplied * BLOCK);
        let mut new = Mat::<f64>::zeros(ROWS, keep * BLOCK);
        for first in (0..n).step_by(ROWS) {
            let rows = ROWS.min(n - first);
            for (at, source) in self.basis[..multiplied].iter().enumerate() {
                block::unpack(&source[first..first + rows], &mut old, at);
            }
            let (from, to) = (old.subrows(0, rows), new.subrows_mut(0, rows));
            let s = s.subcols(0, keep * BLOCK);
            matmul(to, Accum::Replace, from, s, 1.0, Par::Seq);
            for (at, target) in self.basis[..keep].iter_mut().enumerate() {
                block::pack(&new, at, &mut target[first..first + rows]);
            }
        }
    }

    /// Leaves only the converged Ritz vectors, whose residuals are nothing to go on from.
    fn keep_converged(&mut self, theta: &[f64], vectors: &Mat<f64>) {
        let keep = self.wanted / BLOCK;
        self.rotate(vectors, keep);
        self.basis.truncate(keep);
        self.projected.fill(0.0);
        for k in 0..self.wanted {
            self.projected[(k, k)] = theta[k];
        }
        self.coupled = keep + 1;
    }

    /// Are the pairs found all there are below the last of them?
    fn is_complete(&self, theta: &[f64]) -> Result<bool, EigenpairsError> {
        let sigma = (1.0 - SAME) / theta[self.wanted - 1];
        let found = theta[..self.wanted]
            .iter()
            .filter(|t| t.recip() < sigma)
            .count();
        // The constant vector's zero lies below as well.
        let order = self.grounded.pivot_order();
        Ok(self.graph.n_eigenvalues_below(sigma, &order)? <= found + 1)
    }

    /// The wanted Ritz pairs, back in the states' own order.
    fn finish(mut self, theta: &[f64]) -> Eigenpairs {
        let order = self.grounded.pivot_order();
        let mut eigenvectors = Mat::zeros(order.len(), self.wanted);
        for (at, block) in std::mem::take(&mut self.basis).into_iter().enumerate() {
            for lane in 0..BLOCK {
                let mut column = eigenvectors.col_mut(at * BLOCK + lane);
                for (&state, row) in order.iter().zip(&block) {
                    column[state] = row[lane];
                }
            }
        }
        Eigenpairs {
            eigenvalues: theta[..self.wanted].iter().map(|t| t.recip()).collect(),
            vectors: eigenvectors,
        }
    }
}
