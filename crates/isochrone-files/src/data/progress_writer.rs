//! Progress of every frame → Parquet, as LeRobot's sample weighting reads it.
//!
//! ```text
//! index, episode_index, frame_index   the source's own numbers of the row
//! progress_sparse                     0 at the start, 1 at the goal
//! steps_to_go                         mean steps left
//! steps_to_go_low, steps_to_go_high   the interval; NaN where it is not known
//! file                                the file of the row
//! ```
//!
//! The first three and `progress_sparse` are the contract of `RABCWeights` (lerobot 0.6); readers ignore the other columns.

use super::error::DataError;
use super::parquet_file::{ParquetFile, write_plain};
use super::parquet_schema::{FILE, NUMBERS, plain, text};
use super::piece::RowLabels;
use parquet::basic::Type as Physical;
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int64Type};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};
use std::path::Path;
use std::sync::Arc;

/// Rows of a row group.
const ROW_GROUP_ROWS: usize = 1 << 18;
/// The columns of [`FrameProgress`].
const VALUES: [&str; 4] = [
    "progress_sparse",
    "steps_to_go",
    "steps_to_go_low",
    "steps_to_go_high",
];

/// How far along a frame is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameProgress {
    /// From 0 at the start of its episode to 1 at the goal.
    pub progress: f32,
    /// Mean steps left.
    pub steps_to_go: f32,
    /// The interval of these steps begins here; NaN if it is not known.
    pub low: f32,
    /// It ends here.
    pub high: f32,
}

impl FrameProgress {
    const fn values(&self) -> [f32; 4] {
        [self.progress, self.steps_to_go, self.low, self.high]
    }
}

/// A file being written, episode by episode, in bounded memory. It appears under its name when it is finished.
pub struct ProgressWriter {
    file: ParquetFile,
    numbers: [Vec<i64>; 3],
    values: [Vec<f32>; 4],
    files: Vec<ByteArray>,
}

impl std::fmt::Debug for ProgressWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgressWriter")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl ProgressWriter {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self, DataError> {
        Ok(Self {
            file: ParquetFile::create(path, schema(), Vec::new())?,
            numbers: Default::default(),
            values: Default::default(),
            files: Vec::new(),
        })
    }

    /// Adds the frames of an episode, under the numbers that they have in their file.
    pub fn push(
        &mut self,
        frames: &[FrameProgress],
        labels: &RowLabels,
        file: &str,
    ) -> Result<(), DataError> {
        if frames.len() != labels.indices.len() {
            return Err(self
                .file
                .unwritable("there are not as many labels as frames"));
        }
        let file = ByteArray::from(file);
        let rows = frames.iter().zip(labels.first_frame..).zip(&labels.indices);
        for ((frame, frame_index), &index) in rows {
            let numbers = [frame_index, labels.episode, index];
            for (column, number) in self.numbers.iter_mut().zip(numbers) {
                column.push(number);
            }
            for (column, value) in self.values.iter_mut().zip(frame.values()) {
                column.push(value);
            }
            self.files.push(file.clone());
        }
        if self.files.len() >= ROW_GROUP_ROWS {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what is left and gives the file its name.
    pub fn finish(mut self) -> Result<(), DataError> {
        self.flush()?;
        self.file.finish()
    }

    fn flush(&mut self) -> Result<(), DataError> {
        if self.files.is_empty() {
            return Ok(());
        }
        let numbers = std::mem::take(&mut self.numbers);
        let values = std::mem::take(&mut self.values);
        let files = std::mem::take(&mut self.files);
        self.file.row_group(|group| {
            for column in &numbers {
                write_plain::<Int64Type>(group, column)?;
            }
            for column in &values {
                write_plain::<FloatType>(group, column)?;
            }
            write_plain::<ByteArrayType>(group, &files)
        })
    }
}

fn schema() -> Result<TypePtr, ParquetError> {
    let mut fields = Vec::new();
    for name in NUMBERS {
        fields.push(plain(name, Physical::INT64)?);
    }
    for name in VALUES {
        fields.push(plain(name, Physical::FLOAT)?);
    }
    fields.push(text(FILE)?);
    let schema = Type::group_type_builder("schema").with_fields(fields);
    Ok(Arc::new(schema.build()?))
}
