//! States that a policy gets to, and what is learned from them beside acting.

use super::gather::{self, Row};
use super::judge::Judge;
use super::spec::{Generator, TrainError};
use super::{
    Feed, Part, PredictorReport, PredictorSpec, Team, Training, Watch, give_up, unless_stopped,
};
use crate::embedding::EpochReport;
use crate::goal::{GoalRange, Proposals};
use crate::nn::{Named, NamedError, find};
use crate::rng::Rng;
use crate::rollout::{EpisodeSource, GoalSource, Phase, Plan, Tail, collect_batch};
use crate::trajectory::{End, Trajectories};

/// States kept of a tail, evenly spaced: far more than a queue takes, far fewer than were seen.
const TAIL_STATES: usize = 10;
/// What of the first samples a measured range holds.
const RANGE_SHARE: f64 = 0.99;
const RANGE: &str = "goal_range";

/// Where random actions led after a goal was reached; both as proposals.
pub(super) struct Beyond {
    pub(super) goal: Vec<f32>,
    pub(super) state: Vec<f32>,
}

/// Goals of proposals from anywhere in a box.
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
    /// Where the untrained policy gets to, as proposals; and what a predictor has learned from it, over and over. Ranges
    /// of proposals that nobody knows are measured on the same states.
    pub(super) fn begin_distance(
        &mut self,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
        watch: &mut dyn Watch,
    ) -> Result<(Option<PredictorReport>, Vec<Vec<f32>>), TrainError> {
        let Some(predictor) = self.judge.predictor() else {
            watch.begins(Part::Goals);
            let states = self.visited(world, self.spec.initial_states, team)?;
            return Ok((None, states));
        };
        let PredictorSpec {
            initial_samples,
            initial_epochs,
            ..
        } = *predictor.spec();
        let wanted = self.spec.initial_states;
        let paths = self.wander(world, initial_samples.max(wanted), team)?;
        let mut states = self.proposals_of(&paths, team)?;
        self.measure_range(&states)?;
        let report = self.learn_first(&paths, initial_epochs, team, watch);
        let report = report.inspect_err(|error| give_up(error, team))?;
        states.truncate(wanted);
        let distances = self.watched_distances();
        Ok((self.report_distance(&report, &distances), states))
    }

    /// All epochs on the first samples; the last one's report.
    fn learn_first(
        &mut self,
        paths: &Trajectories,
        epochs: u64,
        team: &Team<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Vec<EpochReport>, TrainError> {
        let mut last = Vec::new();
        if let Judge::Learned(predictor) = &mut self.judge {
            let samples = predictor.spec().initial_samples;
            predictor.watch(paths, samples.max(self.spec.initial_states), team)?;
            for _ in 0..epochs {
                last = vec![predictor.begin_with(paths, team)?];
                unless_stopped(watch)?;
            }
        }
        Ok(last)
    }

    /// The policy as it is, asked for goals anywhere in the range and never told that it is there.
    fn wander(
        &mut self,
        world: &mut dyn EpisodeSource,
        states: usize,
        team: &Team<'_>,
    ) -> Result<Trajectories, TrainError> {
        let policy = self.policy.freeze()?;
        let plan = Plan {
            streams: self.streams(Phase::Gather, self.counters.iteration),
            actor: &policy,
            goals: &Anywhere {
                range: &self.range,
                proposals: &self.field.proposals,
            },
            task: None,
            horizon_steps: self.spec.horizon_steps,
            tail: Tail::Off,
        };
        let paths = collect_batch(world, &plan, states, team.comm, team.shards)?;
        let steps = gather::sum_of_ranks(&[paths.policy_steps() as f64], team)?;
        self.counters.env_steps += steps[0] as u64;
        Ok(paths)
    }

    /// States of the policy as it is, as proposals.
    pub(super) fn visited(
        &mut self,
        world: &mut dyn EpisodeSource,
        states: usize,
        team: &Team<'_>,
    ) -> Result<Vec<Vec<f32>>, TrainError> {
        if states == 0 || matches!(self.feed, Feed::Uniform(_)) {
            return Ok(Vec::new());
        }
        let paths = self.wander(world, states, team)?;
        let mut visited = self.proposals_of(&paths, team)?;
        visited.truncate(states);
        Ok(visited)
    }

    /// All states of these paths of all ranks, as proposals, in the order of their episodes.
    fn proposals_of(
        &self,
        paths: &Trajectories,
        team: &Team<'_>,
    ) -> Result<Vec<Vec<f32>>, TrainError> {
        let rows = paths.episodes().iter().flat_map(|episode| {
            episode.policy_rows().map(|row| Row {
                episode: episode.number,
                values: self.proposal(paths, row),
            })
        });
        let rows = gather::rows_of_ranks(rows.collect(), self.field.proposals.dims(), team)?;
        Ok(rows.into_iter().map(|row| row.values).collect())
    }

    /// States that random actions led to after a goal was reached, in the order of the episodes of all ranks.
    pub(super) fn beyond_goals(
        &self,
        paths: &Trajectories,
        team: &Team<'_>,
    ) -> Result<Vec<Beyond>, TrainError> {
        let Generator::ActionNoise { tail_steps, .. } = self.spec.generator else {
            return Ok(Vec::new());
        };
        let apart = tail_steps.div_ceil(TAIL_STATES).max(1);
        let reached = paths.episodes().iter().filter(|e| e.end == End::Reached);
        let rows = reached.flat_map(|episode| {
            let goal = self.field.proposals.proposal(&episode.goal);
            // The first state of the tail is the one that reached the goal.
            let rows = episode.tail_rows().skip(1);
            rows.step_by(apart).map(move |row| Row {
                episode: episode.number,
                values: [goal.as_slice(), &self.proposal(paths, row)].concat(),
            })
        });
        let dims = self.field.proposals.dims();
        let rows = gather::rows_of_ranks(rows.collect(), 2 * dims, team)?;
        let split = |row: Row| Beyond {
            goal: row.values[..dims].to_vec(),
            state: row.values[dims..].to_vec(),
        };
        Ok(rows.into_iter().map(split).collect())
    }

    fn proposal(&self, paths: &Trajectories, row: usize) -> Vec<f32> {
        let observation = paths.observations().row_f32(row).unwrap_or_default();
        let field = &self.field;
        field.proposals.proposal(&field.space.project(observation))
    }

    /// Entries of proposals that nobody knows the range of get that of the first samples: ± what 99 % of them are
    /// within.
    fn measure_range(&mut self, states: &[Vec<f32>]) -> Result<(), TrainError> {
        if self.field.measured.is_empty() {
            return Ok(());
        }
        let mut half_width = self.range.half_width().to_vec();
        for &entry in &self.field.measured {
            let mut sizes: Vec<f32> = states.iter().map(|state| state[entry].abs()).collect();
            sizes.sort_by(f32::total_cmp);
            let at = (RANGE_SHARE * sizes.len() as f64) as usize;
            half_width[entry] = sizes.get(at).or(sizes.last()).copied().unwrap_or(0.0);
        }
        self.set_range(GoalRange::new(self.range.centre().to_vec(), half_width)?)
    }

    /// Before the generator has learned anything: it begins anew in the range.
    fn set_range(&mut self, range: GoalRange) -> Result<(), TrainError> {
        self.feed = Feed::new(&self.spec.generator, &range, self.spec.seed)?;
        self.range = range;
        Ok(())
    }

    pub(super) fn save_range(&self) -> Option<Named> {
        let range = &self.range;
        (!self.field.measured.is_empty()).then(|| Named {
            name: RANGE.to_owned(),
            shape: [2, range.centre().len()],
            values: [range.centre(), range.half_width()].concat(),
        })
    }

    /// The opposite; before the generator is restored.
    pub(super) fn restore_range(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        if self.field.measured.is_empty() {
            return Ok(());
        }
        let dims = self.range.centre().len();
        let (centre, half_width) = find(arrays, RANGE, [2, dims])?.values.split_at(dims);
        let range = GoalRange::new(centre.to_vec(), half_width.to_vec());
        let restored = range.map_err(TrainError::from);
        let restored = restored.and_then(|range| self.set_range(range));
        restored.map_err(|error| NamedError::Layers {
            reason: error.to_string(),
        })
    }
}
