//! NamedArray arrays and a header in one file, with a checksum over every byte.

use super::error::ModelError;
use crate::data::one_line;
use isochrone::nn::{ArrayValues, NamedArray};
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensorError, SafeTensors};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;

/// The version that this program writes, and the newest it reads. Version 1 has arrays of f32 with two axes and
/// single f64 only; everything else is the same, so one reader serves both.
pub const FORMAT_VERSION: u64 = 2;
/// The one entry of safetensors' own metadata. One, because that map is written in no fixed order.
const ENTRY: &str = "isochrone";
/// Digits of the checksum.
const DIGITS: usize = 64;
/// What stands before the checksum's digits, inside a JSON text inside a JSON text.
const MARK: &[u8] = br#"\"checksum\":\""#;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A finished distance.
    Distance,
    /// A distance being fitted.
    Fit,
    /// A policy in training.
    Agent,
    /// Landmarks, hops and their distance.
    Roadmap,
    /// A finished policy for goals nearby.
    Policy,
    /// A policy being cloned.
    Cloning,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Distance => "distance",
            Self::Fit => "checkpoint of a fit",
            Self::Agent => "policy in training",
            Self::Roadmap => "roadmap",
            Self::Policy => "cloned policy",
            Self::Cloning => "checkpoint of a cloning",
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Header<A> {
    checksum: String,
    format_version: u64,
    kind: Kind,
    units: String,
    written_by: String,
    about: A,
}

/// The header as far as it is the same for every kind.
#[derive(Deserialize)]
struct Preamble {
    checksum: String,
    kind: Kind,
}

/// What is the same in every version.
#[derive(Deserialize)]
struct Version {
    format_version: u64,
}

/// The parts of a file. `A` is what its header says beyond format and kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents<A> {
    /// What it is.
    pub kind: Kind,
    /// What else the header says.
    pub about: A,
    /// Parameters, counters, single numbers.
    pub arrays: Vec<NamedArray>,
}

impl<A: Serialize> Contents<A> {
    /// The file's bytes: the same contents always give the same.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SafeTensorError> {
        let header = Header {
            checksum: "0".repeat(DIGITS),
            format_version: FORMAT_VERSION,
            kind: self.kind,
            units: "steps".to_owned(),
            written_by: concat!("isochrone ", env!("CARGO_PKG_VERSION")).to_owned(),
            about: &self.about,
        };
        let metadata = HashMap::from([(ENTRY.to_owned(), serde_json::to_string(&header)?)]);
        let arrays: Vec<_> = (self.arrays.iter())
            .map(|array| (array, dtype(&array.values), array.values.to_le_bytes()))
            .collect();
        let views = arrays.iter().map(|(array, dtype, bytes)| {
            let view = TensorView::new(*dtype, array.shape.clone(), bytes)?;
            Ok((array.name.as_str(), view))
        });
        let views: Vec<(&str, TensorView<'_>)> = views.collect::<Result<_, SafeTensorError>>()?;
        let mut file = safetensors::serialize(views, Some(metadata))?;
        if let Some(place) = checksum_place(&file) {
            let digest = hex(&Sha256::digest(&file));
            file[place..place + DIGITS].copy_from_slice(digest.as_bytes());
        }
        Ok(file)
    }
}

impl<A: for<'de> Deserialize<'de>> Contents<A> {
    /// Reads a file of this kind.
    pub fn read(file: &Path, kind: Kind) -> Result<Self, ModelError> {
        let bytes = fs::read(file).map_err(|error| ModelError::Unreadable {
            file: file.to_owned(),
            error,
        })?;
        Self::of_bytes(&bytes, file, kind)
    }

    /// The same from bytes; `file` is for the errors.
    pub fn of_bytes(bytes: &[u8], file: &Path, kind: Kind) -> Result<Self, ModelError> {
        check_length(bytes, file)?;
        let not_a_model = |reason: String| ModelError::NotAModel {
            file: file.to_owned(),
            reason,
        };
        let read = SafeTensors::deserialize(bytes).and_then(|tensors| {
            let (_, metadata) = SafeTensors::read_metadata(bytes)?;
            Ok((tensors, metadata))
        });
        let (tensors, metadata) = read.map_err(|error| not_a_model(one_line(error)))?;
        let metadata = metadata.metadata().as_ref();
        let text = metadata.and_then(|m| m.get(ENTRY)).ok_or_else(|| {
            not_a_model("it is a safetensors file that isochrone did not write".to_owned())
        })?;
        check(bytes, text, file, kind)?;
        let header: Header<A> = serde_json::from_str(text).map_err(|e| not_understood(file, e))?;
        let mut arrays = Vec::new();
        for (name, tensor) in tensors.iter() {
            let values = values(&tensor).ok_or_else(|| {
                let (dtype, shape) = (tensor.dtype(), tensor.shape());
                not_understood(
                    file,
                    format!("array {name:?} is {dtype:?} of shape {shape:?}"),
                )
            })?;
            arrays.push(NamedArray {
                name: name.to_owned(),
                shape: tensor.shape().to_vec(),
                values,
            });
        }
        arrays.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self {
            kind,
            about: header.about,
            arrays,
        })
    }
}

