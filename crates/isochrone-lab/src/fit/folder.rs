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

use super::spec::FitSpec;
use crate::data::DataSource;
use crate::fingerprint::fingerprint;
use crate::model::StateColumns;
use crate::{output, settings};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
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
        })
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

/// An open run folder. Nobody else works in it as long as this lives.
#[derive(Debug)]
pub(super) struct RunFolder {
    path: PathBuf,
    _lock: File,
}

/// What a run leaves in its folder, beside event files.
const OURS: [&str; 6] = [
    "spec.toml",
    "manifest.json",
    "metrics.jsonl",
    "timing.jsonl",
    "checkpoint.isochrone",
    "finished",
];

impl RunFolder {
    /// A new run. What a finished one left there is replaced; an unfinished one is not, and nothing else ever is.
    pub(super) fn create(path: &Path, manifest: &Manifest, spec: &FitSpec) -> Result<Self> {
        let name = path.display();
        let is_new = !path.exists() || is_empty(path);
        if !is_new && read_manifest(path).is_err() {
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
        fs::create_dir_all(path).with_context(|| format!("cannot make the folder {name}"))?;
        let folder = Self::lock(path)?;
        if folder.file("checkpoint.isochrone").exists() && !folder.file("finished").exists() {
            bail!(
                "{name} holds a fit that is not finished. Go on with it:\n  isochrone fit --resume {name}\nor remove \
                 the folder to begin anew"
            );
        }
        folder.clear()?;
        let text = serde_json::to_string_pretty(manifest)? + "\n";
        output::write(&folder.file("manifest.json"), text.as_bytes())?;
        folder.write_spec(spec)?;
        Ok(folder)
    }

    /// A run to go on with.
    pub(super) fn open(path: &Path) -> Result<Self> {
        if !path.join("manifest.json").is_file() {
            bail!(
                "{} is no run folder: it has no manifest.json",
                path.display()
            );
        }
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self> {
        let name = path.display();
        let lock = File::create(path.join("lock"));
        let lock = lock.with_context(|| format!("cannot write in {name}"))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => bail!("another fit is at work in {name}"),
            // A file system without locks is no reason to refuse.
            Err(TryLockError::Error(_)) | Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
        }
    }

    /// Removes what an earlier run left, file by file.
    fn clear(&self) -> Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = OURS.contains(&name.as_str())
                || (name.starts_with("events.out.tfevents.") && name.contains(".isochrone."));
            if is_ours {
                let path = entry.path();
                fs::remove_file(&path)
                    .with_context(|| format!("cannot replace {}", path.display()))?;
            }
        }
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(super) fn manifest(&self) -> Result<Manifest> {
        read_manifest(&self.path)
    }

    /// All is done: a later run may take the folder.
    pub(super) fn finish(&self) -> Result<()> {
        output::write(&self.file("finished"), b"")
    }

    pub(super) fn spec(&self) -> Result<FitSpec> {
        let file = self.file("spec.toml");
        settings::read(Some(&file), &[]).with_context(|| format!("in {}", file.display()))
    }

    pub(super) fn write_spec(&self, spec: &FitSpec) -> Result<()> {
        let text = settings::write(spec)?;
        output::write(&self.file("spec.toml"), text.as_bytes())
    }
}

fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

fn read_manifest(folder: &Path) -> Result<Manifest> {
    let file = folder.join("manifest.json");
    let text = fs::read_to_string(&file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no manifest", file.display()))
}
