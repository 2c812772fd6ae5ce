//! Named arrays and a header in one file, with a checksum over every byte.

use super::error::ModelError;
use crate::data::one_line;
use isochrone::nn::Named;
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensorError, SafeTensors};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;

/// What this program writes, and the newest it reads.
pub const FORMAT_VERSION: u64 = 1;
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
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Distance => "distance",
            Self::Fit => "checkpoint of a fit",
            Self::Agent => "policy in training",
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
    /// Arrays of f32.
    pub arrays: Vec<Named>,
    /// Single numbers of full precision, by name.
    pub numbers: Vec<(String, f64)>,
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
        let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let arrays: Vec<(&str, Dtype, Vec<usize>, Vec<u8>)> = (self.arrays.iter())
            .map(|a| {
                let name = a.name.as_str();
                (name, Dtype::F32, a.shape.to_vec(), bytes(&a.values))
            })
            .chain(self.numbers.iter().map(|(name, number)| {
                let bytes = number.to_le_bytes().to_vec();
                (name.as_str(), Dtype::F64, Vec::new(), bytes)
            }))
            .collect();
        let views = arrays.iter().map(|(name, dtype, shape, bytes)| {
            Ok((*name, TensorView::new(*dtype, shape.clone(), bytes)?))
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
        let (mut arrays, mut numbers) = (Vec::new(), Vec::new());
        for (name, tensor) in tensors.iter() {
            match (tensor.dtype(), tensor.shape()) {
                (Dtype::F32, &[rows, columns]) => arrays.push(Named {
                    name: name.to_owned(),
                    shape: [rows, columns],
                    values: words(tensor.data()),
                }),
                (Dtype::F64, []) => numbers.push((name.to_owned(), number(tensor.data()))),
                (dtype, shape) => {
                    let reason = format!("array {name:?} is {dtype:?} of shape {shape:?}");
                    return Err(not_understood(file, reason));
                }
            }
        }
        arrays.sort_by(|a, b| a.name.cmp(&b.name));
        numbers.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self {
            kind,
            about: header.about,
            arrays,
            numbers,
        })
    }
}

impl<A> Contents<A> {
    /// The number of this name.
    pub fn number(&self, name: &str, file: &Path) -> Result<f64, ModelError> {
        let found = self.numbers.iter().find(|(n, _)| n == name);
        let missing = || not_understood(file, format!("there is no number {name:?}"));
        found.map(|(_, value)| *value).ok_or_else(missing)
    }
}

fn not_understood(file: &Path, reason: impl fmt::Display) -> ModelError {
    ModelError::Header {
        file: file.to_owned(),
        reason: one_line(reason),
    }
}

/// A file that ends early is told as such, whatever is in it.
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

/// Longer headers are nobody's.
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

fn words(bytes: &[u8]) -> Vec<f32> {
    let words = bytes.as_chunks::<4>().0.iter();
    words.map(|word| f32::from_le_bytes(*word)).collect()
}

fn number(bytes: &[u8]) -> f64 {
    let bytes = bytes.first_chunk::<8>();
    bytes.map_or(f64::NAN, |bytes| f64::from_le_bytes(*bytes))
}
