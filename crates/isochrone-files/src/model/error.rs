//! Why a model file is refused.

use super::container::{FORMAT_VERSION, Kind};
use isochrone::embedding::SpecError;
use isochrone::nn::NamedArrayError;
use std::path::PathBuf;

/// What is refused, in one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read at all.
    #[error("cannot read {}: {error}", .file.display())]
    Unreadable {
        /// Which.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Shorter than it says it is.
    #[error("{} is cut off: it has {got} bytes, its header promises {expected}", .file.display())]
    Truncated {
        /// Which.
        file: PathBuf,
        /// Bytes there are.
        got: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// Something else.
    #[error("{} is not a model file: {reason}", .file.display())]
    NotAModel {
        /// Which.
        file: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// From the future.
    #[error(
        "{} has format version {version}, this program reads up to {FORMAT_VERSION}; a newer isochrone is needed",
        .file.display()
    )]
    Version {
        /// Which.
        file: PathBuf,
        /// Its version.
        version: u64,
    },
    /// A bit has flipped.
    #[error("{} is damaged: its checksum is {got}, the header says {expected}", .file.display())]
    Damaged {
        /// Which.
        file: PathBuf,
        /// First digits of what it is.
        got: String,
        /// First digits of what it should be.
        expected: String,
    },
    /// A checkpoint where a distance is wanted, or the other way round.
    #[error("{} holds a {found}, a {wanted} is needed", .file.display())]
    Kind {
        /// Which.
        file: PathBuf,
        /// What it holds.
        found: Kind,
        /// What was asked for.
        wanted: Kind,
    },
    /// A header that does not say what it must.
    #[error("the header of {} is not understood: {reason}", .file.display())]
    Header {
        /// Which.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// A spec that no distance has.
    #[error("{}: {error}", .file.display())]
    Spec {
        /// Which.
        file: PathBuf,
        /// What is wrong.
        error: SpecError,
    },
    /// Arrays that do not fit the spec.
    #[error("{}: {error}", .file.display())]
    Arrays {
        /// Which.
        file: PathBuf,
        /// What is wrong.
        error: NamedArrayError,
    },
}
