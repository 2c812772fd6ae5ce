//! Run folders of `isochrone fit` and `isochrone clone`, which learn from data files.

use crate::output;
use anyhow::{Context, Result, bail};
use isochrone_files::data::DataSource;
use isochrone_files::fingerprint::fingerprint;
use isochrone_files::model::StateColumns;
use isochrone_files::run_folder::{
    CHECKPOINT, LOCK, MANIFEST, RunFolder, SPEC, holds_only, read_manifest,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Records of a run, one line each.
pub(crate) const METRICS: &str = "metrics.jsonl";
/// The roadmap of a fit with the target `geodesic`.
pub(crate) const GEODESIC_MAP: &str = "geodesic.roadmap";
/// Marks a finished run: a new run may replace it.
const FINISHED: &str = "finished";
/// The files of a run, besides TensorBoard's event files.
const OURS: [&str; 7] = [
    SPEC,
    MANIFEST,
    METRICS,
    "timing.jsonl",
    CHECKPOINT,
    GEODESIC_MAP,
    FINISHED,
];

/// The version that writes a manifest.
pub(crate) fn written_by() -> String {
    concat!("isochrone ", env!("CARGO_PKG_VERSION")).to_owned()
}

/// The absolute path, or the path itself where there is no current folder.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A data file as it was when the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DataFile {
    pub(crate) path: PathBuf,
    pub(crate) fingerprint: String,
}

/// The data files of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct DataFiles(pub(crate) Vec<DataFile>);

impl DataFiles {
    /// The files that match the patterns, as they are now.
    pub(crate) fn of_patterns(patterns: &[String], columns: &StateColumns) -> Result<Self> {
        let source = DataSource::open(patterns, columns.columns())?;
        let files = source.files().iter().map(|path| {
            let path = absolute(path);
            let fingerprint = fingerprint(&path)?;
            Ok(DataFile { path, fingerprint })
        });
        Ok(Self(files.collect::<Result<_>>()?))
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().map(|file| &file.path)
    }

    /// The paths as patterns: the reader takes a file that exists by its name.
    pub(crate) fn patterns(&self) -> Vec<String> {
        self.paths().map(|p| p.display().to_string()).collect()
    }

    /// Refuses files that changed since the run began.
    pub(crate) fn refuse_changed(&self, run: RunKind) -> Result<()> {
        for DataFile {
            path,
            fingerprint: then,
        } in &self.0
        {
            if fingerprint(path)? != *then {
                bail!(
                    "{} is not the file it was when the {} began",
                    path.display(),
                    run.noun
                );
            }
        }
        Ok(())
    }
}

/// What is run, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunKind {
    pub(crate) noun: &'static str,
    /// The subcommand of `isochrone`.
    pub(crate) command: &'static str,
}

impl RunKind {
    /// Creates the folder of a new run. A finished run of the same kind is replaced; an unfinished one is refused, and so
    /// is any other folder.
    pub(crate) fn create<M: Serialize + DeserializeOwned>(
        self,
        path: &Path,
        manifest: &M,
        spec: &impl Serialize,
    ) -> Result<RunFolder> {
        let (name, Self { noun, command }) = (path.display(), self);
        let is_new = !path.exists() || holds_only(path, &[LOCK]);
        if !is_new && read_manifest::<M>(path).is_err() {
            bail!("{name} exists and is not the run folder of a {noun}; choose another with --run");
        }
        let folder = RunFolder::lock(path, noun)?;
        if folder.file(CHECKPOINT).exists() && !folder.file(FINISHED).exists() {
            bail!(
                "{name} holds an unfinished {noun}. Resume it:\n  isochrone {command} --resume {name}\nor remove the folder \
                 to start again"
            );
        }
        clear(&folder)?;
        folder.write_manifest(manifest)?;
        folder.write_spec(spec)?;
        Ok(folder)
    }

    /// Refuses to resume with a spec other than the checkpoint's.
    pub(crate) fn refuse_changed_spec<S: PartialEq>(
        self,
        folder: &Path,
        now: &S,
        then: &S,
    ) -> Result<()> {
        if now != then {
            bail!(
                "{SPEC} in {0} differs from the spec of {CHECKPOINT}: no setting can change in the middle of a {1}. Undo the \
                 change, or remove {0} and start again",
                folder.display(),
                self.noun
            );
        }
        Ok(())
    }
}

/// Marks the run as finished.
pub(crate) fn finish(folder: &RunFolder) -> Result<()> {
    output::write(&folder.file(FINISHED), b"")
}

/// Removes the files of an earlier run, the manifest last: until then the folder is known as a run's.
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
