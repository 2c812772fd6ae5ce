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

use super::error::{DataError, one_line};
use super::parquet_schema::{FILE, NUMBERS, properties};
use super::piece::RowLabels;
use crate::output::Unfinished;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, FloatType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
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
    path: PathBuf,
    sink: SerializedFileWriter<BufWriter<Unfinished>>,
    numbers: [Vec<i64>; 3],
    values: [Vec<f32>; 4],
    files: Vec<ByteArray>,
}

impl std::fmt::Debug for ProgressWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgressWriter")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl ProgressWriter {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self, DataError> {
        let unwritable = |reason: String| DataError::Unwritable {
            file: path.to_owned(),
            reason,
        };
        let file = Unfinished::create(path).map_err(|error| unwritable(format!("{error:#}")))?;
        let schema = schema().map_err(|error| unwritable(one_line(error)))?;
        let sink = SerializedFileWriter::new(BufWriter::new(file), schema, Arc::new(properties()));
        Ok(Self {
            path: path.to_owned(),
            sink: sink.map_err(|error| unwritable(one_line(error)))?,
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
            return Err(self.unwritable("there are not as many labels as frames"));
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
        let path = self.path;
        let file = self.sink.into_inner().map_err(one_line);
        let file = file.and_then(|file| file.into_inner().map_err(|e| one_line(e.error())));
        let finished = file.and_then(|file| file.finish().map_err(|error| format!("{error:#}")));
        finished.map_err(|reason| DataError::Unwritable { file: path, reason })
    }

    fn flush(&mut self) -> Result<(), DataError> {
        if self.files.is_empty() {
            return Ok(());
        }
        let numbers = std::mem::take(&mut self.numbers);
        let values = std::mem::take(&mut self.values);
        let files = std::mem::take(&mut self.files);
        let write = |sink: &mut SerializedFileWriter<_>| -> Result<(), ParquetError> {
            let mut group = sink.next_row_group()?;
            for column in &numbers {
                write_column::<Int64Type>(&mut group, column)?;
            }
            for column in &values {
                write_column::<FloatType>(&mut group, column)?;
            }
            write_column::<ByteArrayType>(&mut group, &files)?;
            group.close().map(|_| ())
        };
        write(&mut self.sink).map_err(|error| self.unwritable(one_line(error)))
    }

    fn unwritable(&self, reason: impl std::fmt::Display) -> DataError {
        DataError::Unwritable {
            file: self.path.clone(),
            reason: reason.to_string(),
        }
    }
}

fn schema() -> Result<TypePtr, ParquetError> {
    let column = |name: &str, physical, logical| {
        let field = Type::primitive_type_builder(name, physical).with_logical_type(logical);
        let field = field.with_repetition(Repetition::REQUIRED).build()?;
        Ok::<TypePtr, ParquetError>(Arc::new(field))
    };
    let mut fields = Vec::new();
    for name in NUMBERS {
        fields.push(column(name, Physical::INT64, None)?);
    }
    for name in VALUES {
        fields.push(column(name, Physical::FLOAT, None)?);
    }
    fields.push(column(
        FILE,
        Physical::BYTE_ARRAY,
        Some(LogicalType::String),
    )?);
    let schema = Type::group_type_builder("schema").with_fields(fields);
    Ok(Arc::new(schema.build()?))
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<Unfinished>>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let missing = || ParquetError::General("there are more columns than the schema has".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}
