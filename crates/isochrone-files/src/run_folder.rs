//! A folder that one run works in: what was asked for, what came of it, how to go on.

use crate::output::PARTIAL;
use crate::{output, settings};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, DirEntry, File, TryLockError};
use std::path::{Path, PathBuf};

/// What says that a folder is a run's.
pub const MANIFEST: &str = "manifest.json";
/// What was asked for.
pub const SPEC: &str = "spec.toml";
/// Everything needed to go on.
pub const CHECKPOINT: &str = "checkpoint.isochrone";

/// What is locked while somebody is at work.
pub const LOCK: &str = "lock";

/// Somebody else is at work in a folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Busy(String);

/// An open run folder. Nobody else works in it as long as this lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: File,
}

impl RunFolder {
    /// Takes the folder, which is made if it is not there, for a `what` (a fit, a training).
    pub fn lock(path: &Path, what: &str) -> Result<Self> {
        let name = path.display();
        fs::create_dir_all(path).with_context(|| format!("cannot make the folder {name}"))?;
        let lock = File::create(path.join(LOCK));
        let lock = lock.with_context(|| format!("cannot write in {name}"))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                bail!(Busy(format!("another {what} is at work in {name}")))
            }
            // A file system without locks is no reason to refuse.
            Err(TryLockError::Error(_)) | Ok(()) => {
                remove_unfinished(path);
                Ok(Self {
                    path: path.to_owned(),
                    _lock: lock,
                })
            }
        }
    }

    /// Takes a folder in which a run was begun.
    pub fn open(path: &Path, what: &str) -> Result<Self> {
        if !path.join(MANIFEST).is_file() {
            bail!("{} is no run folder: it has no {MANIFEST}", path.display());
        }
        Self::lock(path, what)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes down what the folder is about.
    pub fn write_manifest(&self, manifest: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(manifest)? + "\n";
        output::write(&self.file(MANIFEST), text.as_bytes())
    }

    /// Writes down what was asked for.
    pub fn write_spec(&self, spec: &impl Serialize) -> Result<()> {
        let text = settings::write(spec)?;
        output::write(&self.file(SPEC), text.as_bytes())
    }
}

/// The checkpoint's bytes as they are, which followers of a run hear from its leader; `None` if there is none yet.
pub fn read_checkpoint(folder: &Path) -> Result<Option<Vec<u8>>> {
    let file = folder.join(CHECKPOINT);
    if !file.exists() {
        return Ok(None);
    }
    let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Some(bytes))
}

/// Removes what killed runs left unfinished: who holds the lock is the only one to write these.
fn remove_unfinished(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if is_unfinished(&entry.file_name().to_string_lossy()) {
            // It is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Is this the name of a run's file before it is whole?
fn is_unfinished(name: &str) -> bool {
    let of = [MANIFEST, SPEC, CHECKPOINT];
    name.ends_with(PARTIAL) && of.iter().any(|whole| name.starts_with(whole))
}

/// Is nothing in this folder but files of these names, and what a run leaves that was killed before it began?
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

/// What a folder is about.
pub fn read_manifest<M: DeserializeOwned>(folder: &Path) -> Result<M> {
    let file = folder.join(MANIFEST);
    let text = fs::read_to_string(&file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no manifest", file.display()))
}

/// What was asked for in a folder.
pub fn read_spec<S>(folder: &Path) -> Result<S>
where
    S: Default + Serialize + DeserializeOwned,
{
    let file = folder.join(SPEC);
    settings::read(Some(&file), &[]).with_context(|| format!("in {}", file.display()))
}

/// What a manifest knows, and behind it what is new, with `+` between.
pub fn told_behind(known: Option<String>, now: Option<&str>) -> Option<String> {
    match (known, now) {
        (known, None) => known,
        (None, Some(now)) => Some(now.to_owned()),
        (Some(known), Some(now)) if known.split('+').any(|known| known == now) => Some(known),
        (Some(known), Some(now)) => Some(format!("{known}+{now}")),
    }
}
