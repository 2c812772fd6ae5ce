//! How the working set of goals moves.

use super::coverage::{Made, differences};
use super::{Effort, Found};
use crate::bootstrap::mean;
use crate::figure::{Figure, Panel};
use crate::plot::difficulties;
use crate::reproduce::report::{Basis, Finding, Report, Verdict};
use crate::train::WorkingSet;
use anyhow::Result;
use isochrone::curriculum::{Bounds, Difficulty};
use std::fmt::Write as _;

/// Working sets that are drawn.
const SHOWN: usize = 4;
/// How much farther from the start goals must be in the end.
const FARTHER: f64 = 1.5;

/// Figure 6: goals of action noise, iteration by iteration, of the first seed.
pub(super) fn goals(found: &Found, effort: &Effort) -> Result<Made> {
    let (mut drawn, mut findings) = (Vec::new(), Vec::new());
    let mut csv = "world,iteration,x_m,y_m,success,difficulty\n".to_owned();
    for (world, arms) in &found.worlds {
        let Some(arm) = arms.first() else { continue };
        let run = found.runs.history(arm, 0)?;
        let (sets, bounds) = (run.working_sets()?, run.spec.bounds());
        for set in spread(&sets) {
            let title = format!("{world}, iteration {}", set.iteration);
            drawn.push(Panel::Lines(difficulties(title, set, bounds)));
            tell(&mut csv, &world.to_string(), set, bounds);
        }
        let (Some(first), Some(last)) = (sets.first(), sets.last()) else {
            continue;
        };
        let [first, last] = [first, last].map(from_start_m);
        findings.push(Finding {
            claim: format!("{world}: the goals of action noise move outwards"),
            found: format!(
                "mean distance of labelled goals from the start: {first:.2} m in the first iteration, {last:.2} m in the \
                 last"
            ),
            rule: "1.5 times as far, or more",
            verdict: Verdict::from(last >= FARTHER * first),
        });
    }
    let figure = Figure {
        title: "Goals of action noise by difficulty".to_owned(),
        columns: SHOWN,
        panels: drawn,
    };
    let mut told = differences(found, effort);
    told.push("One run, seed 0: a picture, no statistics.".to_owned());
    let report = Report {
        title: "How the goals of action noise evolve".to_owned(),
        basis: Basis::Trained,
        findings,
        differences: told,
    };
    Ok((figure, csv, report))
}

/// The first, the last, and some between, evenly spaced by the square root of their number: goals move fast at first.
fn spread(sets: &[WorkingSet]) -> Vec<&WorkingSet> {
    let last = sets.len().saturating_sub(1);
    let at = |k: usize| {
        let share = k as f64 / (SHOWN - 1) as f64;
        (share * share * last as f64).round() as usize
    };
    (0..SHOWN).filter_map(|k| sets.get(at(k))).collect()
}

/// How far the labelled goals are from the start.
fn from_start_m(set: &WorkingSet) -> f64 {
    let apart = set.goals.iter().map(|goal| match goal.as_slice() {
        [x, y, ..] => f64::from(x.hypot(*y)),
        _ => 0.0,
    });
    mean(&apart.collect::<Vec<f64>>())
}

const DIFFICULTIES: [(Difficulty, &str); 3] = [
    (Difficulty::Easy, "easy"),
    (Difficulty::Intermediate, "intermediate"),
    (Difficulty::Hard, "hard"),
];

fn tell(csv: &mut String, world: &str, set: &WorkingSet, bounds: Bounds) {
    for (goal, success) in set.goals.iter().zip(&set.success) {
        let [x, y, ..] = goal.as_slice() else {
            continue;
        };
        let difficulty = bounds.difficulty(*success);
        let name = DIFFICULTIES.iter().find(|(known, _)| *known == difficulty);
        let name = name.map_or("", |(_, name)| name);
        let _ = writeln!(csv, "{world},{},{x},{y},{success},{name}", set.iteration);
    }
}
