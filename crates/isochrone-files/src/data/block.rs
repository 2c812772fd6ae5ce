//! Some consecutive rows of one file, whatever its format.

use super::error::{DataError, Place};
use isochrone::env::{Dtype, ObservationSpec};
use isochrone::trajectory::{Misfit, Rows};
use std::ops::Range;

/// What a block of states takes at most, unless one row takes more.
const BLOCK_BYTES: usize = 1 << 20;
/// Rows of a block at most: enough to spread the cost of a call over.
const BLOCK_ROWS: usize = 8_192;
/// Entries of a state at most. A wider one is a damaged file: 16 million entries are 64 MB a row.
pub(super) const MAX_WIDTH: usize = 1 << 24;

/// How many rows to read at once.
pub(super) fn block_rows(row_bytes: usize) -> usize {
    (BLOCK_BYTES / row_bytes.max(1)).clamp(1, BLOCK_ROWS)
}

/// States end to end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    F32(Vec<f32>),
    U8(Vec<u8>),
}

impl Values {
    pub(super) const fn new(dtype: Dtype) -> Self {
        match dtype {
            Dtype::F32 => Self::F32(Vec::new()),
            Dtype::U8 => Self::U8(Vec::new()),
        }
    }

    /// Adds entries of a block of the same type.
    pub(super) fn extend(&mut self, from: &Self, entries: Range<usize>) {
        match (self, from) {
            (Self::F32(values), Self::F32(from)) => values.extend_from_slice(&from[entries]),
            (Self::U8(values), Self::U8(from)) => values.extend_from_slice(&from[entries]),
            // Blocks of one source have one type.
            _ => debug_assert!(false, "a block of another type"),
        }
    }

    /// As rows of this width, in no more memory than they need.
    pub(super) fn into_rows(self, width: usize) -> Result<Rows, Misfit> {
        match self {
            Self::F32(mut values) => {
                values.shrink_to_fit();
                Rows::from_f32(width, values)
            }
            Self::U8(mut values) => {
                values.shrink_to_fit();
                Rows::from_u8(width, values)
            }
        }
    }
}

/// Where the rows of a block stand in their file.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// Consecutive rows from this one.
    From(u64),
    /// The line of each row: empty ones are skipped.
    Lines(Vec<u64>),
}

impl Places {
    pub(super) fn of(&self, row: usize) -> Place {
        match self {
            Self::From(first) => Place::Row(first + row as u64),
            Self::Lines(lines) => Place::Line(lines[row]),
        }
    }
}

/// Consecutive rows.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// What a state is.
    pub(super) spec: ObservationSpec,
    /// Rows × entries.
    pub(super) states: Values,
    /// The episode of each row.
    pub(super) episodes: Vec<i64>,
    /// The step of each row within its episode, where the file has it.
    pub(super) frames: Option<Vec<i64>>,
    /// The number of each row in the whole data set, where it was asked for and the file has it.
    pub(super) indices: Option<Vec<i64>>,
    pub(super) places: Places,
}

/// One open file.
pub(super) trait Table {
    /// The next rows; `None` after the last. A block is never empty.
    fn next_block(&mut self) -> Result<Option<Block>, DataError>;

    /// What the file calls an entry of a state.
    fn column(&self, entry: usize) -> String;

    /// Which numbers of rows the file has itself.
    fn own_labels(&self) -> OwnLabels;
}

/// Which of its rows' numbers a file has itself; the others are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnLabels {
    pub(super) episode: bool,
    pub(super) frame: bool,
    pub(super) index: bool,
}
