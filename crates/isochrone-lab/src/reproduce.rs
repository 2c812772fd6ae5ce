//! `isochrone reproduce`: a figure of the paper, drawn again from our own numbers.
//!
//! Each writes a folder with the figure (SVG and PNG), its data (CSV) and a report that puts the paper's
//! claims beside what was found. Verdicts are computed, never typed.

mod four_rooms;
mod learning;
mod mazes;
mod paper_maze;
mod report;
mod results;
mod rmse;
mod rooms;
mod runs;
mod u_maze;
mod u_room;
mod walks;
mod window_targets;

use crate::cli::{ReproduceOptions, Reproducible};
use crate::figure::Figure;
use crate::output::{draw, print, table, write};
use crate::progress::Waiting;
use anyhow::Result;
use paper_maze::PaperMaze;
use report::Report;
use results::Results;
use std::path::PathBuf;

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

/// Runs the command.
pub fn run(options: &ReproduceOptions) -> Result<()> {
    let (name, make): (&str, Make) = match options.figure {
        Reproducible::List => return print(&list()),
        Reproducible::Rmse => ("rmse", |_, _| rmse::reproduce()),
        Reproducible::UniformMaze => ("uniform-maze", |_, _| mazes::reproduce(PaperMaze::Uniform)),
        Reproducible::NonuniformMaze => ("nonuniform-maze", |_, _| {
            mazes::reproduce(PaperMaze::NonUniform)
        }),
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
    if let Some(results) = results {
        write(&folder.join("results.csv"), results.to_csv().as_bytes())?;
    }
    drop(waiting);
    print(&report.to_terminal())?;
    print(&format!(
        "wrote {}/{{figure.svg,figure.png,figure.csv,REPORT.md}}\n",
        folder.display()
    ))
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
