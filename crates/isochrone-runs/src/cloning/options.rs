//! Arguments of `isochrone clone`.

use super::CloneSpec;
use clap::Args;
use std::path::PathBuf;

/// `isochrone clone`.
#[derive(Args, Debug, Default)]
pub struct CloneOptions {
    /// Data files or patterns with states and actions: .parquet, .npz, .csv
    #[arg(value_name = "FILES", required_unless_present = "resume")]
    pub files: Vec<String>,

    /// Write the policy to this .isochrone file
    #[arg(short, long, value_name = "FILE", required_unless_present = "resume")]
    pub output: Option<PathBuf>,

    /// Columns or arrays of the states; `observation.state` by default, in .npz `observations`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub state: Vec<String>,

    /// Column or array of the actions; `action` by default, in .npz `actions`
    #[arg(long, value_name = "NAME")]
    pub action: Option<String>,

    /// Column of the episode index; `episode_index` by default, in .npz `terminals` and `timeouts`
    #[arg(long, value_name = "NAME")]
    pub episode: Option<String>,

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

    /// Seed of all random streams: the same seed and data give the same file, byte for byte
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Run folder for records and checkpoints; by default the output's name with .run
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,

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
            seed: self.seed.unwrap_or(default.seed),
            ..default
        }
    }
}
