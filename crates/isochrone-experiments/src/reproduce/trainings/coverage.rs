//! Coverage, and the claims about it.

use super::arm::Arm;
use super::curves::{Seeds, coverage, csv, difference, lengths, panels, seeds, told};
use super::{Effort, Found, given_up};
use crate::bootstrap::{Estimate, estimate, mean};
use crate::reproduce::report::{Basis, Finding, Report, Verdict};
use isochrone_figures::Figure;
use isochrone_mujoco::WorldName;

/// A difference of coverage that counts as none.
const COMPARABLE: f64 = 0.05;
/// Coverage gained that counts as progress.
const PROGRESS: f64 = 0.10;

pub(super) type Made = (Figure, String, Report);

/// What a difference of coverage must be.
#[derive(Clone, Copy)]
enum Rule {
    AsGood,
    Similar,
    Worse,
}

impl Rule {
    /// In words, and as the range that the whole interval must be in.
    const fn told(self) -> (&'static str, (f64, f64)) {
        match self {
            Self::AsGood => (
                "the interval of the difference is above −0.05",
                (-COMPARABLE, f64::INFINITY),
            ),
            Self::Similar => (
                "the interval of the difference is between −0.05 and 0.05",
                (-COMPARABLE, COMPARABLE),
            ),
            Self::Worse => (
                "the interval of the difference is below 0",
                (f64::NEG_INFINITY, 0.0),
            ),
        }
    }

    fn claim(self, name: &str, other: &str) -> String {
        match self {
            Self::AsGood => format!("{name} does as well as {other}"),
            Self::Similar => format!("{name} and {other} perform similarly"),
            Self::Worse => format!("{name} is slower than {other}"),
        }
    }
}

/// Who makes a claim.
#[derive(Clone, Copy)]
enum By {
    /// The paper, about this figure.
    Figure(u8),
    /// A claim of this project.
    Us,
}

impl By {
    fn told(self) -> String {
        match self {
            Self::Figure(number) => format!(" (Figure {number})"),
            Self::Us => String::new(),
        }
    }
}

/// Figure 1: goals are places.
pub(super) fn places(found: &Found, effort: &Effort) -> Made {
    let paper = By::Figure(1);
    let claims = [
        (["-on-policy", ""], Rule::AsGood, paper),
        (["-off-policy", ""], Rule::AsGood, paper),
        (["-off-policy", "-on-policy"], Rule::Similar, paper),
    ];
    let findings = each_world(found, |world| compare_all(found, world, &claims));
    let mut made = made(
        found,
        effort,
        "Coverage with goals that are places",
        findings,
    );
    made.2.differences.extend(falsely_reached(found));
    made
}

/// Figure 2: goals are whole states.
pub(super) fn whole_states(found: &Found, effort: &Effort) -> Made {
    let paper = By::Figure(2);
    let whole = ["-full-on-policy", "-full-off-policy"];
    let claims = [
        ([whole[0], ""], Rule::AsGood, By::Us),
        ([whole[1], ""], Rule::AsGood, By::Us),
        ([whole[1], "-off-policy"], Rule::Worse, paper),
        ([whole[1], whole[0]], Rule::Similar, paper),
    ];
    let findings = each_world(found, |world| {
        let arms = whole.iter().filter_map(|suffix| found.arm(world, suffix));
        let mut findings: Vec<Finding> = arms.map(|arm| progress(found, arm)).collect();
        findings.extend(compare_all(found, world, &claims));
        findings
    });
    made(
        found,
        effort,
        "Coverage with goals that are whole states, beside places",
        findings,
    )
}

/// Figure 5: where goals come from.
pub(super) fn generators(found: &Found, effort: &Effort) -> Made {
    let noise = ["-action-noise", "-action-noise-off-policy"];
    let claims = [
        ([noise[0], ""], Rule::AsGood, By::Figure(5)),
        ([noise[1], "-off-policy"], Rule::AsGood, By::Us),
        ([noise[1], noise[0]], Rule::AsGood, By::Us),
    ];
    let findings = each_world(found, |world| compare_all(found, world, &claims));
    let mut made = made(found, effort, "Coverage by where goals come from", findings);
    let worlds = "The paper compares generators on Maze Ant and Free Ant, by the straight line.";
    made.2.differences.push(worlds.to_owned());
    made
}

/// Beyond the paper: what the distance is fitted to.
pub(super) fn targets(found: &Found, effort: &Effort) -> Made {
    let pair = ["-off-policy-bootstrapped", "-off-policy"];
    let claims = [(pair, Rule::AsGood, By::Us)];
    let findings = each_world(found, |world| compare_all(found, world, &claims));
    made(
        found,
        effort,
        "Coverage by what the distance is fitted to",
        findings,
    )
}

fn each_world(found: &Found, of: impl Fn(WorldName) -> Vec<Finding>) -> Vec<Finding> {
    found
        .worlds
        .iter()
        .flat_map(|(world, _)| of(*world))
        .collect()
}

