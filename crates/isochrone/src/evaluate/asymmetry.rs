//! One-way structure in the data, before anything is learned: does a step take as long to undo as to make?
//!
//! For every pair of states {i, j} that some step joined, the mean lag there is compared with the mean lag back, both
//! cut out of the trajectories as passages that do not overlap:
//!
//! ```text
//! a(i,j) = |m̂(j|i) − m̂(i|j)| ÷ (m̂(j|i) + m̂(i|j))          A = Σ n(i,j) a(i,j) ÷ Σ n(i,j)
//! ```
//!
//! n counts the lags of the pair, both ways. A is 0 where every step is as easily undone, and `(L−2)/L` on a one-way ring
//! of L states: near 1. Neighbours only, because there the data are, and because every one-way passage is made of
//! steps; over far pairs of a ring there and back take equally long on average.
//!
//! Two clocks ([`Lag`]) ask two questions:
//!
//! * [`Lag::Passage`]: is `m(j|i)` different from `m(i|j)`? If so no symmetric distance predicts steps. Walls and drift do
//!   it, without any current: from the end of a corridor the next cell is one step away, and back is a long way.
//! * [`Lag::Crossing`]: is there a current round some cycle? In a chain with detailed balance a crossing from i to j is
//!   as likely as the same crossing run backwards, up to a factor that does not depend on it (ρ_i ÷ ρ_j), so crossings
//!   both ways have **one** law, whatever the drift and the start. A difference therefore proves that detailed balance
//!   fails, and that a potential added to a symmetric distance will not do either. It shows only cycles that are
//!   closed within the window.
//!
//! **Bias.** A mean of absolute values is positive in noise: with n lags in each direction and a standard deviation like the
//! mean, a ≈ 0.56 ÷ √n without any asymmetry. So A alone means nothing; it is compared with a null that has the same noise.
//!
//! **Null.** Time is cut into blocks (five windows, or an episode that is shorter). In each block a coin decides whether
//! "there" and "back" change names, for all pairs together: if the two have one law, that changes nothing but the
//! noise. All pairs together, because passages of neighbouring pairs are the same stretch of trajectory, and treating
//! them as independent would make the null too narrow. The p-value is `(1 + #{A* ≥ A}) ÷ (1 + swaps)`; with few blocks it
//! cannot be small. Asymmetry shrinks a little where lags are cut at the window.

use super::Draw;
use super::error::AssessError;
use super::passages::{Cell, Lag, Passages};
use crate::rng::Seed;
use rand::RngExt;
use serde::Serialize;
use std::ops::ControlFlow;

/// What is tested, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsymmetryTest {
    /// Which clock.
    pub lag: Lag,
    /// Longest lag of interest. Passages that begin later than this before the end of an episode are not used.
    pub window_steps: usize,
    /// Draws from the null; 999 gives p-values in thousandths.
    pub n_swaps: usize,
    /// Which draws.
    pub seed: Seed,
}

/// What the data say about one-way structure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Asymmetry {
    /// Pairs of neighbours compared: lags in both directions, some of them within the window.
    pub n_pairs: usize,
    /// Pairs of neighbours that could not be compared.
    pub n_pairs_left_out: usize,
    /// Lags of the compared pairs.
    pub n_lags: usize,
    /// Blocks of the null.
    pub n_blocks: usize,
    /// The comparison; `None` if no pair can be compared: episodes shorter than the window, or nothing ever undone.
    pub found: Option<AsymmetryFound>,
}

/// A, and what it would be by chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AsymmetryFound {
    /// A, from 0 (there as back) to 1 (never back).
    pub mean: f64,
    /// Mean of A under the null.
    pub null_mean: f64,
    /// Its standard deviation under the null.
    pub null_sd: f64,
    /// How often chance alone gives as much.
    pub p_value: f64,
    /// (A − null mean) ÷ null standard deviation; `None` if the null never varies.
    pub z: Option<f64>,
}

/// Tests trajectories over numbered states. For continuous states see [`landmark_path`](super::landmark_path).
pub fn asymmetry<P: AsRef<[usize]>>(
    paths: &[P],
    test: AsymmetryTest,
) -> Result<Asymmetry, AssessError> {
    asymmetry_unless_stopped(paths, test, || ControlFlow::Continue(()))
}

