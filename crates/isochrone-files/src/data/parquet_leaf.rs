//! One column of numbers in a Parquet file: a number per row, or a list of numbers per row.
//!
//! Fixed-size and variable lists look alike in the file: a repetition level of 0 begins a row's list, 1 continues
//! it; a definition level below the highest says that something (a value, a list) is absent.

use super::parquet_images::ImageLane;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::Result;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type};

/// What a leaf's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    F32,
    F64,
    /// Whole numbers of at most 32 bits; those without sign are stored as if they had one.
    Int32 {
        bits: u8,
        sign: Sign,
    },
    Int64,
    /// So many bytes in every row: an image.
    Bytes {
        length: usize,
    },
    /// The bytes of an image file, and beside them the column of its path.
    ImageFile {
        paths: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Signed,
    Unsigned,
}

/// A column of the file, as stored.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The column's name as users know it: without the levels a list is stored in.
    pub(super) name: String,
    pub(super) descriptor: ColumnDescPtr,
    /// What is in it; described if it is not numbers.
    pub(super) kind: std::result::Result<Kind, String>,
}

/// All leaves, in the file's order.
pub(super) fn leaves(schema: &SchemaDescriptor) -> Vec<Leaf> {
    let describe = |descriptor: &ColumnDescPtr| Leaf {
        name: name(schema.root_schema(), descriptor.path().parts()),
        kind: kind(descriptor),
        descriptor: descriptor.clone(),
    };
    let mut leaves: Vec<Leaf> = schema.columns().iter().map(describe).collect();
    for place in 0..leaves.len() {
        if let Some((name, paths)) = image_files(&leaves, place) {
            leaves[place].name = name;
            leaves[place].kind = Ok(Kind::ImageFile { paths });
        }
    }
    leaves
}

/// The name of a struct with `bytes` and `path`, if the leaf is its bytes, and the place of its paths.
fn image_files(leaves: &[Leaf], place: usize) -> Option<(String, usize)> {
    let is_string = |leaf: &Leaf| {
        leaf.descriptor.physical_type() == Physical::BYTE_ARRAY
            && leaf.descriptor.max_rep_level() == 0
    };
    let bytes = &leaves[place];
    let name = bytes.name.strip_suffix(".bytes")?;
    let path = format!("{name}.path");
    let paths = leaves.iter().position(|leaf| leaf.name == path)?;
    let found = is_string(bytes) && is_string(&leaves[paths]);
    found.then(|| (name.to_owned(), paths))
}

/// The parts of the path down to the list or the number.
fn name(root: &Type, path: &[String]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut group = root;
    for part in path {
        let fields = if group.is_group() {
            group.get_fields()
        } else {
            &[]
        };
        let Some(field) = fields.iter().find(|field| field.name() == part) else {
            break;
        };
        parts.push(part);
        let info = field.get_basic_info();
        let repeated = info.has_repetition() && info.repetition() == Repetition::REPEATED;
        if repeated || info.converted_type() == ConvertedType::LIST {
            break;
        }
        group = field;
    }
    parts.join(".")
}

fn kind(descriptor: &ColumnDescPtr) -> std::result::Result<Kind, String> {
    let physical = descriptor.physical_type();
    let logical = descriptor.logical_type_ref();
    let words = match logical {
        Some(logical) => format!("{physical} ({logical:?})"),
        None => physical.to_string(),
    };
    if descriptor.max_rep_level() > 1 {
        return Err(format!("lists of lists of {words}"));
    }
    match (physical, logical) {
        (Physical::FLOAT, None) => Ok(Kind::F32),
        (Physical::DOUBLE, None) => Ok(Kind::F64),
        (Physical::INT32, None) if descriptor.converted_type() == ConvertedType::NONE => {
            Ok(Kind::Int32 {
                bits: 32,
                sign: Sign::Signed,
            })
        }
        (Physical::INT32, Some(LogicalType::Integer(int))) => Ok(Kind::Int32 {
            bits: int.bit_width as u8,
            sign: if int.is_signed {
                Sign::Signed
            } else {
                Sign::Unsigned
            },
        }),
        (Physical::FIXED_LEN_BYTE_ARRAY, None)
            if descriptor.converted_type() == ConvertedType::NONE
                && descriptor.max_rep_level() == 0 =>
        {
            let length = usize::try_from(descriptor.type_length()).unwrap_or(0);
            Ok(Kind::Bytes { length })
        }
        (Physical::INT64, Some(LogicalType::Integer(_))) => Ok(Kind::Int64),
        (Physical::INT64, None) if descriptor.converted_type() == ConvertedType::NONE => {
            Ok(Kind::Int64)
        }
        _ => Err(words),
    }
}

/// The levels of the rows just read.
#[derive(Debug, Default)]
pub(super) struct Levels {
    pub(super) definition: Vec<i16>,
    pub(super) repetition: Vec<i16>,
}

