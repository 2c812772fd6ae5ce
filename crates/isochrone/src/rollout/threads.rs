//! Native worlds: one per thread, one episode at a time on each.

use super::episode::{Progress, Running};
use super::{EpisodeSource, Plan, RolloutError};
use crate::env::{ActionSpec, Environment, ObservationSpec};
use crate::trajectory::Trajectories;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// A pool of threads with a world each. The pool is this value's own, never the process's: whoever forks
/// (Python does) finds no hidden threads.
#[derive(Debug)]
pub struct Threads<E> {
    pool: ThreadPool,
    /// One world per thread; a thread locks only its own.
    worlds: Vec<Mutex<E>>,
    observation: ObservationSpec,
    action: ActionSpec,
}

impl<E: Environment + Send> Threads<E> {
    /// `threads` worlds (at least one), each made by `make`.
    pub fn new(threads: usize, make: impl Fn() -> E) -> Result<Self, RolloutError> {
        let threads = threads.max(1);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| RolloutError::Threads {
            threads,
            reason: error.to_string(),
        })?;
        let world = make();
        let (observation, action) = (world.observation_spec(), world.action_spec());
        let others = (1..threads).map(|_| make());
        Ok(Self {
            pool,
            worlds: std::iter::once(world)
                .chain(others)
                .map(Mutex::new)
                .collect(),
            observation,
            action,
        })
    }

    fn run_one(&self, number: u64, plan: &Plan<'_>) -> Result<Trajectories, RolloutError> {
        let own = rayon::current_thread_index().unwrap_or(0);
        // A world whose thread panicked in a step is reset before its next one like any other.
        let mut world = self.worlds[own]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let seen = world.reset(&mut Running::reset_rng(plan, number));
        let mut episode = Running::begin(plan, number, seen, &self.observation, &self.action)?;
        while {
            let answer = world.step(episode.act());
            episode.advance(answer)? == Progress::Goes
        } {}
        Ok(episode.finish())
    }
}

impl<E: Environment + Send> EpisodeSource for Threads<E> {
    fn observation_spec(&self) -> ObservationSpec {
        self.observation.clone()
    }

    fn action_spec(&self) -> ActionSpec {
        self.action.clone()
    }

    fn run(&mut self, episodes: &[u64], plan: &Plan<'_>) -> Result<Trajectories, RolloutError> {
        plan.check(&self.observation, &self.action)?;
        let this = &*self;
        let finished: Vec<Result<Trajectories, RolloutError>> = self.pool.install(|| {
            let each = episodes.par_iter().with_max_len(1);
            each.map(|&number| this.run_one(number, plan)).collect()
        });
        super::join(finished, &self.observation, &self.action)
    }
}
