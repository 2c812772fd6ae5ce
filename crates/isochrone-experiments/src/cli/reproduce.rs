//! What can be typed of reproductions.

use clap::{Args, ValueEnum};
use isochrone_files::settings::meant;
use isochrone_mujoco::WorldName;
use isochrone_runs::arguments::revision;
use std::path::PathBuf;

/// `isochrone-experiments reproduce`.
#[derive(Args, Debug)]
pub(crate) struct ReproduceOptions {
    /// Which figure, by its name or by its number in the paper (1, 3c, figure-7); `list` prints them
    #[arg(value_name = "FIGURE", value_parser = figure)]
    pub figure: Reproducible,

    /// Folder to write figure.svg, figure.png, figure.csv and REPORT.md to; out/FIGURE if not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Seeds of learned results, counted from 0 (from 10 for epsilon-share). Default: 3; 5 for figures of trainings, 2 for
    /// their quick versions, 1 for goal-evolution
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub seeds: Option<u64>,

    /// For figures of trainings: the world to complete; point-mass by default
    #[arg(long, value_name = "WORLD")]
    pub world: Option<WorldName>,

    /// For figures of trainings and of images: the folder of what was run; out/runs by default, OUT/runs for quick ones
    #[arg(long, value_name = "DIR")]
    pub runs: Option<PathBuf>,

    /// For figures of trainings: iterations; 100 by default, about ten million steps of Point Mass
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000), conflicts_with = "quick")]
    pub iterations: Option<u64>,

    /// A small version as a smoke test: minutes instead of hours, and worse numbers
    #[arg(long)]
    pub quick: bool,

    /// Revision of the program, written beside every number of results.csv
    #[arg(long, value_name = "TEXT", value_parser = revision)]
    pub revision: Option<String>,
}

/// A figure, as typed: its name here, or its number in the paper.
fn figure(text: &str) -> Result<Reproducible, String> {
    if let Ok(figure) = Reproducible::from_str(text, true) {
        return Ok(figure);
    }
    let word = text.to_lowercase();
    let number = word.trim_start_matches("figure").trim_start_matches("fig");
    let number = number.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let number: String = number.chars().filter(|c| !"() ".contains(*c)).collect();
    Ok(match number.as_str() {
        "1" => Reproducible::CoverageXy,
        "2" => Reproducible::CoverageFull,
        "3a" | "3b" | "3ab" => Reproducible::DistanceAlongTrajectory,
        "3c" => Reproducible::DistanceHeatmap,
        "4" => Reproducible::ExpandingSphere,
        "5" => Reproducible::GoalGeneration,
        "6" => Reproducible::GoalEvolution,
        "7" => Reproducible::Rmse,
        "8" => Reproducible::UniformMaze,
        "9" => Reproducible::NonuniformMaze,
        "10" => Reproducible::EffectOfQ,
        "3d" | "16" => Reproducible::PixelHeatmap,
        "12" | "13" => Reproducible::LaplacianPixels,
        "14" | "15" => Reproducible::PixelDimensions,
        "3" => {
            return Err("Figure 3 has parts: 3a and 3b (one command), 3c and 3d".to_owned());
        }
        _ => {
            let names: Vec<String> = Reproducible::value_variants()
                .iter()
                .filter_map(ValueEnum::to_possible_value)
                .map(|value| value.get_name().to_owned())
                .collect();
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let meant = meant(&word, &known);
            let did_you_mean = match &meant[..] {
                [] => String::new(),
                meant => format!("did you mean {}? ", meant.join(" or ")),
            };
            return Err(format!(
                "{did_you_mean}`isochrone-experiments reproduce list` names all figures"
            ));
        }
    })
}

/// What can be reproduced today.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reproducible {
    /// List the figures
    List,
    /// Figure 7: error of spectral and scaled spectral embeddings by dimension
    Rmse,
    /// Figure 8: distances from the centre of the uniform maze
    UniformMaze,
    /// Figure 9: distances from the centre of the non-uniform maze
    NonuniformMaze,
    /// Figure 10: effect of the power q of the norm on the region within a number of steps
    EffectOfQ,
    /// Figure 3 (c): learned distances over the floor of every world
    DistanceHeatmap,
    /// Figures 3 (d) and 16: learned distances between images over the floor of Maze Ant
    PixelHeatmap,
    /// Figures 12 and 13: the Laplacian representation of images, by β and learning rate
    LaplacianPixels,
    /// Figures 14 and 15: the Laplacian representation and our distance between images, by dimensions
    PixelDimensions,
    /// Figure 3 (a, b): learned distances along trajectories
    DistanceAlongTrajectory,
    /// What the paper's label converges to: learned distances against the formula
    WindowTargets,
    /// A continuous room with a wall: bootstrapped targets against the paper's label
    URoom,
    /// Four rooms: how much of the commute time can be learned from short windows
    FourRooms,
    /// A U-maze of 252 states: the paper's label against the shortest path
    UMaze,
    /// Share of pairs of a random policy's states within ε, by ε and learning rate
    EpsilonShare,
    /// Figure 1: coverage with the Euclidean distance and with learned distances; goals are positions
    CoverageXy,
    /// Figure 2: the same with whole states as goals
    CoverageFull,
    /// Figure 5: coverage with goals from a GAN and from action noise
    GoalGeneration,
    /// Figure 6: positions of the goals of action noise, by iteration
    GoalEvolution,
    /// Figure 4: size of the ε-ball of a learned distance, on-policy and off-policy
    ExpandingSphere,
    /// Coverage by the target of the distance that is learned beside the policy
    OnlineTargets,
}
