//! Arguments of `isochrone fit`.

use super::TargetName;
use crate::arguments::ClusterOptions;
use clap::Args;
use isochrone_files::model::StateColumns;
use std::path::PathBuf;

/// `isochrone fit`.
#[derive(Args, Debug, Default)]
pub struct FitOptions {
    /// Data files or patterns: .parquet, .npz, .csv
    #[arg(value_name = "FILES", required_unless_present = "resume")]
    pub files: Vec<String>,

    /// Write the distance to this file
    #[arg(short, long, value_name = "FILE", required_unless_present = "resume")]
    pub output: Option<PathBuf>,

    /// The states: a column or array; several columns are put side by side, a prefix stands for its numbered
    /// columns. `observation.state` if not given, in .npz `observations`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub state: Vec<String>,

    /// What tells episodes apart; `episode_index` if not given, in .npz `terminals` and `timeouts`
    #[arg(long, value_name = "NAME")]
    pub episode: Option<String>,

    /// What is learned; `window` if not given
    #[arg(long, value_enum)]
    pub target: Option<TargetName>,

    /// Longest number of steps between the states of a pair; as long as typical episodes if not given
    #[arg(long, value_name = "STEPS")]
    pub window: Option<usize>,

    /// When two states are one, in the units of the states
    #[arg(long, value_name = "R")]
    pub radius: Option<f32>,

    /// Times to go through all data; as many as 20,000 updates take if not given
    #[arg(long, value_name = "N")]
    pub passes: Option<u64>,

    /// Of everything random: the same seed and data give the same file, byte for byte
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Take settings from this TOML file
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,

    /// Change one setting, for example --set dims=32
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Folder for records and checkpoints; the output's name with .run if not given
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,

    /// Go on with the fit of this folder
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = [
            "files", "output", "state", "episode", "target", "window", "radius", "passes", "seed", "spec", "set",
            "run",
        ]
    )]
    pub resume: Option<PathBuf>,

    /// Several processes, with batches of 1,024 pairs or more
    #[command(flatten)]
    pub cluster: ClusterOptions,
}

impl FitOptions {
    /// Where the states stand.
    pub fn columns(&self) -> StateColumns {
        StateColumns {
            state: self.state.clone(),
            episode: self.episode.clone(),
        }
    }
}
