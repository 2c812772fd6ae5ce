//! Random rollouts of Maze Ant from anywhere, as images or as numbers.

use super::method::{EPISODE_STEPS, Method, SIDE_PX, Setting};
use crate::reproduce::rollouts::Rollouts;
use anyhow::Result;
use isochrone::embedding::{Moments, Normaliser};
use isochrone::pairs::Episodes;
use isochrone::rng::Seed;
use isochrone::rollout::{Phase, Streams};
use isochrone_mujoco::{Anywhere, StateRenderer, World, WorldName};
use std::cell::RefCell;
use std::ops::Range;

/// States to learn from, states to judge by, and how a state is seen.
pub(super) struct Frames {
    pub(super) world: World,
    /// What is learned from, row by row: pixels or numbers.
    seen: Vec<f32>,
    width: usize,
    ranges: Vec<Range<usize>>,
    /// Held-out states, as the world gives them.
    pub(super) held_out: Vec<Vec<f32>>,
    /// The same as they are seen.
    held_out_seen: Vec<f32>,
    held_out_ranges: Vec<Range<usize>>,
    /// Draws images, if that is what is learned from.
    renderer: Option<RefCell<StateRenderer>>,
}

impl Frames {
    pub(super) fn gather(setting: &Setting, seed: u64) -> Result<Self> {
        let world = WorldName::MazeAnt.build()?;
        let (anywhere, space) = (Anywhere::new(world.clone())?, world.full_state_space()?);
        let roll = |phase, steps| {
            let streams = Streams {
                seed: Seed(seed),
                iteration: 0,
                phase,
            };
            Rollouts::with_horizon(&anywhere, &space, streams, steps, EPISODE_STEPS)
        };
        let learn = roll(Phase::Train, setting.frames)?;
        let held_out = roll(Phase::Evaluate, setting.held_out_frames)?;
        let renderer = match setting.method {
            Method::Images { .. } | Method::Laplacian { .. } => {
                Some(RefCell::new(StateRenderer::new(&world, SIDE_PX)?))
            }
            Method::Numbers { .. } => None,
        };
        let mut frames = Self {
            world,
            seen: Vec::new(),
            width: 0,
            ranges: learn.ranges().to_vec(),
            held_out: held_out.states().map(<[f32]>::to_vec).collect(),
            held_out_seen: Vec::new(),
            held_out_ranges: held_out.ranges().to_vec(),
            renderer,
        };
        for state in learn.states() {
            let seen = frames.see(state)?;
            frames.width = seen.len();
            frames.seen.extend(seen);
        }
        for at in 0..frames.held_out.len() {
            let seen = frames.see(&frames.held_out[at])?;
            frames.held_out_seen.extend(seen);
        }
        Ok(frames)
    }

    /// A state as the method is given it.
    pub(super) fn see(&self, state: &[f32]) -> Result<Vec<f32>> {
        let Some(renderer) = &self.renderer else {
            return Ok(state.to_vec());
        };
        let image = renderer.borrow_mut().draw(state)?;
        Ok(image.into_iter().map(f32::from).collect())
    }

    /// Numbers of a state as it is seen.
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// The held-out episodes.
    pub(super) fn held_out_episodes(&self) -> Result<Episodes<'_>> {
        let ranges = self.held_out_ranges.clone();
        Ok(Episodes::new(&self.held_out_seen, self.width, ranges)?)
    }

    /// Held-out state by state, as they are seen.
    pub(super) fn held_out_seen(&self) -> impl Iterator<Item = &[f32]> {
        self.held_out_seen.chunks_exact(self.width)
    }

    /// Of numbers; convolutions normalise by themselves.
    pub(super) fn normaliser(&self) -> Option<Normaliser> {
        if self.renderer.is_some() {
            return None;
        }
        let mut moments = Moments::new(self.width);
        for state in self.seen.chunks_exact(self.width) {
            moments.add(state);
        }
        moments.normaliser()
    }

    /// The episodes in parts of about so many states.
    pub(super) fn parts(&self, states: usize) -> Result<Vec<Episodes<'_>>> {
        let mut parts = Vec::new();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut count = 0;
        for range in &self.ranges {
            count += range.len();
            ranges.push(range.clone());
            if count >= states {
                count = 0;
                let part = std::mem::take(&mut ranges);
                parts.push(Episodes::new(&self.seen, self.width, part)?);
            }
        }
        if parts.is_empty() || count > states / 2 {
            parts.push(Episodes::new(&self.seen, self.width, ranges)?);
        }
        Ok(parts)
    }
}
