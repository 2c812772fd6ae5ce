//! Files → episodes, in file order, one block of rows in memory at a time.

use super::block::{Block, Table, Values};
use super::columns::Columns;
use super::csv_table::CsvTable;
use super::error::{DataError, Place};
use super::files::{self, Format};
use super::guard::guard;
use super::memory::{self, Memory, MemoryTable};
use super::npz_table::NpzTable;
use super::parquet_table::ParquetTable;
use super::piece::{Cutter, Labelling, Piece};
use isochrone::env::{Dtype, ObservationSpec};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files, or arrays in memory, read as one list of episodes.
#[derive(Clone, Debug)]
pub struct DataSource {
    files: Vec<PathBuf>,
    columns: Columns,
    spec: ObservationSpec,
    /// Read instead of a file, under its name.
    memory: Option<Arc<Memory>>,
}

impl DataSource {
    /// Finds the files of all patterns and looks into the first one. Files of a pattern come in the order of
    /// their names, patterns in the order given.
    pub fn open(patterns: &[String], columns: Columns) -> Result<Self, DataError> {
        let files = files::expand(patterns)?;
        let mut first = OpenFile::open(&files[0], &columns)?;
        let block = first.next_block()?.ok_or_else(|| empty(&files[0]))?;
        Ok(Self {
            files,
            columns,
            spec: block.spec,
            memory: None,
        })
    }

    /// Arrays in memory.
    pub fn of_memory(memory: Arc<Memory>) -> Self {
        Self {
            files: vec![memory::NAME.into()],
            columns: Columns::default(),
            spec: memory.spec(),
            memory: Some(memory),
        }
    }

    /// The shape of a state.
    pub const fn spec(&self) -> &ObservationSpec {
        &self.spec
    }

    /// The files, in reading order; a placeholder name for arrays in memory.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// All episodes from the beginning, cut after every `max_rows` rows.
    pub fn pieces(&self, max_rows: NonZeroUsize) -> EpisodeReader {
        let labelling = match self.columns.index {
            Some(_) => Labelling::On,
            None => Labelling::Off,
        };
        EpisodeReader {
            source: self.clone(),
            next_file: 0,
            open: None,
            cutter: Cutter::new(max_rows.get(), labelling),
        }
    }

    /// The columns that some files lack, or that hold no whole numbers there, with those files: their numbers in
    /// [`RowLabels`] are counted.
    ///
    /// [`RowLabels`]: super::RowLabels
    pub fn counted_labels(&self) -> Result<Vec<(&'static str, Vec<PathBuf>)>, DataError> {
        let mut counted: Vec<(&'static str, Vec<PathBuf>)> = Vec::new();
        for file in &self.files {
            let mut open = self.open_file(file)?;
            // What a column of text holds is known from its first rows on.
            open.next_block()?;
            let own = open.table.own_labels();
            let all = [
                ("episode_index", own.episode),
                ("frame_index", own.frame),
                ("index", own.index),
            ];
            for (name, is_own) in all {
                if is_own {
                    continue;
                }
                match counted.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, files)) => files.push(file.clone()),
                    None => counted.push((name, vec![file.clone()])),
                }
            }
        }
        Ok(counted)
    }

    /// What the first file calls the entries of a state.
    pub fn entry_names(&self) -> Result<Vec<String>, DataError> {
        let mut first = self.open_file(&self.files[0])?;
        first.next_block()?;
        Ok((0..self.spec.len())
            .map(|at| first.table.column(at))
            .collect())
    }

    /// The file, the place in it and the column of the first state with this value in this entry.
    pub fn first_place(
        &self,
        entry: usize,
        value: f32,
    ) -> Result<Option<(PathBuf, Place, String)>, DataError> {
        let width = self.spec.len().max(1);
        for file in &self.files {
            let mut open = self.open_file(file)?;
            while let Some(block) = open.next_block()? {
                let Values::F32(states) = &block.states else {
                    return Ok(None);
                };
                let mut column = states.iter().skip(entry).step_by(width);
                if let Some(row) = column.position(|x| x.to_bits() == value.to_bits()) {
                    let column = open.table.column(entry);
                    return Ok(Some((file.clone(), block.places.of(row), column)));
                }
            }
        }
        Ok(None)
    }

    fn open_file(&self, file: &Path) -> Result<OpenFile, DataError> {
        match &self.memory {
            Some(memory) => Ok(OpenFile::of_memory(file, Arc::clone(memory))),
            None => OpenFile::open(file, &self.columns),
        }
    }
}

