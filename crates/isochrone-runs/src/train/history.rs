//! What run folders say, read back.

use super::folder::Manifest;
use super::records::{EVAL, Evaluation, GOALS, WorkingSet};
use anyhow::{Context, Result};
use isochrone_files::path_kind;
use isochrone_files::run_folder::{SPEC, read_manifest};
use isochrone_files::run_spec::RunSpec;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A run as its folder tells it.
#[derive(Debug)]
pub struct History {
    /// Its folder.
    pub path: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its spec.
    pub spec: RunSpec,
    /// Its evaluations, in order.
    pub evaluations: Vec<Evaluation>,
}

impl History {
    /// Reads a run, finished or not.
    pub fn read(path: &Path) -> Result<Self> {
        path_kind::refuse_other_than_training(path)?;
        Ok(Self {
            path: path.to_owned(),
            manifest: read_manifest(path)
                .with_context(|| format!("{} is not a training", path.display()))?,
            spec: RunSpec::read(&path.join(SPEC))?,
            evaluations: lines(&path.join(EVAL))?,
        })
    }

    /// The lines of one of its files.
    pub(super) fn lines<L: DeserializeOwned>(&self, name: &str) -> Result<Vec<L>> {
        lines(&self.path.join(name))
    }

    /// All working sets so far.
    pub fn working_sets(&self) -> Result<Vec<WorkingSet>> {
        self.lines(GOALS)
    }

    /// The last working set, if there was one yet.
    pub fn last_goals(&self) -> Result<Option<WorkingSet>> {
        Ok(self.working_sets()?.pop())
    }
}

/// The lines of a file; one that is being written is left out.
fn lines<L: DeserializeOwned>(path: &Path) -> Result<Vec<L>> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let whole = text.split_inclusive('\n').filter(|l| l.ends_with('\n'));
    let read = |(at, line): (usize, &str)| {
        let line = serde_json::from_str(line);
        line.with_context(|| format!("line {} of {name}", at + 1))
    };
    whole.enumerate().map(read).collect()
}
