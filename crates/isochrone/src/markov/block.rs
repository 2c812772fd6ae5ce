//! Four vectors side by side: the arithmetic of a block iteration.
//!
//! A [`Block`] holds [`BLOCK`] vectors row by row, so that one pass over memory serves all of them and the
//! compiler works on a row at a time. Sums run in a fixed order, rows in runs of [`ROWS`] that stay in
//! cache while the whole basis passes by.

use super::sparse_cholesky::BLOCK;
use faer::Mat;

/// [`BLOCK`] vectors, one row per state.
pub(super) type Block = Vec<[f64; BLOCK]>;
/// A coefficient matrix between two blocks.
pub(super) type Small = [[f64; BLOCK]; BLOCK];

pub(super) const ZERO: Small = [[0.0; BLOCK]; BLOCK];

/// A pivot below this share of its column is rounding: the column depends on the others.
const DEPENDENT: f64 = 1e-15;
const ROWS: usize = 1_024;

/// Removes the mean of each vector.
pub(super) fn centre(w: &mut Block) {
    let mut sum = [0.0; BLOCK];
    for row in w.iter() {
        for lane in 0..BLOCK {
            sum[lane] += row[lane];
        }
    }
    let mean = sum.map(|s| s / w.len() as f64);
    for row in w.iter_mut() {
        for lane in 0..BLOCK {
            row[lane] -= mean[lane];
        }
    }
}

/// `H_b = V_bᵀ W` for every block of the basis, then `W ← W − Σ_b V_b H_b`; returns the H_b.
pub(super) fn project_out(basis: &[Block], w: &mut Block) -> Vec<Small> {
    let mut h = vec![ZERO; basis.len()];
    for first in (0..w.len()).step_by(ROWS) {
        let rows = first..w.len().min(first + ROWS);
        for (v, h) in basis.iter().zip(&mut h) {
            accumulate_gram(&v[rows.clone()], &w[rows.clone()], h);
        }
    }
    for first in (0..w.len()).step_by(ROWS) {
        let rows = first..w.len().min(first + ROWS);
        for (v, h) in basis.iter().zip(&h) {
            subtract_product(&v[rows.clone()], h, &mut w[rows.clone()]);
        }
    }
    h
}

/// `W = Q R` by the Cholesky factor of `WᵀW`; W becomes Q, R is returned. Called twice on a block it is as
/// accurate as Householder's. A vector that depends on the others becomes zero and couples to nothing.
pub(super) fn orthonormalise(w: &mut Block) -> Small {
    let mut gram = ZERO;
    for rows in w.chunks(ROWS) {
        accumulate_gram(rows, rows, &mut gram);
    }
    let r = triangular_root(&gram);
    let inverse_pivot: [f64; BLOCK] =
        std::array::from_fn(|j| if r[j][j] > 0.0 { r[j][j].recip() } else { 0.0 });
    for row in w.iter_mut() {
        for j in 0..BLOCK {
            for i in 0..j {
                row[j] -= row[i] * r[i][j];
            }
            row[j] *= inverse_pivot[j];
        }
    }
    r
}

/// `A B`.
pub(super) fn product(a: &Small, b: &Small) -> Small {
    let mut c = ZERO;
    for (c, a) in c.iter_mut().zip(a) {
        for (a, b) in a.iter().zip(b) {
            for lane in 0..BLOCK {
                c[lane] += a * b[lane];
            }
        }
    }
    c
}

/// `½(A + Aᵀ)`.
pub(super) fn symmetric_part(a: &Small) -> Small {
    std::array::from_fn(|i| std::array::from_fn(|j| f64::midpoint(a[i][j], a[j][i])))
}

/// `A ← A + B`.
fn add(a: &mut Small, b: &Small) {
    for (a, b) in a.iter_mut().zip(b) {
        for lane in 0..BLOCK {
            a[lane] += b[lane];
        }
    }
}

/// Writes the rows of a block into block-column `at` of a matrix.
pub(super) fn unpack(rows: &[[f64; BLOCK]], matrix: &mut Mat<f64>, at: usize) {
    for lane in 0..BLOCK {
        let column = matrix.col_mut(at * BLOCK + lane);
        for (target, row) in column.iter_mut().zip(rows) {
            *target = row[lane];
        }
    }
}

/// Reads block-column `at` of a matrix into the rows of a block.
pub(super) fn pack(matrix: &Mat<f64>, at: usize, rows: &mut [[f64; BLOCK]]) {
    for lane in 0..BLOCK {
        let column = matrix.col(at * BLOCK + lane);
        for (source, row) in column.iter().zip(rows.iter_mut()) {
            row[lane] = *source;
        }
    }
}

/// `H ← H + VᵀW`.
fn accumulate_gram(v: &[[f64; BLOCK]], w: &[[f64; BLOCK]], h: &mut Small) {
    let mut sum = ZERO;
    for (v, w) in v.iter().zip(w) {
        for i in 0..BLOCK {
            for lane in 0..BLOCK {
                sum[i][lane] += v[i] * w[lane];
            }
        }
    }
    add(h, &sum);
}

/// `W ← W − V H`.
fn subtract_product(v: &[[f64; BLOCK]], h: &Small, w: &mut [[f64; BLOCK]]) {
    for (v, w) in v.iter().zip(w) {
        for i in 0..BLOCK {
            for lane in 0..BLOCK {
                w[lane] -= v[i] * h[i][lane];
            }
        }
    }
}

/// Upper triangular R with `RᵀR = gram`; zero rows where a vector depends on those before it.
fn triangular_root(gram: &Small) -> Small {
    let mut r = ZERO;
    for j in 0..BLOCK {
        let mut pivot = gram[j][j];
        for row in &r[..j] {
            pivot -= row[j] * row[j];
        }
        if pivot <= DEPENDENT * gram[j][j] {
            continue;
        }
        r[j][j] = pivot.sqrt();
        for k in j + 1..BLOCK {
            let mut entry = gram[j][k];
            for row in &r[..j] {
                entry -= row[j] * row[k];
            }
            r[j][k] = entry / r[j][j];
        }
    }
    r
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(n: usize) -> Block {
        let entry = |i: usize, lane: usize| ((i * i + 3) as f64 * (lane as f64 + 0.7)).sin();
        (0..n)
            .map(|i| std::array::from_fn(|lane| entry(i, lane)))
            .collect()
    }

    fn gram(v: &Block, w: &Block) -> Small {
        let mut h = ZERO;
        accumulate_gram(v, w, &mut h);
        h
    }

    #[test]
    fn orthonormalising_keeps_the_span() {
        let original = block(3_000);
        let mut q = original.clone();
        let r = orthonormalise(&mut q);
        let r = product(&orthonormalise(&mut q), &r);
        for (i, row) in gram(&q, &q).iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                assert!((value - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        for (q, original) in q.iter().zip(&original) {
            for j in 0..BLOCK {
                let back: f64 = (0..BLOCK).map(|i| q[i] * r[i][j]).sum();
                assert!((back - original[j]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_dependent_vector_becomes_zero() {
        let mut w = block(50);
        w.iter_mut().for_each(|row| row[2] = row[0] - 2.0 * row[1]);
        let r = orthonormalise(&mut w);
        assert!(r[2][2].abs() < 1e-6);
        assert!(w.iter().all(|row| row.iter().all(|x| x.is_finite())));
    }
}
