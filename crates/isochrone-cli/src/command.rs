//! The `isochrone` command: parse, dispatch, tell the error.

use crate::cli::{Arguments, Command};
use crate::commands;
use anyhow::Result;
use clap::Parser;
use isochrone_files::data::Interface;
use isochrone_runs::cluster::exit_code;
use isochrone_runs::exit::{complain, is_broken_pipe};
use std::ffi::OsString;

/// Runs the command with these arguments, the first of which is its name; the code to exit with.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Standard error is closed: the error cannot be printed.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let interface = match &arguments.command {
        Command::Fit(_) | Command::Clone(_) => Interface::Shell,
        _ => Interface::ShellWithModel,
    };
    match dispatch(arguments.command) {
        Ok(()) => 0,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            complain(&interface.explain(&error));
            exit_code(&error)
        }
    }
}

fn dispatch(command: Command) -> Result<()> {
    match command {
        Command::Exact(options) => commands::exact::run(&options),
        Command::Spectral(options) => commands::spectral::run(&options),
        Command::Collect(options) => commands::collect::run(&options),
        Command::Fit(options) => commands::fit::run(&options),
        Command::Info(options) => commands::info::run(&options),
        Command::Assess(options) => commands::assess::run(&options),
        Command::Distance(options) => commands::distance::run(&options),
        Command::Progress(options) => commands::progress::run(&options),
        Command::Episodes(options) => commands::episodes::run(&options),
        Command::Reached(options) => commands::reached::run(&options),
        Command::Export(options) => commands::export::run(&options),
        Command::Embed(options) => commands::embed::run(&options),
        Command::Nearest(options) => commands::nearest::run(&options),
        Command::Map(options) => commands::map::run(&options),
        Command::Route(options) => commands::route::run(&options),
        Command::Clone(options) => commands::clone::run(&options),
        Command::Train(options) => commands::train::run(&options),
        Command::Resume(options) => commands::train::resume(&options),
        Command::Sweep(options) => commands::sweep::run(&options),
        Command::Evaluate(options) => commands::evaluate::run(&options),
        Command::Plot(options) => commands::plot::run(&options),
        #[cfg(feature = "worlds")]
        Command::Worlds(options) => commands::worlds::run(&options),
        #[cfg(feature = "worlds")]
        Command::Render(options) => commands::render::run(&options),
        Command::Doctor => commands::doctor::run(),
        Command::Completions(options) => commands::completions::run(&options),
        Command::Man(options) => commands::completions::man(&options),
    }
}
