//! Episodes → Parquet with LeRobot's column names, the same bytes for the same episodes.
//!
//! ```text
//! observation.state   list of float
//! observation.image   bytes of an image, row by row; its shape is in the file's entries
//! action              list of float; absent in the last row of an episode, where none was taken
//! frame_index         the step within the episode
//! episode_index       episodes from 0
//! index               rows from 0
//! ```
//!
//! Rows made from other files keep the numbers they have there, and a column `file` names the file.

use super::error::DataError;
use super::parquet_file::{ParquetFile, RowGroup, next_column, write_plain};
use super::parquet_schema::{IMAGE, MadeFrom, Observed, STATE, schema, shape_key};
use super::piece::RowLabels;
use bytes::Bytes;
use isochrone::env::{Dtype, ObservationSpec};
use parquet::data_type::{
    ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, FloatType, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use std::path::Path;

/// What is collected before a row group is written; readers that skip do it by row groups.
const ROW_GROUP_BYTES: usize = 16 << 20;
/// Rows whose levels are in memory at a time.
const BATCH_ROWS: usize = 1_024;

/// States of an episode, row by row.
#[derive(Clone, Copy, Debug)]
pub enum Entries<'a> {
    /// Numbers.
    F32(&'a [f32]),
    /// Images.
    U8(&'a [u8]),
    /// Numbers, and an image of each state.
    Both(&'a [f32], &'a [u8]),
}

impl<'a> Entries<'a> {
    /// Numbers and images; empty if there are none.
    const fn parts(self) -> (&'a [f32], &'a [u8]) {
        match self {
            Self::F32(numbers) => (numbers, &[]),
            Self::U8(images) => (&[], images),
            Self::Both(numbers, images) => (numbers, images),
        }
    }
}

/// A file being written, episode by episode, in bounded memory. It appears under its name when it is finished.
pub struct EpisodeWriter {
    file: ParquetFile,
    /// Numbers in a state.
    width: usize,
    /// Bytes in an image.
    image_bytes: usize,
    action_width: usize,
    row_group_rows: usize,
    pending: Pending,
    episode: i64,
    index: i64,
}

/// Rows of the row group being collected.
#[derive(Default)]
struct Pending {
    floats: Vec<f32>,
    images: Vec<u8>,
    actions: Vec<f32>,
    has_action: Vec<bool>,
    frames: Vec<i64>,
    episodes: Vec<i64>,
    indices: Vec<i64>,
    files: Vec<ByteArray>,
}

impl std::fmt::Debug for EpisodeWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EpisodeWriter")
            .field("file", &self.file)
            .field("rows", &self.index)
            .finish_non_exhaustive()
    }
}

impl EpisodeWriter {
    /// Begins a file for such states and for actions of this length; without actions if it is 0.
    pub fn create(
        path: &Path,
        state: &ObservationSpec,
        action_width: usize,
    ) -> Result<Self, DataError> {
        let made_from = MadeFrom::Environment;
        match state.dtype {
            Dtype::F32 => {
                Self::create_with(path, (STATE, state.len()), None, action_width, made_from)
            }
            Dtype::U8 => Self::create_with(path, (STATE, 0), Some(state), action_width, made_from),
        }
    }

    /// Begins a file for states of `width` numbers with an image of each.
    pub fn create_with_images(
        path: &Path,
        width: usize,
        image: &ObservationSpec,
        action_width: usize,
    ) -> Result<Self, DataError> {
        let made_from = MadeFrom::Environment;
        Self::create_with(path, (STATE, width), Some(image), action_width, made_from)
    }

    /// Begins a file for what is made from the rows of other files, under another name for the column of states.
    pub fn create_labelled(
        path: &Path,
        column: &str,
        state: &ObservationSpec,
    ) -> Result<Self, DataError> {
        Self::create_with(path, (column, state.len()), None, 0, MadeFrom::Files)
    }

    fn create_with(
        path: &Path,
        (column, width): (&str, usize),
        image: Option<&ObservationSpec>,
        action_width: usize,
        made_from: MadeFrom,
    ) -> Result<Self, DataError> {
        let image_bytes = image.map_or(0, ObservationSpec::len);
        let observed = Observed {
            column,
            width,
            image_bytes,
        };
        let entries = image.map(|image| {
            let sides: Vec<String> = image.shape.iter().map(usize::to_string).collect();
            KeyValue::new(shape_key(IMAGE), sides.join("x"))
        });
        let schema = schema(observed, action_width, made_from);
        let row_bytes = 4 * (width + action_width) + image_bytes;
        Ok(Self {
            file: ParquetFile::create(path, schema, entries.into_iter().collect())?,
            width,
            image_bytes,
            action_width,
            row_group_rows: (ROW_GROUP_BYTES / row_bytes.max(1)).max(1),
            pending: Pending::default(),
            episode: 0,
            index: 0,
        })
    }

    /// Adds an episode: all its states, and the actions between them.
    pub fn push(&mut self, states: Entries<'_>, actions: &[f32]) -> Result<(), DataError> {
        let rows = self.n_rows(states, actions)?;
        let labels = RowLabels {
            episode: self.episode,
            first_frame: 0,
            indices: (self.index..).take(rows).collect(),
        };
        self.push_rows(states, actions, &labels, None)?;
        self.episode += 1;
        self.index += rows.cast_signed() as i64;
        Ok(())
    }

