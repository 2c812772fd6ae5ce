//! Arguments of commands on learned distances.

use super::logs::share;
use super::{MovesArgument, Walls, WorldOptions};
use crate::goals_argument::GoalsText;
use crate::state_argument::StateText;
use clap::{Args, ValueEnum};
use isochrone_runs::arguments::{DeviceOptions, Shard};
use std::path::PathBuf;

/// `isochrone info`.
#[derive(Args, Debug)]
pub struct InfoOptions {
    /// A file that `isochrone fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `isochrone collect`.
#[derive(Args, Debug)]
pub struct CollectOptions {
    /// A world (`isochrone worlds` lists them) or a maze file; states of a maze are (column, row)
    #[arg(value_name = "WORLD", required_unless_present = "policy")]
    pub world: Option<String>,

    /// Run folder of a training: act with its policy in its world, in each episode towards another of its coverage goals,
    /// instead of at random. Reaching the goal ends the episode
    #[arg(long, value_name = "RUN", conflicts_with_all = ["world", "walls", "moves"])]
    pub policy: Option<PathBuf>,

    /// Where episodes start: in a world at its own start by default, in a maze always anywhere
    #[arg(long, value_enum)]
    pub starts: Option<Starts>,

    /// Write the trajectories to this .parquet file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Number of episodes
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    pub episodes: u64,

    /// Steps per episode, unless the world terminates it before
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub steps: u32,

    /// Also write an image of every state, as bytes in the column `observation.image`: this many pixels wide and high, seen from above
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(4..=512))]
    pub image: Option<u32>,

    /// Seed of start states, goals and actions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// In a maze: what happens to a move into a wall; `stay` by default
    #[arg(long, value_enum)]
    pub walls: Option<Walls>,

    /// In a maze: probabilities of the moves north, south, east, west; a quarter each by default
    #[arg(long, value_name = "N,S,E,W", allow_hyphen_values = true)]
    pub moves: Option<MovesArgument>,
}

/// Start states of episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Starts {
    /// The world's own start
    Fixed,
    /// At rest at a random place where the body touches no wall
    Anywhere,
}

/// `isochrone distance`.
#[derive(Args, Debug)]
pub struct DistanceOptions {
    /// A file that `isochrone fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Data files or patterns: prints the distance of all their states
    #[arg(value_name = "FILES")]
    pub files: Vec<String>,

    /// A state: numbers with commas between them, or FILE:ROW of a data file
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    pub from: Option<StateText>,

    /// The goal, in the same form; or several: all states of a data FILE, the last states of its episodes (FILE:ends), or --to
    /// repeated. The distance is then the one to the nearest goal
    #[arg(
        long,
        value_name = "STATE|FILE",
        required = true,
        allow_hyphen_values = true
    )]
    pub to: Vec<GoalsText>,

    /// Write the distances of all states to this .csv file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `isochrone embed`.
#[derive(Args, Debug)]
pub struct EmbedOptions {
    /// A file that `isochrone fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Data files or patterns
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<String>,

    /// Write the points to this .parquet file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Only every N-th file from the I-th on, for array jobs: OUTPUT.parquet becomes OUTPUT-I-of-N.parquet
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Where to compute
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `isochrone nearest`.
#[derive(Args, Debug)]
pub struct NearestOptions {
    /// A file that `isochrone fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Data files or patterns
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<String>,

    /// The goal: numbers with commas between them, or FILE:ROW of a data file; or several: all states of a data FILE, the
    /// last states of its episodes (FILE:ends), --to given again
    #[arg(
        long,
        value_name = "STATE|FILE",
        required = true,
        allow_hyphen_values = true
    )]
    pub to: Vec<GoalsText>,

    /// Number of states
    #[arg(short = 'k', long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub count: u32,
}

/// `isochrone assess`.
#[derive(Args, Debug)]
pub struct AssessOptions {
    /// A file that `isochrone fit` or `isochrone map` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Data files or patterns. Of the training data, only held-out episodes are used
    #[arg(value_name = "FILES")]
    pub files: Vec<String>,

    /// Also use episodes that it was trained on
    #[arg(long, requires = "files")]
    pub all: bool,

    /// The maze that the states (column, row) come from: compare with exact commute times and shortest paths
    #[arg(long, value_name = "FILE")]
    pub maze: Option<PathBuf>,

    /// In the maze: what happens to a move into a wall; `stay` by default
    #[arg(long, value_enum, requires = "maze")]
    pub walls: Option<Walls>,

    /// In the maze: probabilities of the moves north, south, east, west; a quarter each by default
    #[arg(
        long,
        value_name = "N,S,E,W",
        allow_hyphen_values = true,
        requires = "maze"
    )]
    pub moves: Option<MovesArgument>,

    /// Write report.json and figures to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// The reference state of the map: numbers with commas between them, or FILE:ROW; the first state by default
    #[arg(
        long,
        value_name = "STATE",
        allow_hyphen_values = true,
        requires = "out"
    )]
    pub from: Option<StateText>,

    /// The two entries of the state that are the axes of the map; 0,1 by default
    #[arg(
        long,
        value_name = "X,Y",
        value_delimiter = ',',
        requires = "out",
        conflicts_with = "maze"
    )]
    pub axes: Vec<usize>,

    /// Suggest an ε for these goals: a state, FILE:ROW, all states of a data FILE, or the last states of its episodes
    /// (FILE:ends); may be repeated
    #[arg(
        long,
        value_name = "STATE|FILE",
        allow_hyphen_values = true,
        requires = "files"
    )]
    pub to: Vec<GoalsText>,

    /// With --to: false-positive rate, the share of frames long before their episode's end that may count as reached
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share, requires = "to")]
    pub false_positives: f64,

    /// With --to: frames more than this many steps before their episode's end must not count as reached; a tenth of the median
    /// episode by default
    #[arg(long, value_name = "STEPS", requires = "to")]
    pub before_end: Option<usize>,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

impl AssessOptions {
    /// The maze, if there is one.
    pub fn world(&self) -> Option<WorldOptions> {
        Some(WorldOptions {
            input: self.maze.clone()?,
            walls: self.walls,
            moves: self.moves,
        })
    }
}

/// `isochrone export`.
#[derive(Args, Debug)]
pub struct ExportOptions {
    /// A file that `isochrone fit` or `isochrone clone` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Write the network with its normaliser to this file
    #[arg(long, value_name = "FILE")]
    pub onnx: PathBuf,
}
