//! The `isochrone` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(isochrone_lab::command::run(std::env::args_os()))
}
