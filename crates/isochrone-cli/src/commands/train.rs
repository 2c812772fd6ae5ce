//! `isochrone train` and `isochrone resume`: a policy that reaches goals, and a folder with everything about it.

use crate::cli::{ResumeOptions, TrainOptions};
use anyhow::Result;
use isochrone_runs::cluster::Ranks;
use isochrone_runs::output::{print, say};
use isochrone_runs::train::{self, History};
use std::path::{Path, PathBuf};

/// Runs `isochrone train`.
pub fn run(options: &TrainOptions) -> Result<()> {
    let ranks = Ranks::join(&options.cluster)?;
    let threads = train::threads(options.threads);
    ranks.work(
        || begin(options, &ranks, threads),
        || train::follow(&ranks, threads),
    )
}

/// Runs `isochrone resume`.
pub fn resume(options: &ResumeOptions) -> Result<()> {
    let ranks = Ranks::join(&options.cluster)?;
    let threads = train::threads(options.threads);
    let lead = || {
        let revision = options.revision.as_deref();
        train::resume(&options.run, &options.set, revision, &ranks, threads)?;
        summarise(&options.run)
    };
    ranks.work(lead, || train::follow(&ranks, threads))
}

fn begin(options: &TrainOptions, ranks: &Ranks, threads: usize) -> Result<()> {
    let mut spec = train::base(&options.what)?;
    if options.quick {
        let quick = train::quick(&spec);
        say(&train::given_up(&spec, &quick));
        spec = quick;
    }
    let spec = spec.changed(&options.set)?;
    let name = train::stem(&options.what);
    let default = || PathBuf::from("runs").join(format!("{name}-seed{}", spec.agent.seed.0));
    let path = options.out.clone().unwrap_or_else(default);
    let revision = options.revision.as_deref();
    train::begin(&path, &spec, &name, revision, ranks, threads)?;
    summarise(&path)
}

/// Prints the coverage and what to type next.
fn summarise(path: &Path) -> Result<()> {
    let history = History::read(path)?;
    let name = path.display();
    let last = history.evaluations.last();
    let coverage = last.map_or("not measured".to_owned(), |e| format!("{:.3}", e.coverage));
    let counters = train::counters(path)?;
    let (iterations, steps) = counters.map_or((0, 0), |c| (c.iteration, c.env_steps));
    print(&format!(
        "{name}: {iterations} iterations, {steps} steps, coverage {coverage}\n  isochrone plot {name} -o coverage.svg\n"
    ))
}
