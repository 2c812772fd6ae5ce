//! `isochrone reproduce`: a figure of the paper, drawn again from our own numbers.
//!
//! Each writes a folder with the figure (SVG and PNG), its data (CSV) and a report that puts the paper's
//! claims beside what was found. Verdicts are computed, never typed.

mod asked;
mod distance_along_trajectory;
mod distance_heatmap;
mod effect_of_q;
mod floor;
mod four_rooms;
mod learning;
mod mazes;
mod paper_maze;
mod predictor;
mod report;
mod results;
mod rmse;
mod rooms;
mod runs;
mod u_maze;
mod u_room;
mod walks;
mod wander;
mod way;
mod window_targets;

use crate::cli::{ReproduceOptions, Reproducible};
use crate::figure::Figure;
use crate::output::{draw, print, table, write};
use crate::progress::Waiting;
use anyhow::{Result, anyhow};
use paper_maze::PaperMaze;
use report::Report;
use results::Results;
use std::path::PathBuf;
use std::thread::ScopedJoinHandle;

/// What a reproduction consists of.
struct Reproduction {
    figure: Figure,
    csv: String,
    report: Report,
    /// Numbers that depend on a seed and a spec, where something was learned.
    results: Option<Results>,
}

/// How much of it is asked for.
#[derive(Clone, Debug)]
struct Effort {
    /// Seeds `0..seeds`.
    seeds: u64,
    size: Size,
    /// Of the program, as results.csv names it.
    revision: String,
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

/// Runs the command.
pub fn run(options: &ReproduceOptions) -> Result<()> {
    let (name, make): (&str, Make) = match options.figure {
        Reproducible::List => return print(&list()),
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
    };
    let effort = Effort {
        seeds: options.seeds,
        size: if options.quick {
            Size::Quick
        } else {
            Size::Full
        },
        revision: (options.revision.clone())
            .unwrap_or_else(|| concat!("version ", env!("CARGO_PKG_VERSION")).to_owned()),
    };
    let folder = options
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("out").join(name));
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
    write(&folder.join("REPORT.md"), report.to_markdown().as_bytes())?;
    let mut written = "figure.svg,figure.png,figure.csv,REPORT.md".to_owned();
    if let Some(results) = results {
        write(&folder.join("results.csv"), results.to_csv().as_bytes())?;
        written += ",results.csv";
    }
    drop(waiting);
    print(&report.to_terminal())?;
    print(&format!("wrote {}/{{{written}}}\n", folder.display()))
}

fn list() -> String {
    let rows = [
        [
            "rmse",
            "Figure 7",
            "error of spectral and scaled spectral embeddings, 1–24 dimensions",
            "a second",
        ],
        [
            "uniform-maze",
            "Figure 8",
            "distances from the centre, uniform transitions",
            "a second",
        ],
        [
            "nonuniform-maze",
            "Figure 9",
            "distances from the centre, drift to the north-east",
            "a second",
        ],
        [
            "effect-of-q",
            "Figure 10",
            "the region within 60 steps of Free Ant's start, for four powers of the norm",
            "ten minutes",
        ],
        [
            "distance-heatmap",
            "Figure 3 (c)",
            "learned distances over the floor of six worlds beside the shortest way",
            "ten minutes",
        ],
        [
            "distance-along-trajectory",
            "Figure 3 (a, b)",
            "learned distances along trajectories of Point Mass and Maze Ant",
            "five minutes",
        ],
        [
            "window-targets",
            "–",
            "what the label converges to: learned distances against the formula",
            "half an hour",
        ],
        [
            "u-room",
            "–",
            "a continuous room with a wall: bootstrapped targets and the label",
            "10 minutes",
        ],
        [
            "four-rooms",
            "–",
            "400 states: how much of the commute time can be learned",
            "10 minutes",
        ],
        [
            "u-maze",
            "–",
            "a U of 252 states: the label against the shortest way",
            "5 minutes",
        ],
    ];
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.map(str::to_owned).to_vec())
        .collect();
    table(&["name", "in the paper", "shows", "takes"], &rows)
}
