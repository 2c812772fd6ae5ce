//! Figures 14 and 15: the Laplacian representation of images and our distance, by the dimensions of the embedding.

use super::panels::{csv, lines, series};
use super::pixels::{self, Method, NEAR_RANKS, RANKS, Setting};
use super::report::{Finding, Report, Verdict};
use super::{Effort, Reproduction, Results};
use anyhow::Result;
use isochrone_figures::Stroke;
use isochrone_runs::progress::Waiting;

const DIMS: [usize; 3] = [16, 32, 128];
const NAMES: [&str; 2] = ["ours", "Laplacian"];
/// A difference of rank correlations that counts.
const COUNTS: f64 = 0.02;

const fn ours(dims: usize) -> Method {
    Method::Images { dims }
}

/// With the paper's β and learning rate of this figure.
const fn laplacian(dims: usize) -> Method {
    Method::Laplacian {
        beta: 1.0,
        learning_rate: 1e-4,
        dims,
    }
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let methods = DIMS.map(ours).into_iter().chain(DIMS.map(laplacian));
    let settings: Vec<Setting> = methods
        .map(|method| Setting::of_sweep(method, effort.size))
        .collect();
    let (results, _) = pixels::judge(effort, &settings, waiting)?;
    let mut rows = Vec::new();
    let (mut curves, mut points) = (Vec::new(), Vec::new());
    for (name, method) in NAMES.iter().zip([ours, laplacian]) {
        let mut curve = Vec::new();
        for dims in DIMS {
            let values = results.values(&method(dims).name(), NEAR_RANKS);
            curve.push(((dims as f64).log2(), mean(&values)));
            points.extend(values.iter().map(|value| ((dims as f64).log2(), *value)));
            let lines = values.iter().enumerate();
            rows.extend(lines.map(|(seed, value)| format!("{name},{dims},{seed},{value:.5}")));
        }
        curves.push(series(name, curve, Stroke::Solid));
    }
    curves.push(series("one seed", points, Stroke::PointsOnly));
    let labels = [
        "log₂ of the dimensions",
        "rank correlation with the walkable distance within a metre",
    ];
    let panel = lines("Quality by dimensions", labels, curves);
    let mut report = Report::learned(
        "Figures 14 and 15: dimensions of the embedding, theirs and ours",
        vec![theirs_drops(&results), ours_does_not(&results)],
        include_str!("pixel_dimensions.md"),
    );
    report.differences.extend(pixels::caveat(effort.size));
    Ok(Reproduction::learned(
        "Distances between images, by the dimensions of the embedding",
        1,
        vec![panel],
        csv("method,dims,seed,ranks", rows),
        report,
        results,
    ))
}

fn theirs_drops(results: &Results) -> Finding {
    let changes = changes(results, laplacian);
    let n_lower = changes.iter().filter(|change| **change < -COUNTS).count();
    Finding {
        claim: "the quality of the Laplacian representation drops after 32 dimensions".to_owned(),
        found: in_words(results, laplacian, &changes),
        rule: "lower by more than 0.02 at 128 dimensions than at 32, with every seed; *depends* if with some",
        verdict: Verdict::in_some(n_lower, changes.len()),
    }
}

fn ours_does_not(results: &Results) -> Finding {
    let changes = changes(results, ours);
    let n_kept = changes.iter().filter(|change| **change >= -COUNTS).count();
    Finding {
        claim: "the quality of our distance does not drop with more dimensions".to_owned(),
        found: in_words(results, ours, &changes),
        rule: "not lower by more than 0.02 at 128 dimensions than at 32, with every seed; *depends* if with some",
        verdict: Verdict::in_some(n_kept, changes.len()),
    }
}

/// Rank correlation within a metre at 128 dimensions less that at 32, seed by seed.
fn changes(results: &Results, method: fn(usize) -> Method) -> Vec<f64> {
    let [_, middle, most] = DIMS.map(|dims| results.values(&method(dims).name(), NEAR_RANKS));
    middle.iter().zip(&most).map(|(a, b)| b - a).collect()
}

fn in_words(results: &Results, method: fn(usize) -> Method, changes: &[f64]) -> String {
    let means = DIMS.map(|dims| {
        let name = method(dims).name();
        let [near, all] = [NEAR_RANKS, RANKS].map(|measure| results.mean(&name, measure));
        format!("{dims}: {near:.3} ({all:.3} over the whole maze)")
    });
    let changes: Vec<String> = changes
        .iter()
        .map(|change| format!("{change:+.3}"))
        .collect();
    format!(
        "rank correlation with the walkable distance within a metre, mean over seeds, by dimensions: {}; from 32 to 128, seed by seed: {}",
        means.join(", "),
        changes.join(", ")
    )
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
