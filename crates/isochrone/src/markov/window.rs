//! What the paper's sampling converges to: the mean passage time **given that it happens within the
//! episode**.
//!
//! Trajectories of T steps (T+1 states) start from the stationary distribution. With `f_k(i→j)` the
//! probability that the first visit to j after leaving i takes exactly k steps, the infinite-data optimum
//! of the squared loss is
//!
//! ```text
//!            ρ_i Σ_k k ω_k(j) f_k(i→j) + ρ_j Σ_k k ω_k(i) f_k(j→i)
//! d_T(i,j) = ─────────────────────────────────────────────────────        k ≤ T
//!            ρ_i Σ_k   ω_k(j) f_k(i→j) + ρ_j Σ_k   ω_k(i) f_k(j→i)
//! ```
//!
//! where ω counts how often the sampler meets such a passage. The paper does not say how it draws the two
//! indices, so there are three samplers. At usual horizons `d_T` is 1–30 % of half the commute time.

use super::chain::Chain;
use faer::prelude::*;
use serde::{Deserialize, Serialize};

/// How a pair of indices is drawn from a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampler {
    /// Each first hit once: `ω_k = T − k + 1`.
    EachFirstHit,
    /// Uniform over pairs of indices `t < t₂`. Later visits to j raise its weight:
    /// `ω_k(j) = Σ_{t=0}^{T−k} Σ_{u=0}^{T−t−k} (P^u)_jj`.
    UniformPairs,
    /// Uniform t, then uniform `t₂ > t`: as `UniformPairs` with each t-term divided by `T − t`.
    UniformStartThenEnd,
}

impl Sampler {
    /// All three, in the order A, B, C.
    pub const ALL: [Self; 3] = [
        Self::EachFirstHit,
        Self::UniformPairs,
        Self::UniformStartThenEnd,
    ];

    /// `ω_k` for k = 0…T of one destination, from its return counts `S_m = Σ_{u≤m} (P^u)_jj`.
    ///
    /// With `m = T − t − k` the double sums become `Σ_{m=0}^{T−k} S_m` and
    /// `Σ_{m=0}^{T−k} S_m / (m + k)`.
    fn weights(self, window_steps: usize, returns: &[f64]) -> Vec<f64> {
        let last = window_steps;
        let weight = |k: usize| match self {
            Self::EachFirstHit => (last - k + 1) as f64,
            Self::UniformPairs => returns[..=last - k].iter().sum(),
            Self::UniformStartThenEnd => {
                let terms = returns[..=last - k].iter().enumerate();
                terms.map(|(m, s)| s / (m + k) as f64).sum()
            }
        };
        std::iter::once(0.0).chain((1..=last).map(weight)).collect()
    }
}

/// The exact target of the paper's estimator with windows of `window_steps` steps; zero on the diagonal,
/// NaN for a pair that no window of that length can join.
///
/// Checked against reference values by `oracle::finite_window_targets`, and by simulation in
/// `sampling::window_target_is_what_sampling_converges_to`.
pub fn window_target(
    chain: &Chain,
    rho: &[f64],
    window_steps: usize,
    sampler: Sampler,
) -> Mat<f64> {
    let n = chain.n_states();
    let p = chain.to_dense();
    let returns = return_counts(&p, window_steps);
    let omega: Vec<Vec<f64>> = (0..n)
        .map(|j| sampler.weights(window_steps, &returns[j]))
        .collect();
    let mut weight = Mat::<f64>::zeros(n, n);
    let mut steps = Mat::<f64>::zeros(n, n);
    let mut first = p.clone();
    for k in 1..=window_steps {
        if k > 1 {
            first = next_first_passage(&p, first);
        }
        for j in 0..n {
            for i in 0..n {
                let mass = rho[i] * omega[j][k] * first[(i, j)];
                weight[(i, j)] += mass;
                steps[(i, j)] += k as f64 * mass;
            }
        }
    }
    Mat::from_fn(n, n, |i, j| {
        if i == j {
            0.0
        } else {
            (steps[(i, j)] + steps[(j, i)]) / (weight[(i, j)] + weight[(j, i)])
        }
    })
}

/// `f_k(i→j) = Σ_{l≠j} P(l|i) f_{k−1}(l→j)`: the walk must not have met j before.
fn next_first_passage(p: &Mat<f64>, mut previous: Mat<f64>) -> Mat<f64> {
    for j in 0..previous.ncols() {
        previous[(j, j)] = 0.0;
    }
    p * previous
}

/// `S_m(j) = Σ_{u=0}^{m} (P^u)_jj` for m = 0…T, per state j.
fn return_counts(p: &Mat<f64>, window_steps: usize) -> Vec<Vec<f64>> {
    let n = p.nrows();
    let mut power = Mat::<f64>::identity(n, n);
    let mut counts = vec![vec![1.0]; n];
    for m in 1..=window_steps {
        power = p * &power;
        for (j, count) in counts.iter_mut().enumerate() {
            count.push(count[m - 1] + power[(j, j)]);
        }
    }
    counts
}
