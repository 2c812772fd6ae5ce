//! Figures 8 and 9: distances from (2, 2) in both embeddings beside the truth, dimension by dimension.

use super::Reproduction;
use super::paper_maze::{CENTRE, PaperMaze, SIDE, Solved};
use super::report::{Basis, Finding, Report, Verdict};
use anyhow::Result;
use isochrone::markov::rmse;
use isochrone_figures::{ColourBar, ColourScale, Figure, Heat, Panel};
use std::fmt::Write as _;

/// The embedding sizes the paper shows.
const DIMS: [usize; 12] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 24];
/// Two sizes side by side, three maps each.
const COLUMNS: usize = 6;

pub(super) fn reproduce(maze: PaperMaze) -> Result<Reproduction> {
    let solved = maze.solve()?;
    let mut csv = "dim,column,row,spectral,scaled,truth\n".to_owned();
    let mut panels = Vec::new();
    for dims in DIMS {
        let distances = solved.spectrum.distances_from(CENTRE, dims);
        let spectral = distances.spectral_rescaled();
        for state in 0..solved.maze.n_states() {
            let cell = solved.maze.cell(state);
            let (a, b, c) = (
                spectral[state],
                distances.scaled[state],
                solved.root_commute[state],
            );
            writeln!(csv, "{dims},{},{},{a},{b},{c}", cell.column, cell.row)?;
        }
        panels.push(heat(&solved, format!("spectral, {dims} dims"), &spectral));
        panels.push(heat(
            &solved,
            format!("scaled, {dims} dims"),
            &distances.scaled,
        ));
        panels.push(heat(&solved, "truth".to_owned(), &solved.root_commute));
    }
    let (number, what) = match maze {
        PaperMaze::Uniform => (8, "equal probabilities"),
        PaperMaze::NonUniform => (9, "drift to the north-east"),
    };
    let findings = match maze {
        PaperMaze::Uniform => vec![scaled_improves(&solved), similar_until_eleven(&solved)],
        PaperMaze::NonUniform => vec![scaled_improves(&solved), corner(&solved)?],
    };
    Ok(Reproduction {
        figure: Figure {
            title: format!("Distance from (2, 2), {what}"),
            columns: COLUMNS,
            panels,
        },
        csv,
        results: None,
        report: Report {
            title: format!("Figure {number}: the {} maze", maze.name()),
            basis: Basis::Exact,
            findings,
            differences: differences(maze),
        },
    })
}

fn heat(solved: &Solved, title: String, values: &[f64]) -> Panel {
    let truth = solved.root_commute.iter().copied().fold(0.0, f64::max);
    Panel::Heat(Heat {
        title,
        x_label: String::new(),
        y_label: String::new(),
        columns: SIDE,
        values: solved.maze.lay_out(values),
        colour: ColourScale {
            label: "distance (√steps)".to_owned(),
            low: 0.0,
            high: truth,
            bar: ColourBar::Shared,
        },
        contours: Vec::new(),
        marker: Some((CENTRE % SIDE, CENTRE / SIDE)),
    })
}

fn scaled_improves(solved: &Solved) -> Finding {
    let error = |dims: usize| {
        let distances = solved.spectrum.distances_from(CENTRE, dims);
        rmse(&distances.scaled, &solved.root_commute)
    };
    let errors: Vec<f64> = DIMS.iter().map(|&dims| error(dims)).collect();
    let better = errors.windows(2).all(|pair| pair[1] < pair[0]);
    Finding {
        claim: "more dimensions bring the scaled embedding closer to the commute-time distance"
            .to_owned(),
        found: format!(
            "RMSE {:.3} at 1, {:.3} at 11, {:.1e} at 24",
            errors[0], errors[5], errors[11]
        ),
        rule: "the error falls from each size shown to the next",
        verdict: Verdict::from(better),
    }
}

fn similar_until_eleven(solved: &Solved) -> Finding {
    let gap = |dims: usize| {
        let distances = solved.spectrum.distances_from(CENTRE, dims);
        rmse(&distances.spectral_rescaled(), &distances.scaled)
    };
    let early = DIMS
        .iter()
        .filter(|&&d| d <= 11)
        .map(|&d| gap(d))
        .fold(0.0, f64::max);
    let late = gap(24);
    Finding {
        claim: "the two embeddings are reasonably similar up to 11 dimensions".to_owned(),
        found: format!(
            "they differ by at most {early:.2} (RMS, √steps) up to 11, by {late:.2} at 24"
        ),
        rule: "up to 11 they differ by less than half of what they differ by at 24",
        verdict: Verdict::from(early < 0.5 * late),
    }
}

/// (0,3), (0,4), (1,4): the corner against the drift, if (x, y) is (column, row from the top).
fn corner(solved: &Solved) -> Result<Finding> {
    let distances = solved.spectrum.distances_from(CENTRE, 3);
    let at = |values: &[f64]| -> Result<[f64; 3]> {
        Ok([
            solved.at(values, 0, 3)?,
            solved.at(values, 0, 4)?,
            solved.at(values, 1, 4)?,
        ])
    };
    let spectral = at(&distances.spectral_rescaled())?;
    let (scaled, truth) = (at(&distances.scaled)?, at(&solved.root_commute)?);
    let flat = |d: [f64; 3]| d[0].min(d[2]) / d[1];
    let words = |d: [f64; 3]| format!("{:.2}/{:.2}/{:.2}", d[0], d[1], d[2]);
    Ok(Finding {
        claim:
            "with 3 dimensions (0,3), (0,4), (1,4) are equidistant in the spectral embedding only"
                .to_owned(),
        found: format!(
            "spectral {}, scaled {}, truth {}",
            words(spectral),
            words(scaled),
            words(truth)
        ),
        rule: "the nearest is more than 0.95 of the farthest in one, less than 0.7 in the other",
        verdict: Verdict::from(flat(spectral) > 0.95 && flat(scaled) < 0.7),
    })
}

fn differences(maze: PaperMaze) -> Vec<String> {
    let mut list = vec![
        "**Walls.** The paper does not say what a move into a wall does; here the walker stays. Renormalising \
         changes every distance by one factor."
            .to_owned(),
        "**Orientation.** Row 0 is at the top, north is up.".to_owned(),
    ];
    list.push(match maze {
        PaperMaze::Uniform => {
            "**Eigenbasis.** Sizes 1, 11, 13, 15, 17 and 19 cut an eigenspace; there the squared distance is \
             averaged over its bases, which keeps the symmetry of the maze. The paper shows one particular basis."
                .to_owned()
        }
        PaperMaze::NonUniform => {
            "**Coordinates.** (0,3), (0,4), (1,4) are read as (column, row from the top): the far corner \
             against the drift. Read as (row, column) they lie in the opposite corner, where the truth is flat \
             as well and the claim says nothing."
                .to_owned()
        }
    });
    list
}
