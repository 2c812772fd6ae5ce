//! A run folder: manifest, spec, checkpoint and a lock.

use crate::output::PARTIAL;
use crate::{output, settings};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, DirEntry, File, TryLockError};
use std::path::{Path, PathBuf};

/// The manifest.
pub const MANIFEST: &str = "manifest.json";
/// The spec.
pub const SPEC: &str = "spec.toml";
/// The checkpoint.
pub const CHECKPOINT: &str = "checkpoint.isochrone";

/// The lock file.
pub const LOCK: &str = "lock";

/// Another process has locked the folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Busy(String);

/// An open run folder, locked as long as this value lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Creates the folder if necessary and locks it, for a `what` (a fit, a training).
    pub fn lock(path: &Path, what: &str) -> Result<Self> {
        let name = path.display();
        fs::create_dir_all(path).with_context(|| format!("cannot make the folder {name}"))?;
        let lock = File::create(path.join(LOCK));
        let lock = lock.with_context(|| format!("cannot write in {name}"))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                bail!(Busy(format!("another {what} is running in {name}")))
            }
            // A file system without locks is accepted.
            Err(TryLockError::Error(_)) | Ok(()) => {
                remove_unfinished(path);
                Ok(Self {
                    path: path.to_owned(),
                    _lock: lock,
                })
            }
        }
    }

    /// Locks the folder of an existing run.
    pub fn open(path: &Path, what: &str) -> Result<Self> {
        if !path.join(MANIFEST).is_file() {
            bail!(
                "{} is not a run folder: it has no {MANIFEST}",
                path.display()
            );
        }
        Self::lock(path, what)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes the manifest.
    pub fn write_manifest(&self, manifest: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(manifest)? + "\n";
        output::write(&self.file(MANIFEST), text.as_bytes())
    }

    /// Writes the spec.
    pub fn write_spec(&self, spec: &impl Serialize) -> Result<()> {
        let text = settings::write(spec)?;
        output::write(&self.file(SPEC), text.as_bytes())
    }
}

/// The checkpoint's bytes, which rank 0 sends to the other ranks; `None` if there is none yet.
pub fn read_checkpoint(folder: &Path) -> Result<Option<Vec<u8>>> {
    let file = folder.join(CHECKPOINT);
    if !file.exists() {
        return Ok(None);
    }
    let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Some(bytes))
}

/// Removes temporary files of killed runs: only the holder of the lock writes them.
fn remove_unfinished(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if is_unfinished(&entry.file_name().to_string_lossy()) {
            // A file that cannot be removed is harmless.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether this is the name of a temporary file.
fn is_unfinished(name: &str) -> bool {
    let of = [MANIFEST, SPEC, CHECKPOINT];
    name.ends_with(PARTIAL) && of.iter().any(|whole| name.starts_with(whole))
}

/// Whether the folder contains only files of these names, and leftovers of a run that was killed before it began.
pub fn holds_only(path: &Path, names: &[&str]) -> bool {
    let is_one = |entry: std::io::Result<DirEntry>| {
        entry.is_ok_and(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            is_unfinished(&name) || names.contains(&name.as_ref())
        })
    };
    fs::read_dir(path).is_ok_and(|mut entries| entries.all(is_one))
}

/// Reads the manifest.
pub fn read_manifest<M: DeserializeOwned>(folder: &Path) -> Result<M> {
    let file = folder.join(MANIFEST);
    let text = fs::read_to_string(&file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a manifest", file.display()))
}

/// Reads the spec.
pub fn read_spec<S>(folder: &Path) -> Result<S>
where
    S: Default + Serialize + DeserializeOwned,
{
    let file = folder.join(SPEC);
    settings::read(Some(&file), &[]).with_context(|| format!("in {}", file.display()))
}

/// The revisions of a manifest, with a new one appended after `+`.
pub fn append_distinct(known: Option<String>, now: Option<&str>) -> Option<String> {
    match (known, now) {
        (known, None) => known,
        (None, Some(now)) => Some(now.to_owned()),
        (Some(known), Some(now)) if known.split('+').any(|known| known == now) => Some(known),
        (Some(known), Some(now)) => Some(format!("{known}+{now}")),
    }
}
