//! `A = LLᵀ` of a sparse positive definite matrix, kept as plain columns.
//!
//! faer orders (AMD) and factors, simplicially or by supernodes as the matrix suggests; the result is
//! copied into plain compressed columns, so that solves, several right-hand sides and the selected inverse
//! are one short loop each, whichever way the factor was made.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Par, Side, Spec};

/// Right-hand sides solved together: the factor is read once for all of them.
pub(super) const BLOCK: usize = 4;

/// A matrix that has no factor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sparse matrix of {size} rows could not be factored: {reason}")]
pub struct NotFactored {
    /// Rows.
    pub size: usize,
    /// The solver's word.
    pub reason: String,
}

/// The lower triangle of a symmetric matrix by columns, diagonal first, rows ascending.
#[derive(Debug)]
pub(super) struct LowerColumns {
    pub(super) start: Vec<u32>,
    pub(super) row: Vec<u32>,
    pub(super) value: Vec<f64>,
}

/// `PAPᵀ = LLᵀ`. Columns of L: diagonal first, rows ascending.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    /// `order[k]` is the original number of the k-th pivot.
    pub(super) order: Vec<u32>,
    pub(super) start: Vec<usize>,
    pub(super) row: Vec<u32>,
    pub(super) value: Vec<f64>,
}

/// Negative eigenvalues of a symmetric matrix: as many as `LDLᵀ` has negative pivots (Sylvester), taken in the
/// given order.
pub(super) fn n_negative_eigenvalues(
    a: &LowerColumns,
    order: &[usize],
) -> Result<usize, NotFactored> {
    let size = a.start.len() - 1;
    let failed = |reason: String| NotFactored { size, reason };
    let pattern = SymbolicSparseColMatRef::new_checked(size, size, &a.start, None, &a.row);
    let params = CholeskySymbolicParams {
        supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SIMPLICIAL,
        ..CholeskySymbolicParams::default()
    };
    let forward: Vec<u32> = order.iter().map(|&state| state as u32).collect();
    let mut backward = vec![0_u32; size];
    for (pivot, &state) in order.iter().enumerate() {
        backward[state] = pivot as u32;
    }
    let order = SymmetricOrdering::Custom(PermRef::new_checked(&forward, &backward, size));
    let symbolic = factorize_symbolic_cholesky(pattern, Side::Lower, order, params)
        .map_err(|error| failed(error.to_string()))?;
    let mut value = vec![0.0; symbolic.len_val()];
    let matrix = SparseColMatRef::new(pattern, &a.value[..]);
    let need = symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Spec::default());
    let mut memory =
        MemBuffer::try_new(need).map_err(|_| failed("not enough memory".to_owned()))?;
    symbolic
        .factorize_numeric_ldlt(
            &mut value,
            matrix,
            Side::Lower,
            LdltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        )
        .map_err(|error| failed(format!("{error:?}")))?;
    match symbolic.raw() {
        SymbolicCholeskyRaw::Simplicial(structure) => {
            let pivots = structure.col_ptr()[..size].iter();
            Ok(pivots.filter(|&&at| value[at as usize] < 0.0).count())
        }
        SymbolicCholeskyRaw::Supernodal(_) => {
            Err(failed("supernodes where none were asked for".to_owned()))
        }
    }
}

