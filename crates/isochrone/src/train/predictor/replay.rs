//! Trajectories that the predictor learns from again: a uniform sample of all so far, of a bounded number of states.
//!
//! Every trajectory gets a random key, and those with the smallest keys are kept. The sample therefore depends neither on
//! the order in which trajectories arrive nor on the rank that made them. All ranks keep the same sample.

use super::shard::Shard;
use super::{PredictorData, PredictorSpec};
use crate::comm::Workers;
use crate::goal::GoalSpace;
use crate::nn::{NamedArray, NamedArrayError, find_rows, find_u64s};
use crate::rng::{Rng, Seed, Stream};
use crate::train::TrainingError;
use crate::train::gather;
use crate::trajectory::{Episode, Trajectories};
use rand::RngExt;
use std::collections::BTreeMap;
use std::ops::Range;

/// Rows of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EpisodeRows {
    /// The policy's.
    Policy,
    /// Those of the tail's first steps.
    Tail {
        /// So many.
        steps: usize,
    },
}

impl EpisodeRows {
    pub(super) fn of(self, episode: &Episode) -> Range<usize> {
        match self {
            Self::Policy => episode.policy_rows(),
            Self::Tail { steps } => episode.tail_rows_within(steps),
        }
    }
}

impl PredictorData {
    /// The rows of an episode that an epoch without replay learns from.
    pub(super) const fn rows(self) -> EpisodeRows {
        match self {
            Self::OnPolicy => EpisodeRows::Policy,
            Self::OffPolicy { tail_steps } => EpisodeRows::Tail { steps: tail_steps },
        }
    }

    /// The kinds of rows that are kept, in equal parts: off-policy, tails tell of random actions and the policy's part of
    /// regions that random actions do not come to.
    fn kept(self) -> Vec<EpisodeRows> {
        match self {
            Self::OnPolicy => vec![EpisodeRows::Policy],
            Self::OffPolicy { .. } => vec![self.rows(), EpisodeRows::Policy],
        }
    }
}

/// The kept trajectories.
pub(super) struct Replay {
    seed: Seed,
    /// What the predictor sees of a state.
    space: GoalSpace,
    /// Which rows of an episode each pool keeps.
    kinds: Vec<EpisodeRows>,
    pools: Vec<Pool>,
}

/// Kept trajectories of one kind, by their keys.
#[derive(Debug, PartialEq)]
struct Pool {
    most_states: usize,
    states: usize,
    trajectories: BTreeMap<u64, Vec<f32>>,
    /// The smallest key that was ever dropped: all keys below it are kept, and none from it on.
    first_dropped: u64,
}

impl Replay {
    /// An empty replay; `None` if the predictor learns from the newest trajectories only.
    pub(super) fn new(spec: &PredictorSpec, seed: Seed) -> Option<Self> {
        let kinds = spec.data.kept();
        let most_states = spec.replay_states / kinds.len();
        (spec.replay_states > 0).then(|| Self {
            seed,
            space: spec.predictor_input.clone(),
            pools: kinds.iter().map(|_| Pool::new(most_states)).collect(),
            kinds,
        })
    }

    /// Adds the trajectories of an update. Returns the size of the next epoch: as many states as the policy learns from.
    pub(super) fn add(
        &mut self,
        paths: &Trajectories,
        epoch: u64,
        workers: &Workers<'_>,
    ) -> Result<usize, TrainingError> {
        let kinds = self.kinds.len() as u64;
        for (kind, (rows, pool)) in (0..).zip(self.kinds.iter().zip(&mut self.pools)) {
            let rows = |episode: &Episode| rows.of(episode);
            let states = gather::states_of_ranks(paths, rows, &self.space, workers)?;
            for of_episode in states.chunk_by(|a, b| a.episode == b.episode) {
                let trajectory = of_episode[0].episode * kinds + kind;
                let stream = Stream::ReplayKey { epoch, trajectory };
                let key = self.seed.of(stream).random();
                let values = of_episode.iter().flat_map(|row| &row.values);
                pool.offer(key, values.copied().collect(), self.space.dims());
            }
        }
        let steps = gather::sum_of_ranks(&[paths.policy_steps() as f64], workers)?;
        Ok(steps[0] as usize)
    }

    /// Trajectories for an epoch of about `states` states, as the shards of this rank.
    pub(super) fn draw(&self, states: usize, epoch: u64, workers: &Workers<'_>) -> Vec<Shard> {
        let mut rng = self.seed.of(Stream::ReplayDraw { epoch });
        let width = self.space.dims();
        let pools = self.pools.iter().filter(|pool| pool.states > 0);
        let each = states.div_ceil(pools.clone().count().max(1));
        let drawn: Vec<&[f32]> = pools
            .flat_map(|pool| pool.draw(each * width, &mut rng))
            .collect();
        let mine = workers.shards.owned_by(workers.comm);
        let shards = mine.map(|number| {
            let own = drawn.iter().enumerate();
            let own = own.filter(|(k, _)| workers.shards.of_episode(*k) == number);
            let own: Vec<&[f32]> = own.map(|(_, states)| *states).collect();
            Shard::of_states(number as u64, width, &own)
        });
        shards.filter(|shard| !shard.is_empty()).collect()
    }

