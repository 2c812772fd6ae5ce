//! `.npz` with OGBench's meaning: `observations` [N, …] and `terminals` [N], where 1 marks the **last** state of
//! a trajectory. That state has no next one; the row after it begins another trajectory. D4RL marks with `timeouts`
//! where it broke one off: an array of that name counts as well.

use super::block::{Block, OwnLabels, Places, Table, Values, block_rows};
use super::columns::Columns;
use super::error::{DataError, Place, Role};
use super::files::Format;
use super::npy::Kind;
use super::npz_member::{Archive, Member};
use super::parquet_rows::beside;
use isochrone::env::{Dtype, ObservationSpec};
use std::path::{Path, PathBuf};

/// Where D4RL broke a trajectory off.
const TIMEOUTS: &str = "timeouts";

/// An open file.
pub(super) struct NpzTable {
    file: PathBuf,
    states: Member,
    /// Put behind the states, if they are wanted.
    actions: Option<Member>,
    /// Arrays whose 1 marks a last state.
    ends: Vec<Member>,
    row: u64,
    /// The trajectory of the next row.
    episode: i64,
}

impl NpzTable {
    /// Finds the arrays and compares their lengths.
    pub(super) fn open(file: &Path, wanted: &Columns) -> Result<Self, DataError> {
        let mut archive = Archive::open(file)?;
        let names = wanted.states(Format::Npz);
        let [name] = &names[..] else {
            return Err(DataError::WrongType {
                file: file.to_owned(),
                column: names.join(","),
                found: "several arrays".to_owned(),
                wanted: "the states of an npz in one array",
            });
        };
        let states = archive.member(name, Role::State)?;
        let actions = wanted.actions(Format::Npz);
        let actions = actions
            .map(|name| archive.member(name, Role::Action))
            .transpose()?;
        let mut ends = vec![archive.member(wanted.episodes(Format::Npz), Role::Episode)?];
        // Whoever names an array means that one alone.
        if wanted.episode.is_none() && archive.names.iter().any(|name| name == TIMEOUTS) {
            ends.push(archive.member(TIMEOUTS, Role::Episode)?);
        }
        let misfit = |marks: &&Member| marks.width != 1 || marks.rows != states.rows;
        let short = |actions: &&Member| actions.rows != states.rows;
        let misfit = ends.iter().find(misfit);
        if let Some(marks) = misfit.or_else(|| actions.as_ref().filter(short)) {
            return Err(DataError::Lengths {
                file: file.to_owned(),
                left: states.name,
                left_rows: states.rows,
                right: marks.name.clone(),
                right_rows: marks.rows * marks.width as u64,
            });
        }
        Ok(Self {
            file: file.to_owned(),
            states,
            actions,
            ends,
            row: 0,
            episode: 0,
        })
    }

    fn spec(&self) -> ObservationSpec {
        let header = &self.states.header;
        let sizes = header.shape[1..].iter().map(|&size| size as usize);
        let bytes = (header.kind, header.item_bytes) == (Kind::Unsigned, 1);
        if let Some(actions) = &self.actions {
            return ObservationSpec::vector(self.states.width + actions.width);
        }
        ObservationSpec {
            shape: if header.shape.len() == 1 {
                vec![1]
            } else {
                sizes.collect()
            },
            dtype: if bytes { Dtype::U8 } else { Dtype::F32 },
        }
    }

    /// The states of some rows, with the actions behind them if they are wanted.
    fn states(&mut self, rows: usize, dtype: Dtype) -> Result<Values, DataError> {
        let states = values(&mut self.states, rows, dtype)?;
        let Some(actions) = &mut self.actions else {
            return Ok(states);
        };
        let widths = (self.states.width, actions.width);
        let actions = values(actions, rows, dtype)?;
        Ok(beside(
            vec![(states, widths.0), (actions, widths.1)],
            rows,
            dtype,
        ))
    }

    /// The trajectory of each row, from the marks of last states.
    fn episodes(&mut self, rows: usize) -> Result<Vec<i64>, DataError> {
        let mut is_last = vec![false; rows];
        for marks in &mut self.ends {
            let bytes = marks.read(rows)?;
            let values = marks.header.decode(&bytes).zip(self.row..);
            for ((value, row), is_last) in values.zip(&mut is_last) {
                *is_last |= mark(value).ok_or_else(|| DataError::NotAMark {
                    file: self.file.clone(),
                    place: Place::Row(row),
                    column: marks.name.clone(),
                    value,
                })?;
            }
        }
        let episodes = is_last.into_iter().map(|is_last| {
            let episode = self.episode;
            self.episode += i64::from(is_last);
            episode
        });
        Ok(episodes.collect())
    }
}

/// Some rows of an array.
fn values(member: &mut Member, rows: usize, dtype: Dtype) -> Result<Values, DataError> {
    let bytes = member.read(rows)?;
    let header = &member.header;
    Ok(match dtype {
        Dtype::U8 => Values::U8(bytes),
        Dtype::F32 if header.is_little_f32() => {
            let words = bytes.as_chunks::<4>().0.iter();
            Values::F32(words.map(|word| f32::from_le_bytes(*word)).collect())
        }
        Dtype::F32 => Values::F32(header.decode(&bytes).map(|x| x as f32).collect()),
    })
}

/// 1 and 0; anything else says nothing.
fn mark(value: f64) -> Option<bool> {
    let is_last = value.total_cmp(&1.0).is_eq();
    (is_last || value == 0.0).then_some(is_last)
}

impl Table for NpzTable {
    fn next_block(&mut self) -> Result<Option<Block>, DataError> {
        let item_bytes = self.states.header.item_bytes;
        let rows = block_rows(self.states.width * item_bytes) as u64;
        let rows = rows.min(self.states.rows - self.row) as usize;
        if rows == 0 {
            return Ok(None);
        }
        let spec = self.spec();
        let states = self.states(rows, spec.dtype)?;
        let episodes = self.episodes(rows)?;
        let places = Places::From(self.row);
        self.row += rows as u64;
        Ok(Some(Block {
            spec,
            states,
            episodes,
            frames: None,
            indices: None,
            places,
        }))
    }

    fn column(&self, entry: usize) -> String {
        let behind = entry.checked_sub(self.states.width);
        match (&self.actions, behind) {
            (Some(actions), Some(entry)) => format!("{}[{entry}]", actions.name),
            _ => format!("{}[{entry}]", self.states.name),
        }
    }

    fn own_labels(&self) -> OwnLabels {
        OwnLabels::default()
    }
}
