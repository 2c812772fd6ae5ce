//! Random rollouts of Maze Ant from anywhere, as images or as numbers.

use super::method::{CHANNELS, EPISODE_STEPS, Method, SIDE_PX, Setting};
use crate::reproduce::rollouts::Rollouts;
use anyhow::Result;
use isochrone::embedding::{Moments, Normaliser};
use isochrone::pairs::Episodes;
use isochrone::rng::Seed;
use isochrone::rollout::{Phase, Streams};
use isochrone_mujoco::{Anywhere, StateRenderer, World, WorldName};
use isochrone_runs::output::write;
use std::cell::RefCell;
use std::fs;
use std::ops::Range;
use std::path::Path;

const IMAGE_BYTES: usize = (SIDE_PX * SIDE_PX) as usize * CHANNELS;

/// The images of these numbers of states with this seed.
fn file_name(setting: &Setting, seed: u64) -> String {
    let (frames, held_out) = (setting.frames, setting.held_out_frames);
    format!("images-{frames}-{held_out}-seed{seed}.bin")
}

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
    /// Images are kept in a folder, if one is named: every method learns from the same ones, and drawing them takes almost half of the time
    /// of a short training.
    pub(super) fn gather(setting: &Setting, seed: u64, folder: Option<&Path>) -> Result<Self> {
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
        let states: Vec<&[f32]> = learn.states().chain(held_out.states()).collect();
        let file = folder.map(|folder| folder.join(file_name(setting, seed)));
        let mut seen = frames.see_all(&states, file.as_deref())?;
        frames.width = seen.len() / states.len().max(1);
        frames.held_out_seen = seen.split_off(learn.states().count() * frames.width);
        frames.seen = seen;
        Ok(frames)
    }

    /// States as the method is given them, row by row.
    fn see_all(&self, states: &[&[f32]], file: Option<&Path>) -> Result<Vec<f32>> {
        let Some(renderer) = &self.renderer else {
            return Ok(states.concat());
        };
        let known = file.and_then(|file| fs::read(file).ok());
        let is_whole = |bytes: &Vec<u8>| bytes.len() == states.len() * IMAGE_BYTES;
        let bytes = match known.filter(is_whole) {
            Some(bytes) => bytes,
            None => {
                let mut bytes = Vec::with_capacity(states.len() * IMAGE_BYTES);
                for state in states {
                    bytes.extend(renderer.borrow_mut().draw(state)?);
                }
                if let Some(file) = file {
                    write(file, &bytes)?;
                }
                bytes
            }
        };
        Ok(bytes.into_iter().map(f32::from).collect())
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
