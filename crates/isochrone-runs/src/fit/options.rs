//! Arguments of `isochrone fit`.

use super::TargetName;
use crate::arguments::{ClusterOptions, DataOptions, DeviceOptions, RunOptions};
use clap::Args;
use std::path::PathBuf;

/// `isochrone fit`.
#[derive(Args, Debug, Default)]
pub struct FitOptions {
    /// The data, and the distance's file
    #[command(flatten)]
    pub data: DataOptions,

    /// Regression target; by default `window` or `first_passage`, by their errors on held-out episodes
    #[arg(long, value_enum)]
    pub target: Option<TargetName>,

    /// Largest number of steps between the states of a pair; by default the length of typical episodes
    #[arg(long, value_name = "STEPS")]
    pub window: Option<usize>,

    /// Radius within which two states count as one, in the units of the states
    #[arg(long, value_name = "R")]
    pub radius: Option<f32>,

    /// Passes over the data; by default as many as 20,000 updates take
    #[arg(long, value_name = "N")]
    pub passes: Option<u64>,

    /// Take settings from this TOML file
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,

    /// Change one setting, for example --set dims=32
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Seed and run folder
    #[command(flatten)]
    pub run: RunOptions,

    /// Resume the fit of this run folder
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = [
            "files", "output", "state", "episode", "target", "window", "radius", "passes", "seed", "spec", "set",
            "run",
        ]
    )]
    pub resume: Option<PathBuf>,

    /// Where to compute
    #[command(flatten)]
    pub device: DeviceOptions,

    /// MPI options; the batch must be a multiple of 256 pairs × ranks
    #[command(flatten)]
    pub cluster: ClusterOptions,
}
