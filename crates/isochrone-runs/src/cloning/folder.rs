//! The run folder of a cloning: manifest, spec, records, checkpoint.

use super::{CloneOptions, CloneSpec, ErrorSum};
use crate::fit::Given;
use crate::output;
use anyhow::{Context, Result, bail};
use isochrone::nn::NamedArray;
use isochrone_files::data::DataSource;
use isochrone_files::fingerprint::fingerprint;
use isochrone_files::jsonl::{JsonLines, Keep};
use isochrone_files::model::{Contents, Kind, StateColumns};
use isochrone_files::run_folder::{
    CHECKPOINT, LOCK, MANIFEST, RunFolder, SPEC, holds_only, read_checkpoint, read_manifest,
    read_spec,
};
use isochrone_files::settings;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// As the lock calls it.
const WHAT: &str = "cloning";
const METRICS: &str = "metrics.jsonl";
/// Says that a run is over and that its folder may be taken by another.
const FINISHED: &str = "finished";

/// What is cloned from what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CloneManifest {
    pub(super) files: Vec<DataFile>,
    pub(super) columns: StateColumns,
    /// The column of the actions, if it was named.
    pub(super) action: Option<String>,
    /// The policy's file.
    pub(super) policy: PathBuf,
    written_by: String,
}

/// A data file as it was when the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DataFile {
    pub(super) path: PathBuf,
    fingerprint: String,
}

impl CloneManifest {
    pub(super) fn new(options: &CloneOptions, output: PathBuf) -> Result<Self> {
        let columns = StateColumns {
            state: options.state.clone(),
            episode: options.episode.clone(),
        };
        let source = DataSource::open(&options.files, columns.columns())?;
        let files = source.files().iter().map(|path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let fingerprint = fingerprint(&path)?;
            Ok(DataFile { path, fingerprint })
        });
        Ok(Self {
            files: files.collect::<Result<_>>()?,
            columns,
            action: options.action.clone(),
            policy: std::path::absolute(&output).unwrap_or(output),
            written_by: concat!("isochrone ", env!("CARGO_PKG_VERSION")).to_owned(),
        })
    }

    /// The data.
    pub(super) fn given(&self) -> Given {
        let names = self.files.iter().map(|f| f.path.display().to_string());
        Given::Files(names.collect(), self.columns.clone())
    }

    fn unless_changed(self) -> Result<Self> {
        for file in &self.files {
            if fingerprint(&file.path)? != file.fingerprint {
                bail!(
                    "{} is not the file it was when the cloning began",
                    file.path.display()
                );
            }
        }
        Ok(self)
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

    /// A folder for a new run. What a finished one left there is replaced; an unfinished one is not, and nothing else
    /// ever is.
    pub(super) fn create(path: &Path, manifest: &CloneManifest, spec: &CloneSpec) -> Result<Self> {
        let name = path.display();
        let is_new = !path.exists() || holds_only(path, &[LOCK]);
        if !is_new && read_manifest::<CloneManifest>(path).is_err() {
            bail!("{name} is there and is no cloning; name another folder with --run");
        }
        let folder = RunFolder::lock(path, WHAT)?;
        if folder.file(CHECKPOINT).exists() && !folder.file(FINISHED).exists() {
            bail!(
                "{name} holds a cloning that is not finished. Go on with it:\n  isochrone clone --resume {name}\nor remove the \
                 folder to begin anew"
            );
        }
        for old in [CHECKPOINT, METRICS, FINISHED, SPEC, MANIFEST] {
            let old = folder.file(old);
            if old.exists() {
                fs::remove_file(&old)
                    .with_context(|| format!("cannot replace {}", old.display()))?;
            }
        }
        folder.write_spec(spec)?;
        folder.write_manifest(manifest)?;
        Ok(Self(folder))
    }

    /// A run to go on with.
    pub(super) fn open(path: &Path) -> Result<(Self, CloneManifest, CloneSpec)> {
        let folder = RunFolder::open(path, WHAT)?;
        let manifest = read_manifest::<CloneManifest>(path)
            .with_context(|| format!("{} is no cloning", path.display()))?;
        Ok((Self(folder), manifest.unless_changed()?, read_spec(path)?))
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
        if then != *spec {
            bail!(
                "{SPEC} in {0} is not the one that {CHECKPOINT} was made with: nothing can be changed in the middle of a \
                 cloning. Undo the change, or remove {0} and begin anew",
                self.path().display()
            );
        }
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

    /// All is done: a later run may take the folder.
    pub(super) fn finish(&self) -> Result<()> {
        output::write(&self.0.file(FINISHED), b"")
    }
}
