//! Arguments of the command. Nothing here touches a file.

mod distance;
mod logs;
mod roadmap;
mod sweep;
mod train;

pub use distance::{
    AssessOptions, CollectOptions, DistanceOptions, EmbedOptions, ExportOptions, InfoOptions,
    NearestOptions, Starts,
};
pub use logs::{EpisodesOptions, ProgressOptions, ReachedOptions};
pub use roadmap::{MapOptions, RouteOptions, SelectionArgument};
pub use sweep::{
    Scheduler, SweepCollectOptions, SweepCommand, SweepEmitOptions, SweepOptions, SweepPlanOptions,
    SweepRunOptions, SweepStatusOptions,
};
pub use train::{EvaluateOptions, PlotOptions, ResumeOptions, TrainOptions};

use crate::version::VERSION;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use isochrone::maze::{Moves, WallRule};
#[cfg(feature = "worlds")]
use isochrone_mujoco::WorldName;
use isochrone_runs::cloning::CloneOptions;
use isochrone_runs::fit::FitOptions;
use std::path::PathBuf;
use std::str::FromStr;

/// Distances in steps: how many actions lie between any two states.
#[derive(Debug, Parser)]
#[command(name = "isochrone", version, long_version = VERSION.as_str(), max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Exact times between one state and all others, from a maze or an edge list
    Exact(ExactOptions),
    /// The smallest eigenpairs of the Laplacian: a k-dimensional commute-time embedding
    Spectral(SpectralOptions),
    /// Collect trajectories of random actions, or of a trained policy, and write them to a .parquet file
    Collect(CollectOptions),
    /// Learn a distance in steps from logged trajectories
    Fit(FitOptions),
    /// Describe a learned distance, and how far to trust it
    Info(InfoOptions),
    /// Assess a learned distance on held-out trajectories, or against a maze's exact times
    Assess(AssessOptions),
    /// Steps between two states, or from all states of a file to a goal
    Distance(DistanceOptions),
    /// Embed every state of a file as a point; a norm of differences counts steps
    Embed(EmbedOptions),
    /// How far along every frame of logged episodes is, and how many steps are left
    Progress(ProgressOptions),
    /// Which logged episodes are bad: a score and a reason for each
    Episodes(EpisodesOptions),
    /// Is the task done? Save a success test with a stated false-positive rate into a learned distance
    Reached(ReachedOptions),
    /// Write a learned distance as an ONNX model
    Export(ExportOptions),
    /// The states of a data set with the fewest steps to a goal
    Nearest(NearestOptions),
    /// Logged trajectories and a distance as a map: landmarks, and the hops that were made between them
    Map(MapOptions),
    /// The way from one state to another on such a map
    Route(RouteOptions),
    /// Learn a policy for goals nearby from logged actions
    Clone(CloneOptions),
    /// Train a policy to reach goals, from a preset or a spec
    Train(TrainOptions),
    /// Resume a training that was stopped
    Resume(ResumeOptions),
    /// Many trainings: plan them, run them in shards, collect the results
    Sweep(SweepOptions),
    /// Measure the coverage of a trained policy: which goals it reaches
    Evaluate(EvaluateOptions),
    /// Plot trainings: coverage over seeds, success by goal, the working set; or write them as a table
    Plot(PlotOptions),
    /// List the paper's worlds, or describe one
    #[cfg(feature = "worlds")]
    Worlds(WorldsOptions),
    /// Draw a world to a .png file, or film random actions or a trained policy in it to a .gif file
    #[cfg(feature = "worlds")]
    Render(RenderOptions),
    /// Check this machine: MuJoCo, pictures, MPI, GPU, disk; says what to install
    Doctor,
    /// Print the completions of a shell
    Completions(CompletionsOptions),
    /// Write manual pages to a folder
    Man(ManOptions),
}

/// `isochrone completions`.
///
/// For bash: isochrone completions bash > ~/.local/share/bash-completion/completions/isochrone
#[derive(Args, Debug)]
pub struct CompletionsOptions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// `isochrone man`.
///
/// To read one: man FOLDER/isochrone-fit.1
#[derive(Args, Debug)]
pub struct ManOptions {
    /// Write them to this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
}

/// `isochrone worlds`.
#[cfg(feature = "worlds")]
#[derive(Args, Debug)]
pub struct WorldsOptions {
    /// Describe this world
    #[arg(value_name = "WORLD")]
    pub world: Option<WorldName>,

    /// Print its MuJoCo model (XML)
    #[arg(long, requires = "world")]
    pub xml: bool,
}

/// `isochrone render`.
#[cfg(feature = "worlds")]
#[derive(Args, Debug)]
pub struct RenderOptions {
    /// World to draw; `isochrone worlds` lists them
    #[arg(value_name = "WORLD", required_unless_present = "run")]
    pub world: Option<WorldName>,

    /// Run folder of a training: draw its policy on the way to goals, instead of random actions
    #[arg(long, value_name = "RUN", conflicts_with_all = ["world", "goal"])]
    pub run: Option<PathBuf>,

