//! Experiments: the figures of the paper with verdicts on its claims, and the benchmarks.
//!
//! ```text
//! cargo run --release -p isochrone-experiments -- reproduce coverage-xy
//! cargo run --release -p isochrone-experiments -- bench rollout --json
//! ```

mod bench;
mod bootstrap;
mod cli;
mod reproduce;

use clap::Parser as _;
use isochrone_runs::cluster::exit_code;
use isochrone_runs::exit::{complain, is_broken_pipe};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match cli::Arguments::parse().command {
        cli::Command::Reproduce(options) => reproduce::run(&options),
        cli::Command::Bench(options) => bench::run(&options),
    };
    match result {
        Err(error) if !is_broken_pipe(&error) => {
            complain(&format!("{error:#}"));
            ExitCode::from(exit_code(&error))
        }
        _ => ExitCode::SUCCESS,
    }
}
