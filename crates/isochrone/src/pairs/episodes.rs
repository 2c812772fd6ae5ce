//! States end to end, and where trajectories begin and end.

use crate::trajectory::{Episode, Trajectories};
use std::ops::Range;

/// Why rows are not trajectories.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EpisodesError {
    /// States without entries.
    #[error("states have no entries")]
    NoEntries,
    /// Numbers that are no whole states.
    #[error("{numbers} numbers are no whole states of {width} entries")]
    Ragged {
        /// How many there are.
        numbers: usize,
        /// Entries of a state.
        width: usize,
    },
    /// An episode that is not in the rows.
    #[error("episode {episode} has the rows {start}…{end}, there are {rows}")]
    OutOfRange {
        /// Which episode.
        episode: usize,
        /// Its first row.
        start: usize,
        /// The row after its last.
        end: usize,
        /// Rows there are.
        rows: usize,
    },
    /// A number that is none.
    #[error("row {row}, entry {entry} is {value}")]
    NonFinite {
        /// Which state.
        row: usize,
        /// Which of its entries.
        entry: usize,
        /// What it is.
        value: f32,
    },
    /// Images are not states to compare.
    #[error("the trajectories hold images, not states")]
    Images,
}

/// Trajectories, borrowed: states end to end, and the rows of each trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Episodes<'a> {
    states: &'a [f32],
    width: usize,
    ranges: Vec<Range<usize>>,
}

impl<'a> Episodes<'a> {
    /// Trajectories in `states`, rows of `width` numbers; `ranges` are their rows.
    pub fn new(
        states: &'a [f32],
        width: usize,
        ranges: Vec<Range<usize>>,
    ) -> Result<Self, EpisodesError> {
        if width == 0 {
            return Err(EpisodesError::NoEntries);
        }
        let numbers = states.len();
        if !numbers.is_multiple_of(width) {
            return Err(EpisodesError::Ragged { numbers, width });
        }
        let rows = numbers / width;
        for (episode, &Range { start, end }) in ranges.iter().enumerate() {
            if start > end || end > rows {
                return Err(EpisodesError::OutOfRange {
                    episode,
                    start,
                    end,
                    rows,
                });
            }
        }
        match states.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(EpisodesError::NonFinite {
                row: at / width,
                entry: at % width,
                value: states[at],
            }),
            None => Ok(Self {
                states,
                width,
                ranges,
            }),
        }
    }

    /// What a rollout saw, tails included.
    pub fn of(seen: &'a Trajectories) -> Result<Self, EpisodesError> {
        let states = seen.observations().as_f32().ok_or(EpisodesError::Images)?;
        let ranges = seen.episodes().iter().map(Episode::rows).collect();
        Self::new(states, seen.observations().width(), ranges)
    }

    /// The same rows, with no trajectory longer than `steps` steps. A window begins with the state that the one
    /// before ended with, so every step is in exactly one.
    #[must_use]
    pub fn cut(&self, steps: usize) -> Self {
        let steps = steps.max(1);
        let pieces = |range: &Range<usize>| {
            let (start, end) = (range.start, range.end);
            let last = end.saturating_sub(1).max(start + 1);
            (start..last)
                .step_by(steps)
                .map(move |first| first..first.saturating_add(steps).saturating_add(1).min(end))
                .collect::<Vec<_>>()
        };
        Self {
            states: self.states,
            width: self.width,
            ranges: self.ranges.iter().flat_map(pieces).collect(),
        }
    }

    /// The same rows, with the trajectories alone whose place among these is kept.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept = self.ranges.iter().enumerate().filter(|(at, _)| keep(*at));
        Self {
            states: self.states,
            width: self.width,
            ranges: kept.map(|(_, range)| range.clone()).collect(),
        }
    }

    /// Entries of a state.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// One state.
    pub fn state(&self, row: usize) -> &'a [f32] {
        &self.states[row * self.width..(row + 1) * self.width]
    }

    /// The rows of each trajectory.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// The rows from which a later state can be seen, each with the end of its trajectory.
    pub fn starts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.ranges.iter().flat_map(|range| {
            let last = range.end.saturating_sub(1).max(range.start);
            (range.start..last).map(|from| (from, range.end))
        })
    }

    /// How many those are.
    pub fn n_steps(&self) -> usize {
        self.ranges.iter().map(|r| r.len().saturating_sub(1)).sum()
    }
}
