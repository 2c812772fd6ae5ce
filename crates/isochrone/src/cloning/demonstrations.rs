//! Logged states with the actions that were taken in them.

use crate::rng::Rng;
use rand::RngExt;
use std::ops::Range;

/// Why rows are no demonstrations.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DemonstrationsError {
    /// States or actions without entries.
    #[error("states have {states} entries and actions {actions}; each must have at least 1")]
    NoEntries {
        /// Of a state.
        states: usize,
        /// Of an action.
        actions: usize,
    },
    /// Numbers that are no whole rows, or ranges beyond them.
    #[error("{numbers} numbers are no rows of {width} entries that hold all episodes")]
    Ragged {
        /// How many there are.
        numbers: usize,
        /// Entries of a state and an action.
        width: usize,
    },
    /// No step at all.
    #[error("no episode has two states: there is no action to learn from")]
    NoSteps,
}

/// Episodes as rows, each a state and the action taken in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Demonstrations {
    rows: Vec<f32>,
    state_len: usize,
    action_len: usize,
    /// The rows from which a later state can be seen, each with the end of its episode.
    starts: Vec<(u32, u32)>,
}

/// A state, a goal that the episode came to, and the action on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample<'a> {
    pub(super) state: &'a [f32],
    pub(super) goal: &'a [f32],
    pub(super) action: &'a [f32],
}

impl Demonstrations {
    /// Rows of a state and an action, end to end; `ranges` are the rows of each episode. The action of an episode's last
    /// row is not looked at.
    pub fn new(
        rows: Vec<f32>,
        state_len: usize,
        action_len: usize,
        ranges: &[Range<usize>],
    ) -> Result<Self, DemonstrationsError> {
        if state_len == 0 || action_len == 0 {
            return Err(DemonstrationsError::NoEntries {
                states: state_len,
                actions: action_len,
            });
        }
        let (numbers, width) = (rows.len(), state_len + action_len);
        let fits = |range: &Range<usize>| range.end <= numbers / width;
        let ragged = DemonstrationsError::Ragged { numbers, width };
        if !numbers.is_multiple_of(width) || !ranges.iter().all(fits) {
            return Err(ragged);
        }
        if u32::try_from(numbers / width).is_err() {
            return Err(ragged);
        }
        let starts = ranges.iter().flat_map(|range| {
            let last = range.end.saturating_sub(1).max(range.start);
            (range.start..last).map(|row| (row as u32, range.end as u32))
        });
        let starts: Vec<(u32, u32)> = starts.collect();
        if starts.is_empty() {
            return Err(DemonstrationsError::NoSteps);
        }
        Ok(Self {
            rows,
            state_len,
            action_len,
            starts,
        })
    }

    /// Entries of a state and of an action.
    pub const fn lengths(&self) -> (usize, usize) {
        (self.state_len, self.action_len)
    }

    /// Steps to learn from.
    pub const fn n_steps(&self) -> usize {
        self.starts.len()
    }

    fn row(&self, row: usize) -> (&[f32], &[f32]) {
        let width = self.state_len + self.action_len;
        self.rows[row * width..(row + 1) * width].split_at(self.state_len)
    }

    /// A step at random, and the state that came up to `max_lag_steps` later as its goal.
    pub(super) fn draw(&self, max_lag_steps: usize, rng: &mut Rng) -> Sample<'_> {
        let (row, end) = self.starts[rng.random_range(0..self.starts.len())];
        let longest = (end - row - 1).min(max_lag_steps.try_into().unwrap_or(u32::MAX));
        let lag = rng.random_range(1..=longest.max(1));
        let (state, action) = self.row(row as usize);
        let (goal, _) = self.row((row + lag) as usize);
        Sample {
            state,
            goal,
            action,
        }
    }

    /// The least and greatest value of each entry of an action.
    pub(super) fn action_range(&self) -> Vec<[f32; 2]> {
        let mut range = vec![[f32::INFINITY, f32::NEG_INFINITY]; self.action_len];
        for (row, _) in &self.starts {
            let (_, action) = self.row(*row as usize);
            for ([low, high], value) in range.iter_mut().zip(action) {
                (*low, *high) = (low.min(*value), high.max(*value));
            }
        }
        range
    }
}
