//! Parquet with LeRobot's column names, row group by row group, some rows at a time.

use super::block::{Block, OwnLabels, Places, Table, Values, block_rows};
use super::columns::{self, Columns};
use super::error::{DataError, one_line};
use super::files::Format;
use super::parquet_images::{ImageRows, Shape, as_values};
use super::parquet_leaf::{Kind, Lane, Leaf, Levels, Sign, leaves};
use super::parquet_pages::{CheckedFile, CheckedPages};
use super::parquet_rows::{Absent, RowsRead, beside};
use super::parquet_schema::shape_key;
use isochrone::env::{Dtype, ObservationSpec};
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Rows read before it is known how wide they are.
const FIRST_ROWS: usize = 16;

/// An open file.
pub(super) struct ParquetTable {
    file: PathBuf,
    reader: SerializedFileReader<CheckedFile>,
    states: Vec<StateColumn>,
    dtype: Dtype,
    /// Height, width and channels of images, if the file tells.
    image_shape: Option<Vec<usize>>,
    episode: Column,
    frame: Option<Column>,
    index: Option<Column>,
    row_group: usize,
    /// Rows of the open row group that were not read yet.
    rows_left: usize,
    row: u64,
    levels: Levels,
}

/// A leaf of the file, and where its reading stands.
struct Column {
    leaf: Leaf,
    place: usize,
    kind: Kind,
    lane: Option<Lane>,
}

/// A column of states: its numbers per row are known from the first row on.
struct StateColumn {
    column: Column,
    width: Option<usize>,
    /// Of its image files.
    shape: Option<Shape>,
    absent: Absent,
}

