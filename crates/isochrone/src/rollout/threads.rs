//! Native worlds: one per thread, one episode at a time on each.

use super::episode::{Progress, Running};
use super::queue::Queue;
use super::{EpisodeSource, Plan, RolloutError};
use crate::env::{ActionSpec, Environment, ObservationSpec};
use crate::trajectory::Trajectories;

/// Threads with a world each. They live only during a rollout: a process that forks between two rollouts (Python does) has no
/// hidden threads, and they cannot conflict with a world or distance that is parallel itself.
#[derive(Debug)]
pub struct Threads<E> {
    worlds: Vec<E>,
    observation: ObservationSpec,
    action: ActionSpec,
}

/// The result of one thread: its episodes, or the error that stopped it.
type Share = Vec<(u64, Result<Trajectories, RolloutError>)>;

impl<E: Environment + Send> Threads<E> {
    /// `threads` worlds (at least one), each made by `make`.
    pub fn new(threads: usize, make: impl Fn() -> E) -> Self {
        let world = make();
        let (observation, action) = (world.observation_spec(), world.action_spec());
        let others = (1..threads).map(|_| make());
        Self {
            worlds: std::iter::once(world).chain(others).collect(),
            observation,
            action,
        }
    }
}

/// After a panic, closes the queue: the other threads must not wait for the lost episode.
struct OnPanic<'q>(&'q Queue);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.break_off();
        }
    }
}

/// Runs episodes until the queue is empty.
fn work<E: Environment>(
    world: &mut E,
    queue: &Queue,
    plan: &Plan<'_>,
    observation: &ObservationSpec,
    action: &ActionSpec,
) -> Share {
    let _watch = OnPanic(queue);
    let mut share = Share::new();
    while let Some(number) = queue.wait() {
        let episode = run_one(world, number, plan, observation, action);
        match &episode {
            Ok(seen) => queue.finished(number, seen.policy_steps()),
            Err(_) => queue.break_off(),
        }
        share.push((number, episode));
    }
    share
}

fn run_one<E: Environment>(
    world: &mut E,
    number: u64,
    plan: &Plan<'_>,
    observation: &ObservationSpec,
    action: &ActionSpec,
) -> Result<Trajectories, RolloutError> {
    let seen = world.reset(&mut Running::reset_rng(plan, number));
    let mut episode = Running::begin(plan, number, seen, observation, action)?;
    while {
        let answer = world.step(episode.act());
        episode.advance(answer)? == Progress::Goes
    } {}
    Ok(episode.finish())
}

impl<E: Environment + Send> EpisodeSource for Threads<E> {
    fn observation_spec(&self) -> ObservationSpec {
        self.observation.clone()
    }

    fn action_spec(&self) -> ActionSpec {
        self.action.clone()
    }

    fn drain(&mut self, queue: &Queue, plan: &Plan<'_>) -> Result<Trajectories, RolloutError> {
        let (observation, action) = (&self.observation, &self.action);
        plan.check(observation, action)?;
        let shares: Result<Vec<Share>, RolloutError> = std::thread::scope(|scope| {
            let start = |world| {
                let work = move || work(world, queue, plan, observation, action);
                let started = std::thread::Builder::new().spawn_scoped(scope, work);
                started.map_err(|error| {
                    queue.break_off();
                    RolloutError::Thread {
                        reason: error.to_string(),
                    }
                })
            };
            let threads: Vec<_> = self.worlds.iter_mut().map(start).collect();
            let home = |thread: std::thread::ScopedJoinHandle<'_, Share>| {
                thread.join().map_err(|_| RolloutError::Panicked)
            };
            // Joins all threads before it returns the first error: a panic in another thread would otherwise propagate here.
            let shares = threads.into_iter().map(|thread| thread.and_then(home));
            let shares: Vec<Result<Share, RolloutError>> = shares.collect();
            shares.into_iter().collect()
        });
        super::join(shares?.into_iter().flatten().collect(), observation, action)
    }
}
