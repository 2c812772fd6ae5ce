//! States that the policy visits: training data of the distance, the generator and the archive.

use super::gather::{self, Row};
use super::learn::observe;
use super::online_distance::OnlineDistance;
use super::spec::TrainingError;
use super::{
    AgentSpec, GoalSetup, Observer, PredictorReport, PredictorSpec, TrainPhase, Training,
    abort_ranks, check_stop,
};
use crate::comm::Workers;
use crate::embedding::EpochReport;
use crate::goal::{GoalRange, Proposals};
use crate::goal_generator::TailState;
use crate::learner::Experience;
use crate::nn::{NamedArray, NamedArrayError, find};
use crate::rng::Rng;
use crate::rollout::{EpisodeSource, GoalSource, Phase, Plan, Tail, collect_batch};
use crate::trajectory::{End, Trajectories};

/// States kept per tail, evenly spaced.
const TAIL_STATES: usize = 10;
/// The share of the first samples inside an estimated range.
const RANGE_SHARE: f64 = 0.99;
const RANGE: &str = "goal_range";

/// Goals from proposals drawn uniformly from a box.
struct Anywhere<'a> {
    range: &'a GoalRange,
    proposals: &'a Proposals,
}

impl GoalSource for Anywhere<'_> {
    fn dims(&self) -> usize {
        self.proposals.goal_dims()
    }

    fn goal(&self, _episode: u64, rng: &mut Rng) -> Vec<f32> {
        self.proposals.goal(&self.range.sample(rng))
    }
}

