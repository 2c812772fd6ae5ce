//! Environment × policy → trajectories, in parallel.
//!
//! A [`Plan`] says what an episode is; an [`EpisodeSource`] runs episodes by their numbers. There are two:
//! [`Threads`] steps native worlds, one per thread, and [`Lockstep`] steps many environments together, for
//! callers that must (Python's vector environments). Both drive the same state machine, and whatever an
//! episode draws comes from the streams of its number: how many threads or lanes there are changes no byte.
//!
//! A batch is whole episodes, in waves:
//!
//! ```text
//! while steps are missing:  run the next max(8, ⌈missing ÷ horizon⌉) episodes
//! ```
//!
//! which no thread or rank count enters ([`Queue`] says who may begin what before a wave is over). Steps of random
//! tails do not count.

mod episode;
mod lockstep;
mod queue;
mod streams;
mod threads;

pub use lockstep::{Copies, Lockstep, Resets, VectorEnvironment};
pub use queue::Queue;
pub use streams::{Phase, Streams};
pub use threads::Threads;

use crate::comm::{Comm, CommError, Shards};
use crate::distance::DistanceError;
use crate::env::{ActionSpec, ObservationSpec, StepError};
use crate::goal::{GoalError, GoalRange};
use crate::policy::{Actor, PolicyError};
use crate::rng::Rng;
use crate::task::Task;
use crate::trajectory::{Misfit, Trajectories};

/// Why a rollout stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RolloutError {
    /// The policy does not fit the world.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The goals do not fit the world.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// An action was refused. A policy whose parameters are not finite ends here.
    #[error("episode {episode}, step {step}: {source}")]
    Step {
        /// Which episode.
        episode: u64,
        /// Which of its steps, from 0.
        step: usize,
        /// Why.
        source: StepError,
    },
    /// The world showed something else than it promised.
    #[error("episode {episode}: {source}")]
    Observation {
        /// Which episode.
        episode: u64,
        /// What came.
        source: Misfit,
    },
    /// Nothing can be learned from episodes without steps.
    #[error("{episodes} episodes in a row ended before their first step")]
    NoProgress {
        /// How many.
        episodes: usize,
    },
    /// An episode of no steps.
    #[error("the horizon is 0 steps")]
    NoHorizon,
    /// A goal that is nowhere.
    #[error("episode {episode}: entry {entry} of its goal is not finite")]
    GoalNotFinite {
        /// Which episode.
        episode: u64,
        /// Which entry.
        entry: usize,
    },
    /// The distance is not defined for the world's states or goals.
    #[error(transparent)]
    Undefined(#[from] DistanceError),
    /// A distance that is NaN.
    #[error("episode {episode}, step {step}: the distance to the goal is not a number")]
    Distance {
        /// Which episode.
        episode: u64,
        /// Which of its steps, from 0.
        step: usize,
    },
    /// A radius that nothing can be within.
    #[error("the radius of the task is {radius}; it must be above 0")]
    Radius {
        /// What it is.
        radius: f64,
    },
    /// A task for another world.
    #[error("the task is about observations of {task} entries, the world shows {world}")]
    OtherWorld {
        /// Entries the task's goal space knows.
        task: usize,
        /// Entries there are.
        world: usize,
    },
    /// Nobody to step.
    #[error("there are no environments to step")]
    NoLanes,
    /// Environments that say nothing.
    #[error("{expected} environments were stepped, {got} answered")]
    Answers {
        /// Answers given.
        got: usize,
        /// Answers wanted.
        expected: usize,
    },
    /// The system has no thread left.
    #[error("cannot start a thread: {reason}")]
    Thread {
        /// What it said.
        reason: String,
    },
    /// A world, policy or distance that panicked.
    #[error("a thread of the rollout panicked")]
    Panicked,
    /// Another worker gave up.
    #[error(transparent)]
    Comm(#[from] CommError),
}

/// Random actions after the policy's part of an episode, where the world goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// None.
    Off,
    /// Only where the goal was reached, of episodes with small numbers.
    AfterSuccess {
        /// How many.
        tail_steps: usize,
        /// Episodes with smaller numbers than this may have one.
        episodes: u64,
    },
    /// Wherever the world has not ended, of episodes with small numbers: where episodes are short, tails would be most of
    /// the work.
    FirstEpisodes {
        /// How many.
        tail_steps: usize,
        /// Episodes with smaller numbers than this have one.
        episodes: u64,
    },
}

/// Goals of a rollout's episodes.
pub trait GoalSource: Sync {
    /// Numbers in a goal; 0 where there is none.
    fn dims(&self) -> usize;

    /// The goal of an episode, drawn from the episode's own stream.
    fn goal(&self, episode: u64, rng: &mut Rng) -> Vec<f32>;
}

/// No goals: trajectories for their own sake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoGoal;

impl GoalSource for NoGoal {
    fn dims(&self) -> usize {
        0
    }

    fn goal(&self, _episode: u64, _rng: &mut Rng) -> Vec<f32> {
        Vec::new()
    }
}

/// Goals anywhere in a box, equally often.
impl GoalSource for GoalRange {
    fn dims(&self) -> usize {
        self.centre().len()
    }

    fn goal(&self, _episode: u64, rng: &mut Rng) -> Vec<f32> {
        self.sample(rng)
    }
}

/// What an episode is.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// Where its random numbers come from.
    pub streams: Streams,
    /// Who acts.
    pub actor: &'a dyn Actor,
    /// What is asked for.
    pub goals: &'a dyn GoalSource,
    /// When it is reached; without a task an episode ends by its world or its horizon only.
    pub task: Option<Task<'a>>,
    /// The longest policy's part.
    pub horizon_steps: usize,
    /// What follows it.
    pub tail: Tail,
}

