//! `isochrone reproduce`: a figure of the paper, drawn again from our own numbers.
//!
//! Each writes a folder with the figure (SVG and PNG), its data (CSV) and a report that puts the paper's
//! claims beside what was found. Verdicts are computed, never typed.

mod mazes;
mod paper_maze;
mod report;
mod rmse;

use crate::cli::{ReproduceOptions, Reproducible};
use crate::figure::Figure;
use crate::output::{draw, print, table, write};
use crate::progress::Waiting;
use anyhow::Result;
use paper_maze::PaperMaze;
use report::Report;
use std::path::PathBuf;

/// What a reproduction consists of.
struct Reproduction {
    figure: Figure,
    csv: String,
    report: Report,
}

/// Runs the command.
pub fn run(options: &ReproduceOptions) -> Result<()> {
    let (name, make): (&str, fn() -> Result<Reproduction>) = match options.figure {
        Reproducible::List => return print(&list()),
        Reproducible::Rmse => ("rmse", rmse::reproduce),
        Reproducible::UniformMaze => ("uniform-maze", || mazes::reproduce(PaperMaze::Uniform)),
        Reproducible::NonuniformMaze => ("nonuniform-maze", || {
            mazes::reproduce(PaperMaze::NonUniform)
        }),
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
    } = make()?;
    waiting.now("drawing");
    draw(&folder.join("figure.svg"), &figure)?;
    draw(&folder.join("figure.png"), &figure)?;
    write(&folder.join("figure.csv"), csv.as_bytes())?;
    write(&folder.join("REPORT.md"), report.to_markdown().as_bytes())?;
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
    ];
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.map(str::to_owned).to_vec())
        .collect();
    table(&["name", "in the paper", "shows", "takes"], &rows)
}
