//! The distance predictor beside the policy: first trained on states of the untrained policy, then one epoch per update.

mod probes;
mod replay;
mod shard;

use super::TrainingError;
use crate::comm::Workers;
use crate::distance::{Distance, GoalLifted, Learned};
use crate::embedding::{self, DistanceSpec, DistanceTrainer, EpochReport, Part};
use crate::goal::{GoalSpace, Proposals};
use crate::nn::{NamedArray, NamedArrayError, find_u64};
use crate::rng::Seed;
use crate::trajectory::Trajectories;
use probes::Probes;
use replay::{EpisodeRows, Replay};
use shard::Shard;

/// Which states the predictor learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictorData {
    /// The trajectories that the policy learns from: §4.1's on-policy predictor.
    OnPolicy,
    /// Random actions at the end of the first episodes, about as many steps as an update has: §4.1's off-policy predictor.
    OffPolicy {
        /// Random actions per episode.
        tail_steps: usize,
    },
}

/// A distance that is learned beside the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictorSpec {
    /// What is learned, and how.
    pub distance: DistanceSpec,
    /// The entries of a state that are its input.
    pub predictor_input: GoalSpace,
    /// Maps a goal to a state with these entries; the identity if the input is the goal space.
    pub goals: Proposals,
    /// Its training data.
    pub data: PredictorData,
    /// States of the untrained policy for its first epochs.
    pub initial_samples: usize,
    /// Epochs on these states.
    pub initial_epochs: u64,
    /// States of earlier trajectories that are kept and learned from again; 0: only the newest trajectories.
    pub replay_states: usize,
}

/// A predictor with its trainer and its probe states.
pub(super) struct Predictor {
    spec: PredictorSpec,
    trainer: DistanceTrainer,
    /// Epochs so far.
    epochs: u64,
    distance: GoalLifted,
    probes: Probes,
    replay: Option<Replay>,
}

impl Predictor {
    /// No bootstrapped target exceeds the horizon: a goal that takes longer cannot be reached anyway.
    pub(super) fn new(
        spec: PredictorSpec,
        horizon_steps: usize,
        seed: Seed,
    ) -> Result<Self, TrainingError> {
        let mut trainer = DistanceTrainer::beside_policy(spec.distance.clone(), seed)?;
        trainer.set_longest(horizon_steps as f32);
        Ok(Self {
            distance: GoalLifted::new(trainer.distance()?, spec.goals.clone()),
            replay: Replay::new(&spec, seed),
            spec,
            trainer,
            epochs: 0,
            probes: Probes::default(),
        })
    }

    pub(super) const fn spec(&self) -> &PredictorSpec {
        &self.spec
    }

    /// The current distance.
    pub(super) const fn distance(&self) -> &GoalLifted {
        &self.distance
    }

    /// Chooses the probe states from about `samples` states of the untrained policy.
    pub(super) fn watch(
        &mut self,
        paths: &Trajectories,
        samples: usize,
        workers: &Workers<'_>,
    ) -> Result<(), TrainingError> {
        self.probes = Probes::of(paths, &self.spec.predictor_input, samples, workers)?;
        Ok(())
    }

    /// One epoch on trajectories of the untrained policy.
    pub(super) fn begin_with(
        &mut self,
        paths: &Trajectories,
        workers: &Workers<'_>,
    ) -> Result<EpochReport, TrainingError> {
        // Not kept for the replay: an untrained policy pushes into one direction and dwells at walls, where equal positions
        // are many steps apart.
        self.fresh_epoch(paths, EpisodeRows::Policy, workers)
    }

    /// One epoch on the rollouts of an update, or on as many states of the replay; an empty report if there are no pairs.
    pub(super) fn learn_from(
        &mut self,
        paths: &Trajectories,
        workers: &Workers<'_>,
    ) -> Result<EpochReport, TrainingError> {
        let Some(replay) = &mut self.replay else {
            return self.fresh_epoch(paths, self.spec.data.rows(), workers);
        };
        let states = replay.add(paths, self.epochs, workers)?;
        let shards = replay.draw(states, self.epochs + 1, workers);
        self.epoch(&shards, workers)
    }

