//! `isochrone fit`: logged trajectories → a distance in a file.

use crate::commands::info;
use anyhow::{Result, anyhow};
use isochrone_files::data::{DataError, Interface};
use isochrone_runs::cluster::Ranks;
use isochrone_runs::fit::{FitOptions, fit_among, follow};
use isochrone_runs::output::print;
use isochrone_runs::progress::TerminalObserver;
use std::path::Path;

/// Runs the command.
pub fn run(options: &FitOptions) -> Result<()> {
    options.device.choose()?;
    let ranks = Ranks::join(&options.cluster)?;
    ranks.work(|| lead(options, &ranks), || follow(&ranks))
}

fn lead(options: &FitOptions, ranks: &Ranks) -> Result<()> {
    let fitted = fit_among(options, ranks, &TerminalObserver::for_ranks(ranks));
    let (model, output) = fitted.map_err(advised)?;
    print(&format!(
        "wrote {}\n\n{}{}",
        output.display(),
        info::text(&model),
        match model.target() {
            Some(_) => next(options, &output),
            None => String::new(),
        }
    ))
}

/// What to do with it.
fn next(options: &FitOptions, output: &Path) -> String {
    // A resumed fit has its files in its folder.
    let files = match &options.data.files[..] {
        [] => "LOGS".to_owned(),
        files => files.join(" "),
    };
    let goals = options.data.files.first().map_or("LOGS", String::as_str);
    let model = output.display();
    format!(
        "\nnext:\n\
         \x20 isochrone episodes {model} {files} --report report.html   which episodes are bad? a page to look at\n\
         \x20 isochrone progress {model} {files} --to \"{goals}:good-ends\" -o progress.parquet   how far along is every frame?\n\
         \x20 isochrone reached {model} --goals \"{goals}:good-ends\"   is it done? good-ends are the ends of episodes like most\n"
    )
}

/// Adds what to do about data that cannot be read, before a rank tells of it.
fn advised(error: anyhow::Error) -> anyhow::Error {
    if error.is::<DataError>() {
        return anyhow!(Interface::Shell.explain(&error));
    }
    error
}