/// The same with a question before every draw from the null: [`AssessError::Stopped`] once `poll` breaks.
pub fn asymmetry_unless_stopped<P: AsRef<[usize]>>(
    paths: &[P],
    test: AsymmetryTest,
    poll: impl Fn() -> ControlFlow<()>,
) -> Result<Asymmetry, AssessError> {
    AssessError::at_least(1, test.window_steps, "steps in the window")?;
    AssessError::at_least(1, test.n_swaps, "draws from the null")?;
    let passages = Passages::of(paths, test.lag, test.window_steps);
    let mut sums = vec![Cell::default(); passages.n_pairs];
    for cell in passages.blocks.iter().flatten() {
        let sum = &mut sums[cell.pair];
        add(sum, cell, [0, 1]);
        sum.hits += cell.hits;
    }
    // Both conditions stay as they are when names are swapped in every block.
    let is_compared: Vec<bool> = sums
        .iter()
        .map(|s| s.n[0] > 0.0 && s.n[1] > 0.0 && s.hits > 0.0)
        .collect();
    let compared = || sums.iter().zip(&is_compared).filter(|(_, is)| **is);
    let n_pairs = compared().count();
    Ok(Asymmetry {
        n_pairs,
        n_pairs_left_out: passages.n_pairs - n_pairs,
        n_lags: compared().map(|(s, _)| (s.n[0] + s.n[1]) as usize).sum(),
        n_blocks: passages.blocks.len(),
        found: mean_asymmetry(&sums, &is_compared)
            .map(|mean| against_null(mean, &passages, &is_compared, test, poll))
            .transpose()?,
    })
}

fn add(sum: &mut Cell, cell: &Cell, sides: [usize; 2]) {
    for (to, from) in sides.into_iter().enumerate() {
        sum.steps[to] += cell.steps[from];
        sum.n[to] += cell.n[from];
    }
}

/// A; `None` if no pair has lags both ways.
fn mean_asymmetry(sums: &[Cell], is_compared: &[bool]) -> Option<f64> {
    let (mut total, mut weight) = (0.0, 0.0);
    for (sum, _) in sums.iter().zip(is_compared).filter(|(_, is)| **is) {
        let [there, back] = [0, 1].map(|side| sum.steps[side] / sum.n[side]);
        let a = (there - back).abs() / (there + back);
        // Swapping can leave one direction empty: then the pair says nothing in this draw.
        if a.is_finite() {
            let n = sum.n[0] + sum.n[1];
            total += n * a;
            weight += n;
        }
    }
    (weight > 0.0).then(|| total / weight)
}

fn against_null(
    mean: f64,
    passages: &Passages,
    is_compared: &[bool],
    test: AsymmetryTest,
    poll: impl Fn() -> ControlFlow<()>,
) -> Result<AsymmetryFound, AssessError> {
    let mut rng = Draw::Swaps.stream(test.seed);
    let mut null = Vec::with_capacity(test.n_swaps);
    let mut sums = vec![Cell::default(); passages.n_pairs];
    for _ in 0..test.n_swaps {
        if poll().is_break() {
            return Err(AssessError::Stopped);
        }
        sums.fill(Cell::default());
        for block in &passages.blocks {
            let sides = if rng.random::<bool>() { [1, 0] } else { [0, 1] };
            block
                .iter()
                .for_each(|cell| add(&mut sums[cell.pair], cell, sides));
        }
        null.push(mean_asymmetry(&sums, is_compared).unwrap_or(0.0));
    }
    let n = test.n_swaps as f64;
    let null_mean = null.iter().sum::<f64>() / n;
    let null_sd = (null.iter().map(|a| (a - null_mean).powi(2)).sum::<f64>() / n).sqrt();
    // A draw that swaps nothing, or everything, is the observation itself up to rounding.
    let as_much = null.iter().filter(|a| **a >= mean * (1.0 - 1e-12)).count();
    Ok(AsymmetryFound {
        mean,
        null_mean,
        null_sd,
        p_value: (1 + as_much) as f64 / (1.0 + n),
        z: (null_sd > 0.0).then(|| (mean - null_mean) / null_sd),
    })
}
