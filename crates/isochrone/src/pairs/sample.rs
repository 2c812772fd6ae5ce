//! Samples training pairs.

use super::{Episodes, FirstEntries, Sampler, Target};
use crate::rng::Rng;
use rand::RngExt;
use rand::seq::SliceRandom;

/// A state, a later one, and the steps until the later one was first reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Row of the earlier state.
    pub from: usize,
    /// Row of the later state.
    pub to: usize,
    /// Steps until the later state was first reached.
    pub lag_steps: u32,
}

/// Samples pairs from trajectories. An epoch has as many pairs as there are steps.
#[derive(Clone, Debug)]
pub struct PairSource<'a> {
    episodes: Episodes<'a>,
    entries: FirstEntries,
    sampler: Sampler,
    radius: f32,
    /// For uniform sampling: cumulative numbers of steps (or of pairs of indices) per episode, the total last.
    before: Vec<u64>,
}

impl<'a> PairSource<'a> {
    /// Pairs for a target, with trajectories cut into its windows.
    pub fn new(episodes: &Episodes<'a>, target: Target, sampler: Sampler) -> Self {
        let episodes = match target.window_steps() {
            Some(steps) => episodes.cut(steps),
            None => episodes.clone(),
        };
        let mut before = vec![0];
        for range in episodes.ranges() {
            let steps = range.len().saturating_sub(1) as u64;
            let weight = match sampler {
                Sampler::UniformStartThenEnd => steps,
                Sampler::EachFirstHit | Sampler::UniformPairs => steps * (steps + 1) / 2,
            };
            before.push(before[before.len() - 1] + weight);
        }
        Self {
            entries: FirstEntries::of(&episodes),
            episodes,
            sampler,
            radius: target.radius(),
            before,
        }
    }

    /// The trajectories, cut into windows.
    pub const fn episodes(&self) -> &Episodes<'a> {
        &self.episodes
    }

    /// One epoch: as many pairs as there are steps, in random order. With `UniformStartThenEnd` each state draws one later
    /// state, and has no pair if both are equal.
    pub fn epoch(&self, rng: &mut Rng) -> Vec<Pair> {
        match self.sampler {
            Sampler::UniformStartThenEnd => {
                let mut pairs = Vec::with_capacity(self.episodes.n_steps());
                let starts = self.episodes.starts();
                pairs.extend(starts.filter_map(|(from, end)| self.partner(from, end, rng)));
                pairs.shuffle(rng);
                pairs
            }
            Sampler::EachFirstHit | Sampler::UniformPairs => (0..self.episodes.n_steps())
                .filter_map(|_| self.draw(rng))
                .collect(),
        }
    }

    /// A later state of the same trajectory, drawn uniformly. If it equals the first there is no pair; drawing again would
    /// oversample states that do not return.
    fn partner(&self, from: usize, end: usize, rng: &mut Rng) -> Option<Pair> {
        self.pair(from, rng.random_range(from + 1..end))
    }

    /// A pair of indices drawn uniformly from all; `EachFirstHit` keeps only first hits, which is a uniform draw from all
    /// first hits.
    fn draw(&self, rng: &mut Rng) -> Option<Pair> {
        let total = *self.before.last()?;
        for _ in 0..MOST_TRIES {
            if total == 0 {
                return None;
            }
            let number = rng.random_range(0..total);
            let episode = self.before.partition_point(|&b| b <= number) - 1;
            let range = &self.episodes.ranges()[episode];
            let (first, second) = index_pair(number - self.before[episode]);
            let (from, to) = (range.start + first as usize, range.start + second as usize);
            let pair = self.pair(from, to);
            let is_kept = match (self.sampler, pair) {
                (Sampler::EachFirstHit, Some(pair)) => from + pair.lag_steps as usize == to,
                (_, pair) => pair.is_some(),
            };
            if is_kept {
                return pair;
            }
        }
        None
    }

    /// The lag of a pair; `None` if both states are equal, whose distance is zero by construction.
    pub(super) fn pair(&self, from: usize, to: usize) -> Option<Pair> {
        let (entries, episodes) = (&self.entries, &self.episodes);
        let first_hit = |rows| entries.first_hit_of(episodes, rows, to, self.radius);
        if first_hit(from..from + 1).is_some() {
            return None;
        }
        // The later state itself is a hit, so the search succeeds.
        let met = first_hit(from + 1..to).unwrap_or(to);
        Some(Pair {
            from,
            to,
            lag_steps: (met - from) as u32,
        })
    }
}

/// Failed draws before the data count as constant.
const MOST_TRIES: usize = 1_000;

/// The pair `first < second` with this index, in the order (0,1), (0,2), (1,2), (0,3), …
fn index_pair(number: u64) -> (u64, u64) {
    // second(second − 1)/2 ≤ index; f64 rounding of the root may be off by one.
    let mut second = f64::midpoint(1.0, (8.0 * number as f64 + 1.0).sqrt()) as u64;
    while second * (second - 1) / 2 > number {
        second -= 1;
    }
    while (second + 1) * second / 2 <= number {
        second += 1;
    }
    (number - second * (second - 1) / 2, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_indices_has_one_number() {
        let mut number = 0;
        for second in 1..60 {
            for first in 0..second {
                assert_eq!(index_pair(number), (first, second));
                number += 1;
            }
        }
        let huge = 3_000_000_000_u64;
        let number = huge * (huge - 1) / 2;
        assert_eq!(index_pair(number), (0, huge));
        assert_eq!(index_pair(number - 1), (huge - 2, huge - 1));
    }
}
