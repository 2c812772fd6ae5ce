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

    /// Columns or arrays of the states; several columns are concatenated, a prefix stands for its numbered columns.
    /// `observation.state` by default, in .npz `observations`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub state: Vec<String>,

    /// Column of the episode index; `episode_index` by default, in .npz `terminals` and `timeouts`
    #[arg(long, value_name = "NAME")]
    pub episode: Option<String>,

    /// Regression target; `window` by default
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

    /// Seed of all random streams: the same seed and data give the same file, byte for byte
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Take settings from this TOML file
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,

    /// Change one setting, for example --set dims=32
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Run folder for records and checkpoints; by default the output's name with .run
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,

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

    /// MPI options; the batch must be a multiple of 256 pairs × ranks
    #[command(flatten)]
    pub cluster: ClusterOptions,
}

impl FitOptions {
    /// Columns of the states.
    pub fn columns(&self) -> StateColumns {
        StateColumns {
            state: self.state.clone(),
            episode: self.episode.clone(),
        }
    }
}
