//! Figures 12 and 13: the Laplacian representation of images, by β and learning rate.

use super::panels::csv;
use super::pixels::{self, Method, NEAR_RANKS, POSTURE, RANKS, Setting, maze_floor};
use super::report::{Finding, Report, Verdict};
use super::{Effort, Reproduction, Results};
use anyhow::Result;
use isochrone_mujoco::WorldName;
use isochrone_runs::progress::Waiting;

const DIMS: usize = 32;
const BETAS: [f32; 4] = [0.5, 1.0, 2.0, 6.0];
const RATES: [f64; 2] = [1e-4, 5e-5];
const OURS: Method = Method::Images { dims: DIMS };
/// The reference that is drawn: one end of the U.
const DRAWN: usize = 0;

const fn laplacian(beta: f32, learning_rate: f64) -> Method {
    Method::Laplacian {
        beta,
        learning_rate,
        dims: DIMS,
    }
}

pub(super) fn reproduce(effort: &Effort, waiting: &Waiting) -> Result<Reproduction> {
    let sweep = RATES
        .iter()
        .flat_map(|rate| BETAS.map(|beta| laplacian(beta, *rate)));
    let methods: Vec<Method> = sweep.chain([OURS]).collect();
    let settings: Vec<Setting> = methods
        .iter()
        .map(|method| Setting::of_sweep(*method, effort.size))
        .collect();
    let (results, qualities) = pixels::judge(effort, &settings, waiting)?;
    let floor = maze_floor(&WorldName::MazeAnt.build()?);
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    for (method, seeds) in methods.iter().zip(&qualities) {
        let Some(first) = seeds.first() else { continue };
        let name = match method {
            Method::Laplacian {
                beta,
                learning_rate,
                ..
            } => format!("β = {beta}, rate {learning_rate:e}"),
            Method::Images { .. } | Method::Numbers { .. } => "our distance".to_owned(),
        };
        let ranks = first.ranks[DRAWN];
        panels.push(first.panel(&floor, format!("{name}: ρ {ranks:.2}"), DRAWN));
        rows.extend(first.csv_rows(&floor, &method.name()));
    }
    let mut report = Report::learned(
        "Figures 12 and 13: the Laplacian representation of images, by β and learning rate",
        vec![postures(&results), against_ours(&results)],
        include_str!("laplacian_pixels.md"),
    );
    report.differences.extend(pixels::caveat(effort.size));
    Ok(Reproduction::learned(
        "Distance of a standing ant to the start (dot) in the Laplacian representation, and in ours; seed 0",
        BETAS.len(),
        panels,
        csv("case,reference_x_m,reference_y_m,x_m,y_m,distance", rows),
        report,
        results,
    ))
}

fn postures(results: &Results) -> Finding {
    let (mut words, mut n_more) = (Vec::new(), 0);
    for rate in RATES {
        let shares = BETAS.map(|beta| results.mean(&laplacian(beta, rate).name(), POSTURE));
        let each = BETAS.iter().zip(shares);
        let each: Vec<String> = each
            .map(|(beta, share)| format!("β {beta}: {share:.3}"))
            .collect();
        words.push(format!("rate {rate:e}: {}", each.join(", ")));
        n_more += usize::from(shares[BETAS.len() - 1] > shares[0]);
    }
    Finding {
        claim: "as β grows, what is near resembles the ant's body: posture counts more".to_owned(),
        found: format!(
            "share of posture in the variance of the distance, mean over seeds; {}",
            words.join("; ")
        ),
        rule: "larger for β = 6 than for β = 0.5 at both rates; *depends* if at one",
        verdict: Verdict::in_some(n_more, RATES.len()),
    }
}

fn against_ours(results: &Results) -> Finding {
    let sweep = RATES
        .iter()
        .flat_map(|rate| BETAS.map(|beta| laplacian(beta, *rate)));
    let mut best = (String::new(), f64::NEG_INFINITY);
    for method in sweep {
        let ranks = results.mean(&method.name(), NEAR_RANKS);
        if ranks > best.1 {
            best = (method.name(), ranks);
        }
    }
    let ours = results.values(&OURS.name(), NEAR_RANKS);
    let theirs = results.values(&best.0, NEAR_RANKS);
    let n_better = ours.iter().zip(&theirs).filter(|(a, b)| a > b).count();
    Finding {
        claim: "distances that are fitted to steps rank places better than the Laplacian representation".to_owned(),
        found: format!(
            "rank correlation with the walkable distance within a metre, seed by seed: ours {}; the best of the sweep, {}, {}; \
             over the whole maze {} and {}",
            results.in_words(&OURS.name(), NEAR_RANKS, 3),
            best.0,
            results.in_words(&best.0, NEAR_RANKS, 3),
            results.in_words(&OURS.name(), RANKS, 3),
            results.in_words(&best.0, RANKS, 3),
        ),
        rule: "better within a metre, with every seed, than the best of the sweep; *depends* if with some",
        verdict: Verdict::in_some(n_better, ours.len()),
    }
}
