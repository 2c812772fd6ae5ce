//! Model files: one file with a distance, its spec and its training data.
//!
//! A `.isochrone` file is a safetensors file, readable from every language: named arrays, and one entry of
//! metadata, `isochrone`, a JSON text:
//!
//! ```text
//! {"checksum": "…", "format_version": 2, "kind": "distance", "units": "steps", "written_by": …, "about": {…}}
//! ```
//!
//! | kind | arrays | about |
//! |---|---|---|
//! | `distance` | the network, its normaliser, the range of each entry, `scale` (steps per unit, f64), `reached.goals` if there is a success test | spec, states, training facts, calibration, the success test |
//! | `fit` | all of that, Adam's moments, the target network, the goals | the whole spec, and how far the run has come |
//! | `agent` | policy, baseline, goal generator, archive | the whole spec, and how far the run has come |
//! | `policy` | the network, its normaliser, the range of each entry of an action | spec, columns, training facts |
//! | `cloning` | the network, Adam's moments | the whole spec, and how far the run has come |
//! | `roadmap` | those of its distance, `roadmap.landmarks`, `roadmap.hops` | those of its distance, and how the map came about |
//!
//! The checksum is the SHA-256 of the whole file with the checksum's own 64 digits as zeros. A file that is truncated,
//! damaged, of another kind or of a newer version is an error that names the file ([`ModelError`]).

mod container;
mod distance;
mod error;
mod far;
mod learned_episodes;
mod reached;
mod trust;

/// The extension of model files.
pub const ENDING: &str = "isochrone";

pub use container::{Contents, FORMAT_VERSION, Kind};
pub use distance::{
    About, Calibrated, CalibratedBand, DistanceModel, FileFacts, StateColumns, TrainingFacts,
};
pub use error::ModelError;
pub use far::{FarEntry, RANGE_HIGH, RANGE_LOW};
pub use learned_episodes::{CopyFinder, EpisodeMarks};
pub use reached::ReachedTest;
pub use trust::{AtZero, BeyondWindow, WithinEpisodes, verdict};
