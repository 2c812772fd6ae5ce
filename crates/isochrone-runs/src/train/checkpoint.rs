//! Everything a training needs to go on, in one file.

use crate::output;
use anyhow::{Context, Result};
use isochrone::train::{Counters, TrainingState};
use isochrone_files::model::{Contents, Kind};
use isochrone_files::run_folder::{CHECKPOINT, RunFolder, read_checkpoint};
use isochrone_files::run_spec::RunSpec;
use isochrone_files::settings;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How much of each record the checkpoint knows of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBytes {
    pub metrics: u64,
    pub eval: u64,
    pub goals: u64,
    #[serde(default)]
    pub distance: u64,
}

/// What the header says beside the arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// The spec as TOML: its numbers come back to the bit.
    spec: String,
    counters: Counters,
    known_bytes: KnownBytes,
}

/// A run as it stood at the end of an iteration.
#[derive(Debug)]
pub struct Checkpoint {
    pub spec: RunSpec,
    pub state: TrainingState,
    pub known_bytes: KnownBytes,
}

/// Writes the checkpoint of a run.
pub(super) fn write(
    folder: &RunFolder,
    spec: &RunSpec,
    state: TrainingState,
    known_bytes: KnownBytes,
) -> Result<()> {
    let contents = Contents {
        kind: Kind::Agent,
        about: About {
            spec: settings::write(spec)?,
            counters: state.counters,
            known_bytes,
        },
        arrays: state.arrays,
    };
    let bytes = contents.to_bytes().context("cannot write a checkpoint")?;
    output::write(&folder.file(CHECKPOINT), &bytes)
}

/// Reads it back; `None` if there is none yet.
pub(super) fn read(folder: &Path) -> Result<Option<Checkpoint>> {
    let bytes = read_checkpoint(folder)?;
    bytes.map(|bytes| of_bytes(&bytes, folder)).transpose()
}

/// What such bytes say; the folder is for the errors.
pub(super) fn of_bytes(bytes: &[u8], folder: &Path) -> Result<Checkpoint> {
    let file = folder.join(CHECKPOINT);
    let Contents { about, arrays, .. } = Contents::<About>::of_bytes(bytes, &file, Kind::Agent)?;
    let About {
        spec,
        counters,
        known_bytes,
    } = about;
    Ok(Checkpoint {
        spec: RunSpec::parse(&spec).context("in the checkpoint's spec")?,
        state: TrainingState { arrays, counters },
        known_bytes,
    })
}
