//! Figures 8 and 9: distances from (2, 2) in both embeddings beside the truth, dimension by dimension.

use super::Reproduction;
use super::panels::{colours_to, csv, map};
use super::paper_maze::{CENTRE, PaperMaze, SIDE, Solved};
use super::report::{Basis, Finding, Report, Verdict, paragraphs};
use anyhow::Result;
use isochrone::markov::rmse;
use isochrone_figures::{ColourBar, Figure, Panel};

/// The embedding sizes the paper shows.
const DIMS: [usize; 12] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 24];
/// Two sizes side by side, three maps each.
const COLUMNS: usize = 6;

pub(super) fn reproduce(maze: PaperMaze) -> Result<Reproduction> {
    let solved = maze.solve()?;
    let truth = &solved.root_commute;
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    for dims in DIMS {
        let distances = solved.spectrum.distances_from(CENTRE, dims);
        let (spectral, scaled) = (distances.spectral_rescaled(), &distances.scaled);
        rows.extend((0..truth.len()).map(|s| {
            let (column, row) = (s % SIDE, s / SIDE);
            format!(
                "{dims},{column},{row},{},{},{}",
                spectral[s], scaled[s], truth[s]
            )
        }));
        panels.push(heat(&solved, format!("spectral, {dims} dims"), &spectral));
        panels.push(heat(&solved, format!("scaled, {dims} dims"), scaled));
        panels.push(heat(&solved, "truth".to_owned(), truth));
    }
    let (number, what, finding, own) = match maze {
        PaperMaze::Uniform => (
            8,
            "equal probabilities",
            similar_until_eleven(&solved),
            "- **Eigenbasis.** Sizes 1, 11, 13, 15, 17 and 19 cut an eigenspace; there the squared distance is \
             averaged over its bases, which keeps the symmetry of the maze. The paper shows one particular basis.",
        ),
        PaperMaze::NonUniform => (
            9,
            "drift to the north-east",
            corner(&solved)?,
            "- **Coordinates.** (0,3), (0,4), (1,4) are read as (column, row from the top): the far corner \
             against the drift. Read as (row, column) they lie in the opposite corner, where the truth is flat \
             as well and the claim says nothing.",
        ),
    };
    let walls = "- **Walls.** The paper does not say what a move into a wall does; here the walker stays. Renormalising \
                 changes every distance by one factor.\n- **Orientation.** Row 0 is at the top, north is up.\n";
    Ok(Reproduction {
        figure: Figure {
            title: format!("Distance from (2, 2), {what}"),
            columns: COLUMNS,
            panels,
        },
        csv: csv("dim,column,row,spectral,scaled,truth", rows),
        results: None,
        report: Report {
            title: format!("Figure {number}: the {} maze", maze.name()),
            basis: Basis::Exact,
            findings: vec![scaled_improves(&solved), finding],
            differences: paragraphs(&[walls, own].concat()),
        },
    })
}

fn heat(solved: &Solved, title: String, values: &[f64]) -> Panel {
    let farthest = solved.root_commute.iter().copied().fold(0.0, f64::max);
    let colour = colours_to(farthest, "distance (√steps)", ColourBar::Shared);
    let (values, marker) = (solved.maze.lay_out(values), (CENTRE % SIDE, CENTRE / SIDE));
    map(title, SIDE, values, colour, Vec::new(), marker)
}

fn scaled_improves(solved: &Solved) -> Finding {
    let errors = DIMS.map(|dims| {
        let distances = solved.spectrum.distances_from(CENTRE, dims);
        rmse(&distances.scaled, &solved.root_commute)
    });
    let [first, .., last] = errors;
    Finding {
        claim: "more dimensions bring the scaled embedding closer to the commute-time distance"
            .to_owned(),
        found: format!(
            "RMSE {first:.3} at 1, {:.3} at 11, {last:.1e} at 24",
            errors[5]
        ),
        rule: "the error falls from each size shown to the next",
        verdict: Verdict::from(errors.windows(2).all(|pair| pair[1] < pair[0])),
    }
}

fn similar_until_eleven(solved: &Solved) -> Finding {
    let gap = |dims: usize| {
        let distances = solved.spectrum.distances_from(CENTRE, dims);
        rmse(&distances.spectral_rescaled(), &distances.scaled)
    };
    let until_eleven = DIMS.iter().filter(|&&d| d <= 11);
    let early = until_eleven.map(|&d| gap(d)).fold(0.0, f64::max);
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
        let [a, b, c] = [(0, 3), (0, 4), (1, 4)].map(|(x, y)| solved.at(values, x, y));
        Ok([a?, b?, c?])
    };
    let spectral = at(&distances.spectral_rescaled())?;
    let (scaled, truth) = (at(&distances.scaled)?, at(&solved.root_commute)?);
    let flat = |d: [f64; 3]| d[0].min(d[2]) / d[1];
    let words = |d: [f64; 3]| d.map(|d| format!("{d:.2}")).join("/");
    let [a, b, c] = [spectral, scaled, truth].map(words);
    Ok(Finding {
        claim:
            "with 3 dimensions (0,3), (0,4), (1,4) are equidistant in the spectral embedding only"
                .to_owned(),
        found: format!("spectral {a}, scaled {b}, truth {c}"),
        rule: "the nearest is more than 0.95 of the farthest in one, less than 0.7 in the other",
        verdict: Verdict::from(flat(spectral) > 0.95 && flat(scaled) < 0.7),
    })
}
