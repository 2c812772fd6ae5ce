//! Clips: some states of one trajectory, and the lag of every pair of them.
//!
//! A pair of single states embeds two states to learn one number. A clip of n states embeds n of them and learns
//! `n (n − 1) / 2` numbers. They share states, so they teach less than as many separate pairs: whether it pays depends on the
//! data.

use super::PairSource;
use crate::rng::Rng;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Some states of one trajectory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clip {
    /// Their rows, in the order of time. A trajectory with fewer states repeats its last one, which makes no pair.
    pub rows: Vec<usize>,
    /// The steps from each state to each later one, in the order (0, 1), (0, 2), …, (1, 2), …; 0 where both states are equal.
    pub lags_steps: Vec<u32>,
}

/// The pairs of a clip: `(0, 1), (0, 2), …, (1, 2), …`.
pub(crate) fn clip_pairs(frames: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..frames).flat_map(move |from| (from + 1..frames).map(move |to| (from, to)))
}

impl PairSource<'_> {
    /// Clips of `frames` states, as many as embed each state about twice, as an epoch of pairs does. A trajectory is drawn in
    /// proportion to its steps, and its states without replacement. Within one
    /// trajectory all pairs are equally likely; over all trajectories all states are, nearly.
    pub fn clips(&self, frames: usize, rng: &mut Rng) -> Vec<Clip> {
        let ranges = self.episodes().ranges();
        let mut steps_before = Vec::with_capacity(ranges.len());
        let mut steps = 0;
        for range in ranges {
            steps_before.push(steps);
            steps += range.len().saturating_sub(1);
        }
        let draw = |_| {
            let number = rng.random_range(0..steps);
            let episode = steps_before.partition_point(|before| *before <= number) - 1;
            let mut rows: Vec<usize> = ranges[episode].clone().collect();
            let mut drawn = rows.partial_shuffle(rng, frames).0.to_vec();
            drawn.sort_unstable();
            let last = *drawn.last().unwrap_or(&0);
            drawn.resize(frames, last);
            self.clip(drawn)
        };
        (0..(2 * steps).div_ceil(frames.max(1))).map(draw).collect()
    }

    fn clip(&self, rows: Vec<usize>) -> Clip {
        let lag_steps = |(from, to): (usize, usize)| {
            let (from, to) = (rows[from], rows[to]);
            let pair = (from < to).then(|| self.pair(from, to)).flatten();
            pair.map_or(0, |pair| pair.lag_steps)
        };
        Clip {
            lags_steps: clip_pairs(rows.len()).map(lag_steps).collect(),
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pairs::{Episodes, PairSource, Sampler, Target};
    use crate::rng::{Purpose, Seed};
    use proptest::prelude::*;

    proptest! {
        /// Whatever the trajectories: a clip stays within one, its lags are those of its states, and an epoch embeds every state
        /// about twice.
        #[test]
        fn lags_of_a_clip_are_those_of_its_states(
            lengths in prop::collection::vec(1..12_usize, 1..5),
            frames in 2..7_usize,
            seed: u64,
        ) {
            let rows: usize = lengths.iter().sum();
            // State k of every trajectory is the number k.
            let states: Vec<f32> = lengths.iter().flat_map(|n| (0..*n).map(|k| k as f32)).collect();
            let mut first = 0;
            let ranges: Vec<_> = lengths.iter().map(|n| { first += n; first - n..first }).collect();
            let episodes = Episodes::new(&states, 1, ranges.clone()).unwrap();
            let source = PairSource::new(&episodes, Target::FirstPassage { radius: 0.0 }, Sampler::UniformPairs);
            let clips = source.clips(frames, &mut Seed(seed).stream(Purpose::Pairs, 0, 0));
            let steps = rows - lengths.len();
            prop_assert_eq!(clips.len(), (2 * steps).div_ceil(frames));
            for clip in clips {
                prop_assert_eq!(clip.rows.len(), frames);
                prop_assert!(ranges.iter().any(|r| clip.rows.iter().all(|row| r.contains(row))));
                let expected = (0..frames).flat_map(|a| (a + 1..frames).map(move |b| (a, b)));
                let expected: Vec<u32> = expected.map(|(a, b)| (clip.rows[b] - clip.rows[a]) as u32).collect();
                prop_assert_eq!(clip.lags_steps, expected);
            }
        }
    }
}
