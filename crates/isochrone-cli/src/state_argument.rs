//! A state as typed: its numbers, or where it stands in a file.

use anyhow::{Result, bail};
use isochrone_files::data::{Columns, DataSource};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

/// Rows read at a time on the way to the one that is wanted.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// A state, as typed: `1.5,-2,0` or `logs/walk.parquet:120`.
#[derive(Clone, Debug, PartialEq)]
pub enum StateText {
    /// Its entries.
    Entries(Vec<f32>),
    /// A row of a data file, from 0.
    Row {
        /// Which file.
        file: String,
        /// Which row.
        row: u64,
    },
}

impl FromStr for StateText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((file, row)) = text.rsplit_once(':') {
            let row = row.trim().parse();
            let row = row.map_err(|_| format!("`{text}` does not end in the number of a row"))?;
            return Ok(Self::Row {
                file: file.to_owned(),
                row,
            });
        }
        let number = |part: &str| match part.trim().parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(format!(
                "`{part}` is not a number; a state is numbers with commas between them, or FILE:ROW"
            )),
        };
        let entries: Result<Vec<f32>, String> = text.split(',').map(number).collect();
        entries.map(Self::Entries)
    }
}

impl StateText {
    /// The file it stands in, if it is not given by its numbers.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Entries(_) => None,
            Self::Row { file, .. } => Some(file.into()),
        }
    }

    /// The state itself, of `width` entries.
    pub(crate) fn state(&self, width: usize, columns: &Columns) -> Result<Vec<f32>> {
        let (state, place) = match self {
            Self::Entries(entries) => (entries.clone(), "the state".to_owned()),
            Self::Row { file, row } => {
                let state = read_row(file, *row, columns)?;
                (state, format!("row {row} of {file}"))
            }
        };
        if state.len() != width {
            bail!(
                "{place} has {} entries, the distance is for states of {width}; give {width} numbers, or FILE:ROW",
                state.len()
            );
        }
        Ok(state)
    }
}

fn read_row(file: &str, row: u64, columns: &Columns) -> Result<Vec<f32>> {
    let source = DataSource::open(&[file.to_owned()], columns.clone())?;
    let mut before = 0;
    for piece in source.pieces(PIECE_ROWS) {
        let piece = piece?;
        let rows = piece.states.len() as u64;
        if row < before + rows {
            let states = piece.states.numbers();
            let (at, width) = ((row - before) as usize, piece.states.width());
            return Ok(states[at * width..(at + 1) * width].to_vec());
        }
        before += rows;
    }
    bail!("{file} has {before} rows, from 0; there is no row {row}")
}