impl Factor {
    /// Orders and factors.
    pub(super) fn new(a: &LowerColumns) -> Result<Self, NotFactored> {
        let size = a.start.len() - 1;
        let failed = |reason: String| NotFactored { size, reason };
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, &a.start, None, &a.row);
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::AUTO,
            ..CholeskySymbolicParams::default()
        };
        let symbolic =
            factorize_symbolic_cholesky(pattern, Side::Lower, SymmetricOrdering::Amd, params)
                .map_err(|error| failed(error.to_string()))?;
        let mut value = vec![0.0; symbolic.len_val()];
        let matrix = SparseColMatRef::new(pattern, &a.value[..]);
        let need = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        let mut memory =
            MemBuffer::try_new(need).map_err(|_| failed("not enough memory".to_owned()))?;
        symbolic
            .factorize_numeric_llt(
                &mut value,
                matrix,
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Spec::default(),
            )
            .map_err(|error| failed(format!("{error:?}")))?;
        Ok(Self::from_faer(&symbolic, value))
    }

    /// The factor in plain columns, with its pivot order.
    fn from_faer(symbolic: &SymbolicCholesky<u32>, value: Vec<f64>) -> Self {
        let order = match symbolic.perm() {
            Some(order) => order.arrays().0.to_vec(),
            None => (0..symbolic.nrows() as u32).collect(),
        };
        match symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(structure) => Self {
                order,
                start: structure.col_ptr().iter().map(|&s| s as usize).collect(),
                row: structure.row_idx().to_vec(),
                value,
            },
            SymbolicCholeskyRaw::Supernodal(structure) => {
                let mut plain = Self {
                    order,
                    start: vec![0],
                    row: Vec::new(),
                    value: Vec::new(),
                };
                for s in 0..structure.n_supernodes() {
                    plain.push_supernode(structure, s, &value);
                }
                plain
            }
        }
    }

    fn push_supernode(
        &mut self,
        structure: &faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky<u32>,
        s: usize,
        value: &[f64],
    ) {
        let begin = structure.supernode_begin()[s];
        let width = structure.supernode_end()[s] - begin;
        let node = structure.supernode(s);
        let below = node.pattern();
        let height = width as usize + below.len();
        let first = structure.col_ptr_for_val()[s] as usize;
        for k in 0..width as usize {
            let column = &value[first + k * height..first + (k + 1) * height];
            self.row.extend(begin + k as u32..begin + width);
            self.row.extend(below);
            self.value.extend(&column[k..]);
            self.start.push(self.row.len());
        }
    }

    pub(super) fn size(&self) -> usize {
        self.start.len() - 1
    }

    /// Solves `A x = b` for [`BLOCK`] right-hand sides: row k of `x` belongs to pivot k.
    pub(super) fn solve_block(&self, x: &mut [[f64; BLOCK]]) {
        for k in 0..self.size() {
            let (pivot, rows, values) = self.column(k);
            let scaled = x[k].map(|v| v / pivot);
            x[k] = scaled;
            for (&row, &value) in rows.iter().zip(values) {
                let target = &mut x[row as usize];
                for lane in 0..BLOCK {
                    target[lane] -= value * scaled[lane];
                }
            }
        }
        for k in (0..self.size()).rev() {
            let (pivot, rows, values) = self.column(k);
            let mut sum = x[k];
            for (&row, &value) in rows.iter().zip(values) {
                let source = &x[row as usize];
                for lane in 0..BLOCK {
                    sum[lane] -= value * source[lane];
                }
            }
            x[k] = sum.map(|v| v / pivot);
        }
    }

    /// Solves `A x = b` in place, in the original numbering.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let mut x: Vec<f64> = self.order.iter().map(|&state| b[state as usize]).collect();
        for k in 0..self.size() {
            let (pivot, rows, values) = self.column(k);
            let scaled = x[k] / pivot;
            x[k] = scaled;
            for (&row, &value) in rows.iter().zip(values) {
                x[row as usize] -= value * scaled;
            }
        }
        for k in (0..self.size()).rev() {
            let (pivot, rows, values) = self.column(k);
            let dots = rows
                .iter()
                .zip(values)
                .map(|(&row, value)| value * x[row as usize]);
            let sum: f64 = dots.sum();
            x[k] = (x[k] - sum) / pivot;
        }
        for (&state, value) in self.order.iter().zip(&x) {
            b[state as usize] = *value;
        }
    }

    /// A column: its pivot, and the rows and values below it.
    pub(super) fn column(&self, k: usize) -> (f64, &[u32], &[f64]) {
        let range = self.start[k]..self.start[k + 1];
        let (rows, values) = (&self.row[range.clone()], &self.value[range]);
        (values[0], &rows[1..], &values[1..])
    }
}
