//! How our own Parquet files are laid out.

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::sync::Arc;

/// Where states stand.
pub(super) const STATE: &str = "observation.state";
/// Where images stand.
pub(super) const IMAGE: &str = "observation.image";
const ACTION: &str = "action";
/// LeRobot's numbers of a row, in its order.
pub(super) const NUMBERS: [&str; 3] = ["frame_index", "episode_index", "index"];
/// The file that a row was made from.
pub(super) const FILE: &str = "file";

/// What a file's rows are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MadeFrom {
    /// An environment: there is nothing to name.
    Environment,
    /// Rows of other files, which a column names.
    Files,
}

/// The name of the file's entry that has the shape of a column's images, as `32x32x3`.
pub(super) fn shape_key(column: &str) -> String {
    format!("{column}.shape")
}

/// What states and images a file has; a length of 0 is none of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed<'a> {
    /// The name of the column of numbers.
    pub(super) column: &'a str,
    /// Numbers in a state.
    pub(super) width: usize,
    /// Bytes in an image.
    pub(super) image_bytes: usize,
}

/// The columns.
pub(super) fn schema(
    observed: Observed<'_>,
    action_width: usize,
    made_from: MadeFrom,
) -> Result<TypePtr, ParquetError> {
    let mut fields = Vec::new();
    if observed.width > 0 {
        let state = number(Physical::FLOAT)?;
        fields.push(list(observed.column, Repetition::REQUIRED, state)?);
    }
    if observed.image_bytes > 0 {
        fields.push(bytes(IMAGE, observed.image_bytes)?);
    }
    if action_width > 0 {
        let action = number(Physical::FLOAT)?;
        fields.push(list(ACTION, Repetition::OPTIONAL, action)?);
    }
    for name in NUMBERS {
        fields.push(plain(name, Physical::INT64)?);
    }
    if made_from == MadeFrom::Files {
        fields.push(text(FILE)?);
    }
    let schema = Type::group_type_builder("schema").with_fields(fields);
    Ok(Arc::new(schema.build()?))
}

/// A column of one number in every row.
pub(super) fn plain(name: &str, physical: Physical) -> Result<TypePtr, ParquetError> {
    let field = Type::primitive_type_builder(name, physical);
    let field = field.with_repetition(Repetition::REQUIRED);
    Ok(Arc::new(field.build()?))
}

/// A column of text.
pub(super) fn text(name: &str) -> Result<TypePtr, ParquetError> {
    let field = Type::primitive_type_builder(name, Physical::BYTE_ARRAY);
    let field = field.with_logical_type(Some(LogicalType::String));
    Ok(Arc::new(
        field.with_repetition(Repetition::REQUIRED).build()?,
    ))
}

/// A column of so many bytes in every row.
fn bytes(name: &str, length: usize) -> Result<TypePtr, ParquetError> {
    let too_long = |_| ParquetError::General(format!("{length} bytes in a row are too many"));
    let field = Type::primitive_type_builder(name, Physical::FIXED_LEN_BYTE_ARRAY)
        .with_length(i32::try_from(length).map_err(too_long)?);
    let field = field.with_repetition(Repetition::REQUIRED);
    Ok(Arc::new(field.build()?))
}

fn number(physical: Physical) -> Result<TypePtr, ParquetError> {
    let field = Type::primitive_type_builder("element", physical);
    let field = field.with_repetition(Repetition::REQUIRED);
    Ok(Arc::new(field.build()?))
}

/// A list in three levels, as the format asks for.
fn list(name: &str, repetition: Repetition, element: TypePtr) -> Result<TypePtr, ParquetError> {
    let inner = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![element]);
    let outer = Type::group_type_builder(name)
        .with_repetition(repetition)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(inner.build()?)]);
    Ok(Arc::new(outer.build()?))
}

/// Nothing here depends on the clock or the machine. Floats rarely repeat, so they get no dictionary; counters are
/// stored by their differences.
pub(super) fn properties(entries: Vec<KeyValue>) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("isochrone {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_column_dictionary_enabled(ColumnPath::new(vec![FILE.to_owned()]), true)
        .set_statistics_enabled(EnabledStatistics::None);
    for name in NUMBERS {
        let column = || ColumnPath::new(vec![name.to_owned()]);
        properties = properties
            .set_column_encoding(column(), Encoding::DELTA_BINARY_PACKED)
            .set_column_statistics_enabled(column(), EnabledStatistics::Chunk);
    }
    let entries = (!entries.is_empty()).then_some(entries);
    properties.set_key_value_metadata(entries).build()
}
