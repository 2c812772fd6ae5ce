//! Coverage, and the claims about it.

use super::arm::Arm;
use super::curves::{Seeds, coverage, csv, difference, lengths, panels, seeds, summary};
use super::{Effort, Experiment, Found, given_up};
use crate::bootstrap::mean;
use crate::reproduce::report::{Basis, Finding, Report, Verdict, paragraphs};
use isochrone_figures::{FLOOR_COLOUR, Figure, Panel, Series, Stroke};
use isochrone_mujoco::WorldName;
use isochrone_runs::interval::Interval;
use isochrone_runs::train::straight_line_coverage;

/// A difference of coverage that counts as none.
const COMPARABLE: f64 = 0.05;
/// Coverage gained that counts as progress.
const PROGRESS: f64 = 0.10;

pub(super) type Made = (Figure, String, Report);

/// What a claim says about the difference of coverage between two methods.
#[derive(Clone, Copy)]
struct Rule {
    /// What is said between the names of the methods, and after them.
    words: [&'static str; 2],
    holds_if: &'static str,
    /// The whole interval of the difference must be in this.
    range: (f64, f64),
}

const AS_GOOD: Rule = Rule {
    words: [" does as well as ", ""],
    holds_if: "the interval of the difference is above −0.05",
    range: (-COMPARABLE, f64::INFINITY),
};
const SIMILAR: Rule = Rule {
    words: [" and ", " perform similarly"],
    holds_if: "the interval of the difference is between −0.05 and 0.05",
    range: (-COMPARABLE, COMPARABLE),
};
const WORSE: Rule = Rule {
    words: [" is slower than ", ""],
    holds_if: "the interval of the difference is below 0",
    range: (f64::NEG_INFINITY, 0.0),
};

/// The suffixes of two presets, the claim, and the figure with which the paper makes it, unless the claim is ours.
type Claim = ([&'static str; 2], Rule, &'static str);

const ON: &str = "-on-policy";
const OFF: &str = "-off-policy";
const FULL_ON: &str = "-full-on-policy";
const FULL_OFF: &str = "-full-off-policy";
const NOISE: &str = "-action-noise";
const NOISE_OFF: &str = "-action-noise-off-policy";
const BOOTSTRAPPED: &str = "-off-policy-bootstrapped";

const PLACES: [Claim; 3] = [
    ([ON, ""], AS_GOOD, " (Figure 1)"),
    ([OFF, ""], AS_GOOD, " (Figure 1)"),
    ([OFF, ON], SIMILAR, " (Figure 1)"),
];
const WHOLE_STATES: [Claim; 4] = [
    ([FULL_ON, ""], AS_GOOD, ""),
    ([FULL_OFF, ""], AS_GOOD, ""),
    ([FULL_OFF, OFF], WORSE, " (Figure 2)"),
    ([FULL_OFF, FULL_ON], SIMILAR, " (Figure 2)"),
];
const GENERATORS: [Claim; 3] = [
    ([NOISE, ""], AS_GOOD, " (Figure 5)"),
    ([NOISE_OFF, OFF], AS_GOOD, ""),
    ([NOISE_OFF, NOISE], AS_GOOD, ""),
];
const TARGETS: [Claim; 1] = [([BOOTSTRAPPED, OFF], AS_GOOD, "")];

/// Figures 1, 2 and 5, and beyond the paper what the distance is fitted to.
pub(super) fn compare(figure: Experiment, found: &Found, effort: &Effort) -> Made {
    let (title, claims): (&str, &[Claim]) = match figure {
        Experiment::CoverageFull => (
            "Coverage with goals that are whole states, beside places",
            &WHOLE_STATES,
        ),
        Experiment::GoalGeneration => ("Coverage by where goals come from", &GENERATORS),
        Experiment::OnlineTargets => ("Coverage by what the distance is fitted to", &TARGETS),
        _ => ("Coverage with goals that are places", &PLACES),
    };
    let mut findings = Vec::new();
    for (world, _) in &found.worlds {
        if figure == Experiment::CoverageFull {
            let arms = [FULL_ON, FULL_OFF].into_iter();
            let arms = arms.filter_map(|suffix| found.arm(*world, suffix));
            findings.extend(arms.filter_map(|arm| progress(found, arm)));
        }
        let compared = |claim: &Claim| compared(found, *world, *claim);
        findings.extend(claims.iter().filter_map(compared));
    }
    let mut differences = differences(found, effort);
    match figure {
        Experiment::CoverageXy => differences.extend(falsely_reached(found)),
        Experiment::GoalGeneration => differences.push(
            "The paper compares generators on Maze Ant and Free Ant, by the straight line."
                .to_owned(),
        ),
        _ => {}
    }
    let mut panels = panels(found, "coverage", "share of goals reached", coverage);
    for (panel, (_, arms)) in panels.iter_mut().zip(&found.worlds) {
        add_floor(panel, arms);
    }
    let drawn = Figure {
        title: format!("{title}: mean and 95 % interval over seeds"),
        columns: panels.len().clamp(1, 3),
        panels,
    };
    let report = Report {
        title: title.to_owned(),
        basis: Basis::Trained,
        findings,
        differences,
    };
    (drawn, csv(found, &[("coverage", coverage)]), report)
}

/// Adds the coverage of a controller that pushes straight at the goal, in worlds where there is one.
fn add_floor(panel: &mut Panel, arms: &[Arm]) {
    let (Panel::Lines(lines), Some(arm)) = (panel, arms.first()) else {
        return;
    };
    // A world that cannot be built has no curves either.
    let Ok(Some(floor)) = straight_line_coverage(&arm.spec(0), 1) else {
        return;
    };
    let points = lines.series.iter().flat_map(|series| &series.points);
    let last = points.map(|(x, _)| *x).fold(0.0, f64::max);
    lines.series.push(Series {
        name: "pushing straight at the goal".to_owned(),
        points: vec![(0.0, floor.mean), (last, floor.mean)],
        style: Stroke::Dashed,
        colour: Some(FLOOR_COLOUR),
        ..Series::default()
    });
}

const MAZE_ANT: &str = "In Maze Ant the straight line comes with the knowledge of walls: goals inside them are never \
                        reached, as in the public code. Learned distances do not have it.";

/// Paragraphs for every figure of trainings.
pub(super) fn differences(found: &Found, effort: &Effort) -> Vec<String> {
    let mut list: Vec<String> = lengths(found).into_iter().collect();
    list.extend(paragraphs(include_str!("coverage.md")));
    let has_maze_ant = |(world, _): &(WorldName, Vec<Arm>)| *world == WorldName::MazeAnt;
    if found.worlds.iter().any(has_maze_ant) {
        list.push(MAZE_ANT.to_owned());
    }
    if !found.missing.is_empty() {
        list.push(format!(
            "Not run to this length, or not with all seeds: {}.",
            found.missing.join(", ")
        ));
    }
    list.extend(given_up(effort));
    list
}

/// The share of successes of the last evaluated iteration that are outside the Euclidean radius (false positives).
fn falsely_reached(found: &Found) -> Option<String> {
    let arms = found.worlds.iter().flat_map(|(_, arms)| arms);
    let share = |arm: &Arm| {
        let shares = found.runs.last(arm, |row| row.false_reached);
        (!shares.is_empty()).then(|| format!("{} {:.2}", arm.preset, mean(&shares)))
    };
    let shares_text: Vec<String> = arms.filter_map(share).collect();
    (!shares_text.is_empty()).then(|| {
        format!(
            "\"Reached\" by a learned distance is another ball than evaluation's. Of the goals that training called reached \
             in the last iteration, these shares were farther than evaluation's radius: {}.",
            shares_text.join(", ")
        )
    })
}

/// One method against another, if both were run.
fn compared(found: &Found, world: WorldName, (pair, rule, by): Claim) -> Option<Finding> {
    let [arm, other] = found.pair(world, pair)?;
    let apart = difference(found, [arm, other], coverage)?;
    let (mine, theirs) = (
        summary(found, arm, coverage),
        summary(found, other, coverage),
    );
    let seeds = seeds(found, &[arm, other]);
    let verdict = Verdict::of_interval((apart.low, apart.high), rule.range);
    let [between, after] = rule.words;
    Some(Finding {
        claim: format!("{world}: {}{between}{}{after}{by}", arm.name, other.name),
        found: format!("{mine} against {theirs}: {}", signed(apart, seeds)),
        rule: rule.holds_if,
        verdict: judged(verdict, seeds),
    })
}

fn progress(found: &Found, arm: &Arm) -> Option<Finding> {
    let ends = found.runs.ends(arm, coverage);
    let gains: Vec<f64> = ends.iter().map(|[first, last]| last - first).collect();
    let gained = Interval::of(&gains)?;
    let seeds = seeds(found, &[arm]);
    Some(Finding {
        claim: format!("{}: {} makes progress (Figure 2)", arm.world, arm.name),
        found: format!(
            "{}; gained {}",
            summary(found, arm, coverage),
            signed(gained, seeds)
        ),
        rule: "the interval of what coverage gains is above 0.10",
        verdict: judged(
            Verdict::of_interval((gained.low, gained.high), (PROGRESS, f64::INFINITY)),
            seeds,
        ),
    })
}

/// A verdict, if there are enough seeds for one.
pub(super) const fn judged(verdict: Verdict, seeds: Seeds) -> Verdict {
    match seeds {
        Seeds::Enough => verdict,
        Seeds::TooFew => Verdict::TooFew,
    }
}

fn signed(Interval { mean, low, high }: Interval, seeds: Seeds) -> String {
    match seeds {
        Seeds::Enough => format!("{mean:+.3} [{low:+.3}, {high:+.3}]"),
        Seeds::TooFew => format!("{mean:+.3}"),
    }
}