fn empty(file: &Path) -> DataError {
    DataError::Empty {
        file: file.to_owned(),
    }
}

/// A file and its reader; everything the reader does is guarded.
struct OpenFile {
    file: PathBuf,
    format: &'static str,
    table: Box<dyn Table>,
}

impl OpenFile {
    fn open(file: &Path, columns: &Columns) -> Result<Self, DataError> {
        let format = Format::of(file)?;
        let metadata = std::fs::metadata(file).map_err(|source| DataError::Unreadable {
            file: file.to_owned(),
            source,
        })?;
        if metadata.is_file() && metadata.len() == 0 {
            return Err(empty(file));
        }
        let table = guard(file, format.name(), || {
            Ok(match format {
                Format::Parquet => Box::new(ParquetTable::open(file, columns)?) as Box<dyn Table>,
                Format::Npz => Box::new(NpzTable::open(file, columns)?),
                Format::Csv => Box::new(CsvTable::open(file, columns)?),
            })
        })?;
        Ok(Self {
            file: file.to_owned(),
            format: format.name(),
            table,
        })
    }

    fn of_memory(file: &Path, memory: Arc<Memory>) -> Self {
        Self {
            file: file.to_owned(),
            format: "array",
            table: Box::new(MemoryTable::new(memory)),
        }
    }

    /// The next rows, all finite.
    fn next_block(&mut self) -> Result<Option<Block>, DataError> {
        let table = &mut self.table;
        let block = guard(&self.file, self.format, || table.next_block())?;
        if let Some(block) = &block
            && let Values::F32(states) = &block.states
            && let Some(at) = states.iter().position(|value| !value.is_finite())
        {
            let width = block.spec.len().max(1);
            return Err(DataError::NotFinite {
                file: self.file.clone(),
                place: block.places.of(at / width),
                column: self.table.column(at % width),
                value: states[at],
            });
        }
        Ok(block)
    }
}

/// The episodes of a [`DataSource`] in file order. After an error there is nothing more.
pub struct EpisodeReader {
    source: DataSource,
    next_file: usize,
    open: Option<OpenFile>,
    cutter: Cutter,
}

impl std::fmt::Debug for EpisodeReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EpisodeReader")
            .field("source", &self.source)
            .field("next_file", &self.next_file)
            .finish_non_exhaustive()
    }
}

impl EpisodeReader {
    /// Reads until a piece is complete.
    fn next_piece(&mut self) -> Result<Option<Piece>, DataError> {
        loop {
            if let Some(piece) = self.cutter.pop() {
                return Ok(Some(piece));
            }
            if let Some(open) = &mut self.open {
                if let Some(block) = open.next_block()? {
                    self.cutter.push(&open.file, &block)?;
                } else {
                    self.cutter.end_of_episode();
                    self.open = None;
                }
            } else if let Some(file) = self.source.files.get(self.next_file) {
                self.next_file += 1;
                let mut open = self.source.open_file(file)?;
                let block = open.next_block()?.ok_or_else(|| empty(file))?;
                self.check_spec(file, &block.spec)?;
                self.cutter.begin_file(self.next_file as u32 - 1);
                self.cutter.push(file, &block)?;
                self.open = Some(open);
            } else {
                return Ok(None);
            }
        }
    }

    fn check_spec(&self, file: &Path, found: &ObservationSpec) -> Result<(), DataError> {
        let expected = &self.source.spec;
        if found == expected {
            return Ok(());
        }
        let describe = |spec: &ObservationSpec| match (spec.dtype, &spec.shape[..]) {
            (Dtype::F32, [entries]) => format!("{entries} numbers"),
            (_, shape) => format!("images of {shape:?}"),
        };
        Err(DataError::Misfit {
            file: file.to_owned(),
            found: describe(found),
            first: self.source.files[0].clone(),
            expected: describe(expected),
        })
    }
}

impl Iterator for EpisodeReader {
    type Item = Result<Piece, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let piece = self.next_piece();
        if piece.is_err() {
            // A reader that failed is not asked again.
            self.open = None;
            self.next_file = self.source.files.len();
            self.cutter = Cutter::new(1, Labelling::Off);
        }
        piece.transpose()
    }
}
