//! The paper's loop: goals just beyond what the policy can do, trust-region updates towards them, and new goals from
//! what was learned.
//!
//! ```text
//! before:  learn to propose goals from states of the untrained policy
//! repeat:  1. goals     new ones from the generator, old ones from the archive
//!          2. policy    a few times: roll out towards them, then one trust-region update
//!          3. labels    which goals are easy, of intermediate difficulty, hard
//!          4. goals     the generator learns the intermediate ones, the archive keeps them
//! ```
//!
//! Methods differ by what is passed in: the distance that decides "reached", the generator, the source of the labels.
//! Nothing here reads a clock or a file: [`Watch`] is told what begins, and whoever calls writes reports down.

mod feed;
mod gather;
mod spec;
mod state;
mod watch;

pub use spec::{EvaluationSpec, Field, Generator, LabelSource, TrainError, TrainSpec};
pub use state::{Counters, TrainingState};
pub use watch::{Blind, Go, Part, Watch};

use crate::advantage::advantages;
use crate::baseline::Baseline;
use crate::batch::Batch;
use crate::comm::{Comm, Shards};
use crate::curriculum::{Archive, GoalList, Labelled, Tallies};
use crate::distance::{Distance, Euclidean};
use crate::evaluate::{Coverage, CoveragePlan, coverage};
use crate::policy::GaussianPolicy;
use crate::rollout::{EpisodeSource, Phase, Plan, Streams, Tail, collect_batch};
use crate::task::Task;
use crate::trajectory::{End, Trajectories};
use crate::trpo::{self, TrpoReport};
use feed::Feed;
use std::sync::Arc;

/// Who does the work.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    /// The ranks of the run.
    pub comm: &'a dyn Comm,
    /// The fixed cut of its work.
    pub shards: Shards,
    /// Threads of this rank for updates.
    pub threads: usize,
}

impl std::fmt::Debug for Team<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team")
            .field("rank", &self.comm.rank())
            .field("shards", &self.shards)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// A policy in training, with everything it needs to go on.
pub struct Training {
    spec: TrainSpec,
    field: Field,
    distance: Arc<dyn Distance>,
    policy: GaussianPolicy,
    baseline: Baseline,
    feed: Feed,
    archive: Archive,
    counters: Counters,
}

impl std::fmt::Debug for Training {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Training")
            .field("spec", &self.spec)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}

/// What one policy update saw and did.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateReport {
    /// Episodes of all ranks.
    pub episodes: usize,
    /// The policy's steps of all ranks.
    pub steps: usize,
    /// The share of episodes that reached their goal.
    pub success: f64,
    /// The trust-region step.
    pub trpo: TrpoReport,
}

/// What one iteration of the loop did.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationReport {
    /// Which one, from 1.
    pub iteration: u64,
    /// The policy updates.
    pub updates: Vec<UpdateReport>,
    /// The working set as it was labelled afterwards.
    pub labelled: Vec<Labelled>,
    /// How many goals came from the generator and from the archive.
    pub proposed: [usize; 2],
    /// Goals in the archive now.
    pub archived: usize,
    /// What the generator's learning said, where it learns by a loss: of the generator and of the discriminator.
    pub generator_losses: Option<[f64; 2]>,
    /// Episodes whose physics left the numbers.
    pub instabilities: usize,
    /// Totals so far.
    pub counters: Counters,
}

impl Training {
    /// An untrained policy before its first iteration; [`Training::prepare`] comes next.
    pub fn new(
        spec: TrainSpec,
        field: Field,
        distance: Arc<dyn Distance>,
    ) -> Result<Self, TrainError> {
        spec.check()?;
        let (shape, dims) = (field.policy_shape(&spec), field.space.dims());
        Ok(Self {
            policy: GaussianPolicy::untrained(&shape, spec.std, spec.first_std, spec.seed),
            baseline: Baseline::untrained(spec.baseline, shape.inputs, spec.seed),
            feed: Feed::new(&spec.generator, &field.range, spec.seed)?,
            archive: Archive::new(spec.archive_spacing, dims),
            counters: Counters::default(),
            spec,
            field,
            distance,
        })
    }

    /// Before the first iteration: the generator learns where the untrained policy gets to.
    pub fn prepare(
        &mut self,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
        watch: &mut dyn Watch,
    ) -> Result<(), TrainError> {
        watch.begins(Part::Goals);
        let states = self.visited(world, self.spec.initial_states, team)?;
        let mut rng = self.goal_stream();
        self.feed.begin_with(&states, &mut rng)?;
        Ok(())
    }

