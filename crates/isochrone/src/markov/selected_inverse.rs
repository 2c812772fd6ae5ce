//! The entries of `A⁻¹` on the pattern of its Cholesky factor, without the rest.
//!
//! Takahashi's recursion: with `u_k = L_kj / L_jj` for the rows k below pivot j,
//!
//! ```text
//! Z_ij = − Σ_k u_k Z_ik        i below j            Z = A⁻¹, on the pattern of L
//! Z_jj = 1 / L_jj² − Σ_k u_k Z_kj
//! ```
//!
//! from the last pivot to the first. Every `Z_ik` needed is on the pattern too (it is chordal), so the
//! work is that of the factorisation, and with it come the whole diagonal and every edge.

use super::sparse_cholesky::Factor;

/// `A⁻¹` where L has entries, in pivot numbering.
#[derive(Clone, Debug)]
pub(super) struct SelectedInverse {
    value: Vec<f64>,
    /// Where each original row was pivoted.
    position: Vec<u32>,
}

impl SelectedInverse {
    pub(super) fn new(factor: &Factor) -> Self {
        let n = factor.size();
        let mut z = vec![0.0; factor.value.len()];
        // Dense workspaces over the rows of the current column.
        let mut u = vec![0.0; n];
        let mut sum = vec![0.0; n];
        for j in (0..n).rev() {
            let (pivot, rows, values) = factor.column(j);
            for (&row, &value) in rows.iter().zip(values) {
                u[row as usize] = value / pivot;
                sum[row as usize] = 0.0;
            }
            for &k in rows {
                accumulate(factor, &z, k as usize, &u, &mut sum);
            }
            let first = factor.start[j];
            let mut diagonal = 1.0 / (pivot * pivot);
            for (at, &row) in rows.iter().enumerate() {
                let entry = -sum[row as usize];
                z[first + 1 + at] = entry;
                diagonal -= u[row as usize] * entry;
            }
            z[first] = diagonal;
            for &row in rows {
                u[row as usize] = 0.0;
            }
        }
        let mut position = vec![0_u32; n];
        for (pivot, &state) in factor.order.iter().enumerate() {
            position[state as usize] = pivot as u32;
        }
        Self { value: z, position }
    }

    /// `(A⁻¹)_ii`, in the original numbering.
    pub(super) fn diagonal(&self, factor: &Factor, i: usize) -> f64 {
        self.value[factor.start[self.position[i] as usize]]
    }

    /// `(A⁻¹)_ij` if (i, j) is on the pattern of L, as every entry of A is.
    pub(super) fn entry(&self, factor: &Factor, i: usize, j: usize) -> Option<f64> {
        let (a, b) = (self.position[i], self.position[j]);
        let (column, row) = (a.min(b) as usize, a.max(b));
        let range = factor.start[column]..factor.start[column + 1];
        let at = factor.row[range.clone()].binary_search(&row).ok()?;
        Some(self.value[range.start + at])
    }
}

/// Adds column k of Z to the sums of its own rows, and row k's sum from them. Rows that the current
/// column does not have carry `u = 0` and a sum nobody reads.
fn accumulate(factor: &Factor, z: &[f64], k: usize, u: &[f64], sum: &mut [f64]) {
    let range = factor.start[k]..factor.start[k + 1];
    let (rows, entries) = (&factor.row[range.clone()], &z[range]);
    let u_k = u[k];
    let mut own = u_k * entries[0];
    for (&row, &entry) in rows[1..].iter().zip(&entries[1..]) {
        sum[row as usize] += u_k * entry;
        own += u[row as usize] * entry;
    }
    sum[k] += own;
}
