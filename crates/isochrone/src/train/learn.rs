//! The policy's part: rollouts, updates, evaluation.

use super::{
    Counters, Generator, PredictorData, Team, TrainError, TrainSpec, Training, Trial, UpdateReport,
    gather,
};
use crate::advantage::advantages;
use crate::batch::Batch;
use crate::curriculum::GoalList;
use crate::distance::{Distance, PlaceDistance};
use crate::evaluate::{Coverage, CoveragePlan, coverage};
use crate::policy::GaussianPolicy;
use crate::rollout::{EpisodeSource, Phase, Plan, Streams, Tail, collect_batch};
use crate::task::Task;
use crate::trajectory::{End, Trajectories};
use crate::trpo;

impl Training {
    /// How many of the world's goals the policy reaches now. Changes nothing: it has streams of its own.
    pub fn evaluate(
        &self,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
    ) -> Result<Coverage, TrainError> {
        let evaluation = &self.spec.evaluation;
        let trial = Trial {
            goals: &self.field.coverage_goals,
            radius: Some(evaluation.radius),
            horizon_steps: evaluation.horizon_steps,
            rollouts: evaluation.rollouts,
        };
        self.attempt(&trial, world, team)
    }

    /// The same of any goals.
    pub fn attempt(
        &self,
        trial: &Trial<'_>,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
    ) -> Result<Coverage, TrainError> {
        let places = PlaceDistance::new(self.field.place.clone());
        let by_place = |radius| Task {
            space: &self.field.space,
            distance: &places,
            radius,
        };
        let plan = CoveragePlan {
            goals: trial.goals,
            task: trial.radius.map_or_else(|| self.task(), by_place),
            horizon_steps: trial.horizon_steps,
            rollouts: trial.rollouts,
            seed: self.spec.seed,
            iteration: self.counters.iteration,
        };
        let policy = self.policy.freeze()?;
        Ok(coverage(world, &policy, &plan, team.comm, team.shards)?)
    }

    /// The policy as it is now.
    pub const fn policy(&self) -> &GaussianPolicy {
        &self.policy
    }

    /// The distance as it is now, in goal space.
    pub fn distance(&self) -> &dyn Distance {
        self.judge.distance()
    }

    /// What the archive holds, as proposals.
    pub fn archived(&self) -> Vec<Vec<f32>> {
        let goals = self.archive.goals();
        let goals = goals.chunks_exact(self.field.proposals.dims());
        goals.map(<[f32]>::to_vec).collect()
    }

    /// Totals so far.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// What was asked for.
    pub const fn spec(&self) -> &TrainSpec {
        &self.spec
    }

    /// The task of the training rollouts.
    pub(super) fn task(&self) -> Task<'_> {
        Task {
            space: self.judge.sees().unwrap_or(&self.field.space),
            distance: self.judge.distance(),
            radius: self.spec.radius,
        }
    }

    /// A batch of paths towards goals of the list.
    pub(super) fn roll_out(
        &mut self,
        world: &mut dyn EpisodeSource,
        goals: &GoalList,
        team: &Team<'_>,
    ) -> Result<Trajectories, TrainError> {
        let policy = self.policy.freeze()?;
        let plan = Plan {
            streams: self.streams(Phase::Train, self.counters.updates),
            actor: &policy,
            goals,
            task: Some(self.task()),
            horizon_steps: self.spec.horizon_steps,
            tail: self.tail(),
        };
        let paths = collect_batch(world, &plan, self.spec.batch_steps, team.comm, team.shards)?;
        self.counters.updates += 1;
        Ok(paths)
    }

    /// Advantages by the baseline of before, one trust-region step, and then the baseline's turn.
    pub(super) fn learn_from(
        &mut self,
        paths: &Trajectories,
        team: &Team<'_>,
    ) -> Result<UpdateReport, TrainError> {
        let Team { comm, threads, .. } = *team;
        let batch = Batch::of(paths, self.field.space.dims(), comm, team.shards)?;
        let advantages = advantages(&batch, &self.baseline, &self.spec.advantage, comm)?;
        let (policy, trpo) = (&mut self.policy, &self.spec.trpo);
        let trpo = trpo::update(
            policy,
            &batch,
            &advantages.standardised,
            trpo,
            comm,
            threads,
        )?;
        self.baseline
            .fit(&batch, &advantages.returns, comm, threads)?;
        let [reached, falsely] = self.reached(paths);
        let episodes = paths.episodes().iter();
        let truncated = episodes.filter(|e| e.end == End::Truncated);
        let mine = [
            paths.episodes().len() as f64,
            reached,
            paths.tail_steps() as f64,
            paths.instabilities() as f64,
            falsely,
            truncated.count() as f64,
        ];
        let all = gather::sum_of_ranks(&mine, team)?;
        self.counters.steps += batch.total_rows as u64;
        self.counters.env_steps += batch.total_rows as u64 + all[2] as u64;
        Ok(UpdateReport {
            episodes: all[0] as usize,
            steps: batch.total_rows,
            reached: all[1] as usize,
            falsely_reached: all[4] as usize,
            instabilities: all[3] as usize,
            truncated: all[5] as usize,
            trpo,
        })
    }

    /// How many of these episodes reached their goal, and how many of those by the training's distance only: their last
    /// state is not within the radius of evaluation, as the crow flies.
    fn reached(&self, paths: &Trajectories) -> [f64; 2] {
        let places = PlaceDistance::new(self.field.place.clone());
        let reached = paths.episodes().iter().filter(|e| e.end == End::Reached);
        let mut counts = [0.0; 2];
        for episode in reached {
            counts[0] += 1.0;
            let last = episode.policy_rows().end - 1;
            let last = paths.observations().row_f32(last).unwrap_or_default();
            let apart = places.between(&self.field.space.project(last), &episode.goal);
            counts[1] += f64::from(u8::from(apart >= self.spec.evaluation.radius));
        }
        counts
    }

    /// What follows the policy's part: tails for the predictor, or for the generator.
    fn tail(&self) -> Tail {
        let data = self
            .judge
            .predictor()
            .map(|predictor| predictor.spec().data);
        match (data, &self.spec.generator) {
            // As many random steps as the policy takes, and no more: where goals are easy, episodes are short and many.
            (Some(PredictorData::OffPolicy { tail_steps }), _) => Tail::FirstEpisodes {
                tail_steps,
                episodes: self.spec.batch_steps.div_ceil(tail_steps.max(1)) as u64,
            },
            // Twice as many at the most, for the same reason.
            (_, Generator::ActionNoise { tail_steps, .. }) => Tail::AfterSuccess {
                tail_steps: *tail_steps,
                episodes: (2 * self.spec.batch_steps).div_ceil(*tail_steps.max(&1)) as u64,
            },
            (_, Generator::Uniform | Generator::GoalGan(_)) => Tail::Off,
        }
    }

    pub(super) fn streams(&self, phase: Phase, iteration: u64) -> Streams {
        Streams {
            seed: self.spec.seed,
            iteration,
            phase,
        }
    }
}