/// A leaf being read, within one row group.
pub(super) enum Lane {
    F32(ColumnReaderImpl<FloatType>),
    F64(ColumnReaderImpl<DoubleType>),
    Int32(ColumnReaderImpl<Int32Type>, Sign),
    Int64(ColumnReaderImpl<Int64Type>),
    Bytes(ColumnReaderImpl<FixedLenByteArrayType>),
    Images(Box<ImageLane>),
}

impl Lane {
    /// Opens a leaf; `pages_of` gives another one of the same row group.
    pub(super) fn new(
        kind: Kind,
        (descriptor, pages): (ColumnDescPtr, Box<dyn PageReader>),
        pages_of: impl FnOnce(usize) -> Result<(ColumnDescPtr, Box<dyn PageReader>)>,
    ) -> Result<Self> {
        Ok(match kind {
            Kind::F32 => Self::F32(ColumnReaderImpl::new(descriptor, pages)),
            Kind::F64 => Self::F64(ColumnReaderImpl::new(descriptor, pages)),
            Kind::Int32 { sign, .. } => Self::Int32(ColumnReaderImpl::new(descriptor, pages), sign),
            Kind::Int64 => Self::Int64(ColumnReaderImpl::new(descriptor, pages)),
            Kind::Bytes { .. } => Self::Bytes(ColumnReaderImpl::new(descriptor, pages)),
            Kind::ImageFile { paths } => Self::Images(Box::new(ImageLane::new(
                (descriptor, pages),
                pages_of(paths)?,
            ))),
        })
    }

    /// The next rows as floats, behind what `out` holds; how many there were.
    pub(super) fn floats(
        &mut self,
        rows: usize,
        levels: &mut Levels,
        out: &mut Vec<f32>,
    ) -> Result<usize> {
        match self {
            Self::F32(column) => pull(column, rows, levels, out),
            Self::F64(column) => convert(column, rows, levels, out, |x| x as f32),
            Self::Int32(column, sign) => {
                let sign = *sign;
                convert(column, rows, levels, out, |x| match sign {
                    Sign::Signed => x as f32,
                    Sign::Unsigned => x.cast_unsigned() as f32,
                })
            }
            Self::Int64(column) => convert(column, rows, levels, out, |x| x as f32),
            Self::Bytes(column) => images(column, rows, levels, out),
            Self::Images(_) => Ok(0),
        }
    }

    /// The next rows as bytes; only for what is stored as such.
    pub(super) fn bytes(
        &mut self,
        rows: usize,
        levels: &mut Levels,
        out: &mut Vec<u8>,
    ) -> Result<usize> {
        match self {
            Self::Int32(column, _) => convert(column, rows, levels, out, |x| x as u8),
            Self::Bytes(column) => images(column, rows, levels, out),
            Self::F32(_) | Self::F64(_) | Self::Int64(_) | Self::Images(_) => Ok(0),
        }
    }

    /// The next rows as whole numbers; only for what is stored as such.
    pub(super) fn integers(
        &mut self,
        rows: usize,
        levels: &mut Levels,
        out: &mut Vec<i64>,
    ) -> Result<usize> {
        match self {
            Self::Int32(column, sign) => {
                let sign = *sign;
                convert(column, rows, levels, out, |x| match sign {
                    Sign::Signed => i64::from(x),
                    Sign::Unsigned => i64::from(x.cast_unsigned()),
                })
            }
            Self::Int64(column) => pull(column, rows, levels, out),
            Self::F32(_) | Self::F64(_) | Self::Bytes(_) | Self::Images(_) => Ok(0),
        }
    }
}

fn pull<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Levels,
    out: &mut Vec<T::T>,
) -> Result<usize> {
    levels.definition.clear();
    levels.repetition.clear();
    let (definition, repetition) = (&mut levels.definition, &mut levels.repetition);
    let (records, _, _) = column.read_records(rows, Some(definition), Some(repetition), out)?;
    Ok(records)
}

fn convert<T: DataType, U>(
    column: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Levels,
    out: &mut Vec<U>,
    number: impl Fn(T::T) -> U,
) -> Result<usize> {
    let mut stored = Vec::new();
    let records = pull(column, rows, levels, &mut stored)?;
    out.extend(stored.into_iter().map(number));
    Ok(records)
}

/// Rows of bytes, one number for each byte.
fn images<U: From<u8>>(
    column: &mut ColumnReaderImpl<FixedLenByteArrayType>,
    rows: usize,
    levels: &mut Levels,
    out: &mut Vec<U>,
) -> Result<usize> {
    let mut stored = Vec::new();
    let records = pull(column, rows, levels, &mut stored)?;
    let bytes = stored.iter().flat_map(|row| row.data());
    out.extend(bytes.map(|byte| U::from(*byte)));
    Ok(records)
}
