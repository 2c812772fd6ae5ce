//! `isochrone-experiments reproduce`: a figure of the paper, drawn again from our own numbers.
//!
//! Each writes a folder with the figure (SVG and PNG), its data (CSV) and a report that puts the paper's
//! claims beside what was found. Verdicts are computed, never typed.

mod distance_along_trajectory;
mod distance_heatmap;
mod effect_of_q;
mod epsilon_share;
mod four_rooms;
mod grid_world;
mod laplacian_pixels;
mod mazes;
mod panels;
mod paper_maze;
mod parallel;
mod pixel_dimensions;
mod pixel_heatmap;
pub(crate) mod pixels;
mod predictor;
mod predictor_config;
mod random_walks;
mod report;
mod results;
mod rmse;
mod rollouts;
mod shortest_path;
mod trainings;
mod u_maze;
mod u_room;
mod window_targets;

use crate::cli::{ReproduceOptions, Reproducible};
use anyhow::{Result, bail};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use isochrone_figures::{Figure, Panel};
use isochrone_mujoco::WorldName;
use isochrone_runs::output::{draw, print, write};
use isochrone_runs::progress::Waiting;
use paper_maze::PaperMaze;
use report::{Made, Report};
use results::Results;
use std::path::{Path, PathBuf};

/// A figure with its data and its report.
struct Reproduction {
    figure: Figure,
    csv: String,
    report: Report,
    /// Numbers that depend on a seed and a spec, where something was learned.
    results: Option<Numbers>,
}

/// What results.csv holds.
enum Numbers {
    /// A number per line.
    Measures(Results),
    /// An evaluation of a training per line, and whether any was trained for it.
    Table(String, RunsFrom),
}

/// Where the trainings of a figure come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunsFrom {
    /// All of them were run before.
    Records,
    /// Some were run now.
    Training,
}

/// Seeds, size and inputs of a reproduction.
#[derive(Clone, Debug)]
struct Effort {
    /// Seeds `0..seeds`.
    seeds: u64,
    size: Size,
    /// Of the program, as results.csv names it.
    revision: String,
    /// The world whose figures of trainings to complete; by default the smallest one.
    world: Option<WorldName>,
    /// How long trainings are, if not as long as usual.
    iterations: Option<u64>,
    /// Where the run folders of trainings are.
    runs: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    /// As the report claims it.
    Full,
    /// To see that it works.
    Quick,
}

impl Size {
    /// A setting of the full version and of the quick one.
    fn pick<T>(self, full: T, quick: T) -> T {
        match self {
            Self::Full => full,
            Self::Quick => quick,
        }
    }
}

impl Reproduction {
    /// Of learned distances: the title and the columns of the figure, its panels, and the rest.
    fn learned(
        title: &str,
        columns: usize,
        panels: Vec<Panel>,
        csv: String,
        report: Report,
        results: Results,
    ) -> Self {
        Self {
            figure: Figure {
                title: title.to_owned(),
                columns,
                panels,
            },
            csv,
            report,
            results: Some(Numbers::Measures(results)),
        }
    }
}

/// Seeds if none are given: the paper's 5 for trainings, fewer for quick and for learned figures.
fn usual_seeds(options: &ReproduceOptions) -> u64 {
    match (trainings::is_trained(options.figure), options.quick) {
        _ if options.figure == Reproducible::GoalEvolution => 1,
        (true, false) => 5,
        (true, true) => 2,
        (false, _) => 3,
    }
}

/// Where run folders are: figures share them, but quick runs are not mixed with others.
fn runs(options: &ReproduceOptions, folder: &Path) -> PathBuf {
    match &options.runs {
        Some(runs) => runs.clone(),
        None if options.quick => folder.join("runs"),
        None => PathBuf::from("out/runs"),
    }
}