    /// One iteration of the loop. Broken off by `watch` or an error, `self` is no longer at an iteration's end: go on
    /// from a saved state.
    pub fn iterate(
        &mut self,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
        watch: &mut dyn Watch,
    ) -> Result<IterationReport, TrainError> {
        self.counters.iteration += 1;

        watch.begins(Part::Goals);
        let (goals, proposed) = self.propose();
        let mut tallies = Tallies::of_goals(&goals);
        let goals = GoalList::new(goals)?;

        let (mut updates, mut beyond, mut instabilities) = (Vec::new(), Vec::new(), 0);
        for _ in 0..self.spec.updates_per_iteration {
            watch.begins(Part::Rollout);
            let paths = self.roll_out(world, &goals, team)?;
            tallies.count(&paths);
            beyond.extend(self.beyond_goals(&paths, team)?);
            instabilities += paths.instabilities();

            watch.begins(Part::Update);
            updates.push(self.learn_from(&paths, team)?);
            if watch.goes_on() == Go::Stop {
                return Err(TrainError::Stopped);
            }
        }

        watch.begins(Part::Labels);
        let labelled = self.label(tallies, world, team)?;

        watch.begins(Part::Goals);
        let mut rng = self.goal_stream();
        let generator_losses = self.feed.learn(&labelled, &beyond, &mut rng)?;
        self.archive.add(&intermediate(&labelled));
        let visited = self.visited(world, self.spec.on_policy_states, team)?;
        self.archive.add(&visited);

        Ok(IterationReport {
            iteration: self.counters.iteration,
            updates,
            labelled,
            proposed,
            archived: self.archive.len(),
            generator_losses,
            instabilities,
            counters: self.counters,
        })
    }

    /// How many of the world's goals the policy reaches now. Changes nothing: it has streams of its own.
    pub fn evaluate(
        &self,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
    ) -> Result<Coverage, TrainError> {
        let evaluation = &self.spec.evaluation;
        let plan = CoveragePlan {
            goals: &self.field.coverage_goals,
            task: Task {
                space: &self.field.space,
                distance: &Euclidean,
                radius: evaluation.radius,
            },
            horizon_steps: evaluation.horizon_steps,
            rollouts: evaluation.rollouts,
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

    /// Totals so far.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// What was asked for.
    pub const fn spec(&self) -> &TrainSpec {
        &self.spec
    }

    /// The task of the training rollouts.
    fn task(&self) -> Task<'_> {
        Task {
            space: &self.field.space,
            distance: self.distance.as_ref(),
            radius: self.spec.radius,
        }
    }

    /// A batch of paths towards goals of the list.
    fn roll_out(
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
            tail: match self.spec.generator {
                Generator::ActionNoise { tail_steps, .. } => Tail::AfterSuccess { tail_steps },
                Generator::Uniform | Generator::GoalGan(_) => Tail::Off,
            },
        };
        let paths = collect_batch(world, &plan, self.spec.batch_steps, team.comm, team.shards)?;
        self.counters.updates += 1;
        Ok(paths)
    }

    /// Advantages by the baseline of before, one trust-region step, and then the baseline's turn.
    fn learn_from(
        &mut self,
        paths: &Trajectories,
        team: &Team<'_>,
    ) -> Result<UpdateReport, TrainError> {
        let Team { comm, threads, .. } = *team;
        let batch = Batch::of(paths, comm, team.shards)?;
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
        let is_reached = |end: End| f64::from(u8::from(end == End::Reached));
        let ends = paths
            .episodes()
            .iter()
            .map(|episode| is_reached(episode.end));
        let mine = [
            paths.episodes().len() as f64,
            ends.sum(),
            paths.tail_steps() as f64,
        ];
        let all = gather::sum_of_ranks(&mine, team)?;
        self.counters.steps += batch.total_rows as u64;
        self.counters.env_steps += batch.total_rows as u64 + all[2] as u64;
        Ok(UpdateReport {
            episodes: all[0] as usize,
            steps: batch.total_rows,
            success: all[1] / all[0].max(1.0),
            trpo,
        })
    }

    fn streams(&self, phase: Phase, iteration: u64) -> Streams {
        Streams {
            seed: self.spec.seed,
            iteration,
            phase,
        }
    }
}

fn intermediate(labelled: &[Labelled]) -> Vec<Vec<f32>> {
    let is_wanted =
        |goal: &&Labelled| goal.difficulty == crate::curriculum::Difficulty::Intermediate;
    let goals = labelled.iter().filter(is_wanted);
    goals.map(|labelled| labelled.goal.clone()).collect()
}
