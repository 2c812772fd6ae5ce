//! Episodes to judge by, as many as fit.

use crate::data::{DataError, DataSource};
use anyhow::Result;
use isochrone::pairs::{Episodes, EpisodesError};
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;
use std::num::NonZeroUsize;
use std::ops::Range;

/// Numbers kept in memory at most: 256 MB.
const MOST_NUMBERS: usize = 1 << 26;
/// Rows of one piece: longer episodes are judged in parts.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// Episodes in memory.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    states: Vec<f32>,
    width: usize,
    ranges: Vec<Range<usize>>,
    /// Pieces that did not fit.
    pub(crate) n_left_out: usize,
}

impl Watched {
    /// Reads the episodes that are wanted; `None` if there is none. If they do not all fit, a fair sample of them:
    /// each has a number drawn for it, and those with the smallest are kept.
    pub(crate) fn gather(
        source: &DataSource,
        is_wanted: impl Fn(u64) -> bool,
    ) -> Result<Option<Self>, DataError> {
        let width = source.spec().len();
        let mut kept: Vec<(f64, Vec<f32>)> = Vec::new();
        let (mut limit, mut numbers, mut n_left_out) = (1.0, 0, 0);
        for piece in source.pieces(PIECE_ROWS) {
            let piece = piece?;
            if !is_wanted(piece.episode) {
                continue;
            }
            let mut rng = Seed(0).stream(Purpose::Assess, u64::MAX, piece.number);
            let drawn: f64 = rng.random();
            if drawn >= limit {
                n_left_out += 1;
                continue;
            }
            let states = piece.states.as_f32().ok_or(DataError::Pixels)?;
            numbers += states.len();
            kept.push((drawn, states.to_vec()));
            while numbers > MOST_NUMBERS && kept.len() > 1 {
                limit /= 2.0;
                let before = kept.len();
                kept.retain(|(drawn, _)| *drawn < limit);
                n_left_out += before - kept.len();
                numbers = kept.iter().map(|(_, states)| states.len()).sum();
            }
        }
        if kept.is_empty() {
            return Ok(None);
        }
        let (mut states, mut ranges) = (Vec::with_capacity(numbers), Vec::new());
        for (_, piece) in kept {
            let first = states.len() / width;
            states.extend_from_slice(&piece);
            ranges.push(first..states.len() / width);
        }
        Ok(Some(Self {
            states,
            width,
            ranges,
            n_left_out,
        }))
    }

    /// As pairs are drawn from them.
    pub(crate) fn episodes(&self) -> Result<Episodes<'_>, EpisodesError> {
        Episodes::new(&self.states, self.width, self.ranges.clone())
    }

    /// All states, end to end.
    pub(crate) fn states(&self) -> &[f32] {
        &self.states
    }

    /// Entries of a state.
    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    /// The rows of each episode.
    pub(crate) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// One state.
    pub(crate) fn state(&self, row: usize) -> &[f32] {
        &self.states[row * self.width..(row + 1) * self.width]
    }

    /// How many states there are.
    pub(crate) fn n_states(&self) -> usize {
        self.states.len() / self.width
    }
}