/// Refuses options that would do nothing.
fn refuse_idle(options: &ReproduceOptions) -> Result<()> {
    use Reproducible::{
        LaplacianPixels, NonuniformMaze, PixelDimensions, PixelHeatmap, Rmse, UniformMaze,
    };
    let is_of_trainings = trainings::is_trained(options.figure);
    let is_of_images = matches!(
        options.figure,
        PixelHeatmap | LaplacianPixels | PixelDimensions
    );
    let asks = options.world.is_some() || options.iterations.is_some();
    if asks && !is_of_trainings {
        bail!(
            "--world and --iterations are for figures of trainings: see `isochrone-experiments reproduce list`"
        );
    }
    if options.runs.is_some() && !is_of_trainings && !is_of_images {
        bail!(
            "--runs is for figures of trainings and of images: see `isochrone-experiments reproduce list`"
        );
    }
    let is_exact = matches!(options.figure, Rmse | UniformMaze | NonuniformMaze);
    if is_exact && (options.seeds.is_some() || options.quick) {
        bail!(
            "--seeds and --quick are for figures of what is learned; this one is exact and takes a second"
        );
    }
    Ok(())
}

/// Runs the command.
pub(crate) fn run(options: &ReproduceOptions) -> Result<()> {
    refuse_idle(options)?;
    if options.figure == Reproducible::List {
        return print(include_str!("reproduce/list.txt"));
    }
    let name = options.figure.to_possible_value();
    let name = name.as_ref().map_or("figure", PossibleValue::get_name);
    let usual = || PathBuf::from("out").join(name);
    let folder = options.out.clone().unwrap_or_else(usual);
    let version = || concat!("version ", env!("CARGO_PKG_VERSION")).to_owned();
    let effort = Effort {
        seeds: options.seeds.unwrap_or_else(|| usual_seeds(options)),
        size: if options.quick {
            Size::Quick
        } else {
            Size::Full
        },
        revision: options.revision.clone().unwrap_or_else(version),
        world: options.world,
        iterations: options.iterations,
        runs: runs(options, &folder),
    };
    let waiting = Waiting::new("computing");
    let reproduction = reproduce(options.figure, &effort, &waiting)?;
    waiting.now("drawing");
    reproduction.write(&folder, effort.size, waiting)
}

fn reproduce(figure: Reproducible, effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    match figure {
        Reproducible::Rmse => rmse::reproduce(),
        Reproducible::UniformMaze => mazes::reproduce(PaperMaze::Uniform),
        Reproducible::NonuniformMaze => mazes::reproduce(PaperMaze::NonUniform),
        Reproducible::EffectOfQ => effect_of_q::reproduce(effort, waiting),
        Reproducible::DistanceHeatmap => distance_heatmap::reproduce(effort, waiting),
        Reproducible::DistanceAlongTrajectory => {
            distance_along_trajectory::reproduce(effort, waiting)
        }
        Reproducible::PixelHeatmap => pixel_heatmap::reproduce(effort, waiting),
        Reproducible::LaplacianPixels => laplacian_pixels::reproduce(effort, waiting),
        Reproducible::PixelDimensions => pixel_dimensions::reproduce(effort, waiting),
        Reproducible::WindowTargets => window_targets::reproduce(effort, waiting),
        Reproducible::URoom => u_room::reproduce(effort, waiting),
        Reproducible::FourRooms => four_rooms::reproduce(effort, waiting),
        Reproducible::UMaze => u_maze::reproduce(effort, waiting),
        Reproducible::EpsilonShare => epsilon_share::reproduce(effort, waiting),
        trained => trainings::reproduce(trained, effort, waiting),
    }
}

impl Reproduction {
    /// Writes the files into `folder`, then prints the findings.
    fn write(self, folder: &Path, size: Size, waiting: Waiting) -> Result<()> {
        draw(&folder.join("figure.svg"), &self.figure)?;
        draw(&folder.join("figure.png"), &self.figure)?;
        write(&folder.join("figure.csv"), self.csv.as_bytes())?;
        let made = match (&self.results, size) {
            (_, Size::Quick) => Made::Quickly,
            (Some(Numbers::Table(_, RunsFrom::Records)), Size::Full) => Made::FromRecords,
            _ => Made::Now,
        };
        let report = self.report.judged_as(made);
        write(
            &folder.join("REPORT.md"),
            report.to_markdown(made).as_bytes(),
        )?;
        let mut written = "figure.svg,figure.png,figure.csv,REPORT.md".to_owned();
        if let Some(results) = self.results {
            let text = match results {
                Numbers::Measures(results) => results.to_csv(),
                Numbers::Table(text, _) => text,
            };
            write(&folder.join("results.csv"), text.as_bytes())?;
            written += ",results.csv";
        }
        drop(waiting);
        print(&report.to_terminal(made))?;
        print(&format!("wrote {}/{{{written}}}\n", folder.display()))
    }
}