fn made(found: &Found, effort: &Effort, title: &str, findings: Vec<Finding>) -> Made {
    let panels = panels(found, "coverage", "share of goals reached", coverage);
    let figure = Figure {
        title: format!("{title}: mean and 95 % interval over seeds"),
        columns: panels.len().clamp(1, 3),
        panels,
    };
    let report = Report {
        title: title.to_owned(),
        basis: Basis::Trained,
        findings,
        differences: differences(found, effort),
    };
    (figure, csv(found, &[("coverage", coverage)]), report)
}

/// What every figure of trainings has in common.
pub(super) fn differences(found: &Found, effort: &Effort) -> Vec<String> {
    let mut told: Vec<String> = lengths(found).into_iter().collect();
    told.extend([
        "Coverage is by the straight line and in places, whatever was learned: 0.3 m for spheres, 1 m for ants.".to_owned(),
        "Intervals of means are Student's t over seeds; those of interquartile means and of differences are percentiles \
         of 2,000 stratified bootstrap samples of the seeds, which of five seeds are somewhat too narrow."
            .to_owned(),
        "The paper shows 5 seeds and no numbers; its room is a figure eight of unknown size, ours is told in \
         docs/deviations.md with everything else that was left open."
            .to_owned(),
    ]);
    if found
        .worlds
        .iter()
        .any(|(world, _)| *world == WorldName::MazeAnt)
    {
        told.push(
            "In Maze Ant the straight line comes with the knowledge of walls: goals inside them are never reached, as in \
             the public code. Learned distances are not told."
                .to_owned(),
        );
    }
    if !found.missing.is_empty() {
        told.push(format!(
            "Not run to this length, or not with all seeds: {}.",
            found.missing.join(", ")
        ));
    }
    told.extend(given_up(effort));
    told
}

/// The share of successes of the last evaluated iteration that are outside the Euclidean radius (false positives).
fn falsely_reached(found: &Found) -> Option<String> {
    let arms = found.worlds.iter().flat_map(|(_, arms)| arms);
    let share = |arm: &Arm| {
        let shares = found.runs.last(arm, |row| row.false_reached);
        (!shares.is_empty()).then(|| format!("{} {:.2}", arm.preset, mean(&shares)))
    };
    let told: Vec<String> = arms.filter_map(share).collect();
    (!told.is_empty()).then(|| {
        format!(
            "\"Reached\" by a learned distance is another ball than evaluation's. Of the goals that training called reached \
             in the last iteration, these shares were farther than evaluation's radius: {}.",
            told.join(", ")
        )
    })
}

/// Those of some comparisons whose methods were both run.
fn compare_all(found: &Found, world: WorldName, claims: &[([&str; 2], Rule, By)]) -> Vec<Finding> {
    let claims = claims.iter();
    claims
        .filter_map(|(pair, rule, by)| compared(found, world, *pair, *rule, *by))
        .collect()
}

/// One method against another, if both were run.
fn compared(
    found: &Found,
    world: WorldName,
    pair: [&str; 2],
    claim: Rule,
    by: By,
) -> Option<Finding> {
    let [arm, other] = found.pair(world, pair)?;
    let apart = difference(found, [arm, other], coverage);
    let (rule, range) = claim.told();
    let (mine, theirs) = (told(found, arm, coverage), told(found, other, coverage));
    let seeds = seeds(found, &[arm, other]);
    Some(Finding {
        claim: format!(
            "{world}: {}{}",
            claim.claim(arm.name, other.name),
            by.told()
        ),
        found: format!("{mine} against {theirs}: {}", signed(apart, seeds)),
        rule,
        verdict: judged(Verdict::of_interval((apart.low, apart.high), range), seeds),
    })
}

fn progress(found: &Found, arm: &Arm) -> Finding {
    let ends = found.runs.ends(arm, coverage);
    let gains: Vec<f64> = ends.iter().map(|[first, last]| last - first).collect();
    let gained = estimate(&[gains], |groups| mean(&groups[0]));
    let seeds = seeds(found, &[arm]);
    Finding {
        claim: format!("{}: {} makes progress (Figure 2)", arm.world, arm.name),
        found: format!(
            "{}; gained {}",
            told(found, arm, coverage),
            signed(gained, seeds)
        ),
        rule: "the interval of what coverage gains is above 0.10",
        verdict: judged(
            Verdict::of_interval((gained.low, gained.high), (PROGRESS, f64::INFINITY)),
            seeds,
        ),
    }
}

/// A verdict, if there are enough seeds for one.
pub(super) const fn judged(verdict: Verdict, seeds: Seeds) -> Verdict {
    match seeds {
        Seeds::Enough => verdict,
        Seeds::TooFew => Verdict::TooFew,
    }
}

fn signed(Estimate { value, low, high }: Estimate, seeds: Seeds) -> String {
    match seeds {
        Seeds::Enough => format!("{value:+.3} [{low:+.3}, {high:+.3}]"),
        Seeds::TooFew => format!("{value:+.3}"),
    }
}