impl Training {
    /// Trains the predictor on states of the untrained policy and estimates unknown ranges from them. Returns the
    /// predictor's report and the states, as proposals.
    pub(super) fn begin_distance(
        &mut self,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(Option<PredictorReport>, Vec<Vec<f32>>), TrainingError> {
        let Some(predictor) = self.distance.predictor() else {
            observer.phase_begins(TrainPhase::Goals);
            let states = self.visited(world, self.spec.initial_states, workers)?;
            return Ok((None, states));
        };
        let PredictorSpec {
            initial_samples,
            initial_epochs,
            ..
        } = *predictor.spec();
        let wanted = self.spec.initial_states;
        let paths = self.wander(world, initial_samples.max(wanted), workers)?;
        let mut states = self.proposals_of(&paths, workers)?;
        self.measure_range(&states)?;
        let report = self.learn_first(&paths, initial_epochs, workers, observer);
        let report = report.inspect_err(|error| abort_ranks(error, workers))?;
        states.truncate(wanted);
        let distances = self.probe_distances();
        Ok((self.report_distance(&report, &distances), states))
    }

    /// All epochs on the first samples; returns the report of the last.
    fn learn_first(
        &mut self,
        paths: &Trajectories,
        epochs: u64,
        workers: &Workers<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<EpochReport>, TrainingError> {
        let mut last = Vec::new();
        if let OnlineDistance::Learned(predictor) = &mut self.distance {
            let samples = predictor.spec().initial_samples;
            predictor.watch(paths, samples.max(self.spec.initial_states), workers)?;
            for _ in 0..epochs {
                last = vec![predictor.begin_with(paths, workers)?];
                check_stop(observer)?;
            }
        }
        Ok(last)
    }

    /// Rolls out the policy towards goals drawn uniformly from the range. Episodes do not end at their goals.
    fn wander(
        &mut self,
        world: &mut dyn EpisodeSource,
        states: usize,
        workers: &Workers<'_>,
    ) -> Result<Trajectories, TrainingError> {
        let actor = self.learner.actor()?;
        let plan = Plan {
            streams: self.streams(Phase::Gather, self.counters.iteration),
            actor: actor.as_ref(),
            goals: &Anywhere {
                range: &self.range,
                proposals: &self.setup.proposals,
            },
            task: None,
            horizon_steps: self.spec.horizon_steps,
            tail: Tail::Off,
            waypoints: None,
        };
        let paths = collect_batch(world, &plan, states, workers.comm, workers.shards)?;
        let steps = gather::sum_of_ranks(&[paths.policy_steps() as f64], workers)?;
        self.counters.env_steps += steps[0] as u64;
        let experience = Experience {
            trajectories: &paths,
            goals: &self.setup.space,
            task: self.distance.task(&self.setup.space, self.epsilon.radius),
            waypoints: None,
        };
        observe(self.learner.as_mut(), &experience, workers)?;
        Ok(paths)
    }

    /// States that the current policy visits, as proposals.
    pub(super) fn visited(
        &mut self,
        world: &mut dyn EpisodeSource,
        states: usize,
        workers: &Workers<'_>,
    ) -> Result<Vec<Vec<f32>>, TrainingError> {
        if states == 0 || !self.generator.uses_archive() {
            return Ok(Vec::new());
        }
        let paths = self.wander(world, states, workers)?;
        let mut visited = self.proposals_of(&paths, workers)?;
        visited.truncate(states);
        Ok(visited)
    }

    /// States of rollouts of their own; none with a planner, whose training rollouts give them.
    pub(super) fn visited_beside(
        &mut self,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
    ) -> Result<Vec<Vec<f32>>, TrainingError> {
        match self.map {
            Some(_) => Ok(Vec::new()),
            None => self.visited(world, self.spec.on_policy_states, workers),
        }
    }

    /// States of training rollouts and their tails, evenly spaced, as proposals.
    pub(super) fn states_on_paths(
        &self,
        paths: &Trajectories,
        workers: &Workers<'_>,
    ) -> Result<Vec<Vec<f32>>, TrainingError> {
        let AgentSpec {
            batch_steps,
            updates_per_iteration,
            on_policy_states,
            ..
        } = self.spec;
        if on_policy_states == 0 {
            return Ok(Vec::new());
        }
        let apart = (batch_steps * updates_per_iteration).div_ceil(on_policy_states);
        let rows = paths.episodes().iter().flat_map(|episode| {
            episode.rows().step_by(apart).map(|row| Row {
                episode: episode.number,
                values: self.proposal(paths, row),
            })
        });
        let rows = gather::rows_of_ranks(rows.collect(), self.setup.proposals.dims(), workers)?;
        Ok(rows.into_iter().map(|row| row.values).collect())
    }

    /// All states of all ranks' trajectories, as proposals, in the order of their episodes.
    fn proposals_of(
        &self,
        paths: &Trajectories,
        workers: &Workers<'_>,
    ) -> Result<Vec<Vec<f32>>, TrainingError> {
        let rows = paths.episodes().iter().flat_map(|episode| {
            episode.policy_rows().map(|row| Row {
                episode: episode.number,
                values: self.proposal(paths, row),
            })
        });
        let rows = gather::rows_of_ranks(rows.collect(), self.setup.proposals.dims(), workers)?;
        Ok(rows.into_iter().map(|row| row.values).collect())
    }

    /// States reached by random actions after a success, in the order of all ranks' episodes.
    pub(super) fn tail_states(
        &self,
        paths: &Trajectories,
        workers: &Workers<'_>,
    ) -> Result<Vec<TailState>, TrainingError> {
        let tail_steps = self.generator.tail_steps();
        if tail_steps == 0 {
            return Ok(Vec::new());
        }
        let apart = tail_steps.div_ceil(TAIL_STATES);
        let reached = paths.episodes().iter().filter(|e| e.end == End::Reached);
        let rows = reached.flat_map(|episode| {
            let goal = self.setup.proposals.proposal(&episode.goal);
            // The first state of the tail is the one in which the goal was reached.
            let rows = episode.tail_rows_within(tail_steps).skip(1);
            rows.step_by(apart).map(move |row| Row {
                episode: episode.number,
                values: [goal.as_slice(), &self.proposal(paths, row)].concat(),
            })
        });
        let dims = self.setup.proposals.dims();
        let rows = gather::rows_of_ranks(rows.collect(), 2 * dims, workers)?;
        let split = |row: Row| TailState {
            goal: row.values[..dims].to_vec(),
            state: row.values[dims..].to_vec(),
        };
        Ok(rows.into_iter().map(split).collect())
    }

    fn proposal(&self, paths: &Trajectories, row: usize) -> Vec<f32> {
        let observation = paths.observations().row_f32(row).unwrap_or_default();
        let GoalSetup {
            proposals, space, ..
        } = &self.setup;
        proposals.proposal(&space.project(observation))
    }

    /// Estimates unknown ranges of proposals from the first samples: the smallest ±x that contains 99 % of them.
    fn measure_range(&mut self, states: &[Vec<f32>]) -> Result<(), TrainingError> {
        if self.setup.measured.is_empty() {
            return Ok(());
        }
        let mut half_width = self.range.half_width().to_vec();
        for &entry in &self.setup.measured {
            let mut sizes: Vec<f32> = states.iter().map(|state| state[entry].abs()).collect();
            sizes.sort_by(f32::total_cmp);
            let at = (RANGE_SHARE * sizes.len() as f64) as usize;
            half_width[entry] = sizes.get(at).or(sizes.last()).copied().unwrap_or(0.0);
        }
        self.set_range(GoalRange::new(self.range.centre().to_vec(), half_width)?)
    }

    /// Rebuilds the generator for another range; call it before the generator has learned anything.
    fn set_range(&mut self, range: GoalRange) -> Result<(), TrainingError> {
        self.generator = self.spec.generator.build(&range, self.spec.seed)?;
        self.range = range;
        Ok(())
    }

    pub(super) fn save_range(&self) -> Option<NamedArray> {
        let range = &self.range;
        (!self.setup.measured.is_empty()).then(|| {
            NamedArray::f32(
                RANGE,
                [2, range.centre().len()],
                [range.centre(), range.half_width()].concat(),
            )
        })
    }

    /// Restores the range; call it before the generator is restored.
    pub(super) fn restore_range(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        if self.setup.measured.is_empty() {
            return Ok(());
        }
        let dims = self.range.centre().len();
        let (centre, half_width) = find(arrays, RANGE, [2, dims])?.split_at(dims);
        let range = GoalRange::new(centre.to_vec(), half_width.to_vec());
        let restored = range.map_err(TrainingError::from);
        let restored = restored.and_then(|range| self.set_range(range));
        restored.map_err(|error| NamedArrayError::Layers {
            reason: error.to_string(),
        })
    }
}
