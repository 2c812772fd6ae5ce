//! The distance predictor beside the policy: begun with the untrained one, and one epoch after every update.

mod shard;
mod watched;

use super::gather::{self, Row};
use super::{Team, TrainError};
use crate::distance::{Distance, Learned, Lifted};
use crate::embedding::{DistanceSpec, DistanceTrainer, EpochReport};
use crate::goal::{GoalSpace, Proposals};
use crate::nn::{Named, NamedError, find, from_words, words};
use crate::pairs::Reservoir;
use crate::rng::{Purpose, Seed};
use crate::trajectory::{Episode, Trajectories};
use rand::seq::SliceRandom;
use shard::Shard;
use std::ops::Range;
use watched::Watched;

/// Which states the predictor learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictorData {
    /// The paths that the policy learns from: §4.1's on-policy predictor.
    OnPolicy,
    /// Random actions at the end of every episode: its off-policy predictor.
    OffPolicy {
        /// How many.
        tail_steps: usize,
    },
}

/// A distance that is learned beside the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictorSpec {
    /// What is learned, and how.
    pub distance: DistanceSpec,
    /// What it sees of states …
    pub sees: GoalSpace,
    /// … and how goals become such states. Where it sees goal space, goals are such states.
    pub goals: Proposals,
    /// From what.
    pub data: PredictorData,
    /// States of the untrained policy that it begins with.
    pub initial_samples: usize,
    /// Epochs on those.
    pub initial_epochs: u64,
}

/// Its first weights' stream, behind those of the policy, the baseline and the goal GAN.
const WEIGHTS_STREAM: u64 = 4;
/// States that bootstrapped targets take their goals from, per epoch.
const GOAL_STATES: usize = 10_000;

/// A predictor with everything it needs to go on.
pub(super) struct Predictor {
    spec: PredictorSpec,
    seed: Seed,
    trainer: DistanceTrainer,
    /// Epochs so far.
    epochs: u64,
    distance: Lifted,
    watched: Watched,
}

impl Predictor {
    /// No bootstrapped target is longer than an episode: what takes more is as good as never.
    pub(super) fn new(
        spec: PredictorSpec,
        horizon_steps: usize,
        seed: Seed,
    ) -> Result<Self, TrainError> {
        let mut trainer =
            DistanceTrainer::beside_others(spec.distance.clone(), seed, WEIGHTS_STREAM)?;
        trainer.set_longest(horizon_steps as f32);
        trainer.check_lessons()?;
        Ok(Self {
            distance: Lifted::new(trainer.distance()?, spec.goals.clone()),
            spec,
            seed,
            trainer,
            epochs: 0,
            watched: Watched::default(),
        })
    }

    pub(super) const fn spec(&self) -> &PredictorSpec {
        &self.spec
    }

    /// The distance as it is now.
    pub(super) const fn distance(&self) -> &Lifted {
        &self.distance
    }

    /// Chooses the states that are watched among about so many `samples` of the untrained policy.
    pub(super) fn watch(
        &mut self,
        paths: &Trajectories,
        samples: usize,
        team: &Team<'_>,
    ) -> Result<(), TrainError> {
        self.watched = Watched::of(paths, &self.spec.sees, samples, team)?;
        Ok(())
    }

    /// One epoch on paths of the untrained policy.
    pub(super) fn begin_with(
        &mut self,
        paths: &Trajectories,
        team: &Team<'_>,
    ) -> Result<EpochReport, TrainError> {
        self.epoch(paths, Episode::policy_rows, team)
    }

    /// One epoch on what an update's rollouts saw; nothing where no state may be learned from.
    pub(super) fn learn_from(
        &mut self,
        paths: &Trajectories,
        team: &Team<'_>,
    ) -> Result<EpochReport, TrainError> {
        let rows = match self.spec.data {
            PredictorData::OnPolicy => Episode::policy_rows,
            PredictorData::OffPolicy { .. } => Episode::tail_rows,
        };
        self.epoch(paths, rows, team)
    }

