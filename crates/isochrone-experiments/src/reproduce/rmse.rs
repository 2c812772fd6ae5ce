//! Figure 7: how far spectral and scaled spectral embeddings miss √commute time, by dimension.

use super::Reproduction;
use super::panels::{csv, series};
use super::paper_maze::{CENTRE, PaperMaze, Solved};
use super::report::{Basis, Finding, Report, Verdict, paragraphs};
use anyhow::Result;
use isochrone::markov::{rmse, rmse_curves};
use isochrone::rng::{Purpose, Seed};
use isochrone_figures::{Figure, Lines, Mark, Panel, Stroke};

/// Random eigenbases tried for the claim about 13 dimensions.
const N_BASES: usize = 2_000;

pub(super) fn reproduce() -> Result<Reproduction> {
    let (mut panels, mut findings, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for maze in PaperMaze::BOTH {
        let solved = maze.solve()?;
        let curves = rmse_curves(&solved.spectrum, CENTRE, &solved.commute);
        for (dim, (spectral, scaled)) in (1..).zip(&curves) {
            let independent = solved.spectrum.is_basis_independent(dim);
            rows.push(format!(
                "{},{dim},{independent},{spectral},{scaled}",
                maze.name()
            ));
        }
        findings.push(scaled_falls(maze, &curves));
        findings.push(match maze {
            PaperMaze::Uniform => thirteen(&solved, &curves),
            PaperMaze::NonUniform => no_single_dimension(&curves),
        });
        findings.push(eigenvalue_spread(maze, &solved));
        panels.push(panel(maze, &solved, &curves));
    }
    Ok(Reproduction {
        figure: Figure {
            title: "Error of the distance from (2, 2) against √commute time".to_owned(),
            columns: 2,
            panels,
        },
        csv: csv("maze,dim,basis_independent,spectral,scaled", rows),
        results: None,
        report: Report {
            title: "Figure 7: RMSE of spectral and scaled spectral embeddings".to_owned(),
            basis: Basis::Exact,
            findings,
            differences: paragraphs(include_str!("rmse.md")),
        },
    })
}

/// The dimension with the smallest spectral error, and that error.
fn best(curve: impl Iterator<Item = (usize, f64)>) -> (usize, f64) {
    curve
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((0, f64::NAN))
}

fn scaled_falls(maze: PaperMaze, curves: &[(f64, f64)]) -> Finding {
    let falls = curves.windows(2).all(|pair| pair[1].1 < pair[0].1);
    let (first, last) = (curves[0].1, curves[curves.len() - 1].1);
    Finding {
        claim: format!(
            "{} maze: the scaled error falls with every dimension, to nothing at 24",
            maze.name()
        ),
        found: format!(
            "{first:.3} √steps at 1 dimension, {last:.1e} at 24; every step {}",
            if falls { "down" } else { "not down" }
        ),
        rule: "every step goes down and the last value is rounding",
        verdict: Verdict::from(falls && last < 1e-6),
    }
}

/// The paper's "until 13", under three readings.
fn thirteen(solved: &Solved, curves: &[(f64, f64)]) -> Finding {
    let spectral = || curves.iter().enumerate().map(|(at, c)| (at + 1, c.0));
    let (averaged, averaged_error) = best(spectral());
    let (whole, whole_error) =
        best(spectral().filter(|(dim, _)| solved.spectrum.is_basis_independent(*dim)));
    let mut counts = [0_usize; 25];
    for draw in 0..N_BASES {
        counts[best_in_random_basis(solved, draw as u64)] += 1;
    }
    let share = |dim: usize| 100.0 * counts[dim] as f64 / N_BASES as f64;
    let shares: Vec<String> = (1..25)
        .filter(|&dim| share(dim) >= 0.5)
        .map(|dim| format!("{dim}: {:.1} %", share(dim)))
        .collect();
    Finding {
        claim: "uniform maze: the spectral error improves until 13 dimensions, then deteriorates"
            .to_owned(),
        found: format!(
            "averaged over eigenbases the best is {averaged} ({averaged_error:.4}); among dimensions that cut \
             no eigenspace {whole} ({whole_error:.4}); in {N_BASES} random eigenbases (seed 0) the best is {}",
            shares.join(", ")
        ),
        rule: "13 is the best dimension in every eigenbasis",
        verdict: if averaged == 13 {
            Verdict::Depends
        } else {
            Verdict::Fails
        },
    }
}

fn best_in_random_basis(solved: &Solved, draw: u64) -> usize {
    let mut rng = Seed(0).stream(Purpose::Bases, 0, draw);
    let spectrum = solved.spectrum.in_random_bases(&mut rng);
    let error = |dim: usize| {
        let spectral = spectrum
            .distances_in_this_basis(CENTRE, dim)
            .spectral_rescaled();
        (dim, rmse(&spectral, &solved.root_commute))
    };
    best((1..=spectrum.n_dims()).map(error)).0
}

fn no_single_dimension(curves: &[(f64, f64)]) -> Finding {
    let (dim, error) = best(curves.iter().enumerate().map(|(at, c)| (at + 1, c.0)));
    let (first, last) = (curves[0].0, curves[curves.len() - 1].0);
    Finding {
        claim: "non-uniform maze: no embedding size serves the spectral embedding".to_owned(),
        found: format!("best {error:.2} at {dim} dimensions, {first:.2} at 1, {last:.2} at 24"),
        rule: "the best size still has half the error of one dimension, and 24 have twice the best",
        verdict: Verdict::from(error > 0.5 * first && last > 2.0 * error),
    }
}

fn eigenvalue_spread(maze: PaperMaze, solved: &Solved) -> Finding {
    let values = solved.spectrum.eigenvalues();
    let spread = values[values.len() - 1] / values[0];
    let (claim, rule, holds) = match maze {
        PaperMaze::Uniform => (
            "uniform maze: the eigenvalues are similar",
            "they lie within a factor of 10",
            spread < 10.0,
        ),
        PaperMaze::NonUniform => (
            "non-uniform maze: the eigenvalues are very dissimilar",
            "they differ by more than a factor of 100",
            spread > 100.0,
        ),
    };
    Finding {
        claim: claim.to_owned(),
        found: format!("largest ÷ smallest = {spread:.1}"),
        rule,
        verdict: if holds {
            Verdict::Holds
        } else {
            Verdict::Depends
        },
    }
}

fn panel(maze: PaperMaze, solved: &Solved, curves: &[(f64, f64)]) -> Panel {
    let curve = |pick: fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
        let dims = (1_u32..).map(f64::from);
        dims.zip(curves.iter().map(pick)).collect()
    };
    let whole = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        let keep = |p: &&(f64, f64)| solved.spectrum.is_basis_independent(p.0 as usize);
        points.iter().filter(keep).copied().collect()
    };
    let (spectral, scaled) = (curve(|c| c.0), curve(|c| c.1));
    let (whole_spectral, whole_scaled) = (whole(&spectral), whole(&scaled));
    let (dim, error) = best(curves.iter().enumerate().map(|(at, c)| (at + 1, c.0)));
    let (solid, dots) = (Stroke::Solid, Stroke::PointsOnly);
    Panel::Lines(Lines {
        title: format!("{} maze (ring: best spectral)", maze.name()),
        x_label: "embedding dimension".to_owned(),
        y_label: "RMSE (√steps)".to_owned(),
        series: vec![
            series("spectral (hollow: mean over eigenbases)", spectral, solid),
            series("scaled spectral", scaled, solid),
            series(
                "spectral, the same in every eigenbasis",
                whole_spectral,
                dots,
            ),
            series("scaled, the same in every eigenbasis", whole_scaled, dots),
        ],
        marks: vec![Mark {
            x: dim as f64,
            y: error,
            label: dim.to_string(),
        }],
        ..Lines::default()
    })
}
