//! The `isochrone` command.

use clap::Parser;
use isochrone_lab::cli::{Arguments, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Exact(options) => isochrone_lab::exact::run(&options),
        Command::Spectral(options) => isochrone_lab::spectral::run(&options),
        Command::Reproduce(options) => isochrone_lab::reproduce::run(&options),
        Command::Collect(options) => isochrone_lab::collect::run(&options),
        Command::Fit(options) => isochrone_lab::fit::run(&options),
        Command::Info(options) => isochrone_lab::info::run(&options),
        Command::Assess(options) => isochrone_lab::assess::run(&options),
        Command::Distance(options) => isochrone_lab::distance::run(&options),
        Command::Export(options) => isochrone_lab::export::run(&options),
        Command::Embed(options) => isochrone_lab::embed::run(&options),
        Command::Nearest(options) => isochrone_lab::nearest::run(&options),
        Command::Train(options) => isochrone_lab::train::run(&options),
        Command::Resume(options) => isochrone_lab::train::resume(&options),
        Command::Evaluate(options) => isochrone_lab::evaluate::run(&options),
        Command::Plot(options) => isochrone_lab::plot::run(&options),
        Command::Worlds(options) => isochrone_lab::worlds::run(&options),
        Command::Render(options) => isochrone_lab::render::run(&options),
        Command::Bench(options) => isochrone_lab::bench::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "the one place where errors are told")]
fn complain(error: &anyhow::Error) {
    eprintln!("isochrone: {error:#}");
}

/// `isochrone … | head` ends the reader early; that is no error of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
