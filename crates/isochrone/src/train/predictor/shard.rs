//! States of one shard's episodes, as predictor inputs.

use super::replay::EpisodeRows;
use crate::comm::Shards;
use crate::embedding::Part;
use crate::goal::GoalSpace;
use crate::pairs::{Episodes, EpisodesError};
use crate::trajectory::Trajectories;
use std::ops::Range;

/// States of one shard's episodes, projected to the predictor's input.
pub(super) struct Shard {
    number: u64,
    states: Vec<f32>,
    ranges: Vec<Range<usize>>,
    width: usize,
}

impl Shard {
    /// All shards that own episodes of `paths`, in the order of their numbers; `rows` selects the rows of each episode.
    pub(super) fn all(
        paths: &Trajectories,
        rows: EpisodeRows,
        space: &GoalSpace,
        shards: Shards,
    ) -> Result<Vec<Self>, EpisodesError> {
        let mut all: Vec<Self> = Vec::new();
        for episode in paths.episodes() {
            let number = shards.of_episode(episode.number as usize) as u64;
            let place = all.iter().position(|shard| shard.number == number);
            let place = place.unwrap_or_else(|| {
                all.push(Self {
                    number,
                    states: Vec::new(),
                    ranges: Vec::new(),
                    width: space.dims(),
                });
                all.len() - 1
            });
            all[place].add(paths, rows.of(episode), space)?;
        }
        all.sort_by_key(|shard| shard.number);
        Ok(all)
    }

    /// A shard of given trajectories, rows of `width` numbers.
    pub(super) fn of_states(number: u64, width: usize, trajectories: &[&[f32]]) -> Self {
        let (mut states, mut ranges) = (Vec::new(), Vec::new());
        for trajectory in trajectories {
            let first = states.len() / width;
            ranges.push(first..first + trajectory.len() / width);
            states.extend_from_slice(trajectory);
        }
        Self {
            number,
            states,
            ranges,
            width,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    fn add(
        &mut self,
        paths: &Trajectories,
        rows: Range<usize>,
        space: &GoalSpace,
    ) -> Result<(), EpisodesError> {
        let first = self.states.len() / self.width;
        self.ranges.push(first..first + rows.len());
        for row in rows {
            let observation = paths.observations().row_f32(row);
            let observation = observation.ok_or(EpisodesError::Images)?;
            self.states.extend_from_slice(&space.project(observation));
        }
        Ok(())
    }

    pub(super) fn part(&self) -> Result<Part<'_>, EpisodesError> {
        let ranges = self.ranges.clone();
        Ok(Part {
            number: self.number,
            episodes: Episodes::new(&self.states, self.width, ranges)?,
        })
    }
}
