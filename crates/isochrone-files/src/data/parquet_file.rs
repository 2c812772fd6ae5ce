//! A Parquet file being written, one row group after the other.

use super::error::{DataError, one_line};
use super::parquet_schema::properties;
use crate::output::Unfinished;
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::types::TypePtr;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A row group being written.
pub(super) type RowGroup<'a> = SerializedRowGroupWriter<'a, BufWriter<Unfinished>>;

/// The file. It appears under its name when it is finished.
pub(super) struct ParquetFile {
    path: PathBuf,
    sink: SerializedFileWriter<BufWriter<Unfinished>>,
}

impl std::fmt::Debug for ParquetFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl ParquetFile {
    /// Begins a file with these columns and these entries of its own.
    pub(super) fn create(
        path: &Path,
        schema: Result<TypePtr, ParquetError>,
        entries: Vec<KeyValue>,
    ) -> Result<Self, DataError> {
        let unwritable = |reason: String| DataError::Unwritable {
            file: path.to_owned(),
            reason,
        };
        let file = Unfinished::create(path).map_err(|error| unwritable(format!("{error:#}")))?;
        let schema = schema.map_err(|error| unwritable(one_line(error)))?;
        let properties = Arc::new(properties(entries));
        let sink = SerializedFileWriter::new(BufWriter::new(file), schema, properties);
        Ok(Self {
            path: path.to_owned(),
            sink: sink.map_err(|error| unwritable(one_line(error)))?,
        })
    }

    /// Writes one row group; `write` writes its columns in their order.
    pub(super) fn row_group(
        &mut self,
        write: impl FnOnce(&mut RowGroup<'_>) -> Result<(), ParquetError>,
    ) -> Result<(), DataError> {
        let group = self.sink.next_row_group();
        let written = group.and_then(|mut group| {
            write(&mut group)?;
            group.close().map(|_| ())
        });
        written.map_err(|error| self.unwritable(one_line(error)))
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> Result<(), DataError> {
        let path = self.path;
        let file = self.sink.into_inner().map_err(one_line);
        let file = file.and_then(|file| file.into_inner().map_err(|e| one_line(e.error())));
        let finished = file.and_then(|file| file.finish().map_err(|error| format!("{error:#}")));
        finished.map_err(|reason| DataError::Unwritable { file: path, reason })
    }

    /// The file cannot be written, for this reason.
    pub(super) fn unwritable(&self, reason: impl std::fmt::Display) -> DataError {
        DataError::Unwritable {
            file: self.path.clone(),
            reason: reason.to_string(),
        }
    }
}

/// Writes a column of one value in every row.
pub(super) fn write_plain<T: DataType>(
    group: &mut RowGroup<'_>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let mut column = next_column(group)?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

/// The next column of the schema.
pub(super) fn next_column<'a>(
    group: &'a mut RowGroup<'_>,
) -> Result<SerializedColumnWriter<'a>, ParquetError> {
    let missing = || ParquetError::General("there are more columns than the schema has".to_owned());
    group.next_column()?.ok_or_else(missing)
}