    /// Output file: .png for one picture, .gif for a film
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Camera
    #[arg(long, value_enum, default_value_t = ViewArgument::Bird)]
    pub view: ViewArgument,

    /// Width and height in pixels; 480 for a picture and 320 for a film by default. 32 with --view top is the
    /// observation of a pixel world
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u16).range(1..=2048))]
    pub size: Option<u16>,

    /// Steps before the picture (0 by default), or in the film (250; long films must be small)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub steps: Option<u32>,

    /// Draw a goal on the floor at this position
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    pub goal: Option<PlaceArgument>,

    /// Radius of the goal in metres
    #[arg(long, value_name = "M", default_value_t = 0.5, requires = "goal")]
    pub radius: f64,

    /// Seed of the random actions, or of a policy's goals and actions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Camera positions.
#[cfg(feature = "worlds")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewArgument {
    /// Straight down, +x to the right and +y up, no perspective
    Top,
    /// From above and aside
    Bird,
}

/// A position, as typed: `x,y` in metres.
#[cfg(feature = "worlds")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaceArgument(pub [f64; 2]);

#[cfg(feature = "worlds")]
impl FromStr for PlaceArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
        match numbers.as_deref() {
            Ok(&[x, y]) if x.is_finite() && y.is_finite() => Ok(Self([x, y])),
            _ => Err("a place is two numbers, x,y in metres".to_owned()),
        }
    }
}

/// The source of a chain.
#[derive(Args, Clone, Debug)]
pub struct WorldOptions {
    /// A maze (`#` wall, `.` floor), or an edge list ending in .csv with the columns
    /// from,to,probability or from,to,weight
    #[arg(value_name = "FILE")]
    pub input: PathBuf,

    /// What happens to a move into a wall; `stay` by default
    #[arg(long, value_enum)]
    pub walls: Option<Walls>,

    /// Probabilities of the moves north, south, east, west; a quarter each by default
    #[arg(long, value_name = "N,S,E,W", allow_hyphen_values = true)]
    pub moves: Option<MovesArgument>,
}

/// The wall rule, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Walls {
    /// The walker stays where it is
    Stay,
    /// The move is never drawn; its probability goes to the legal ones
    Renormalise,
}

impl From<Walls> for WallRule {
    fn from(walls: Walls) -> Self {
        match walls {
            Walls::Stay => Self::Stay,
            Walls::Renormalise => Self::Renormalise,
        }
    }
}

/// `isochrone exact`.
#[derive(Args, Debug)]
pub struct ExactOptions {
    /// The chain.
    #[command(flatten)]
    pub world: WorldOptions,

    /// The reference state: COLUMN,ROW of a maze's cell from the top left, or a state's number
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    pub from: StateArgument,

    /// Write every state to this CSV file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Draw a heat map (of a maze) or a scatter plot (of an edge list) to this .svg or .png file
    #[arg(long, value_name = "FILE")]
    pub figure: Option<PathBuf>,

    /// Quantity that the figure shows
    #[arg(long, value_enum, default_value_t = Quantity::Commute)]
    pub quantity: Quantity,

    /// Rows of the table on the terminal
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub rows: usize,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Quantity {
    /// There and back: the commute time
    Commute,
    /// Half the commute time: the paper's action distance
    Action,
    /// Mean steps from the reference to the state
    There,
    /// Mean steps from the state to the reference
    Back,
    /// Fewest steps from the reference to the state
    Shortest,
}

/// `isochrone spectral`.
#[derive(Args, Debug)]
pub struct SpectralOptions {
    /// The chain.
    #[command(flatten)]
    pub world: WorldOptions,

    /// Dimensions of the embedding; 8 by default, or as many as there are
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub dims: Option<u32>,

    /// Write the scaled embedding of every state to this CSV file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A state, as typed: `column,row` or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateArgument {
    /// A maze's cell.
    Cell {
        /// From 0 at the left.
        column: usize,
        /// From 0 at the top.
        row: usize,
    },
    /// A state's number.
    Number(usize),
}

impl FromStr for StateArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| {
            part.trim().parse::<usize>().map_err(|_| {
                format!("`{part}` is not a whole number; give COLUMN,ROW or a state's number")
            })
        };
        match text.split_once(',') {
            Some((column, row)) => Ok(Self::Cell {
                column: number(column)?,
                row: number(row)?,
            }),
            None => Ok(Self::Number(number(text)?)),
        }
    }
}

/// Four probabilities, as typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovesArgument(pub Moves);

impl FromStr for MovesArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').collect();
        let [north, south, east, west] = parts[..] else {
            return Err(format!(
                "{} numbers given, but there are four moves: N,S,E,W",
                parts.len()
            ));
        };
        let number = |part: &str| {
            part.trim()
                .parse::<f64>()
                .map_err(|_| format!("`{part}` is not a number"))
        };
        let moves = Moves {
            north: number(north)?,
            south: number(south)?,
            east: number(east)?,
            west: number(west)?,
        };
        moves.check().map(Self).map_err(|error| error.to_string())
    }
}
