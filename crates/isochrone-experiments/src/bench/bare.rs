//! The engine alone, on as many threads as what it is measured against.

use anyhow::{Context, Result};
use isochrone::trajectory::Trajectories;
use isochrone_mujoco::{Controls, World};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Worlds of which nothing but the physics is asked.
pub(super) struct Bare {
    worlds: Vec<World>,
}

impl Bare {
    pub(super) fn new(world: &World, threads: usize) -> Self {
        Self {
            worlds: (0..threads).map(|_| world.clone()).collect(),
        }
    }

    /// What each episode asked of the physics.
    pub(super) fn controls_of(&mut self, seen: &Trajectories) -> Result<Vec<Controls>> {
        let world = self.worlds.first_mut().context("there is no thread")?;
        let each = seen.episodes().iter();
        let controls: Result<Vec<Controls>, _> = each
            .map(|episode| world.controls_of(seen, episode))
            .collect();
        controls.context("a rollout could not be repeated")
    }

    /// All of it again, each thread taking the next episode when it is done with one.
    pub(super) fn replay(&mut self, controls: &[Controls]) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for world in &mut self.worlds {
                let next = &next;
                scope.spawn(move || {
                    while let Some(controls) = controls.get(next.fetch_add(1, Ordering::Relaxed)) {
                        world.replay(controls);
                    }
                });
            }
        });
    }
}
