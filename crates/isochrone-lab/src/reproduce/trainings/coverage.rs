//! Coverage, and the claims about it.

use super::arm::Arm;
use super::curves::{Seeds, coverage, csv, difference, panels, seeds, told};
use super::{Effort, Found, given_up};
use crate::bootstrap::{Estimate, estimate, mean};
use crate::figure::Figure;
use crate::reproduce::report::{Basis, Finding, Report, Verdict};
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

/// Figure 1: goals are places.
pub(super) fn places(found: &Found, effort: &Effort) -> Made {
    let findings = each_world(found, |world| {
        let mut findings = Vec::new();
        for suffix in ["-on-policy", "-off-policy"] {
            findings.extend(compared(found, world, [suffix, ""], Rule::AsGood));
        }
        findings.extend(compared(
            found,
            world,
            ["-off-policy", "-on-policy"],
            Rule::Similar,
        ));
        findings
    });
    made(
        found,
        effort,
        "Coverage with goals that are places",
        findings,
    )
}

/// Figure 2: goals are whole states.
pub(super) fn whole_states(found: &Found, effort: &Effort) -> Made {
    let findings = each_world(found, |world| {
        let mut findings = Vec::new();
        for suffix in ["-full-on-policy", "-full-off-policy"] {
            findings.extend(found.arm(world, suffix).map(|arm| progress(found, arm)));
            findings.extend(compared(found, world, [suffix, ""], Rule::AsGood));
        }
        let pair = ["-full-off-policy", "-off-policy"];
        findings.extend(compared(found, world, pair, Rule::Worse));
        let pair = ["-full-off-policy", "-full-on-policy"];
        findings.extend(compared(found, world, pair, Rule::Similar));
        findings
    });
    made(
        found,
        effort,
        "Coverage with goals that are whole states",
        findings,
    )
}

/// Figure 5: where goals come from.
pub(super) fn generators(found: &Found, effort: &Effort) -> Made {
    let findings = each_world(found, |world| {
        let pairs = [
            ["-action-noise", ""],
            ["-action-noise-off-policy", "-off-policy"],
        ];
        let findings = pairs.map(|pair| compared(found, world, pair, Rule::AsGood));
        findings.into_iter().flatten().collect()
    });
    made(found, effort, "Coverage by where goals come from", findings)
}

/// Beyond the paper: what the distance is fitted to.
pub(super) fn targets(found: &Found, effort: &Effort) -> Made {
    let findings = each_world(found, |world| {
        let pair = ["-off-policy-bootstrapped", "-off-policy"];
        compared(found, world, pair, Rule::AsGood)
            .into_iter()
            .collect()
    });
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
    let mut told = vec![
        "Coverage is by the straight line and in places, whatever was learned: 0.3 m for spheres, 1 m for ants.".to_owned(),
        "Intervals of means are Student's t over seeds; those of interquartile means and of differences are percentiles \
         of 2,000 stratified bootstrap samples of the seeds, which of five seeds are somewhat too narrow."
            .to_owned(),
        "The paper shows 5 seeds and no numbers; its room is a figure eight of unknown size, ours is told in \
         docs/deviations.md with everything else that was left open."
            .to_owned(),
    ];
    if !found.missing.is_empty() {
        told.push(format!(
            "Not run, or not with all seeds: {}.",
            found.missing.join(", ")
        ));
    }
    told.extend(given_up(effort));
    told
}

/// One method against another, if both were run.
fn compared(found: &Found, world: WorldName, pair: [&str; 2], rule: Rule) -> Option<Finding> {
    let [arm, other] = found.pair(world, pair)?;
    let apart = difference(found, [arm, other], coverage);
    let (name, others) = (arm.name, other.name);
    let (claim, rule, holds) = match rule {
        Rule::AsGood => (
            format!("{world}: {name} does as well as {others}"),
            "the mean difference is −0.05 or more",
            apart.value >= -COMPARABLE,
        ),
        Rule::Similar => (
            format!("{world}: {name} and {others} perform similarly"),
            "the mean difference is between −0.05 and 0.05",
            apart.value.abs() <= COMPARABLE,
        ),
        Rule::Worse => (
            format!("{world}: {name} is slower than {others}"),
            "the interval of the difference is below 0",
            apart.high < 0.0,
        ),
    };
    let (mine, theirs) = (told(found, arm, coverage), told(found, other, coverage));
    let seeds = seeds(found, &[arm, other]);
    Some(Finding {
        claim,
        found: format!("{mine} against {theirs}: {}", signed(apart, seeds)),
        rule,
        verdict: judged(holds.into(), seeds),
    })
}

fn progress(found: &Found, arm: &Arm) -> Finding {
    let ends = found.runs.ends(arm, coverage);
    let gains: Vec<f64> = ends.iter().map(|[first, last]| last - first).collect();
    let gained = estimate(&[gains], |groups| mean(&groups[0]));
    let seeds = seeds(found, &[arm]);
    Finding {
        claim: format!("{}: {} makes progress", arm.world, arm.name),
        found: format!(
            "{}; gained {}",
            told(found, arm, coverage),
            signed(gained, seeds)
        ),
        rule: "coverage grows by 0.10 or more",
        verdict: judged((gained.value >= PROGRESS).into(), seeds),
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
