//! The `isochrone` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(isochrone_cli::command::run(std::env::args_os()))
}
