//! What can be typed of reproductions.

use super::revision;
use clap::{Args, ValueEnum};
use isochrone_mujoco::WorldName;
use std::path::PathBuf;

/// `isochrone reproduce`.
#[derive(Args, Debug)]
pub struct ReproduceOptions {
    /// Which figure; `list` says what there is
    #[arg(value_enum)]
    pub figure: Reproducible,

    /// Folder to write figure.svg, figure.png, figure.csv and REPORT.md to; out/FIGURE if not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Runs that differ in their seed only, where something is learned; seeds count from 0, those of epsilon-share
    /// from 10. 3 if not given, 5 for figures of trainings, 2 for their quick versions, 1 for goal-evolution
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub seeds: Option<u64>,

    /// For figures of trainings: complete this world; point-mass if not given
    #[arg(long, value_name = "WORLD")]
    pub world: Option<WorldName>,

    /// For figures of trainings: where their run folders are; out/runs if not given, OUT/runs for quick ones
    #[arg(long, value_name = "DIR")]
    pub runs: Option<PathBuf>,

    /// For figures of trainings: how long they are; 100 if not given, about ten million steps of a sphere
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), conflicts_with = "quick")]
    pub iterations: Option<u64>,

    /// A small version, to see that it works: minutes instead of hours, and worse numbers
    #[arg(long)]
    pub quick: bool,

    /// What results.csv names as the revision of the program, beside every number
    #[arg(long, value_name = "TEXT", value_parser = revision)]
    pub revision: Option<String>,
}

/// What can be reproduced today.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Reproducible {
    /// Say what there is
    List,
    /// Figure 7: error of spectral and scaled spectral embeddings by dimension
    Rmse,
    /// Figure 8: distances from the centre of the uniform maze
    UniformMaze,
    /// Figure 9: distances from the centre of the non-uniform maze
    NonuniformMaze,
    /// Figure 10: what the power q of the norm does to the region within a number of steps
    EffectOfQ,
    /// Figure 3 (c): learned distances over the floor of every world
    DistanceHeatmap,
    /// Figure 3 (a, b): learned distances along trajectories
    DistanceAlongTrajectory,
    /// What the paper's label converges to: learned distances against the formula
    WindowTargets,
    /// A continuous room with a wall: bootstrapped targets against the paper's label
    URoom,
    /// Four rooms: how much of the commute time can be learned from short windows
    FourRooms,
    /// A U of 252 states: the paper's label against the shortest way
    UMaze,
    /// How much of what a random policy sees is within ε, by ε and step size
    EpsilonShare,
    /// Figure 1: coverage with the straight line and with learned distances, goals are places
    CoverageXy,
    /// Figure 2: the same with goals that are whole states
    CoverageFull,
    /// Figure 5: coverage with goals from a GAN and from action noise
    GoalGeneration,
    /// Figure 6: where the goals of action noise are, iteration by iteration
    GoalEvolution,
    /// Figure 4: how many states a learned distance calls near, on-policy and off-policy
    ExpandingSphere,
    /// Coverage by what the distance is fitted to while the policy learns
    OnlineTargets,
}
