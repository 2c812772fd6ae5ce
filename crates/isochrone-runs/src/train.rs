//! `isochrone train` and `isochrone resume`: trains a policy in a run folder.
//!
//! ```text
//! preset or spec.toml, changed by key=value  →  a run folder
//! prepare, then iterations, each followed by its records and a checkpoint
//! ```

mod checkpoint;
mod clock;
mod drift;
mod folder;
mod history;
mod last_coverage;
mod learn;
mod line;
mod meter;
mod metrics;
mod quick;
mod ranks;
mod records;
mod resume;
mod run;
mod run_to_end;
#[cfg(feature = "worlds")]
mod straight_line;
pub mod table;
mod world;

pub use world::{WorldChoice, world_of};

pub use clock::{Clock, Spent};
pub use history::History;
pub use last_coverage::{LAST_EVALUATIONS, last_coverage};
pub use metrics::{Metrics, WaypointRecord};
pub use quick::{given_up, quick};
pub use ranks::follow;
pub use records::{DistanceRecord, Evaluation, PlannedEvaluation, WorkingSet};
pub use resume::resume;
pub use run::TrainingRun;
pub use run_to_end::run_to_end;
#[cfg(feature = "worlds")]
pub use straight_line::straight_line_coverage;
pub use world::{coverage_places, places};

use crate::cluster::Ranks;
use crate::stop::StopFlag;
use anyhow::{Result, bail};
pub use folder::Manifest;
use isochrone::train::{Counters, GoalDistance};
use isochrone_files::run_spec::RunSpec;
use std::path::Path;
use toml::Table;

/// Begins a run in a new folder, as rank 0. Other ranks call [`follow`].
pub fn begin(
    path: &Path,
    spec: &RunSpec,
    name: &str,
    revision: Option<&str>,
    ranks: &Ranks,
    threads: usize,
) -> Result<()> {
    // Built first: a spec that cannot be built leaves no folder behind.
    let agent = TrainingRun::among(ranks, spec.clone(), threads)?;
    let manifest = Manifest::new(spec, name, revision)?.among(ranks);
    let folder = folder::create(path, &manifest, spec)?;
    ranks::lead(ranks, spec, None)?;
    learn::learn(&folder, agent, None, threads)
}

/// Trains in a folder, or resumes the run there, for callers without a terminal: a preset or spec file with changes. `on_iteration`
/// is called after every iteration.
pub fn train_at(
    path: &Path,
    what: &str,
    changes: Table,
    threads: Option<u16>,
    stop: &StopFlag,
    on_iteration: &(dyn Fn(u64) + Sync),
) -> Result<()> {
    if let Some(threads) = threads.filter(|threads| !(1..=1024).contains(threads)) {
        bail!("threads is {threads}; it must be at least 1 and at most 1024");
    }
    let spec: RunSpec = base(what)?.merged(changes)?;
    spec.check()?;
    let (name, threads) = (stem(what), self::threads(threads));
    run_to_end(path, &spec, threads, &name, None, stop, on_iteration)
}

/// Totals of the last checkpoint of a run folder; `None` before the first.
pub fn counters(path: &Path) -> Result<Option<Counters>> {
    Ok(checkpoint::read(path)?.map(|c| c.state.counters))
}

/// Iterations that the checkpoint of a run folder has; `None` where there is no run yet.
pub fn iterations_done(path: &Path) -> Result<Option<u64>> {
    let checkpoint = checkpoint::read(path)?;
    Ok(checkpoint.map(|c| c.state.counters.iteration))
}

/// What to begin with: a file, or a preset.
pub fn base(what: &str) -> Result<RunSpec> {
    let path = Path::new(what);
    if path.extension().is_some_and(|ending| ending == "toml") {
        return RunSpec::read(path);
    }
    RunSpec::preset(what)
}

/// The name of a run that begins with this preset or file.
pub fn stem(what: &str) -> String {
    let stem = Path::new(what).file_stem();
    stem.map_or(what.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// As many as asked for, or as the machine has.
pub fn threads(asked: Option<u16>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(all, usize::from)
}

/// The colour of a run's distance: the same in every figure.
pub const fn colour(spec: &RunSpec) -> usize {
    match spec.agent.distance {
        GoalDistance::Euclidean { .. } => 0,
        GoalDistance::OnPolicy { .. } => 1,
        GoalDistance::OffPolicy { .. } => 2,
    }
}