impl ParquetTable {
    /// Reads the footer and finds the columns.
    pub(super) fn open(file: &Path, wanted: &Columns) -> Result<Self, DataError> {
        let opened = File::open(file).and_then(CheckedFile::new);
        let opened = opened.map_err(|source| DataError::Unreadable {
            file: file.to_owned(),
            source,
        })?;
        let reader = SerializedFileReader::new(opened).map_err(|error| broken(file, &error))?;
        let leaves = leaves(reader.metadata().file_metadata().schema_descr());
        let names: Vec<String> = leaves.iter().map(|leaf| leaf.name.clone()).collect();
        let at = columns::find(wanted, Format::Parquet, file, &names)?;
        let column = |place: usize, wanted: &'static str| {
            let leaf = leaves[place].clone();
            match leaf.kind.clone() {
                Ok(kind) => Ok(Column {
                    leaf,
                    place,
                    kind,
                    lane: None,
                }),
                Err(found) => Err(wrong_type(file, &leaf, found, wanted)),
            }
        };
        let first_action = at.state.len() - at.actions;
        let states = at.state.iter().enumerate().map(|(number, &place)| {
            let column = column(place, "numbers or lists of them")?;
            let is_action = number >= first_action;
            Ok(StateColumn {
                column,
                width: None,
                shape: None,
                absent: if is_action {
                    Absent::Zeros
                } else {
                    Absent::Refused
                },
            })
        });
        let states: Vec<StateColumn> = states.collect::<Result<_, DataError>>()?;
        let whole = |place: usize| {
            const WANTED: &str = "whole numbers";
            let column = column(place, WANTED)?;
            let found = match (column.kind, column.leaf.descriptor.max_rep_level()) {
                (Kind::Int32 { .. } | Kind::Int64, 0) => return Ok(column),
                (Kind::Int32 { .. } | Kind::Int64, _) => "lists",
                (Kind::F32 | Kind::F64, _) => "floats",
                (Kind::Bytes { .. }, _) => "bytes",
                (Kind::ImageFile { .. }, _) => "images",
            };
            Err(wrong_type(file, &column.leaf, found.to_owned(), WANTED))
        };
        let bytes = Kind::Int32 {
            bits: 8,
            sign: Sign::Unsigned,
        };
        let is_bytes = |state: &StateColumn| {
            state.column.kind == bytes
                || matches!(
                    state.column.kind,
                    Kind::Bytes { .. } | Kind::ImageFile { .. }
                )
        };
        let is_bytes = states.iter().all(is_bytes);
        let image_shape = match states.as_slice() {
            [only] => image_shape(&reader, &only.column.leaf.name),
            _ => None,
        };
        Ok(Self {
            image_shape,
            file: file.to_owned(),
            dtype: if is_bytes { Dtype::U8 } else { Dtype::F32 },
            states,
            episode: whole(at.episode)?,
            frame: at.frame.map(whole).transpose()?,
            // A column of this name may be anything; only whole numbers are labels.
            index: at.index.and_then(|place| whole(place).ok()),
            reader,
            row_group: 0,
            rows_left: 0,
            row: 0,
            levels: Levels::default(),
        })
    }

    /// Opens row groups until one has rows; `false` after the last.
    fn advance(&mut self) -> Result<bool, DataError> {
        while self.rows_left == 0 {
            if self.row_group == self.reader.num_row_groups() {
                return Ok(false);
            }
            let group = self.reader.get_row_group(self.row_group);
            let group = group.map_err(|error| broken(&self.file, &error))?;
            let rows = group.metadata().num_rows();
            self.rows_left = usize::try_from(rows)
                .map_err(|_| damaged(&self.file, format!("a row group has {rows} rows")))?;
            let states = self.states.iter_mut().map(|state| &mut state.column);
            let labels = [&mut self.frame, &mut self.index].into_iter().flatten();
            for column in states.chain([&mut self.episode]).chain(labels) {
                let pages_of = |place: usize| {
                    let chunk = group.metadata().column(place);
                    let values = chunk.num_values().try_into().unwrap_or(0);
                    let pages = CheckedPages::new(group.get_column_page_reader(place)?, values);
                    Ok((
                        chunk.column_descr_ptr(),
                        Box::new(pages) as Box<dyn PageReader>,
                    ))
                };
                let pages = pages_of(column.place);
                let lane = pages.and_then(|pages| Lane::new(column.kind, pages, pages_of));
                column.lane = Some(lane.map_err(|error| broken(&self.file, &error))?);
            }
            self.row_group += 1;
        }
        Ok(true)
    }

    fn rows_at_once(&self) -> usize {
        // Levels take as much again as the numbers.
        let bytes = self.states.iter().map(|state| match state.column.kind {
            Kind::Bytes { length } => Some(2 * length),
            Kind::ImageFile { .. } => state.width.map(|width| 2 * width),
            _ => state.width.map(|width| 8 * width),
        });
        let rows = bytes.sum::<Option<usize>>().map_or(FIRST_ROWS, block_rows);
        rows.min(self.rows_left)
    }

    /// Reads states side by side.
    fn read_states(&mut self, rows: usize) -> Result<Values, DataError> {
        let mut parts = Vec::with_capacity(self.states.len());
        for state in &mut self.states {
            if let Some(Lane::Images(lane)) = &mut state.column.lane {
                let of = ImageRows {
                    file: &self.file,
                    first: self.row,
                    rows,
                    column: &state.column.leaf.name,
                };
                let Some((images, shape)) = lane.read(&of, state.shape)? else {
                    return Err(too_few(&self.file, &state.column, rows, 0));
                };
                let width = shape.iter().product();
                (state.shape, state.width) = (Some(shape), Some(width));
                parts.push((as_values(images, self.dtype), width));
                continue;
            }
            let mut part = Values::new(self.dtype);
            let read = match (&mut part, &mut state.column.lane) {
                (Values::F32(out), Some(lane)) => lane.floats(rows, &mut self.levels, out),
                (Values::U8(out), Some(lane)) => lane.bytes(rows, &mut self.levels, out),
                (_, None) => Ok(0),
            };
            let read = read.map_err(|error| broken(&self.file, &error))?;
            if read != rows {
                return Err(too_few(&self.file, &state.column, rows, read));
            }
            let rows_read = RowsRead {
                file: &self.file,
                first: self.row,
                rows,
                leaf: &state.column.leaf,
                levels: &self.levels,
            };
            if let (Absent::Zeros, Values::F32(values)) = (state.absent, &mut part)
                && let Some((filled, width)) = rows_read.filled(values, state.width)
            {
                state.width = Some(width);
                parts.push((Values::F32(filled), width));
                continue;
            }
            rows_read.check_whole()?;
            let width = match state.width {
                Some(width) => width,
                None => rows_read.first_width()?,
            };
            state.width = Some(width);
            rows_read.check_widths(width)?;
            parts.push((part, width));
        }
        Ok(beside(parts, rows, self.dtype))
    }
}

