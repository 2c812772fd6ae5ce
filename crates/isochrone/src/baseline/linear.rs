//! A value that is linear in the inputs, their squares and powers of time.

use super::BaselineError;
use crate::batch::{Batch, Chunk, on_shards};
use crate::comm::Comm;
use crate::nn::{NamedArray, NamedArrayError, find};
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, Par, Side};

/// Inputs are clipped to ± this.
const CLIP: f64 = 10.0;
/// Steps that are one unit of time.
const TIME_UNIT: f64 = 100.0;
/// The ridge, and how often it may grow tenfold.
const RIDGE: f64 = 1e-5;
const TRIES: usize = 5;

/// `V = w·φ`, with φ the inputs clipped to ±10, their squares, t, t², t³ (t in hundreds of steps) and 1; w solves
///
/// ```text
/// (Σ φφᵀ + ridge·1) w = Σ φ R
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearBaseline {
    input_length: usize,
    /// Kept in f32, so that what is saved is what is used.
    weights: Vec<f32>,
}

impl LinearBaseline {
    /// 0 everywhere.
    pub fn new(input_length: usize) -> Self {
        Self {
            input_length,
            weights: vec![0.0; 2 * input_length + 4],
        }
    }

    fn features(&self, input: &[f32], time: u32, to: &mut [f64]) {
        let (first, second) = to.split_at_mut(self.input_length);
        for ((x, square), input) in first.iter_mut().zip(&mut *second).zip(input) {
            *x = f64::from(*input).clamp(-CLIP, CLIP);
            *square = *x * *x;
        }
        let t = f64::from(time) / TIME_UNIT;
        second[self.input_length..].copy_from_slice(&[t, t * t, t * t * t, 1.0]);
    }

    pub(super) fn values(&self, inputs: &[f32], times: &[u32]) -> Vec<f64> {
        let mut features = vec![0.0; self.weights.len()];
        let rows = inputs.chunks_exact(self.input_length.max(1)).zip(times);
        rows.map(|(input, time)| {
            self.features(input, *time, &mut features);
            let products = features.iter().zip(&self.weights);
            products.map(|(x, w)| x * f64::from(*w)).sum()
        })
        .collect()
    }

    pub(super) fn fit(
        &mut self,
        batch: &Batch,
        returns: &[Vec<f32>],
        comm: &dyn Comm,
        threads: usize,
    ) -> Result<(), BaselineError> {
        let mut work: Vec<_> = batch.shards.iter().zip(returns).collect();
        let partials = on_shards(&mut work, threads, |(shard, returns)| {
            let mut sums = Mat::zeros(self.weights.len(), self.weights.len() + 1);
            let mut first = 0;
            for chunk in &shard.chunks {
                self.add(chunk, &returns[first..first + chunk.rows()], &mut sums);
                first += chunk.rows();
            }
            let columns = (0..sums.ncols()).flat_map(|j| sums.col(j).iter().copied());
            columns.collect::<Vec<f64>>()
        });
        let sums = comm.sum_shards_f64(&partials)?;
        let n = self.weights.len();
        let squares = Mat::from_fn(n, n, |i, j| sums[j * n + i]);
        let right = Mat::from_fn(n, 1, |i, _| sums[n * n + i]);
        let solution = solve(&squares, &right).ok_or(BaselineError::Singular)?;
        self.weights = solution.col(0).iter().map(|w| *w as f32).collect();
        Ok(())
    }

    /// Adds φᵀφ and φᵀR of a chunk.
    fn add(&self, chunk: &Chunk, returns: &[f32], sums: &mut Mat<f64>) {
        let n = self.weights.len();
        let mut features = vec![0.0; chunk.rows() * (n + 1)];
        let inputs = chunk.inputs.chunks_exact(self.input_length.max(1));
        let rows = features.chunks_exact_mut(n + 1).zip(inputs);
        for ((row, input), (time, of)) in rows.zip(chunk.times.iter().zip(returns)) {
            self.features(input, *time, &mut row[..n]);
            row[n] = f64::from(*of);
        }
        let all = faer::MatRef::from_row_major_slice(&features, chunk.rows(), n + 1);
        let left = all.subcols(0, n).transpose();
        matmul(sums.as_mut(), Accum::Add, left, all, 1.0, Par::Seq);
    }

    pub(super) fn save(&self) -> NamedArray {
        NamedArray::f32(
            "baseline.weights",
            [1, self.weights.len()],
            self.weights.clone(),
        )
    }

    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let weights = find(arrays, "baseline.weights", [1, self.weights.len()])?;
        self.weights.copy_from_slice(weights);
        Ok(())
    }
}

/// The least ridge that gives finite numbers, f32's included.
fn solve(squares: &Mat<f64>, right: &Mat<f64>) -> Option<Mat<f64>> {
    let mut ridge = RIDGE;
    for _ in 0..TRIES {
        let n = squares.nrows();
        let raised = Mat::from_fn(n, n, |i, j| {
            squares[(i, j)] + if i == j { ridge } else { 0.0 }
        });
        if let Ok(factor) = Llt::new(raised.as_ref(), Side::Lower) {
            let solution = factor.solve(right);
            if solution.col(0).iter().all(|w| (*w as f32).is_finite()) {
                return Some(solution);
            }
        }
        ridge *= 10.0;
    }
    None
}
