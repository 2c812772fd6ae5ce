//! The run folder: what was asked for, what came of it, and how to go on.
//!
//! ```text
//! spec.toml         the settled spec
//! manifest.json     files, columns, output
//! metrics.jsonl     a line per chunk; no clock, host or thread count
//! timing.jsonl      the same by the clock
//! events.out.…      the same for TensorBoard
//! checkpoint.isochrone
//! ```

use super::geodesic::MAP;
use super::learn::Origin;
use super::spec::FitSpec;
use crate::cluster::Ranks;
use crate::output;
use anyhow::{Context, Result, bail};
use isochrone_files::data::DataSource;
use isochrone_files::fingerprint::fingerprint;
use isochrone_files::model::StateColumns;
use isochrone_files::run_folder::{
    CHECKPOINT, LOCK, MANIFEST, RunFolder, SPEC, holds_only, read_manifest, read_spec, told_behind,
};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// A data file as it was when the fit began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DataFile {
    pub(super) path: PathBuf,
    pub(super) fingerprint: String,
}

/// What is fitted to what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) files: Vec<DataFile>,
    pub(super) columns: StateColumns,
    pub(super) output: PathBuf,
    written_by: String,
    /// In what order ranks' numbers were added, if the distance's bytes depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sums: Option<String>,
}

impl Manifest {
    pub(super) fn new(patterns: &[String], columns: StateColumns, output: PathBuf) -> Result<Self> {
        let source = DataSource::open(patterns, columns.columns())?;
        let files = source.files().iter().map(|path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let fingerprint = fingerprint(&path)?;
            Ok(DataFile { path, fingerprint })
        });
        Ok(Self {
            files: files.collect::<Result<_>>()?,
            columns,
            output: std::path::absolute(&output).unwrap_or(output),
            written_by: concat!("isochrone ", env!("CARGO_PKG_VERSION")).to_owned(),
            sums: None,
        })
    }

    /// Of a fit whose sums are formed by these.
    fn among(mut self, ranks: &Ranks) -> Self {
        self.sums = told_behind(self.sums, ranks.order_of_sums().as_deref());
        self
    }

    /// Where the data came from.
    pub(super) fn origin(&self) -> Origin {
        let file = |file: &DataFile| (name(&file.path), file.fingerprint.clone());
        Origin {
            files: self.files.iter().map(file).collect(),
            columns: self.columns.clone(),
        }
    }

    /// The same files, if they still are the same.
    pub(super) fn open(&self) -> Result<DataSource> {
        for file in &self.files {
            if fingerprint(&file.path)? != file.fingerprint {
                bail!(
                    "{} is not the file it was when the fit began",
                    file.path.display()
                );
            }
        }
        // Names are patterns to the reader; a file that exists is taken by its name.
        let names = self.files.iter().map(|f| f.path.display().to_string());
        Ok(DataSource::open(
            &names.collect::<Vec<_>>(),
            self.columns.columns(),
        )?)
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

/// What a run leaves in its folder, beside event files.
const OURS: [&str; 7] = [
    SPEC,
    MANIFEST,
    "metrics.jsonl",
    "timing.jsonl",
    CHECKPOINT,
    MAP,
    FINISHED,
];

/// Says that a run is over and that its folder may be taken by another.
const FINISHED: &str = "finished";

/// As the lock calls it.
const WHAT: &str = "fit";

/// A folder for a new run. What a finished one left there is replaced; an unfinished one is not, and nothing else
/// ever is.
pub(super) fn create(path: &Path, manifest: &Manifest, spec: &FitSpec) -> Result<RunFolder> {
    let name = path.display();
    let is_new = !path.exists() || holds_only(path, &[LOCK]);
    if !is_new && read_manifest::<Manifest>(path).is_err() {
        bail!("{name} is there and is no run folder; name another one with --run");
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let files = manifest.files.iter().map(|file| &file.path);
    if let Some(inside) = files
        .chain([&manifest.output])
        .find(|f| f.starts_with(&absolute))
    {
        bail!("{} is inside the run folder {name}", inside.display());
    }
    let folder = RunFolder::lock(path, WHAT)?;
    if folder.file(CHECKPOINT).exists() && !folder.file(FINISHED).exists() {
        bail!(
            "{name} holds a fit that is not finished. Go on with it:\n  isochrone fit --resume {name}\nor remove \
             the folder to begin anew"
        );
    }
    clear(&folder)?;
    folder.write_manifest(manifest)?;
    folder.write_spec(spec)?;
    Ok(folder)
}

/// A run to go on with.
pub(super) fn open(path: &Path) -> Result<(RunFolder, Manifest, FitSpec)> {
    let folder = RunFolder::open(path, WHAT)?;
    Ok((folder, read_manifest(path)?, read_spec(path)?))
}

/// Refuses to go on with another spec than a checkpoint was made with.
pub(super) fn refuse_changed(folder: &RunFolder, now: &FitSpec, then: &FitSpec) -> Result<()> {
    if now != then {
        bail!(
            "{SPEC} in {0} is not the one that {CHECKPOINT} was made with: nothing can be changed in the middle of a fit. \
             Undo the change, or remove {0} and fit anew",
            folder.path().display()
        );
    }
    Ok(())
}

/// Writes down who goes on with a fit, if that decides its last digits.
pub(super) fn go_on(folder: &RunFolder, known: &Manifest, ranks: &Ranks) -> Result<Manifest> {
    let now = known.clone().among(ranks);
    if now != *known {
        folder.write_manifest(&now)?;
    }
    Ok(now)
}

/// All is done: a later run may take the folder.
pub(super) fn finish(folder: &RunFolder) -> Result<()> {
    output::write(&folder.file(FINISHED), b"")
}

/// Removes what an earlier run left, file by file, and last what says that the folder is a run's.
fn clear(folder: &RunFolder) -> Result<()> {
    let mut left = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = OURS.contains(&name.as_str())
            || (name.starts_with("events.out.tfevents.") && name.contains(".isochrone."));
        if is_ours {
            left.push((name == MANIFEST, entry.path()));
        }
    }
    left.sort();
    for (_, path) in left {
        fs::remove_file(&path).with_context(|| format!("cannot replace {}", path.display()))?;
    }
    Ok(())
}