    /// All kept trajectories: the states of each, end to end.
    pub(super) fn trajectories(&self) -> impl Iterator<Item = &[f32]> {
        let pools = self.pools.iter();
        pools.flat_map(|pool| pool.trajectories.values().map(Vec::as_slice))
    }

    pub(super) fn save(&self) -> Vec<NamedArray> {
        let pools = self.pools.iter().enumerate();
        let arrays = pools.flat_map(|(kind, pool)| pool.save(kind, self.space.dims()));
        arrays.collect()
    }

    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        for (kind, pool) in self.pools.iter_mut().enumerate() {
            pool.restore(arrays, kind, self.space.dims())?;
        }
        Ok(())
    }
}

impl Pool {
    const fn new(most_states: usize) -> Self {
        Self {
            most_states,
            states: 0,
            trajectories: BTreeMap::new(),
            first_dropped: u64::MAX,
        }
    }

    /// Keeps a trajectory, and drops those with the largest keys while there are too many states.
    fn offer(&mut self, key: u64, states: Vec<f32>, width: usize) {
        if key >= self.first_dropped {
            return;
        }
        self.states += states.len() / width;
        self.trajectories.insert(key, states);
        while self.states > self.most_states
            && let Some((key, dropped)) = self.trajectories.pop_last()
        {
            self.states -= dropped.len() / width;
            self.first_dropped = key;
        }
    }

    /// Random trajectories, with repetition, of at least so many numbers in all.
    fn draw(&self, numbers: usize, rng: &mut Rng) -> Vec<&[f32]> {
        let all: Vec<&Vec<f32>> = self.trajectories.values().collect();
        let (mut drawn, mut total) = (Vec::new(), 0);
        while total < numbers && !all.is_empty() {
            let states = all[rng.random_range(0..all.len())];
            total += states.len();
            drawn.push(states.as_slice());
        }
        drawn
    }

    /// Keys, the first of them that was dropped; lengths in states; states.
    fn save(&self, kind: usize, width: usize) -> [NamedArray; 3] {
        let [keys, lengths, states] = names(kind);
        let kept = self.trajectories.values();
        let all_keys = self.trajectories.keys().copied();
        let all_keys = std::iter::once(self.first_dropped).chain(all_keys);
        let n_states = kept.clone().map(|states| (states.len() / width) as u64);
        [
            NamedArray::u64(keys, all_keys.collect::<Vec<_>>()),
            NamedArray::u64(lengths, n_states.collect::<Vec<_>>()),
            NamedArray::f32(
                states,
                [self.states, width],
                kept.flatten().copied().collect::<Vec<_>>(),
            ),
        ]
    }

    fn restore(
        &mut self,
        arrays: &[NamedArray],
        kind: usize,
        width: usize,
    ) -> Result<(), NamedArrayError> {
        let [keys, lengths, states] = names(kind);
        let (keys, lengths) = (find_u64s(arrays, &keys)?, find_u64s(arrays, &lengths)?);
        let mut rest = find_rows(arrays, &states, width)?;
        let Some((first_dropped, keys)) = keys.split_first() else {
            return Err(NamedArrayError::Layers {
                reason: "the replay of the distance has no keys".to_owned(),
            });
        };
        *self = Self {
            first_dropped: *first_dropped,
            ..Self::new(self.most_states)
        };
        for (key, length) in keys.iter().zip(lengths) {
            let numbers = (*length as usize).saturating_mul(width);
            let Some((states, after)) = rest.split_at_checked(numbers) else {
                return Err(NamedArrayError::Layers {
                    reason: format!("the replay of the distance ends before trajectory {key}"),
                });
            };
            self.trajectories.insert(*key, states.to_vec());
            self.states += *length as usize;
            rest = after;
        }
        Ok(())
    }
}

/// The names of a pool's arrays.
fn names(kind: usize) -> [String; 3] {
    ["keys", "lengths", "states"].map(|part| format!("replay.{kind}.{part}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::choose;
    use proptest::prelude::*;

    fn filled(order: &[usize], most_states: usize) -> Pool {
        let mut pool = Pool::new(most_states);
        for &k in order {
            let key = Seed(1)
                .stream(crate::rng::Purpose::Keep, 9, k as u64)
                .random();
            pool.offer(key, vec![k as f32; 3 + k % 5], 1);
        }
        pool
    }

    proptest! {
        /// The kept trajectories do not depend on the order in which they come, fit, and come back from a checkpoint.
        #[test]
        fn a_sample_of_all_in_any_order(seed: u64, count in 1_usize..60, most in 1_usize..200) {
            let forward: Vec<usize> = (0..count).collect();
            let mut rng = Seed(seed).stream(crate::rng::Purpose::Keep, 0, 0);
            let shuffled = choose(count, count, &mut rng);
            let (one, other) = (filled(&forward, most), filled(&shuffled, most));
            prop_assert_eq!(&one, &other);
            prop_assert!(one.states <= most);
            prop_assert_eq!(one.states, one.trajectories.values().map(Vec::len).sum::<usize>());
            let mut restored = filled(&[], most);
            restored.restore(&one.save(0, 1), 0, 1).unwrap();
            prop_assert_eq!(&restored, &one);
        }
    }
}
