//! `isochrone-experiments reproduce`: a figure of the paper, drawn again from our own numbers.
//!
//! Each writes a folder with the figure (SVG and PNG), its data (CSV) and a report that puts the paper's
//! claims beside what was found. Verdicts are computed, never typed.

mod asked;
mod distance_along_trajectory;
mod distance_heatmap;
mod effect_of_q;
mod epsilon_share;
mod four_rooms;
mod learning;
mod list;
mod mazes;
mod paper_maze;
mod predictor;
mod report;
mod results;
mod rmse;
mod rooms;
mod runs;
mod trainings;
mod u_maze;
mod u_room;
mod walks;
mod wander;
mod way;
mod window_targets;

use crate::cli::{ReproduceOptions, Reproducible};
use anyhow::{Result, anyhow, bail};
use isochrone_figures::Figure;
use isochrone_mujoco::WorldName;
use isochrone_runs::output::{draw, print, write};
use isochrone_runs::progress::Waiting;
use paper_maze::PaperMaze;
use report::{Made, Report};
use results::Results;
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;
use trainings::Experiment;

/// What a reproduction consists of.
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

impl Numbers {
    fn to_csv(&self) -> String {
        match self {
            Self::Measures(results) => results.to_csv(),
            Self::Table(text, _) => text.clone(),
        }
    }
}

/// How much of it is asked for.
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

/// Makes one, telling what it is at.
type Make = fn(&Effort, &Waiting) -> Result<Reproduction>;

/// Seeds that run side by side: each keeps its trajectories in memory.
const AT_ONCE: usize = 8;

impl Effort {
    /// The same work for every seed, some side by side; what came of it, in the order of the seeds.
    fn for_each_seed<T: Send>(&self, work: impl Fn(u64) -> Result<T> + Sync) -> Result<Vec<T>> {
        let (work, mut all) = (&work, Vec::new());
        for first in (0..self.seeds).step_by(AT_ONCE) {
            let seeds = first..self.seeds.min(first + AT_ONCE as u64);
            let some: Result<Vec<T>> = std::thread::scope(|scope| {
                let threads: Vec<_> = seeds.map(|s| scope.spawn(move || work(s))).collect();
                let join = |thread: ScopedJoinHandle<'_, Result<T>>| {
                    let done = thread.join();
                    done.unwrap_or_else(|_| Err(anyhow!("a thread of the experiment panicked")))
                };
                threads.into_iter().map(join).collect()
            });
            all.extend(some?);
        }
        Ok(all)
    }
}

/// As many as the paper has, where whole trainings are compared; fewer where they are to be quick, or are no trainings.
fn usual_seeds(options: &ReproduceOptions) -> u64 {
    match (Experiment::of(options.figure).is_some(), options.quick) {
        _ if options.figure == Reproducible::GoalEvolution => 1,
        (true, false) => 5,
        (true, true) => 2,
        (false, _) => 3,
    }
}

/// Figures share runs, so they have one place for them; quick ones are not mixed with others, and begin anew.
fn runs(options: &ReproduceOptions, folder: &Path) -> PathBuf {
    let usual = || {
        if options.quick {
            folder.join("runs")
        } else {
            PathBuf::from("out/runs")
        }
    };
    options.runs.clone().unwrap_or_else(usual)
}

/// Refuses options that would do nothing.
fn refuse_idle(options: &ReproduceOptions) -> Result<()> {
    use Reproducible::{NonuniformMaze, Rmse, UniformMaze};
    let is_of_trainings = Experiment::of(options.figure).is_some();
    let asks = options.world.is_some() || options.runs.is_some() || options.iterations.is_some();
    if asks && !is_of_trainings {
        bail!(
            "--world, --runs and --iterations are for figures of trainings: see `isochrone-experiments reproduce list`"
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
    use Experiment::{
        CoverageFull, CoverageXy, ExpandingSphere, GoalEvolution, GoalGeneration, OnlineTargets,
    };
    use trainings::reproduce;
    refuse_idle(options)?;
    let (name, make): (&str, Make) = match options.figure {
        Reproducible::List => return print(&list::told()),
        Reproducible::Rmse => ("rmse", |_, _| rmse::reproduce()),
        Reproducible::UniformMaze => ("uniform-maze", |_, _| mazes::reproduce(PaperMaze::Uniform)),
        Reproducible::NonuniformMaze => ("nonuniform-maze", |_, _| {
            mazes::reproduce(PaperMaze::NonUniform)
        }),
        Reproducible::EffectOfQ => ("effect-of-q", effect_of_q::reproduce),
        Reproducible::DistanceHeatmap => ("distance-heatmap", distance_heatmap::reproduce),
        Reproducible::DistanceAlongTrajectory => (
            "distance-along-trajectory",
            distance_along_trajectory::reproduce,
        ),
        Reproducible::WindowTargets => ("window-targets", window_targets::reproduce),
        Reproducible::URoom => ("u-room", u_room::reproduce),
        Reproducible::FourRooms => ("four-rooms", four_rooms::reproduce),
        Reproducible::UMaze => ("u-maze", u_maze::reproduce),
        Reproducible::EpsilonShare => ("epsilon-share", epsilon_share::reproduce),
        Reproducible::CoverageXy => ("coverage-xy", |e, w| reproduce(CoverageXy, e, w)),
        Reproducible::CoverageFull => ("coverage-full", |e, w| reproduce(CoverageFull, e, w)),
        Reproducible::GoalGeneration => ("goal-generation", |e, w| reproduce(GoalGeneration, e, w)),
        Reproducible::GoalEvolution => ("goal-evolution", |e, w| reproduce(GoalEvolution, e, w)),
        Reproducible::ExpandingSphere => {
            ("expanding-sphere", |e, w| reproduce(ExpandingSphere, e, w))
        }
        Reproducible::OnlineTargets => ("online-targets", |e, w| reproduce(OnlineTargets, e, w)),
    };
    let folder = options
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("out").join(name));
    let effort = Effort {
        seeds: options.seeds.unwrap_or_else(|| usual_seeds(options)),
        size: if options.quick {
            Size::Quick
        } else {
            Size::Full
        },
        revision: (options.revision.clone())
            .unwrap_or_else(|| concat!("version ", env!("CARGO_PKG_VERSION")).to_owned()),
        world: options.world,
        iterations: options.iterations,
        runs: runs(options, &folder),
    };
    let waiting = Waiting::new("computing");
    let Reproduction {
        figure,
        csv,
        report,
        results,
    } = make(&effort, &waiting)?;
    waiting.now("drawing");
    draw(&folder.join("figure.svg"), &figure)?;
    draw(&folder.join("figure.png"), &figure)?;
    write(&folder.join("figure.csv"), csv.as_bytes())?;
    let made = match (&results, effort.size) {
        (_, Size::Quick) => Made::Quickly,
        (Some(Numbers::Table(_, RunsFrom::Records)), Size::Full) => Made::FromRecords,
        _ => Made::Now,
    };
    let report = report.judged_as(made);
    let markdown = report.to_markdown(made);
    write(&folder.join("REPORT.md"), markdown.as_bytes())?;
    let mut written = "figure.svg,figure.png,figure.csv,REPORT.md".to_owned();
    if let Some(results) = results {
        write(&folder.join("results.csv"), results.to_csv().as_bytes())?;
        written += ",results.csv";
    }
    drop(waiting);
    print(&report.to_terminal(made))?;
    print(&format!("wrote {}/{{{written}}}\n", folder.display()))
}