impl<A> Contents<A> {
    /// Takes the single f64 of this name out of the arrays.
    pub fn take_number(&mut self, name: &str, file: &Path) -> Result<f64, ModelError> {
        let at = self.arrays.iter().position(|array| array.name == name);
        let value = at.and_then(|at| match self.arrays.remove(at).values {
            ArrayValues::F64(values) => values.first().copied(),
            ArrayValues::F32(_) | ArrayValues::U8(_) | ArrayValues::U64(_) => None,
        });
        value.ok_or_else(|| not_understood(file, format!("there is no number {name:?}")))
    }
}

fn not_understood(file: &Path, reason: impl fmt::Display) -> ModelError {
    ModelError::Header {
        file: file.to_owned(),
        reason: one_line(reason),
    }
}

/// Reports a truncated file as such, before anything in it is parsed.
fn check_length(bytes: &[u8], file: &Path) -> Result<(), ModelError> {
    let got = bytes.len() as u64;
    let truncated = |expected| ModelError::Truncated {
        file: file.to_owned(),
        got,
        expected,
    };
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(truncated(8));
    };
    let header = u64::from_le_bytes(*length);
    // Anything could stand in the first eight bytes of a file that is not ours.
    if rest.first().is_some_and(|first| *first != b'{') || header > MOST_HEADER {
        return Ok(());
    }
    let Some(text) = rest.get(..header as usize) else {
        return Err(truncated(8 + header));
    };
    let Ok(tensors) = serde_json::from_slice::<HashMap<String, serde_json::Value>>(text) else {
        return Ok(());
    };
    let ends = tensors.values().filter_map(|info| {
        let end = info.get("data_offsets")?.get(1)?;
        end.as_u64()
    });
    match ends.max().and_then(|end| end.checked_add(8 + header)) {
        Some(expected) if expected > got => Err(truncated(expected)),
        _ => Ok(()),
    }
}

/// The largest valid header, in bytes.
const MOST_HEADER: u64 = 100_000_000;

/// Version first: a newer one may have another checksum, and other kinds.
fn check(bytes: &[u8], text: &str, file: &Path, kind: Kind) -> Result<(), ModelError> {
    let version: Version = serde_json::from_str(text).map_err(|e| not_understood(file, e))?;
    if version.format_version > FORMAT_VERSION {
        return Err(ModelError::Version {
            file: file.to_owned(),
            version: version.format_version,
        });
    }
    let preamble: Preamble = serde_json::from_str(text).map_err(|e| not_understood(file, e))?;
    let expected = preamble.checksum;
    let mut zeroed = bytes.to_vec();
    let place = checksum_place(bytes).filter(|_| expected.len() == DIGITS);
    let place = place.ok_or_else(|| not_understood(file, "it has no checksum"))?;
    zeroed[place..place + DIGITS].fill(b'0');
    let got = hex(&Sha256::digest(&zeroed));
    if got == expected && preamble.kind != kind {
        return Err(ModelError::Kind {
            file: file.to_owned(),
            found: preamble.kind,
            wanted: kind,
        });
    }
    if got == expected {
        return Ok(());
    }
    let first = |digits: &str| digits.chars().take(12).collect::<String>();
    Err(ModelError::Damaged {
        file: file.to_owned(),
        got: first(&got),
        expected: first(&expected),
    })
}

/// Where the checksum's digits begin.
fn checksum_place(file: &[u8]) -> Option<usize> {
    let at = file.windows(MARK.len()).position(|bytes| bytes == MARK)?;
    let place = at + MARK.len();
    (place + DIGITS <= file.len()).then_some(place)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

const fn dtype(values: &ArrayValues) -> Dtype {
    match values {
        ArrayValues::F32(_) => Dtype::F32,
        ArrayValues::F64(_) => Dtype::F64,
        ArrayValues::U8(_) => Dtype::U8,
        ArrayValues::U64(_) => Dtype::U64,
    }
}

/// The values of a tensor; `None` for types that this program does not write.
fn values(tensor: &TensorView<'_>) -> Option<ArrayValues> {
    let bytes = tensor.data();
    let (words, doubles) = (bytes.as_chunks().0.iter(), bytes.as_chunks().0.iter());
    Some(match tensor.dtype() {
        Dtype::F32 => ArrayValues::F32(words.map(|x| f32::from_le_bytes(*x)).collect()),
        Dtype::F64 => ArrayValues::F64(doubles.map(|x| f64::from_le_bytes(*x)).collect()),
        Dtype::U8 => ArrayValues::U8(bytes.to_vec()),
        Dtype::U64 => ArrayValues::U64(doubles.map(|x| u64::from_le_bytes(*x)).collect()),
        _ => return None,
    })
}
