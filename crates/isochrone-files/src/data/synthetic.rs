//! Random walks of any number: data whose cost can be measured without having any.

use super::error::DataError;
use super::writer::{Entries, EpisodeWriter};
use isochrone::env::ObservationSpec;
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;
use std::path::Path;

/// The longest step along one axis; the room is the cube from −1 to 1.
const STEP: f32 = 0.1;

/// Walks that bounce off the walls of a cube. An episode depends on the seed and its number only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// Steps over all episodes; there is one state more in each.
    pub transitions: u64,
    /// Steps of an episode; the last one may have fewer.
    pub episode_steps: u64,
    /// Entries of a state.
    pub width: usize,
    /// Where the randomness comes from.
    pub seed: Seed,
}

impl Walks {
    /// Number of episodes.
    pub const fn episodes(&self) -> u64 {
        self.transitions.div_ceil(self.episode_steps)
    }

    /// The states of one episode, row by row.
    pub fn episode(&self, number: u64) -> Vec<f32> {
        let before = number * self.episode_steps;
        let steps = self
            .episode_steps
            .min(self.transitions.saturating_sub(before)) as usize;
        let mut rng = self.seed.stream(Purpose::Act, 0, number);
        let mut rows = Vec::with_capacity((steps + 1) * self.width);
        rows.extend((0..self.width).map(|_| 2.0 * rng.random::<f32>() - 1.0));
        for at in 0..steps * self.width {
            let moved = rows[at] + STEP * (2.0 * rng.random::<f32>() - 1.0);
            rows.push(if moved.abs() > 1.0 {
                moved.signum() * 2.0 - moved
            } else {
                moved
            });
        }
        rows
    }

    /// Writes all episodes, one in memory at a time.
    pub fn write(&self, path: &Path) -> Result<(), DataError> {
        let mut writer = EpisodeWriter::create(path, &ObservationSpec::vector(self.width), 0)?;
        for number in 0..self.episodes() {
            writer.push(Entries::F32(&self.episode(number)), &[])?;
        }
        writer.finish()
    }
}
