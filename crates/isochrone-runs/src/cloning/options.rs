//! Arguments of `isochrone clone`.

use super::CloneSpec;
use crate::arguments::{DataOptions, RunOptions};
use clap::Args;
use std::path::PathBuf;

/// `isochrone clone`.
#[derive(Args, Debug, Default)]
// The data of a cloning have actions as well.
#[command(
    mut_arg("files", |files| files.help("Data files or patterns with states and actions: .parquet, .npz, .csv")),
    mut_arg("output", |output| output.help("Write the policy to this .isochrone file")),
    mut_arg("state", |state| state.help(
        "Columns or arrays of the states; `observation.state` by default, in .npz `observations`",
    )),
)]
pub struct CloneOptions {
    /// The data, and the policy's file
    #[command(flatten)]
    pub data: DataOptions,

    /// Column or array of the actions; `action` by default, in .npz `actions`
    #[arg(long, value_name = "NAME")]
    pub action: Option<String>,

    /// Goals are states at most so many steps later; about two hops of a roadmap. 25 by default
    #[arg(long, value_name = "STEPS")]
    pub max_lag: Option<usize>,

    /// Updates; 4,000 by default
    #[arg(long, value_name = "N")]
    pub updates: Option<u64>,

    /// Samples per update; 512 by default
    #[arg(long, value_name = "N")]
    pub batch: Option<usize>,

    /// Widths of the hidden layers; 256,256 by default
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub hidden: Option<Vec<usize>>,

    /// Seed and run folder
    #[command(flatten)]
    pub run: RunOptions,

    /// Resume the cloning of this run folder
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["files", "output", "state", "action", "episode", "max_lag", "updates", "batch", "hidden", "seed", "run"]
    )]
    pub resume: Option<PathBuf>,
}

impl CloneOptions {
    /// The settings, with defaults for what was not typed.
    pub(super) fn spec(&self) -> CloneSpec {
        let default = CloneSpec::default();
        CloneSpec {
            max_lag_steps: self.max_lag.unwrap_or(default.max_lag_steps),
            updates: self.updates.unwrap_or(default.updates),
            batch: self.batch.unwrap_or(default.batch),
            hidden: self.hidden.clone().unwrap_or(default.hidden),
            seed: self.run.seed.unwrap_or(default.seed),
            ..default
        }
    }
}
