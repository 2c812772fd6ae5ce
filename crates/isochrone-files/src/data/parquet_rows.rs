//! From levels and columns to rows of equal length.

use super::block::{MAX_WIDTH, Values};
use super::error::{DataError, Place};
use super::parquet_leaf::{Kind, Leaf, Levels};
use super::parquet_table::damaged;
use isochrone::env::Dtype;
use std::path::Path;

/// What becomes of a row without a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    /// The file is refused.
    Refused,
    /// Its entries are zeros: no action was taken there.
    Zeros,
}

/// Some rows of one leaf, as their levels tell.
pub(super) struct RowsRead<'a> {
    pub(super) file: &'a Path,
    /// The number of the first row.
    pub(super) first: u64,
    pub(super) rows: usize,
    pub(super) leaf: &'a Leaf,
    pub(super) levels: &'a Levels,
}

impl RowsRead<'_> {
    fn is_list(&self) -> bool {
        self.leaf.descriptor.max_rep_level() > 0
    }

    /// No value and no list may be absent; an empty list has no value either.
    pub(super) fn check_whole(&self) -> Result<(), DataError> {
        let highest = self.leaf.descriptor.max_def_level();
        let levels = &self.levels.definition;
        let Some(at) = levels.iter().position(|&level| level != highest) else {
            return Ok(());
        };
        let row = if self.is_list() {
            let begins = self.levels.repetition.iter().take(at + 1);
            begins
                .filter(|&&level| level == 0)
                .count()
                .saturating_sub(1)
        } else {
            at
        };
        Err(DataError::Null {
            file: self.file.to_owned(),
            place: Place::Row(self.first + row as u64),
            column: self.leaf.name.clone(),
        })
    }

    /// The rows with zeros for lists that are absent, and their width; `None` if no list is absent, if nothing says how
    /// wide they are, or if they differ in width.
    pub(super) fn filled(&self, values: &[f32], width: Option<usize>) -> Option<(Vec<f32>, usize)> {
        let highest = self.leaf.descriptor.max_def_level();
        let is_there: Vec<bool> = self
            .levels
            .definition
            .iter()
            .map(|l| *l == highest)
            .collect();
        if !self.is_list() || is_there.iter().all(|there| *there) {
            return None;
        }
        let begins = |at: &usize| self.levels.repetition.get(*at) == Some(&0);
        let starts: Vec<usize> = (0..is_there.len()).filter(begins).collect();
        let ends = starts.iter().skip(1).copied().chain([is_there.len()]);
        let rows: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
        let present = |row: &&(usize, usize)| is_there[row.0];
        let width = width.or_else(|| rows.iter().find(present).map(|row| row.1 - row.0))?;
        let (mut filled, mut values) = (Vec::new(), values);
        for (start, end) in rows {
            if !is_there[start] {
                filled.resize(filled.len() + width, 0.0);
                continue;
            }
            let (row, rest) = values.split_at_checked(end - start)?;
            if row.len() != width || is_there[start..end].contains(&false) {
                return None;
            }
            filled.extend_from_slice(row);
            values = rest;
        }
        Some((filled, width))
    }

    /// Entries of the first row.
    pub(super) fn first_width(&self) -> Result<usize, DataError> {
        let more = self.levels.repetition.iter().skip(1);
        let width = match self.leaf.kind {
            _ if self.is_list() => 1 + more.take_while(|&&level| level != 0).count(),
            Ok(Kind::Bytes { length }) => length,
            _ => 1,
        };
        if width == 0 || width > MAX_WIDTH {
            let name = &self.leaf.name;
            return Err(damaged(
                self.file,
                format!("column {name:?} has rows of {width} entries"),
            ));
        }
        Ok(width)
    }

    /// Every row has as many entries as the first one.
    pub(super) fn check_widths(&self, width: usize) -> Result<(), DataError> {
        let levels = &self.levels.repetition;
        let begins = |row: &[i16]| row[0] == 0 && row[1..].iter().all(|&level| level != 0);
        let is_even = levels.len() == self.rows * width && levels.chunks_exact(width).all(begins);
        if !self.is_list() || is_even {
            return Ok(());
        }
        let starts = (0..levels.len()).filter(|&at| levels[at] == 0);
        let edges: Vec<usize> = starts.chain([levels.len()]).collect();
        let lengths = edges.windows(2).map(|pair| pair[1] - pair[0]);
        let odd = lengths.enumerate().find(|&(_, length)| length != width);
        let (row, got) = odd.unwrap_or((0, 0));
        Err(DataError::Ragged {
            file: self.file.to_owned(),
            place: Place::Row(self.first + row as u64),
            column: self.leaf.name.clone(),
            got,
            expected: width,
        })
    }
}

/// Columns → rows.
pub(super) fn beside(mut parts: Vec<(Values, usize)>, rows: usize, dtype: Dtype) -> Values {
    if let [_] = parts[..]
        && let Some((only, _)) = parts.pop()
    {
        return only;
    }
    let mut joined = Values::new(dtype);
    for row in 0..rows {
        for (part, width) in &parts {
            let range = row * width..(row + 1) * width;
            match (&mut joined, part) {
                (Values::F32(all), Values::F32(part)) => all.extend_from_slice(&part[range]),
                (Values::U8(all), Values::U8(part)) => all.extend_from_slice(&part[range]),
                _ => {}
            }
        }
    }
    joined
}
