//! The run folder: what was asked for, what came of it, and how to go on.
//!
//! ```text
//! spec.toml         the settled spec
//! manifest.json     files, columns, output
//! metrics.jsonl     a line per chunk; no clock, host or thread count
//! timing.jsonl      the same by the clock
//! events.out.…      the same for TensorBoard
//! checkpoint.isochrone
//! geodesic.roadmap  of the target `geodesic` only
//! ```

use super::learn::Origin;
use super::spec::FitSpec;
use crate::cluster::Ranks;
use crate::data_run::{DataFile, DataFiles, RunKind, absolute, written_by};
use anyhow::{Result, bail};
use isochrone_files::data::DataSource;
use isochrone_files::fingerprint::fingerprint;
use isochrone_files::model::StateColumns;
use isochrone_files::run_folder::{RunFolder, append_distinct, read_manifest, read_spec};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

pub(super) const FIT: RunKind = RunKind {
    noun: "fit",
    command: "fit",
};

/// What is fitted to what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) files: DataFiles,
    pub(super) columns: StateColumns,
    pub(super) output: PathBuf,
    written_by: String,
    /// In what order ranks' numbers were added, if the distance's bytes depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sums: Option<String>,
}

impl Manifest {
    pub(super) fn new(patterns: &[String], columns: StateColumns, output: &Path) -> Result<Self> {
        Ok(Self {
            files: DataFiles::of_patterns(patterns, &columns)?,
            columns,
            output: absolute(output),
            written_by: written_by(),
            sums: None,
        })
    }

    /// Of a fit whose sums are formed by these.
    fn among(mut self, ranks: &Ranks) -> Self {
        self.sums = append_distinct(self.sums, ranks.order_of_sums().as_deref());
        self
    }

    /// Where the data came from.
    pub(super) fn origin(&self) -> Origin {
        let file = |file: &DataFile| (name(&file.path), file.fingerprint.clone());
        Origin {
            files: self.files.0.iter().map(file).collect(),
            columns: self.columns.clone(),
        }
    }

    /// Opens the files; refused if one has changed.
    pub(super) fn open(&self) -> Result<DataSource> {
        self.files.refuse_changed(FIT)?;
        let patterns = self.files.patterns();
        Ok(DataSource::open(&patterns, self.columns.columns())?)
    }
}

impl Origin {
    /// Of these files as they are now.
    pub(super) fn of_files(files: &[PathBuf], columns: StateColumns) -> Result<Self> {
        let file = |path: &PathBuf| Ok((name(path), fingerprint(path)?));
        let files = files.iter().map(file).collect::<Result<_>>()?;
        Ok(Self { files, columns })
    }
}

/// A file's name without folders.
fn name(path: &Path) -> String {
    let name = path.file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Creates the folder of a new fit.
pub(super) fn create(path: &Path, manifest: &Manifest, spec: &FitSpec) -> Result<RunFolder> {
    let folder = absolute(path);
    let mut files = manifest.files.paths().chain([&manifest.output]);
    if let Some(inside) = files.find(|file| file.starts_with(&folder)) {
        bail!(
            "{} is inside the run folder {}",
            inside.display(),
            path.display()
        );
    }
    FIT.create(path, manifest, spec)
}

/// Opens the folder of a fit to resume.
pub(super) fn open(path: &Path) -> Result<(RunFolder, Manifest, FitSpec)> {
    let folder = RunFolder::open(path, FIT.noun)?;
    Ok((folder, read_manifest(path)?, read_spec(path)?))
}

/// Adds to the manifest how these ranks sum, if that decides the fit's last digits.
pub(super) fn record_ranks(
    folder: &RunFolder,
    known: &Manifest,
    ranks: &Ranks,
) -> Result<Manifest> {
    let now = known.clone().among(ranks);
    if now != *known {
        folder.write_manifest(&now)?;
    }
    Ok(now)
}
