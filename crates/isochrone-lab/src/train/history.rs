//! What run folders say, read back.

use super::folder::Manifest;
use super::records::{EVAL, Evaluation, GOALS, WorkingSet};
use super::spec::RunSpec;
use crate::recognise;
use crate::run_folder::{read_manifest, read_spec};
use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A run as its folder tells it.
pub(crate) struct History {
    pub(crate) path: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) spec: RunSpec,
    pub(crate) evaluations: Vec<Evaluation>,
}

impl History {
    /// Reads a run, finished or not.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        recognise::refuse_other_than_training(path)?;
        Ok(Self {
            path: path.to_owned(),
            manifest: read_manifest(path)
                .with_context(|| format!("{} is no training", path.display()))?,
            spec: read_spec(path)?,
            evaluations: lines(&path.join(EVAL))?,
        })
    }

    /// The lines of one of its files.
    pub(super) fn lines<L: DeserializeOwned>(&self, name: &str) -> Result<Vec<L>> {
        lines(&self.path.join(name))
    }

    /// All working sets so far.
    pub(crate) fn working_sets(&self) -> Result<Vec<WorkingSet>> {
        self.lines(GOALS)
    }

    /// The last working set, if there was one yet.
    pub(crate) fn last_goals(&self) -> Result<Option<WorkingSet>> {
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