fn read_whole_numbers(
    file: &Path,
    row: u64,
    column: &mut Column,
    rows: usize,
    levels: &mut Levels,
) -> Result<Vec<i64>, DataError> {
    let mut numbers = Vec::with_capacity(rows);
    let read = match &mut column.lane {
        Some(lane) => lane.integers(rows, levels, &mut numbers),
        None => Ok(0),
    };
    let read = read.map_err(|error| broken(file, &error))?;
    if read != rows {
        return Err(too_few(file, column, rows, read));
    }
    RowsRead {
        file,
        first: row,
        rows,
        leaf: &column.leaf,
        levels,
    }
    .check_whole()?;
    Ok(numbers)
}

impl Table for ParquetTable {
    fn next_block(&mut self) -> Result<Option<Block>, DataError> {
        if !self.advance()? {
            return Ok(None);
        }
        let rows = self.rows_at_once();
        let states = self.read_states(rows)?;
        let (file, row, levels) = (&self.file, self.row, &mut self.levels);
        let episodes = read_whole_numbers(file, row, &mut self.episode, rows, levels)?;
        let mut numbers = |column: &mut Option<Column>| {
            let column = column.as_mut();
            let read = column.map(|column| read_whole_numbers(file, row, column, rows, levels));
            read.transpose()
        };
        let (frames, indices) = (numbers(&mut self.frame)?, numbers(&mut self.index)?);
        let width = self.states.iter().filter_map(|state| state.width).sum();
        let shape = match self.states.as_slice() {
            [only] => only
                .shape
                .map(Vec::from)
                .or_else(|| self.image_shape.clone()),
            _ => None,
        };
        let block = Block {
            spec: ObservationSpec {
                shape: shape
                    .filter(|shape| n_entries(shape) == Some(width))
                    .unwrap_or_else(|| vec![width]),
                dtype: self.dtype,
            },
            states,
            episodes,
            frames,
            indices,
            places: Places::From(self.row),
        };
        self.rows_left -= rows;
        self.row += rows as u64;
        Ok(Some(block))
    }

    fn column(&self, entry: usize) -> String {
        let mut entry = entry;
        for state in &self.states {
            let width = state.width.unwrap_or(0);
            if entry < width {
                let name = &state.column.leaf.name;
                let is_list = state.column.leaf.descriptor.max_rep_level() > 0;
                return if is_list || width > 1 {
                    format!("{name}[{entry}]")
                } else {
                    name.clone()
                };
            }
            entry -= width;
        }
        format!("entry {entry}")
    }

    fn own_labels(&self) -> OwnLabels {
        OwnLabels {
            episode: true,
            frame: self.frame.is_some(),
            index: self.index.is_some(),
        }
    }
}

/// Entries of a shape; `None` if that overflows.
fn n_entries(shape: &[usize]) -> Option<usize> {
    (shape.iter()).try_fold(1_usize, |product, side| product.checked_mul(*side))
}

/// The shape of images, from the file's own entry for their column.
fn image_shape(reader: &SerializedFileReader<CheckedFile>, column: &str) -> Option<Vec<usize>> {
    let entries = reader.metadata().file_metadata().key_value_metadata()?;
    let key = shape_key(column);
    let entry = entries.iter().find(|entry| entry.key == key)?;
    let sides = entry.value.as_ref()?.split('x').map(str::parse);
    sides.collect::<Result<_, _>>().ok()
}

fn broken(file: &Path, error: &ParquetError) -> DataError {
    damaged(file, one_line(error))
}

pub(super) fn damaged(file: &Path, reason: String) -> DataError {
    DataError::Broken {
        file: file.to_owned(),
        format: Format::Parquet.name(),
        reason,
    }
}

fn wrong_type(file: &Path, leaf: &Leaf, found: String, wanted: &'static str) -> DataError {
    DataError::WrongType {
        file: file.to_owned(),
        column: leaf.name.clone(),
        found: one_line(found),
        wanted,
    }
}

fn too_few(file: &Path, column: &Column, rows: usize, read: usize) -> DataError {
    let name = &column.leaf.name;
    damaged(
        file,
        format!("column {name:?} ends after {read} of {rows} promised rows"),
    )
}
