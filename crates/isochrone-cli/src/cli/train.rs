//! Arguments of training commands.

use clap::Args;
use isochrone_runs::arguments::{ClusterOptions, revision};
use std::path::PathBuf;

/// `isochrone train`.
#[derive(Args, Debug)]
pub struct TrainOptions {
    /// A preset (point-mass, point-mass-spiral, point-mass-thin-spiral, point-mass-one-way, maze-ant, each also with a learned
    /// distance: -off-policy, -on-policy, -full-off-policy, -full-on-policy; the paper's settings: point-mass-paper,
    /// point-mass-spiral-paper, maze-ant-paper, free-ant-paper, also with these suffixes and -action-noise,
    /// -off-policy-bootstrapped, -action-noise-off-policy; free-ant; by SAC: point-mass-sac, point-mass-sac-off-policy, …;
    /// point-2d … point-6d, each also with -uniform), or a spec that ends in .toml
    #[arg(value_name = "PRESET|SPEC")]
    pub what: String,

    /// Settings to change, for example seed=3 iterations=50; spec.toml of a run lists them all
    #[arg(value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Threads; all cores by default. The results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Run folder; runs/PRESET-seedN by default
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Five iterations with a tenth of everything, as a smoke test
    #[arg(long)]
    pub quick: bool,

    /// Revision of the program, for the manifest
    #[arg(long, value_name = "TEXT", value_parser = revision)]
    pub revision: Option<String>,

    /// MPI options
    #[command(flatten)]
    pub cluster: ClusterOptions,
}

/// `isochrone resume`.
#[derive(Args, Debug)]
pub struct ResumeOptions {
    /// A run folder of `isochrone train`
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Change iterations or evaluate_every, for example iterations=200 to train for longer
    #[arg(value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Threads; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Revision of the program from here on, for the manifest
    #[arg(long, value_name = "TEXT", value_parser = revision)]
    pub revision: Option<String>,

    /// MPI options
    #[command(flatten)]
    pub cluster: ClusterOptions,
}

/// `isochrone evaluate`.
#[derive(Args, Debug)]
pub struct EvaluateOptions {
    /// A run folder of `isochrone train`, finished or not
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Rollouts per goal; by default as in the run's own evaluations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub rollouts: Option<u32>,

    /// Threads; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Print JSON, with the success rate of every goal
    #[arg(long)]
    pub json: bool,
}

/// `isochrone plot`.
#[derive(Args, Debug)]
pub struct PlotOptions {
    /// Run folders of `isochrone train`, finished or not; those that differ only in their seed become one curve
    #[arg(value_name = "RUNS", required = true)]
    pub runs: Vec<PathBuf>,

    /// Draw to this .svg or .png file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write every evaluation of every run to this CSV file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}
