//! Environment × policy → trajectories, in parallel.
//!
//! A [`Plan`] defines an episode; an [`EpisodeSource`] runs episodes by their numbers. There are two: [`Threads`] steps native
//! worlds, one per thread, and [`Lockstep`] steps many environments together (Python's vector environments). Both drive the
//! same state machine, and all random numbers of an episode come from the streams of its number, so the number of threads or
//! lanes changes no byte.
//!
//! A batch is whole episodes, in waves:
//!
//! ```text
//! while steps are missing:  run the next max(8, ⌈missing ÷ horizon⌉) episodes
//! ```
//!
//! The rule does not depend on the number of threads or ranks ([`Queue`] starts the known part of the next wave early).
//! Steps of random tails do not count.

mod episode;
mod lockstep;
mod queue;
mod streams;
mod tail;
mod threads;
mod waypoints;

pub use lockstep::{Copies, Lockstep, Resets, VectorEnvironment};
pub use queue::Queue;
pub use streams::{Phase, Streams};
pub use tail::{FirstTails, Tail};
pub use threads::Threads;
pub(crate) use waypoints::Guide;
pub use waypoints::{GoalTest, Waypoints};

use crate::comm::{Comm, CommError, Shards};
use crate::distance::DistanceError;
use crate::env::{ActionSpec, ObservationSpec, StepError};
use crate::goal::{GoalError, GoalRange};
use crate::policy::{Actor, PolicyError};
use crate::rng::Rng;
use crate::task::Task;
use crate::trajectory::{Misfit, Trajectories};

/// Why a rollout failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RolloutError {
    /// The policy's shapes do not match the world's.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The goals do not match the world.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// The world rejected an action, for example NaN from a policy with non-finite parameters.
    #[error("episode {episode}, step {step}: {source}")]
    Step {
        /// Number of the episode.
        episode: u64,
        /// Step of the episode, from 0.
        step: usize,
        /// The reason.
        source: StepError,
    },
    /// An observation that violates the world's specification.
    #[error("episode {episode}: {source}")]
    Observation {
        /// Number of the episode.
        episode: u64,
        /// The violation.
        source: Misfit,
    },
    /// A wave of episodes without a single step.
    #[error("{episodes} episodes in a row ended before their first step")]
    NoProgress {
        /// Episodes in the wave.
        episodes: usize,
    },
    /// A horizon of zero steps.
    #[error("the horizon is 0 steps")]
    NoHorizon,
    /// A goal with NaN or infinity.
    #[error("episode {episode}: entry {entry} of its goal is not finite")]
    GoalNotFinite {
        /// Number of the episode.
        episode: u64,
        /// Index of the entry.
        entry: usize,
    },
    /// The distance is not defined for the world's states or goals.
    #[error(transparent)]
    Undefined(#[from] DistanceError),
    /// A distance that is NaN.
    #[error("episode {episode}, step {step}: the distance to the goal is not a number")]
    Distance {
        /// Number of the episode.
        episode: u64,
        /// Step of the episode, from 0.
        step: usize,
    },
    /// A radius that is not positive.
    #[error("the radius of the task is {radius}; it must be above 0")]
    Radius {
        /// Its value.
        radius: f64,
    },
    /// A task whose goal space does not match the observations.
    #[error("the task is about observations of {task} entries, the world shows {world}")]
    OtherWorld {
        /// Entries that the goal space expects.
        task: usize,
        /// Entries of the observation.
        world: usize,
    },
    /// No environments.
    #[error("there are no environments to step")]
    NoLanes,
    /// A vector environment that returned too few results.
    #[error("{expected} environments were stepped, {got} answered")]
    Answers {
        /// Results given.
        got: usize,
        /// Results expected.
        expected: usize,
    },
    /// The system could not start a thread.
    #[error("cannot start a thread: {reason}")]
    Thread {
        /// Its message.
        reason: String,
    },
    /// A panic in a world, policy or distance.
    #[error("a thread of the rollout panicked")]
    Panicked,
    /// Another rank failed.
    #[error(transparent)]
    Comm(#[from] CommError),
}

/// Goals of a rollout's episodes.
pub trait GoalSource: Sync {
    /// Entries of a goal; 0 without goals.
    fn dims(&self) -> usize;

    /// The goal of an episode, drawn from the episode's own stream.
    fn goal(&self, episode: u64, rng: &mut Rng) -> Vec<f32>;
}

/// No goals: rollouts that only collect trajectories.
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

/// Goals drawn uniformly from a box.
impl GoalSource for GoalRange {
    fn dims(&self) -> usize {
        self.centre().len()
    }

    fn goal(&self, _episode: u64, rng: &mut Rng) -> Vec<f32> {
        self.sample(rng)
    }
}

/// Defines an episode.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The random streams.
    pub streams: Streams,
    /// The policy.
    pub actor: &'a dyn Actor,
    /// The goals.
    pub goals: &'a dyn GoalSource,
    /// The "reached" test; without a task an episode ends only by termination or by its horizon.
    pub task: Option<Task<'a>>,
    /// The largest number of policy steps.
    pub horizon_steps: usize,
    /// The random tail.
    pub tail: Tail,
    /// Waypoints on the way to the goal; `None` gives the policy the goal itself.
    pub waypoints: Option<Waypoints<'a>>,
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
    /// Checks all shapes once, so that no step has to.
    fn check(&self, seen: &ObservationSpec, action: &ActionSpec) -> Result<(), RolloutError> {
        if self.horizon_steps == 0 {
            return Err(RolloutError::NoHorizon);
        }
        self.actor.check(seen, self.goals.dims(), action)?;
        if let Some(waypoints) = &self.waypoints {
            check_task(&waypoints.task, seen)?;
            waypoints.check(self.goals.dims())?;
        }
        if let Some(task) = self.task {
            let expected = task.distance.goal_dims().unwrap_or(task.space.dims());
            let got = self.goals.dims();
            if got != expected {
                return Err(GoalError::Length { got, expected }.into());
            }
            check_task(&task, seen)?;
        }
        Ok(())
    }
}

/// Checks that a task is about these observations.
fn check_task(task: &Task<'_>, seen: &ObservationSpec) -> Result<(), RolloutError> {
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
    Ok(())
}

/// Runs episodes.
pub trait EpisodeSource {
    /// Shape of observations.
    fn observation_spec(&self) -> ObservationSpec;

    /// Bounds of actions.
    fn action_spec(&self) -> ActionSpec;

    /// The episodes of a queue, in the order of their numbers.
    fn drain(&mut self, queue: &Queue, plan: &Plan<'_>) -> Result<Trajectories, RolloutError>;

    /// The episodes with these numbers.
    fn run(&mut self, episodes: &[u64], plan: &Plan<'_>) -> Result<Trajectories, RolloutError> {
        self.drain(&Queue::of(episodes), plan)
    }
}

/// This rank's share of a batch of at least `batch_steps` policy steps over all ranks: whole episodes, numbered from 0, in
/// waves. An error on one rank aborts all ranks.
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

/// A batch of at least `batch_steps` policy steps on a single rank; each wave starts before the previous one has ended.
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

/// This rank's episodes of each wave. The size of the next wave depends on the episodes of all ranks.
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

/// Episodes in the order of their numbers; the first failure is the error. Numbers are handed out in order and every started
/// episode is finished, so it is the same error for any number of threads.
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