    /// Adds what was made from rows of another file, under the numbers that they have there. Only for files that were
    /// begun with [`EpisodeWriter::create_labelled`].
    pub fn push_labelled(
        &mut self,
        states: Entries<'_>,
        labels: &RowLabels,
        file: &str,
    ) -> Result<(), DataError> {
        if self.n_rows(states, &[])? != labels.indices.len() {
            return Err(self.file.unwritable("there are not as many labels as rows"));
        }
        self.push_rows(states, &[], labels, Some(&ByteArray::from(file)))
    }

    /// Rows of states that fit the file and their actions.
    fn n_rows(&self, states: Entries<'_>, actions: &[f32]) -> Result<usize, DataError> {
        let (numbers, images) = states.parts();
        if numbers.is_empty() != (self.width == 0) || images.is_empty() != (self.image_bytes == 0) {
            return Err(self
                .file
                .unwritable("an episode's states have another type"));
        }
        let rows = numbers.len().checked_div(self.width);
        let rows = rows.or_else(|| images.len().checked_div(self.image_bytes));
        let rows = rows.unwrap_or(0);
        let steps = rows.saturating_sub(1);
        if rows * self.width != numbers.len()
            || rows * self.image_bytes != images.len()
            || steps * self.action_width != actions.len()
        {
            return Err(self
                .file
                .unwritable("an episode's states and actions do not fit together"));
        }
        Ok(rows)
    }

    fn push_rows(
        &mut self,
        states: Entries<'_>,
        actions: &[f32],
        labels: &RowLabels,
        file: Option<&ByteArray>,
    ) -> Result<(), DataError> {
        let rows = labels.indices.len();
        for (row, frame) in (0..rows).zip(labels.first_frame..) {
            self.pending.frames.push(frame);
            self.pending.episodes.push(labels.episode);
            self.pending.indices.push(labels.indices[row]);
            self.pending.files.extend(file.cloned());
            self.push_row(states, actions, row, rows);
            if self.pending.frames.len() == self.row_group_rows {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn push_row(&mut self, states: Entries<'_>, actions: &[f32], row: usize, rows: usize) {
        let pending = &mut self.pending;
        let (numbers, images) = states.parts();
        let range = |length: usize| row * length..(row + 1) * length;
        pending
            .floats
            .extend_from_slice(&numbers[range(self.width)]);
        let image = &images[range(self.image_bytes)];
        pending.images.extend_from_slice(image);
        let has_action = row + 1 < rows && self.action_width > 0;
        if has_action {
            let range = row * self.action_width..(row + 1) * self.action_width;
            pending.actions.extend_from_slice(&actions[range]);
        }
        pending.has_action.push(has_action);
    }

    fn flush(&mut self) -> Result<(), DataError> {
        if self.pending.frames.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        let (width, action_width, image_bytes) = (self.width, self.action_width, self.image_bytes);
        self.file.row_group(|group| {
            if width > 0 {
                write_lists(group, &pending.floats, width)?;
            }
            if image_bytes > 0 {
                write_images(group, &pending.images, image_bytes)?;
            }
            if action_width > 0 {
                write_actions(group, &pending, action_width)?;
            }
            for numbers in [&pending.frames, &pending.episodes, &pending.indices] {
                write_plain::<Int64Type>(group, numbers)?;
            }
            if !pending.files.is_empty() {
                write_plain::<ByteArrayType>(group, &pending.files)?;
            }
            Ok(())
        })
    }

    /// Writes what is left and gives the file its name.
    pub fn finish(mut self) -> Result<(), DataError> {
        self.flush()?;
        self.file.finish()
    }
}

/// A list in every row: the levels of all rows are alike.
fn write_lists(group: &mut RowGroup<'_>, values: &[f32], width: usize) -> Result<(), ParquetError> {
    let rows = BATCH_ROWS.min(values.len() / width);
    let repetition: Vec<i16> = (0..rows * width)
        .map(|at| i16::from(at % width != 0))
        .collect();
    let definition = vec![1_i16; rows * width];
    let mut column = next_column(group)?;
    for batch in values.chunks(rows * width) {
        let (definition, repetition) = (&definition[..batch.len()], &repetition[..batch.len()]);
        let writer = column.typed::<FloatType>();
        writer.write_batch(batch, Some(definition), Some(repetition))?;
    }
    column.close()
}

/// An image in every row.
fn write_images(
    group: &mut RowGroup<'_>,
    images: &[u8],
    length: usize,
) -> Result<(), ParquetError> {
    let rows = images.chunks_exact(length);
    let rows =
        rows.map(|row| FixedLenByteArray::from(ByteArray::from(Bytes::copy_from_slice(row))));
    write_plain::<FixedLenByteArrayType>(group, &rows.collect::<Vec<_>>())
}

/// A list in every row that has one.
fn write_actions(
    group: &mut RowGroup<'_>,
    pending: &Pending,
    width: usize,
) -> Result<(), ParquetError> {
    let mut column = next_column(group)?;
    let mut actions = pending.actions.as_slice();
    for rows in pending.has_action.chunks(BATCH_ROWS) {
        let (mut definition, mut repetition, mut entries) = (Vec::new(), Vec::new(), 0);
        for &has_action in rows {
            let (level, levels) = if has_action { (2, width) } else { (0, 1) };
            definition.extend(std::iter::repeat_n(level, levels));
            repetition.extend((0..levels).map(|at| i16::from(at != 0)));
            entries += if has_action { width } else { 0 };
        }
        let (batch, rest) = actions.split_at(entries);
        actions = rest;
        let writer = column.typed::<FloatType>();
        writer.write_batch(batch, Some(&definition), Some(&repetition))?;
    }
    column.close()
}
