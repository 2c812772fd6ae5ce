//! Learning curves of runs, and statistics of their last evaluations.

use super::Found;
use super::arm::Arm;
use crate::bootstrap::{estimate, interquartile_mean, mean};
use crate::reproduce::panels::{self, lines};
use isochrone_figures::{Panel, Series};
use isochrone_mujoco::WorldName;
use isochrone_runs::interval::Interval;
use isochrone_runs::train::table::EvaluationRow;

/// A number of an evaluation.
pub(super) type Of = fn(&EvaluationRow) -> Option<f64>;

/// Coverage; every evaluation has it, other numbers only some.
#[expect(clippy::unnecessary_wraps, reason = "one of several numbers of a row")]
pub(super) fn coverage(row: &EvaluationRow) -> Option<f64> {
    Some(row.coverage)
}

/// A panel per world of shares: means over seeds with their 95 % intervals, by steps learned from.
pub(super) fn panels(found: &Found, title: &str, y_label: &str, of: Of) -> Vec<Panel> {
    let panel = |(world, arms): &(WorldName, Vec<Arm>)| {
        let labels = ["million steps learned from", y_label];
        let series = arms.iter().map(|arm| series(found, arm, of)).collect();
        lines(format!("{world}: {title}"), labels, series)
    };
    found.worlds.iter().map(panel).collect()
}

fn series(found: &Found, arm: &Arm, of: Of) -> Series {
    let points = points(found, arm, of);
    let seeds = found.runs.seeds_of(arm).len();
    Series {
        name: format!("{} ({})", arm.name, counted(seeds)),
        points: points.iter().map(|(x, y)| (*x, y.mean)).collect(),
        colour: Some(arm.colour()),
        band: (seeds > 1).then(|| points.iter().map(|(_, y)| (y.low, y.high)).collect()),
        ..Series::default()
    }
}

/// Mean steps in millions and the mean of a number, wherever all seeds were looked at.
fn points(found: &Found, arm: &Arm, of: Of) -> Vec<(f64, Interval)> {
    let seeds = found.runs.seeds_of(arm);
    let Some(first) = seeds.first() else {
        return Vec::new();
    };
    let at = |iteration: u64| {
        let rows = seeds
            .iter()
            .map(|rows| rows.iter().find(|r| r.iteration == iteration));
        let rows: Vec<&&EvaluationRow> = rows.collect::<Option<_>>()?;
        let steps: Vec<f64> = rows.iter().map(|row| 1e-6 * row.steps as f64).collect();
        let values: Option<Vec<f64>> = rows.iter().map(|row| of(row)).collect();
        Some((mean(&steps), Interval::of(&values?)?.within(0.0, 1.0)))
    };
    first.iter().filter_map(|row| at(row.iteration)).collect()
}

/// The same as CSV, of several numbers.
pub(super) fn csv(found: &Found, numbers: &[(&str, Of)]) -> String {
    let mut rows = Vec::new();
    for (world, arms) in &found.worlds {
        for arm in arms {
            for (name, of) in numbers {
                let row = |(x, Interval { mean, low, high })| {
                    format!("{world},{},{name},{x},{mean},{low},{high}", arm.preset)
                };
                rows.extend(points(found, arm, *of).into_iter().map(row));
            }
        }
    }
    panels::csv("world,preset,number,million_steps,mean,low,high", rows)
}

/// How long the runs are, world by world.
pub(super) fn lengths(found: &Found) -> Option<String> {
    let (_, arms) = found.worlds.first()?;
    let iterations = arms.first()?.iterations();
    let of = |(world, arms): &(WorldName, Vec<Arm>)| {
        let steps = arms
            .iter()
            .flat_map(|arm| found.runs.last(arm, |row| Some(row.steps as f64)));
        let millions = 1e-6 * mean(&steps.collect::<Vec<_>>());
        format!("{world} {millions:.1}")
    };
    let worlds: Vec<String> = found.worlds.iter().map(of).collect();
    Some(format!(
        "Runs have {iterations} iterations; million steps that they learned from, on average: {}.",
        worlds.join(", ")
    ))
}

/// The difference of last values, arm − other, with Welch's interval over seeds; `None` if one was not run.
pub(super) fn difference(found: &Found, [arm, other]: [&Arm; 2], of: Of) -> Option<Interval> {
    Interval::of_difference(&found.runs.last(arm, of), &found.runs.last(other, of))
}

/// Fewer seeds of a method than this say nothing about it.
pub(super) const LEAST_SEEDS: usize = 3;

/// Whether there are enough of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seeds {
    Enough,
    TooFew,
}

/// Whether all of these have enough seeds for a verdict.
pub(super) fn seeds(found: &Found, arms: &[&Arm]) -> Seeds {
    let counts = arms.iter().map(|arm| found.runs.seeds_of(arm).len());
    enough(counts.min().unwrap_or(0))
}

/// Are so many enough?
pub(super) const fn enough(seeds: usize) -> Seeds {
    if seeds >= LEAST_SEEDS {
        Seeds::Enough
    } else {
        Seeds::TooFew
    }
}

/// The last value for people: mean with the interval of Student's t, interquartile mean with a bootstrap's; of few seeds
/// the mean alone.
pub(super) fn summary(found: &Found, arm: &Arm, of: Of) -> String {
    let values = found.runs.last(arm, of);
    let n = values.len();
    let Some(interval) = Interval::of(&values) else {
        return "not run".to_owned();
    };
    let Interval { mean, low, high } = interval.within(0.0, 1.0);
    if n < LEAST_SEEDS {
        return format!("{mean:.3} ({})", counted(n));
    }
    let middle = estimate(&values, interquartile_mean);
    format!(
        "{mean:.3} [{low:.3}, {high:.3}] ({n} seeds; interquartile mean {:.3} [{:.3}, {:.3}])",
        middle.value, middle.low, middle.high
    )
}

fn counted(seeds: usize) -> String {
    let plural = if seeds == 1 { "seed" } else { "seeds" };
    format!("{seeds} {plural}")
}
