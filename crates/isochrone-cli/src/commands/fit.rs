//! `isochrone fit`: logged trajectories → a distance in a file.

use crate::commands::info;
use anyhow::Result;
use isochrone_runs::cluster::Ranks;
use isochrone_runs::fit::{FitOptions, fit_among, follow};
use isochrone_runs::output::print;
use isochrone_runs::progress::TerminalObserver;
use std::path::Path;

/// Runs the command.
pub fn run(options: &FitOptions) -> Result<()> {
    let ranks = Ranks::join(&options.cluster)?;
    ranks.work(|| lead(options, &ranks), || follow(&ranks))
}

fn lead(options: &FitOptions, ranks: &Ranks) -> Result<()> {
    let fitted = fit_among(options, ranks, &TerminalObserver::for_ranks(ranks));
    let (model, output) = fitted?;
    print(&format!(
        "wrote {}\n\n{}{}",
        output.display(),
        info::text(&model),
        next(options, &output)
    ))
}

/// What to do with it.
fn next(options: &FitOptions, output: &Path) -> String {
    // A resumed fit has its files in its folder.
    let files = match &options.data.files[..] {
        [] => "LOGS".to_owned(),
        files => files.join(" "),
    };
    let model = output.display();
    format!(
        "\nnext:\n\
         \x20 isochrone progress {model} {files} -o progress.parquet   how far along is every frame?\n\
         \x20 isochrone episodes {model} {files} -o episodes.csv       which episodes are bad?\n\
         \x20 isochrone reached {model} --goals FILE:ends              is it done? FILE has episodes that succeed\n"
    )
}
