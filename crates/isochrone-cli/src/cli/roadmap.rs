//! What can be typed of roadmaps.

use crate::state_argument::StateText;
use clap::{Args, ValueEnum};
use isochrone::roadmap::Selection;
use std::path::PathBuf;

/// `isochrone map`.
#[derive(Args, Debug)]
pub struct MapOptions {
    /// A distance that `isochrone fit` wrote (a short window suits maps: two hops long), and data files or patterns: the
    /// trajectories that show which states can be reached from which
    #[arg(value_name = "MODEL FILES", required = true)]
    pub inputs: Vec<String>,

    /// Write the roadmap to this .roadmap file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// How many logged states become landmarks
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub landmarks: u32,

    /// How they are chosen
    #[arg(long, value_enum, default_value_t = SelectionArgument::Random)]
    pub selection: SelectionArgument,

    /// The most steps in which a trajectory must go from one landmark to another for a hop
    #[arg(long, value_name = "STEPS", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub hop_steps: u32,

    /// Of the choice of landmarks
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Threads; the result does not depend on them. All cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub threads: Option<u32>,
}

/// How landmarks are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SelectionArgument {
    /// At random, as dense as the log
    Random,
    /// Farthest-point sampling in the learned distance
    Farthest,
}

impl From<SelectionArgument> for Selection {
    fn from(argument: SelectionArgument) -> Self {
        match argument {
            SelectionArgument::Random => Self::Random,
            SelectionArgument::Farthest => Self::FarthestPoint,
        }
    }
}

/// `isochrone route`.
#[derive(Args, Debug)]
pub struct RouteOptions {
    /// A file that `isochrone map` wrote
    #[arg(value_name = "ROADMAP")]
    pub map: PathBuf,

    /// Where to begin: numbers with commas between them, or FILE:ROW of a data file
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    pub from: StateText,

    /// The goal, in the same way
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    pub to: StateText,

    /// Draw the route over the landmarks to this .svg or .png file
    #[arg(long, value_name = "FILE")]
    pub figure: Option<PathBuf>,

    /// The two entries of the state that the figure is drawn over
    #[arg(long, value_name = "X,Y", value_delimiter = ',', requires = "figure")]
    pub axes: Vec<usize>,

    /// Print the route for programs
    #[arg(long)]
    pub json: bool,
}
