//! The arguments of the experiments.

mod bench;
mod reproduce;

pub(crate) use bench::{
    BenchClipsOptions, BenchCommOptions, BenchDistanceOptions, BenchEnduranceOptions,
    BenchExactOptions, BenchFitOptions, BenchImagesOptions, BenchOptions, BenchReplayOptions,
    BenchRoadmapOptions, BenchRolloutOptions, BenchSacOptions, BenchTrainOptions,
    BenchUpdateOptions, BenchWaypointsOptions, Benchmark, Operation, WorldCases,
};
pub(crate) use reproduce::{ReproduceOptions, Reproducible};

use clap::{Parser, Subcommand};

/// Figures of the paper and benchmarks. Run it from a checkout of the project.
#[derive(Debug, Parser)]
#[command(name = "isochrone-experiments", version, max_term_width = 100)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Draw a figure of the paper again, with the numbers beside its claims
    Reproduce(ReproduceOptions),
    /// Measure how fast this machine computes
    Bench(BenchOptions),
}
