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

/// A squared pivot above this share of its column keeps eight digits through a Cholesky factor.
const INDEPENDENT: f64 = 1e-8;
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

/// `W = Q R`: W becomes Q, R is returned. A vector no longer than `floor` beside those before it becomes zero
/// and couples to nothing.
///
/// R is the Cholesky factor of `WᵀW`, two passes over memory; called twice on a block that is as accurate as
/// Householder's. Nearly dependent vectors would lose their difference in that product: they are treated one
/// after the other instead.
pub(super) fn orthonormalise(w: &mut Block, floor: f64) -> Small {
    let mut gram = ZERO;
    for rows in w.chunks(ROWS) {
        accumulate_gram(rows, rows, &mut gram);
    }
    let Some(r) = triangular_root(&gram, floor) else {
        return one_by_one(w, floor);
    };
    for row in w.iter_mut() {
        for j in 0..BLOCK {
            for i in 0..j {
                row[j] -= row[i] * r[i][j];
            }
            row[j] /= r[j][j];
        }
    }
    r
}

/// Gram and Schmidt's procedure, each vector twice.
fn one_by_one(w: &mut Block, floor: f64) -> Small {
    let mut r = ZERO;
    for j in 0..BLOCK {
        for _pass in 0..2 {
            let mut h = [0.0; BLOCK];
            for row in w.iter() {
                for i in 0..j {
                    h[i] += row[i] * row[j];
                }
            }
            for row in w.iter_mut() {
                for i in 0..j {
                    row[j] -= h[i] * row[i];
                }
            }
            for i in 0..j {
                r[i][j] += h[i];
            }
        }
        let norm = w.iter().map(|row| row[j] * row[j]).sum::<f64>().sqrt();
        let scale = if norm > floor { norm.recip() } else { 0.0 };
        r[j][j] = if norm > floor { norm } else { 0.0 };
        for row in w.iter_mut() {
            row[j] *= scale;
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

/// Upper triangular R with `RᵀR = gram`; `None` if some vector is short, or close to those before it.
fn triangular_root(gram: &Small, floor: f64) -> Option<Small> {
    let mut r = ZERO;
    for j in 0..BLOCK {
        let mut pivot = gram[j][j];
        for row in &r[..j] {
            pivot -= row[j] * row[j];
        }
        // Written so that a NaN counts as close.
        let is_clear = pivot > INDEPENDENT * gram[j][j] && pivot > floor * floor;
        if !is_clear {
            return None;
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
    Some(r)
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

    /// Q has orthonormal columns (or zero ones) and Q R is what W was.
    fn check(original: &Block, is_kept: [bool; BLOCK]) {
        let mut q = original.clone();
        let r = orthonormalise(&mut q, 1e-12);
        let r = product(&orthonormalise(&mut q, 0.5), &r);
        for (i, row) in gram(&q, &q).iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                let expected = f64::from(u8::from(i == j && is_kept[i]));
                assert!((value - expected).abs() < 1e-14, "{i} {j}: {value}");
            }
        }
        for (q, original) in q.iter().zip(original) {
            for j in 0..BLOCK {
                let back: f64 = (0..BLOCK).map(|i| q[i] * r[i][j]).sum();
                assert!((back - original[j]).abs() < 1e-12, "{back} {}", original[j]);
            }
        }
    }

    #[test]
    fn orthonormalising_keeps_the_span() {
        check(&block(3_000), [true; BLOCK]);
        // Nearly dependent: the difference is a millionth, and survives.
        let mut close = block(3_000);
        for (i, row) in close.iter_mut().enumerate() {
            row[2] = row[0] - 2.0 * row[1] + 1e-6 * (i as f64).cos();
        }
        check(&close, [true; BLOCK]);
    }

    #[test]
    fn a_dependent_vector_becomes_zero() {
        let mut w = block(50);
        for row in &mut w {
            row[2] = row[0] - 2.0 * row[1];
        }
        check(&w, [true, true, false, true]);
        let nothing = vec![[0.0; BLOCK]; 50];
        check(&nothing, [false; BLOCK]);
    }
}