    /// One epoch on these rows of the episodes. Each shard is a part with a random stream of its own.
    fn fresh_epoch(
        &mut self,
        paths: &Trajectories,
        rows: EpisodeRows,
        workers: &Workers<'_>,
    ) -> Result<EpochReport, TrainingError> {
        let shards = Shard::all(paths, rows, &self.spec.predictor_input, workers.shards)?;
        self.epoch(&shards, workers)
    }

    fn epoch(
        &mut self,
        shards: &[Shard],
        workers: &Workers<'_>,
    ) -> Result<EpochReport, TrainingError> {
        self.epochs += 1;
        let parts: Vec<Part<'_>> = shards.iter().map(Shard::part).collect::<Result<_, _>>()?;
        let report = match self.trainer.epoch(&parts, self.epochs, workers.comm) {
            Err(embedding::TrainError::NoPairs) => return Ok(EpochReport::default()),
            report => report?,
        };
        self.distance = self.lifted()?;
        Ok(report)
    }

    /// The trajectories that it learns from again, the states of each end to end; none without a replay.
    pub(super) fn kept_trajectories(&self) -> impl Iterator<Item = &[f32]> {
        self.replay.iter().flat_map(Replay::trajectories)
    }

    /// The current distance, rebuilt after an epoch.
    fn lifted(&self) -> Result<GoalLifted, NamedArrayError> {
        Ok(GoalLifted::new(
            self.trainer.distance()?,
            self.spec.goals.clone(),
        ))
    }

    const fn learned(&self) -> &Learned {
        self.distance.learned()
    }

    /// Adam steps so far.
    pub(super) const fn updates(&self) -> u64 {
        self.trainer.step()
    }

    /// Spec, parameters, and steps per unit of the network.
    pub(super) fn arrays(&self) -> (DistanceSpec, Vec<NamedArray>, f64) {
        let trainer = &self.trainer;
        (trainer.spec().clone(), trainer.weights(), trainer.scale())
    }

    /// Distances of all pairs of probe states from different episodes.
    pub(super) fn probe_distances(&self) -> Vec<f64> {
        self.probes.distances(self.learned())
    }

    /// Distances of all ordered pairs of different goals.
    pub(super) fn distances_between(&self, goals: &[Vec<f32>]) -> Vec<f64> {
        // Lengths were checked before the run began; an empty point gives NaN.
        let embed = |goal: &Vec<f32>| self.distance.embed_goal(goal).unwrap_or_default();
        let points: Vec<Vec<f32>> = goals.iter().map(embed).collect();
        let pairs = (0..points.len()).flat_map(|k| (0..points.len()).map(move |j| (k, j)));
        let apart = pairs.filter(|(k, j)| k != j);
        apart
            .map(|(k, j)| self.learned().metric().one_way(&points[k], &points[j]))
            .collect()
    }

    pub(super) fn save(&self) -> Vec<NamedArray> {
        let prefixed = self.trainer.save().into_iter().map(|array| NamedArray {
            name: format!("{PREFIX}{}", array.name),
            ..array
        });
        let mut arrays: Vec<NamedArray> = prefixed.collect();
        arrays.push(NamedArray::u64(EPOCHS, [self.epochs]));
        arrays.push(self.probes.save(self.spec.distance.encoder.inputs));
        arrays.extend(self.replay.iter().flat_map(Replay::save));
        arrays
    }

    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let own = arrays.iter().filter_map(|array| {
            let name = array.name.strip_prefix(PREFIX)?.to_owned();
            let array = array.clone();
            Some(NamedArray { name, ..array })
        });
        self.trainer.restore(&own.collect::<Vec<_>>())?;
        [self.epochs] = find_u64(arrays, EPOCHS)?;
        self.probes = Probes::restore(arrays, self.spec.distance.encoder.inputs)?;
        if let Some(replay) = &mut self.replay {
            replay.restore(arrays)?;
        }
        self.distance = self.lifted()?;
        Ok(())
    }
}

const PREFIX: &str = "predictor.";
const EPOCHS: &str = "predictor_epochs";
