//! The `isochrone` command: parse, dispatch, tell the error.

use crate::cli::{Arguments, Command};
use crate::cluster::ClusterError;
use crate::stop::Stopped;
use anyhow::Result;
use clap::Parser;
use std::ffi::OsString;
use std::io::Write as _;

/// Runs the command with these arguments, the first of which is its name; the code to exit with.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // There is nobody left to tell that nothing can be told.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    match dispatch(arguments.command) {
        Ok(()) => 0,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            complain(&error);
            exit_code(&error)
        }
    }
}

/// What a run that was stopped exits with, and can be gone on with: the "try again later" of sysexits.h.
pub(crate) const RESUME_ME: u8 = 75;

/// What a command that failed exits with.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Stopped>() {
        return RESUME_ME;
    }
    let cluster = error.downcast_ref::<ClusterError>();
    cluster.map_or(1, ClusterError::exit_code)
}

fn dispatch(command: Command) -> Result<()> {
    match command {
        Command::Exact(options) => crate::exact::run(&options),
        Command::Spectral(options) => crate::spectral::run(&options),
        Command::Reproduce(options) => crate::reproduce::run(&options),
        Command::Collect(options) => crate::collect::run(&options),
        Command::Fit(options) => crate::fit::run(&options),
        Command::Info(options) => crate::info::run(&options),
        Command::Assess(options) => crate::assess::run(&options),
        Command::Distance(options) => crate::distance::run(&options),
        Command::Export(options) => crate::export::run(&options),
        Command::Embed(options) => crate::embed::run(&options),
        Command::Nearest(options) => crate::nearest::run(&options),
        Command::Train(options) => crate::train::run(&options),
        Command::Resume(options) => crate::train::resume(&options),
        Command::Sweep(options) => crate::sweep::run(&options),
        Command::Evaluate(options) => crate::evaluate::run(&options),
        Command::Plot(options) => crate::plot::run(&options),
        Command::Worlds(options) => crate::worlds::run(&options),
        Command::Render(options) => crate::render::run(&options),
        Command::Bench(options) => crate::bench::run(&options),
    }
}

/// The one place where errors are told.
pub(crate) fn complain(error: &anyhow::Error) {
    // In one piece: another rank may end this process at any time, and half a sentence helps nobody.
    let _ = std::io::stderr().write_all(format!("isochrone: {error:#}\n").as_bytes());
}

/// `isochrone … | head` ends the reader early; that is no error of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