    /// Each rank draws the lessons of its shards, each shard by a stream of its own; all learn all of them, in one
    /// random order.
    fn epoch(
        &mut self,
        paths: &Trajectories,
        rows: fn(&Episode) -> Range<usize>,
        team: &Team<'_>,
    ) -> Result<EpochReport, TrainError> {
        self.epochs += 1;
        let shards = Shard::all(paths, rows, &self.spec.sees, team.shards);
        let goals = self.goals(&shards, team)?;
        let width = self.trainer.lesson_width();
        let mut lessons = Vec::new();
        for shard in &shards {
            let mut rng = self.seed.stream(Purpose::Pairs, self.epochs, shard.number);
            let drawn = self.trainer.lessons(&shard.episodes()?, &goals, &mut rng)?;
            lessons.extend(drawn.chunks_exact(width).map(|lesson| Row {
                episode: shard.number,
                values: lesson.to_vec(),
            }));
        }
        let mut lessons = gather::rows_of_ranks(lessons, width, team)?;
        lessons.shuffle(&mut self.seed.stream(Purpose::Shuffle, self.epochs, 0));
        let lessons: Vec<f32> = lessons.into_iter().flat_map(|row| row.values).collect();
        if lessons.is_empty() {
            return Ok(EpochReport::default());
        }
        let report = self.trainer.learn(&lessons)?;
        self.distance = self.lifted()?;
        Ok(report)
    }

    /// The distance as it has become.
    fn lifted(&self) -> Result<Lifted, NamedError> {
        Ok(Lifted::new(
            self.trainer.distance()?,
            self.spec.goals.clone(),
        ))
    }

    const fn learned(&self) -> &Learned {
        self.distance.learned()
    }

    /// Goals for bootstrapped targets: states of this epoch, evenly spaced.
    fn goals(&self, shards: &[Shard], team: &Team<'_>) -> Result<Reservoir, TrainError> {
        let width = self.spec.distance.encoder.inputs;
        if !self.trainer.is_bootstrapped() {
            return Ok(Reservoir::new(1, width));
        }
        let mine: usize = shards.iter().map(|s| s.states.len() / width).sum();
        let all = gather::sum_of_ranks(&[mine as f64], team)?[0] as usize;
        let apart = all.div_ceil(GOAL_STATES).max(1);
        let rows = shards.iter().flat_map(|shard| {
            let states = shard.states.chunks_exact(width).step_by(apart);
            states.map(|state| Row {
                episode: shard.number,
                values: state.to_vec(),
            })
        });
        let rows = gather::rows_of_ranks(rows.collect(), width, team)?;
        let states = rows.into_iter().flat_map(|row| row.values).collect();
        Ok(Reservoir::full(states, width).unwrap_or_else(|| Reservoir::new(1, width)))
    }

    /// Steps of Adam so far.
    pub(super) const fn updates(&self) -> u64 {
        self.trainer.step()
    }

    /// What the distance is made of.
    pub(super) fn arrays(&self) -> (DistanceSpec, Vec<Named>, f64) {
        let trainer = &self.trainer;
        (trainer.spec().clone(), trainer.weights(), trainer.scale())
    }

    /// Distances of all pairs of watched states from different episodes.
    pub(super) fn watched_distances(&self) -> Vec<f64> {
        self.watched.distances(self.learned())
    }

    /// Distances of all ordered pairs of different goals.
    pub(super) fn distances_between(&self, goals: &[Vec<f32>]) -> Vec<f64> {
        let aims: Vec<Vec<f32>> = goals.iter().map(|goal| self.distance.aim(goal)).collect();
        let pairs = (0..aims.len()).flat_map(|k| (0..aims.len()).map(move |j| (k, j)));
        let apart = pairs.filter(|(k, j)| k != j);
        apart
            .map(|(k, j)| self.learned().metric().one_way(&aims[k], &aims[j]))
            .collect()
    }

    pub(super) fn save(&self) -> Vec<Named> {
        let prefixed = self.trainer.save().into_iter().map(|array| Named {
            name: format!("{PREFIX}{}", array.name),
            ..array
        });
        let mut arrays: Vec<Named> = prefixed.collect();
        arrays.push(Named {
            name: EPOCHS.to_owned(),
            shape: [1, 4],
            values: words(self.epochs).collect(),
        });
        arrays.push(self.watched.save(self.spec.distance.encoder.inputs));
        arrays
    }

    pub(super) fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        let own = arrays.iter().filter_map(|array| {
            let name = array.name.strip_prefix(PREFIX)?.to_owned();
            let array = array.clone();
            Some(Named { name, ..array })
        });
        self.trainer.restore(&own.collect::<Vec<_>>())?;
        self.epochs = from_words(&find(arrays, EPOCHS, [1, 4])?.values);
        self.watched = Watched::restore(arrays, self.spec.distance.encoder.inputs)?;
        self.distance = self.lifted()?;
        Ok(())
    }
}

const PREFIX: &str = "predictor.";
const EPOCHS: &str = "predictor_epochs";