impl std::fmt::Debug for Plan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan")
            .field("streams", &self.streams)
            .field("task", &self.task)
            .field("horizon_steps", &self.horizon_steps)
            .field("tail", &self.tail)
            .finish_non_exhaustive()
    }
}

impl Plan<'_> {
    /// Does everything fit together? Asked once, so that no step has to.
    fn check(&self, seen: &ObservationSpec, action: &ActionSpec) -> Result<(), RolloutError> {
        if self.horizon_steps == 0 {
            return Err(RolloutError::NoHorizon);
        }
        self.actor.check(seen, self.goals.dims(), action)?;
        if let Some(task) = self.task {
            let expected = task.distance.goal_dims().unwrap_or(task.space.dims());
            let got = self.goals.dims();
            if got != expected {
                return Err(GoalError::Length { got, expected }.into());
            }
            if seen.dtype == crate::env::Dtype::U8 {
                return Err(GoalError::Image.into());
            }
            let (task_length, world) = (task.space.observation_length(), seen.len());
            if task_length != world {
                return Err(RolloutError::OtherWorld {
                    task: task_length,
                    world,
                });
            }
            if task.radius.is_nan() || task.radius <= 0.0 {
                return Err(RolloutError::Radius {
                    radius: task.radius,
                });
            }
        }
        Ok(())
    }
}

/// Runs episodes.
pub trait EpisodeSource {
    /// What is seen.
    fn observation_spec(&self) -> ObservationSpec;

    /// What can be done.
    fn action_spec(&self) -> ActionSpec;

    /// The episodes of a queue, in the order of their numbers.
    fn drain(&mut self, queue: &Queue, plan: &Plan<'_>) -> Result<Trajectories, RolloutError>;

    /// The episodes with these numbers.
    fn run(&mut self, episodes: &[u64], plan: &Plan<'_>) -> Result<Trajectories, RolloutError> {
        self.drain(&Queue::of(episodes), plan)
    }
}

/// This rank's share of a batch of at least `batch_steps` policy steps over all ranks: whole episodes, numbered
/// from 0, in waves. A rank that fails tells the others.
pub fn collect_batch(
    source: &mut dyn EpisodeSource,
    plan: &Plan<'_>,
    batch_steps: usize,
    comm: &dyn Comm,
    shards: Shards,
) -> Result<Trajectories, RolloutError> {
    let collected = if comm.size() == 1 {
        collect_alone(source, plan, batch_steps)
    } else {
        collect_together(source, plan, batch_steps, comm, shards)
    };
    collected.inspect_err(|error| comm.abort(&error.to_string()))
}

/// A batch of at least `batch_steps` policy steps without other ranks, each wave begun before the last has ended.
pub fn collect_alone(
    source: &mut dyn EpisodeSource,
    plan: &Plan<'_>,
    batch_steps: usize,
) -> Result<Trajectories, RolloutError> {
    let queue = Queue::of_batch(batch_steps, plan.horizon_steps);
    let batch = source.drain(&queue, plan)?;
    match queue.empty_wave() {
        Some(episodes) => Err(RolloutError::NoProgress { episodes }),
        None => Ok(batch),
    }
}

/// This rank's episodes of each wave. Nobody knows how long the others' are before all have said so.
fn collect_together(
    source: &mut dyn EpisodeSource,
    plan: &Plan<'_>,
    batch_steps: usize,
    comm: &dyn Comm,
    shards: Shards,
) -> Result<Trajectories, RolloutError> {
    let mut batch = Trajectories::new(&source.observation_spec(), source.action_spec().len());
    let owned = shards.share_of(comm)?;
    let (mut missing, mut next) = (batch_steps, 0);
    while missing > 0 {
        let wave = queue::wave_size(missing, plan.horizon_steps);
        let mine: Vec<u64> = (next..next + wave)
            .filter(|&episode| owned.contains(&shards.of_episode(episode)))
            .map(|episode| episode as u64)
            .collect();
        let seen = source.run(&mine, plan)?;
        let steps = steps_of_all(&seen, &owned, comm, shards)?;
        if steps == 0 {
            return Err(RolloutError::NoProgress { episodes: wave });
        }
        let appended = batch.append(&seen);
        appended.map_err(|source| RolloutError::Observation {
            episode: next as u64,
            source,
        })?;
        missing = missing.saturating_sub(steps);
        next += wave;
    }
    Ok(batch)
}

/// Policy steps of a wave over all ranks.
fn steps_of_all(
    seen: &Trajectories,
    owned: &std::ops::Range<usize>,
    comm: &dyn Comm,
    shards: Shards,
) -> Result<usize, CommError> {
    let mut partials = vec![vec![0.0]; owned.len()];
    for episode in seen.episodes() {
        let shard = shards.of_episode(episode.number as usize);
        partials[shard - owned.start][0] += episode.policy_steps as f64;
    }
    Ok(comm.sum_shards_f64(&partials)?[0] as usize)
}

/// Episodes end to end, in the order of their numbers; the first that failed is the error. Numbers are handed out in
/// order and every episode begun is finished, so that is the same one for any number of threads.
fn join(
    mut episodes: Vec<(u64, Result<Trajectories, RolloutError>)>,
    seen: &ObservationSpec,
    action: &ActionSpec,
) -> Result<Trajectories, RolloutError> {
    episodes.sort_by_key(|(number, _)| *number);
    let mut all = Trajectories::new(seen, action.len());
    for (number, episode) in episodes {
        let appended = all.append(&episode?);
        appended.map_err(|source| RolloutError::Observation {
            episode: number,
            source,
        })?;
    }
    Ok(all)
}
