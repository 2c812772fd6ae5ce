//! How the working set of goals moves.

use super::arm::Arm;
use super::coverage::{Made, differences, judged};
use super::curves::{Seeds, enough};
use super::{Effort, Found};
use crate::bootstrap::mean;
use crate::reproduce::panels::csv;
use crate::reproduce::report::{Basis, Finding, Report, Verdict};
use anyhow::Result;
use isochrone::curriculum::{Bounds, Difficulty};
use isochrone_figures::{Figure, Panel};
use isochrone_mujoco::WorldName;
use isochrone_runs::difficulties::difficulties;
use isochrone_runs::interval::Interval;
use isochrone_runs::train::{History, WorkingSet};

/// Working sets that are drawn.
const SHOWN: usize = 4;
/// How much farther from the start goals must be in the end.
const FARTHER: f64 = 1.5;

/// Figure 6: goals of action noise, iteration by iteration, of the first seed.
pub(super) fn goals(found: &Found, effort: &Effort) -> Result<Made> {
    let (mut drawn, mut findings, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for (world, arms) in &found.worlds {
        let Some(arm) = arms.first() else { continue };
        let run = found.runs.history(arm, 0)?;
        let (sets, bounds) = (sets(&run, arm)?, run.spec.agent.labels.bounds());
        let seeds = (0..effort.seeds).filter_map(|seed| found.runs.history(arm, seed).ok());
        let moved: Vec<[f64; 2]> = seeds.filter_map(|run| moved_m(&run, arm)).collect();
        for set in spread(&sets) {
            let title = format!("{world}, iteration {}", set.iteration);
            drawn.push(Panel::Lines(difficulties(title, set, bounds)));
            rows.extend(csv_rows(*world, set, bounds));
        }
        findings.extend(outwards(*world, &moved));
    }
    let figure = Figure {
        title: "Goals of action noise by difficulty".to_owned(),
        columns: SHOWN,
        panels: drawn,
    };
    let mut list = differences(found, effort);
    list.push(
        "The picture is of seed 0. The mean is over all goals of a working set, whatever their difficulty, those of the \
         archive among them; in the first iteration they are states of the untrained policy."
            .to_owned(),
    );
    let report = Report {
        title: "How the goals of action noise evolve".to_owned(),
        basis: Basis::Trained,
        findings,
        differences: list,
    };
    let csv = csv("world,iteration,x_m,y_m,success,difficulty", rows);
    Ok((figure, csv, report))
}

/// The working sets of a run as far as this figure goes.
fn sets(run: &History, arm: &Arm) -> Result<Vec<WorkingSet>> {
    let mut sets = run.working_sets()?;
    sets.retain(|set| set.iteration <= arm.iterations());
    Ok(sets)
}

/// Mean distances of labelled goals from the start, in the first working set and in the last.
fn moved_m(run: &History, arm: &Arm) -> Option<[f64; 2]> {
    let sets = sets(run, arm).ok()?;
    Some([from_start_m(sets.first()?), from_start_m(sets.last()?)])
}

fn outwards(world: WorldName, moved: &[[f64; 2]]) -> Option<Finding> {
    let ratios: Vec<f64> = moved.iter().map(|[first, last]| last / first).collect();
    let Interval {
        mean: ratio,
        low,
        high,
    } = Interval::of(&ratios)?;
    let [first, last] =
        [0, 1].map(|k| mean(&moved.iter().map(|ends| ends[k]).collect::<Vec<f64>>()));
    let (n, seeds) = (moved.len(), enough(moved.len()));
    let times = match seeds {
        Seeds::Enough => format!("{ratio:.2} [{low:.2}, {high:.2}] times as far ({n} seeds)"),
        Seeds::TooFew => format!("{ratio:.2} times as far (too few seeds: {n})"),
    };
    Some(Finding {
        claim: format!("{world}: the goals of action noise move outwards (Figure 6)"),
        found: format!(
            "mean distance of goals from the start: {first:.2} m in the first iteration, {last:.2} m in the last; \
             {times}"
        ),
        rule: "the interval of the ratio is above 1.5",
        verdict: judged(
            Verdict::of_interval((low, high), (FARTHER, f64::INFINITY)),
            seeds,
        ),
    })
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

fn csv_rows(world: WorldName, set: &WorkingSet, bounds: Bounds) -> Vec<String> {
    let row = |(goal, success): (&Vec<f32>, &f64)| {
        let [x, y, ..] = goal.as_slice() else {
            return None;
        };
        let difficulty = bounds.difficulty(*success);
        let name = DIFFICULTIES.iter().find(|(known, _)| *known == difficulty);
        let name = name.map_or("", |(_, name)| name);
        Some(format!(
            "{world},{},{x},{y},{success},{name}",
            set.iteration
        ))
    };
    let labelled = set.goals.iter().zip(&set.success);
    labelled.filter_map(row).collect()
}
