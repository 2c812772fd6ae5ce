//! Arguments of `isochrone sweep`.

use clap::{Args, Subcommand, ValueEnum};
use isochrone_runs::arguments::{Shard, revision};
use std::path::PathBuf;

/// `isochrone sweep`.
#[derive(Args, Debug)]
pub struct SweepOptions {
    /// What to do.
    #[command(subcommand)]
    pub what: SweepCommand,
}

/// What can be done with a sweep.
#[derive(Debug, Subcommand)]
pub enum SweepCommand {
    /// Write a spec for every unit: every variant of a sweep file with every seed
    Plan(SweepPlanOptions),
    /// Run the units of a shard: skips finished ones, resumes unfinished ones
    Run(SweepRunOptions),
    /// Show the progress of all units
    Status(SweepStatusOptions),
    /// Write the evaluations of all finished units to a CSV file
    Collect(SweepCollectOptions),
    /// Print a script that runs all shards: for Slurm, or on this machine
    Emit(SweepEmitOptions),
}

/// `isochrone sweep plan`.
#[derive(Args, Debug)]
pub struct SweepPlanOptions {
    /// A sweep file: base, seeds, set and variants (docs/scale.md has an example)
    #[arg(value_name = "SWEEP.toml")]
    pub sweep: PathBuf,

    /// Folder of the sweep
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `isochrone sweep run`.
#[derive(Args, Debug)]
pub struct SweepRunOptions {
    /// A folder that `isochrone sweep plan` wrote
    #[arg(value_name = "DIR")]
    pub sweep: PathBuf,

    /// Only every N-th unit from the I-th on
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Threads per unit; all cores by default. The results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Revision of the program, for the manifests
    #[arg(long, value_name = "TEXT", value_parser = revision)]
    pub revision: Option<String>,
}

/// `isochrone sweep status`.
#[derive(Args, Debug)]
pub struct SweepStatusOptions {
    /// A folder that `isochrone sweep plan` wrote
    #[arg(value_name = "DIR")]
    pub sweep: PathBuf,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `isochrone sweep collect`.
#[derive(Args, Debug)]
pub struct SweepCollectOptions {
    /// A folder that `isochrone sweep plan` wrote
    #[arg(value_name = "DIR")]
    pub sweep: PathBuf,

    /// Write the table to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// `isochrone sweep emit`.
#[derive(Args, Debug)]
pub struct SweepEmitOptions {
    /// Target of the script
    #[arg(value_enum)]
    pub scheduler: Scheduler,

    /// A folder that `isochrone sweep plan` wrote
    #[arg(value_name = "DIR")]
    pub sweep: PathBuf,

    /// Number of shards; one per unit by default, for Slurm at most 1,000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub shards: Option<u32>,
}

/// What starts the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    /// An array job of Slurm
    Slurm,
    /// This machine
    Local,
}
