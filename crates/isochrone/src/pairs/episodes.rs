//! Trajectories as ranges of rows in one array of states.

use crate::trajectory::{Episode, Trajectories};
use std::ops::Range;

/// Why rows do not form trajectories.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EpisodesError {
    /// States without entries.
    #[error("states have no entries")]
    NoEntries,
    /// A number of values that is not a multiple of the state width.
    #[error("{numbers} numbers are not a whole number of states of {width} entries")]
    Ragged {
        /// Number of values.
        numbers: usize,
        /// Entries of a state.
        width: usize,
    },
    /// An episode outside the rows.
    #[error("episode {episode} has the rows {start}…{end}, there are {rows}")]
    OutOfRange {
        /// Index of the episode.
        episode: usize,
        /// Its first row.
        start: usize,
        /// The row after its last.
        end: usize,
        /// Number of rows.
        rows: usize,
    },
    /// A NaN or infinity.
    #[error("row {row}, entry {entry} is {value}")]
    NonFinite {
        /// Index of the state.
        row: usize,
        /// Index of the entry.
        entry: usize,
        /// Its value.
        value: f32,
    },
    /// Image observations, which cannot be compared as states.
    #[error("the trajectories hold images, not states")]
    Images,
}

/// Borrowed trajectories: states row by row, and the range of rows of each trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Episodes<'a> {
    states: &'a [f32],
    width: usize,
    ranges: Vec<Range<usize>>,
}

impl<'a> Episodes<'a> {
    /// Trajectories in `states`, rows of `width` numbers; `ranges` are their row ranges.
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

    /// The trajectories of a rollout, including tails.
    pub fn of(seen: &'a Trajectories) -> Result<Self, EpisodesError> {
        let states = seen.observations().as_f32().ok_or(EpisodesError::Images)?;
        let ranges = seen.episodes().iter().map(Episode::rows).collect();
        Self::new(states, seen.observations().width(), ranges)
    }

    /// The same rows, cut into windows of at most `steps` steps. A window begins with the last state of the previous one, so
    /// every step is in exactly one window.
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

    /// The same rows, with only the trajectories whose index `keep` accepts.
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

    /// Some states, end to end.
    pub fn rows(&self, rows: Range<usize>) -> &'a [f32] {
        &self.states[rows.start * self.width..rows.end * self.width]
    }

    /// The rows of each trajectory.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// The rows that have a later state, each with the end of its trajectory.
    pub fn starts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.ranges.iter().flat_map(|range| {
            let last = range.end.saturating_sub(1).max(range.start);
            (range.start..last).map(|from| (from, range.end))
        })
    }

    /// Number of those rows.
    pub fn n_steps(&self) -> usize {
        self.ranges.iter().map(|r| r.len().saturating_sub(1)).sum()
    }
}
