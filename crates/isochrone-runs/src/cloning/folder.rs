//! The run folder of a cloning: manifest, spec, records, checkpoint.

use super::{CloneOptions, CloneSpec, ErrorSum};
use crate::data_run::{self, DataFiles, METRICS, RunKind, absolute, written_by};
use crate::fit::Given;
use crate::output;
use anyhow::{Context, Result};
use isochrone::nn::NamedArray;
use isochrone_files::jsonl::{JsonLines, Keep};
use isochrone_files::model::{Contents, Kind, StateColumns};
use isochrone_files::run_folder::{
    CHECKPOINT, RunFolder, read_checkpoint, read_manifest, read_spec,
};
use isochrone_files::settings;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const CLONING: RunKind = RunKind {
    noun: "cloning",
    command: "clone",
};

/// What is cloned from what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CloneManifest {
    pub(super) files: DataFiles,
    pub(super) columns: StateColumns,
    /// The column of the actions, if it was named.
    pub(super) action: Option<String>,
    /// The policy's file.
    pub(super) policy: PathBuf,
    written_by: String,
}

impl CloneManifest {
    pub(super) fn new(options: &CloneOptions, output: &Path) -> Result<Self> {
        let columns = options.data.columns();
        Ok(Self {
            files: DataFiles::of_patterns(&options.data.files, &columns)?,
            columns,
            action: options.action.clone(),
            policy: absolute(output),
            written_by: written_by(),
        })
    }

    /// The data.
    pub(super) fn given(&self) -> Given {
        Given::Files(self.files.patterns(), self.columns.clone())
    }
}

/// Where a cloning stands.
pub(super) struct Checkpoint {
    pub(super) spec: CloneSpec,
    pub(super) arrays: Vec<NamedArray>,
    pub(super) sum: ErrorSum,
    pub(super) metrics_bytes: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// The spec as TOML: its numbers come back to the bit.
    spec: String,
    /// As bits, for the same reason.
    sum: [u64; 3],
    metrics_bytes: u64,
}

/// An open folder.
pub(super) struct CloneFolder(RunFolder);

impl CloneFolder {
    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn create(path: &Path, manifest: &CloneManifest, spec: &CloneSpec) -> Result<Self> {
        CLONING.create(path, manifest, spec).map(Self)
    }

    /// Opens the folder of a cloning to resume; refused if a data file has changed.
    pub(super) fn open(path: &Path) -> Result<(Self, CloneManifest, CloneSpec)> {
        let folder = RunFolder::open(path, CLONING.noun)?;
        let manifest = read_manifest::<CloneManifest>(path)
            .with_context(|| format!("{} is not the run folder of a cloning", path.display()))?;
        manifest.files.refuse_changed(CLONING)?;
        Ok((Self(folder), manifest, read_spec(path)?))
    }

    pub(super) fn records(&self, known_bytes: u64) -> Result<JsonLines> {
        JsonLines::open(self.0.file(METRICS), Keep::Bytes(known_bytes))
    }

    /// Where the run stands; `None` at its beginning. Refused if the spec was changed since.
    pub(super) fn checkpoint(&self, spec: &CloneSpec) -> Result<Option<Checkpoint>> {
        let Some(bytes) = read_checkpoint(self.path())? else {
            return Ok(None);
        };
        let file = self.0.file(CHECKPOINT);
        let contents = Contents::<About>::of_bytes(&bytes, &file, Kind::Cloning)?;
        let About {
            spec: then,
            sum: [sum, count, last],
            metrics_bytes,
        } = contents.about;
        let then: CloneSpec = toml::from_str(&then).context("in the checkpoint's spec")?;
        CLONING.refuse_changed_spec(self.path(), spec, &then)?;
        Ok(Some(Checkpoint {
            spec: then,
            arrays: contents.arrays,
            sum: ErrorSum {
                sum: f64::from_bits(sum),
                count,
                last: f64::from_bits(last),
            },
            metrics_bytes,
        }))
    }

    pub(super) fn save(&self, checkpoint: &Checkpoint) -> Result<()> {
        let ErrorSum { sum, count, last } = checkpoint.sum;
        let contents = Contents {
            kind: Kind::Cloning,
            about: About {
                spec: settings::write(&checkpoint.spec)?,
                sum: [sum.to_bits(), count, last.to_bits()],
                metrics_bytes: checkpoint.metrics_bytes,
            },
            arrays: checkpoint.arrays.clone(),
        };
        let bytes = contents.to_bytes().context("cannot write a checkpoint")?;
        output::write(&self.0.file(CHECKPOINT), &bytes)
    }

    pub(super) fn finish(&self) -> Result<()> {
        data_run::finish(&self.0)
    }
}
