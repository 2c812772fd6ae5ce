//! The folder of a sweep.
//!
//! ```text
//! sweep.json       the units by name, with the digits of their specs
//! units/NAME.toml  the complete spec of each; `isochrone train` takes it as it is
//! runs/NAME        its run folder
//! ```

use anyhow::{Context, Result, bail};
use isochrone_files::fingerprint;
use isochrone_files::run_spec::RunSpec;
use isochrone_files::settings;
use isochrone_runs::output;
use isochrone_runs::train::iterations_done;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// What is written last: what has it is a sweep.
const LIST: &str = "sweep.json";

/// One training of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unit {
    pub(super) name: String,
    /// Its line in the sweep file.
    pub(super) variant: String,
    pub(super) seed: u64,
    /// The first digits of the SHA-256 of its spec.
    pub(super) spec_hash: String,
}

/// What `sweep.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    pub(super) written_by: String,
    /// Preset or file that all are made from.
    pub(super) base: String,
    pub(super) units: Vec<Unit>,
}

/// A sweep that was planned.
pub(super) struct Sweep {
    pub(super) folder: PathBuf,
    pub(super) list: List,
}

/// How far a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Waiting,
    /// So many iterations are kept.
    HalfDone(u64),
    Done,
}

impl Sweep {
    /// Writes the units down, the list last. The same plan may be made again; another one may not take its place.
    pub(super) fn create(folder: &Path, list: List, specs: &[RunSpec]) -> Result<Self> {
        let sweep = Self {
            folder: folder.to_owned(),
            list,
        };
        if folder.join(LIST).exists() {
            if Self::open(folder)?.list == sweep.list {
                return Ok(sweep);
            }
            bail!(
                "{} holds another sweep already; name another folder",
                folder.display()
            );
        }
        for (unit, spec) in sweep.list.units.iter().zip(specs) {
            let text = settings::write(spec)?;
            output::write(&sweep.spec_file(unit), text.as_bytes())?;
        }
        let text = serde_json::to_string_pretty(&sweep.list)? + "\n";
        output::write(&folder.join(LIST), text.as_bytes())?;
        Ok(sweep)
    }

    /// Opens a folder that `sweep plan` wrote.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let file = folder.join(LIST);
        let text = fs::read_to_string(&file);
        let text = text.with_context(|| format!("{} is not a sweep", folder.display()))?;
        let list: Result<List, _> = serde_json::from_str(&text);
        let list = list.with_context(|| format!("{} is not a list of units", file.display()))?;
        if list.units.is_empty() {
            bail!("{} is a list without a unit", file.display());
        }
        Ok(Self {
            folder: folder.to_owned(),
            list,
        })
    }

    fn spec_file(&self, unit: &Unit) -> PathBuf {
        self.folder
            .join("units")
            .join(format!("{}.toml", unit.name))
    }

    /// Its run folder.
    pub(super) fn run_folder(&self, unit: &Unit) -> PathBuf {
        self.folder.join("runs").join(&unit.name)
    }

    /// What a unit is to do, which may not have changed since it was planned.
    pub(super) fn spec(&self, unit: &Unit) -> Result<RunSpec> {
        let file = self.spec_file(unit);
        let text = fs::read_to_string(&file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        if fingerprint::of_text(&text) != unit.spec_hash {
            bail!(
                "{} was changed after it was planned; plan another sweep instead",
                file.display()
            );
        }
        RunSpec::read(&file)
    }

    /// How far a unit is.
    pub(super) fn progress(&self, unit: &Unit) -> Result<Progress> {
        let iterations = self.spec(unit)?.iterations;
        let folder = self.run_folder(unit);
        let done = iterations_done(&folder).with_context(|| {
            let (folder, sweep) = (folder.display(), self.folder.display());
            format!(
                "{folder} is damaged; remove it, and `isochrone sweep run {sweep}` repeats its unit"
            )
        })?;
        Ok(match done {
            None => Progress::Waiting,
            Some(done) if done >= iterations => Progress::Done,
            Some(done) => Progress::HalfDone(done),
        })
    }
}
