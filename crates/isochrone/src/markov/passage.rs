//! All-pairs passage times of any chain, without a subtraction.
//!
//! [`fundamental_matrix`] has the paper's formula, `m(j|i) = (Z_jj − Z_ij) / ρ_j`. Where a drift makes ρ_j small, the
//! difference cancels: in a corridor of 20 states whose way up is nine times as likely as the way down, it gives negative times.
//! Censoring subtracts nothing, so all digits stay (while products of probabilities are above 1e-308).

use super::censoring::{censor, rows_of};
use super::chain::Chain;
use faer::linalg::solvers::DenseSolveCore;
use faer::prelude::*;

/// `Z = (I − P + 1ρᵀ)⁻¹`.
pub fn fundamental_matrix(chain: &Chain, rho: &[f64]) -> Mat<f64> {
    let n = chain.n_states();
    let p = chain.to_dense();
    let identity = |i, j| if i == j { 1.0 } else { 0.0 };
    let a = Mat::from_fn(n, n, |i, j| identity(i, j) - p[(i, j)] + rho[j]);
    a.partial_piv_lu().inverse()
}

/// Mean first-passage times `m(j|i)`, in row i, column j.
///
/// ```text
/// m(j|i) = 1 + Σ_k P(k|i) m(j|k)  (i ≠ j),   m(i|i) = 0          Background, "Markov Chain based distances"
/// ```
///
/// The recursion in the paper writes `m(k|i)` under the sum; see `docs/deviations.md`, slip 1. Checked by
/// `laws::passage_times_satisfy_their_recurrence`. A time beyond the largest f64 is infinite; where products of probabilities
/// go below the smallest f64, so may be others.
///
/// States are halved. For goals in one half, the states of the other are censored (`censoring.rs`, where s_k is the probability of
/// leaving k to states before it). τ_i is the mean time that a step out of i takes, 1 at first:
///
/// ```text
/// τ_i ← τ_i + P(k|i) τ_k / s_k
/// ```
///
/// What remains is a chain of half as many states with the same times between them, found likewise. Those of the censored
/// states follow in reverse:
///
/// ```text
/// m(j|k) = (τ_k + Σ_{l<k} P(l|k) m(j|l)) / s_k
/// ```
///
/// In all about 1.3 n³ additions.
pub fn passage_times(chain: &Chain) -> Mat<f64> {
    let n = chain.n_states();
    let times = SemiMarkov {
        p: rows_of(chain),
        step_times: vec![1.0; n],
    }
    .passage_times();
    Mat::from_fn(n, n, |i, j| times[i * n + j])
}

/// A chain whose steps take time.
#[derive(Clone, Debug)]
struct SemiMarkov {
    /// Row by row. The diagonal is not read.
    p: Vec<f64>,
    /// τ.
    step_times: Vec<f64>,
}

impl SemiMarkov {
    const fn len(&self) -> usize {
        self.step_times.len()
    }

    /// `m(j|i)` in row i, column j.
    fn passage_times(self) -> Vec<f64> {
        let n = self.len();
        if n < 2 {
            return vec![0.0; n];
        }
        let half = n / 2;
        let swapped = self.rotated(half);
        let first = self.times_to_first(half);
        let last = swapped.times_to_first(n - half);
        let mut all = Vec::with_capacity(n * n);
        for i in 0..n {
            // State i is the (i − half)-th, modulo n, of those swapped.
            let at = (i + n - half) % n;
            all.extend_from_slice(&first[i * half..(i + 1) * half]);
            all.extend_from_slice(&last[at * (n - half)..(at + 1) * (n - half)]);
        }
        all
    }

    /// The same with the first `half` states last.
    fn rotated(&self, half: usize) -> Self {
        let mut p = self.p.clone();
        p.chunks_exact_mut(self.len())
            .for_each(|row| row.rotate_left(half));
        p.rotate_left(half * self.len());
        let mut step_times = self.step_times.clone();
        step_times.rotate_left(half);
        Self { p, step_times }
    }

    /// Times of all states to each of the first `goals`, state by state.
    fn times_to_first(mut self, goals: usize) -> Vec<f64> {
        let n = self.len();
        let mut leave = vec![0.0; n];
        for k in (goals..n).rev() {
            leave[k] = self.censor(k);
        }
        let mut times = self.kept(goals).passage_times();
        for k in goals..n {
            let mut row = vec![self.step_times[k]; goals];
            let ways = self.p[k * n..k * n + k].iter();
            for (way, to) in ways
                .zip(times.chunks_exact(goals))
                .filter(|(way, _)| **way > 0.0)
            {
                let pairs = row.iter_mut().zip(to);
                pairs.for_each(|(time, onward)| *time += way * onward);
            }
            row.iter_mut().for_each(|time| *time /= leave[k]);
            times.extend_from_slice(&row);
        }
        times
    }

    /// Leaves state k out of the chain on states 0 to k. Returns s_k.
    fn censor(&mut self, k: usize) -> f64 {
        let n = self.len();
        let leave = censor(&mut self.p, n, k);
        let (times, own) = self.step_times.split_at_mut(k);
        let shares = self.p[k..].iter().step_by(n);
        for (time, share) in times
            .iter_mut()
            .zip(shares)
            .filter(|(_, share)| **share > 0.0)
        {
            *time += share * own[0];
        }
        leave
    }

    /// The chain of the first states alone, the others being censored.
    fn kept(&self, states: usize) -> Self {
        let rows = self.p.chunks_exact(self.len()).take(states);
        Self {
            p: rows.flat_map(|row| &row[..states]).copied().collect(),
            step_times: self.step_times[..states].to_vec(),
        }
    }
}

/// Commute times `n(i,j) = m(j|i) + m(i|j)`: there and back, in steps.
pub fn commute_times(passage: &Mat<f64>) -> Mat<f64> {
    let n = passage.nrows();
    Mat::from_fn(n, n, |i, j| passage[(i, j)] + passage[(j, i)])
}

/// Action distances `d(i,j) = ½ m(j|i) + ½ m(i|j)`, Eq. (3): half the commute time.
pub fn action_distances(passage: &Mat<f64>) -> Mat<f64> {
    let n = passage.nrows();
    Mat::from_fn(n, n, |i, j| f64::midpoint(passage[(i, j)], passage[(j, i)]))
}

/// Kemeny's constant `K = Σ_j ρ_j m(j|i)`: the same for every start i, which makes it a fine test.
/// Returned for state 0.
pub fn kemeny_constant(passage: &Mat<f64>, rho: &[f64]) -> f64 {
    rho.iter()
        .enumerate()
        .map(|(j, r)| r * passage[(0, j)])
        .sum()
}
