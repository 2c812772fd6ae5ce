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
use crate::model::StateColumns;
use crate::{output, settings};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// A data file as it was when the fit began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DataFile {
    pub(super) path: PathBuf,
    bytes: u64,
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
            let bytes = bytes_of(&path)?;
            Ok(DataFile { path, bytes })
        });
        Ok(Self {
            files: files.collect::<Result<_>>()?,
            columns,
            output,
            written_by: concat!("isochrone ", env!("CARGO_PKG_VERSION")).to_owned(),
        })
    }

    /// The same files, if they still are the same.
    pub(super) fn open(&self) -> Result<DataSource> {
        for file in &self.files {
            let (now, then) = (bytes_of(&file.path)?, file.bytes);
            if now != then {
                bail!(
                    "{} has {now} bytes, it had {then} when the fit began",
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

fn bytes_of(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path);
    Ok(metadata
        .with_context(|| format!("cannot read {}", path.display()))?
        .len())
}

/// An open run folder.
#[derive(Clone, Debug)]
pub(super) struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// A new run. What a finished one left there is replaced; an unfinished one is not.
    pub(super) fn create(path: &Path, manifest: &Manifest, spec: &FitSpec) -> Result<Self> {
        let folder = Self {
            path: path.to_owned(),
        };
        let name = path.display();
        if path.exists() && !folder.file("manifest.json").exists() {
            bail!("{name} is there and is no run folder; name another one with --run");
        }
        if folder.file("checkpoint.isochrone").exists() && !folder.file("finished").exists() {
            bail!(
                "{name} holds a fit that is not finished. Go on with it:\n  isochrone fit --resume {name}\nor remove \
                 the folder to begin anew"
            );
        }
        if path.exists() {
            fs::remove_dir_all(path).with_context(|| format!("cannot replace {name}"))?;
        }
        let text = serde_json::to_string_pretty(manifest)? + "\n";
        output::write(&folder.file("manifest.json"), text.as_bytes())?;
        folder.write_spec(spec)?;
        Ok(folder)
    }

    /// A run to go on with.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let folder = Self {
            path: path.to_owned(),
        };
        if !folder.file("manifest.json").is_file() {
            bail!(
                "{} is no run folder: it has no manifest.json",
                path.display()
            );
        }
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(super) fn manifest(&self) -> Result<Manifest> {
        let file = self.file("manifest.json");
        let text = fs::read_to_string(&file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no manifest", file.display()))
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
