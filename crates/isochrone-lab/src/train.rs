//! `isochrone train` and `isochrone resume`: a policy that reaches goals, and a folder with everything about it.
//!
//! ```text
//! preset or spec.toml, changed by key=value  →  a run folder
//! prepare, then iterations, each followed by its records and a checkpoint
//! ```

mod agent;
mod checkpoint;
mod clock;
mod folder;
mod history;
mod learn;
mod line;
mod meter;
mod own;
mod predictor;
mod presets;
mod quietly;
mod ranks;
mod records;
mod resume;
mod spec;
pub(crate) mod table;
mod world;

pub use own::{OwnTraining, OwnWorld};
pub use presets::{all as presets, named as preset};
pub use resume::run as resume;
pub use spec::{DistanceName, FeasibleGoals, GeneratorName, GoalSpaceName, LabelName, RunSpec};
pub use world::WorldChoice;

pub(crate) use agent::Agent;
pub(crate) use clock::Spent;
pub(crate) use history::History;
pub(crate) use quietly::run_to_end;
pub(crate) use records::{Evaluation, WorkingSet};
pub(crate) use world::{coverage_places, places};

use crate::cli::TrainOptions;
use crate::cluster::Crew;
use crate::output::{print, say};
use crate::settings;
use crate::stop::StopSign;
use anyhow::{Result, bail};
pub(crate) use folder::Manifest;
use std::path::{Path, PathBuf};

/// Runs `isochrone train`.
pub fn run(options: &TrainOptions) -> Result<()> {
    let crew = Crew::join(&options.cluster)?;
    let threads = threads(options.threads);
    crew.work(
        || begin(options, &crew, threads),
        || ranks::follow(&crew, threads),
    )
}

/// A new run.
fn begin(options: &TrainOptions, crew: &Crew, threads: usize) -> Result<()> {
    let base = base(&options.what)?;
    let spec = if options.quick {
        let quick = presets::quick(&base);
        say(&presets::given_up(&base, &quick));
        quick
    } else {
        base
    };
    let spec = settings::change(&spec, &options.set)?;
    let name = stem(&options.what);
    let default = || PathBuf::from("runs").join(format!("{name}-seed{}", spec.seed));
    let path = options.out.clone().unwrap_or_else(default);
    // What cannot be built must not leave a folder behind.
    let agent = Agent::among(crew, spec.clone(), threads)?;
    let manifest = Manifest::new(&spec, &name, options.revision.as_deref())?.among(crew);
    let folder = folder::create(&path, &manifest, &spec)?;
    ranks::lead(crew, &spec, None)?;
    learn::learn(&folder, agent, None, threads)?;
    tell(&path)
}

/// A training in its folder, gone on with if it is there already, for callers without a terminal: `told` hears of every
/// iteration that is done.
pub fn train_at(
    path: &Path,
    what: &str,
    overrides: &[String],
    threads: Option<u16>,
    stop: &StopSign,
    told: &(dyn Fn(u64) + Sync),
) -> Result<()> {
    if let Some(threads) = threads.filter(|threads| !(1..=1024).contains(threads)) {
        bail!("threads is {threads}; it must be at least 1 and at most 1024");
    }
    let spec: RunSpec = settings::change(&base(what)?, overrides)?;
    spec.check()?;
    let (name, threads) = (stem(what), self::threads(threads));
    run_to_end(path, &spec, threads, &name, None, stop, told)
}

/// Iterations that the checkpoint of a run folder has; `None` where there is no run yet.
pub(crate) fn iterations_done(path: &Path) -> Result<Option<u64>> {
    let checkpoint = checkpoint::read(path)?;
    Ok(checkpoint.map(|c| c.state.counters.iteration))
}

/// What to begin with: a file, or a preset.
pub(crate) fn base(what: &str) -> Result<RunSpec> {
    let path = Path::new(what);
    if path.extension().is_some_and(|ending| ending == "toml") {
        return settings::read(Some(path), &[]);
    }
    preset(what)
}

fn stem(what: &str) -> String {
    let stem = Path::new(what).file_stem();
    stem.map_or(what.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// As many as asked for, or as the machine has.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(all, usize::from)
}

/// What came of it.
fn tell(path: &Path) -> Result<()> {
    let history = History::read(path)?;
    let name = path.display();
    let last = history.evaluations.last();
    let coverage = last.map_or("not measured".to_owned(), |e| format!("{:.3}", e.coverage));
    let counters = checkpoint::read(path)?.map(|c| c.state.counters);
    let (iterations, steps) = counters.map_or((0, 0), |c| (c.iteration, c.env_steps));
    print(&format!(
        "{name}: {iterations} iterations, {steps} steps, coverage {coverage}\n  isochrone plot {name} -o coverage.svg\n"
    ))
}
