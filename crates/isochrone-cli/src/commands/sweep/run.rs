//! `isochrone sweep run`: the units of a share, one after the other.

use super::units::{Progress, Sweep, Unit};
use crate::cli::SweepRunOptions;
use anyhow::{Result, bail};
use isochrone_files::run_folder::Busy;
use isochrone_runs::output::{print, say};
use isochrone_runs::train::{run_to_end, threads};
use isochrone_runs::{exit::Stopped, stop::StopFlag};

/// What became of a unit.
enum Outcome {
    Done,
    /// Another process is at work on it.
    Elsewhere,
    Failed(anyhow::Error),
}

/// Runs the command.
pub(super) fn run(options: &SweepRunOptions) -> Result<()> {
    let sweep = Sweep::open(&options.sweep)?;
    let is_ours = |at: usize| options.shard.is_none_or(|shard| shard.has(at));
    let units = sweep.list.units.iter().enumerate();
    let units: Vec<&Unit> = units
        .filter(|(at, _)| is_ours(*at))
        .map(|(_, u)| u)
        .collect();
    let stop = StopFlag::install();
    let (mut failed, mut before, mut elsewhere) = (Vec::new(), 0, 0);
    for unit in &units {
        let outcome = match sweep.progress(unit) {
            Ok(Progress::Done) => {
                before += 1;
                continue;
            }
            Ok(_) => work(&sweep, unit, options, &stop)?,
            Err(error) => Outcome::Failed(error),
        };
        match outcome {
            Outcome::Done => say(&format!("{}: done\n", unit.name)),
            Outcome::Elsewhere => {
                say(&format!("{}: at work elsewhere\n", unit.name));
                elsewhere += 1;
            }
            Outcome::Failed(error) => {
                say(&format!("{}: {error:#}\n", unit.name));
                failed.push(unit.name.as_str());
            }
        }
    }
    if !failed.is_empty() {
        bail!(
            "{} of {} units failed: {}",
            failed.len(),
            units.len(),
            failed.join(", ")
        );
    }
    if elsewhere > 0 {
        let all = units.len();
        bail!(Stopped(format!(
            "{elsewhere} of {all} units are at work elsewhere"
        )));
    }
    print(&format!(
        "{} units, {before} of them done before\n",
        units.len()
    ))
}

/// Runs one unit to its end. Its errors are printed, and the other units continue; a stop ends all.
fn work(sweep: &Sweep, unit: &Unit, options: &SweepRunOptions, stop: &StopFlag) -> Result<Outcome> {
    let spec = match sweep.spec(unit) {
        Ok(spec) => spec,
        Err(error) => return Ok(Outcome::Failed(error)),
    };
    let path = sweep.run_folder(unit);
    let revision = options.revision.as_deref();
    let threads = threads(options.threads);
    let on_iteration = |_: u64| {};
    let run = run_to_end(
        &path,
        &spec,
        threads,
        &sweep.list.base,
        revision,
        stop,
        &on_iteration,
    );
    match run {
        Ok(()) => Ok(Outcome::Done),
        Err(error) if error.is::<Stopped>() => bail!(Stopped(format!(
            "stopped; the same command resumes the units in {}",
            sweep.folder.display()
        ))),
        Err(error) if error.is::<Busy>() => Ok(Outcome::Elsewhere),
        Err(error) => Ok(Outcome::Failed(error)),
    }
}
