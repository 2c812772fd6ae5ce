//! `isochrone fit`: logged trajectories → a distance in a file.

use crate::commands::info;
use anyhow::{Result, anyhow};
use isochrone_files::data::{DataError, Interface};
use isochrone_runs::cluster::Ranks;
use isochrone_runs::fit::{FitOptions, fit_among, follow};
use isochrone_runs::output::print;
use isochrone_runs::progress::TerminalObserver;

/// Runs the command.
pub fn run(options: &FitOptions) -> Result<()> {
    let ranks = Ranks::join(&options.cluster)?;
    ranks.work(|| lead(options, &ranks), || follow(&ranks))
}

fn lead(options: &FitOptions, ranks: &Ranks) -> Result<()> {
    let fitted = fit_among(options, ranks, &TerminalObserver::for_ranks(ranks));
    let (model, output) = fitted.map_err(advised)?;
    print(&format!(
        "wrote {}\n\n{}",
        output.display(),
        info::text(&model)
    ))
}

/// Adds which columns the file has: an unknown column is the first error that a new user meets.
fn advised(error: anyhow::Error) -> anyhow::Error {
    if error.is::<DataError>() {
        return anyhow!(Interface::Shell.explain(&error));
    }
    error
}
