//! Graph drawing on the same network and data: the rival the paper compares itself with.

use super::Diagonal;
use super::trainer::{DistanceTrainer, EpochReport, TrainError};
use crate::nn::drawing_loss;
use crate::pairs::Episodes;
use crate::rng::Rng;
use rand::RngExt;

impl DistanceTrainer {
    /// As many neighbours as there are steps. A neighbour is drawn as its authors do: an episode, a state of it, and a
    /// geometric gap cut off at its end; the states to push apart are drawn alike.
    pub(super) fn drawing_epoch(
        &mut self,
        episodes: &Episodes<'_>,
        beta: f32,
        lambda: f32,
        diagonal: Diagonal,
        rng: &mut Rng,
    ) -> Result<EpochReport, TrainError> {
        let moving = episodes.ranges().iter().filter(|r| r.len() > 1);
        let ranges: Vec<_> = moving.cloned().collect();
        if ranges.is_empty() {
            return Err(TrainError::NoPairs);
        }
        let delta = match diagonal {
            Diagonal::One => 1.0,
            Diagonal::OverDims => 1.0 / self.spec.encoder.dims as f32,
        };
        let (mut left, mut losses, mut pairs) = (episodes.n_steps(), 0.0, 0);
        while left > 0 {
            let n = self.spec.batch;
            left = left.saturating_sub(n);
            let (mut from, mut to, mut apart) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..n {
                let range = ranges[rng.random_range(0..ranges.len())].clone();
                let first = rng.random_range(range.start..range.end - 1);
                let gap = 1 + geometric(lambda, range.end - 2 - first, rng);
                self.see(episodes.state(first), &mut from);
                self.see(episodes.state(first + gap), &mut to);
                let other = ranges[rng.random_range(0..ranges.len())].clone();
                self.see(episodes.state(rng.random_range(other)), &mut apart);
            }
            let states = [from, to, apart].concat();
            let loss = drawing_loss(&self.spec, &self.network, states, n, beta, delta);
            let rate = self.rate();
            let loss = loss.descend(&mut self.network, &self.adam, rate);
            losses += self.taken(loss)? * n as f64;
            pairs += n;
        }
        Ok(EpochReport {
            pairs,
            loss: losses / pairs as f64,
            mean_target_steps: 0.0,
            hit_share: 1.0,
        })
    }
}

/// k in `0..=most` with probability ∝ λᵏ, by inverting its distribution; λ = 1 is even.
fn geometric(lambda: f32, most: usize, rng: &mut Rng) -> usize {
    let (lambda, u) = (f64::from(lambda), rng.random::<f64>());
    if lambda >= 1.0 {
        return rng.random_range(0..=most);
    }
    if lambda <= 0.0 {
        return 0;
    }
    let total = 1.0 - lambda.powf(most as f64 + 1.0);
    let k = (1.0 - u * total).ln() / lambda.ln();
    (k as usize).min(most)
}
