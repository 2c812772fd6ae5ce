//! Coverage, and the claims about it.

use super::arm::Arm;
use super::curves::{coverage, csv, difference, panels, told};
use super::{Effort, Found, given_up};
use crate::bootstrap::{Estimate, estimate, mean};
use crate::figure::Figure;
use crate::reproduce::report::{Basis, Finding, Report, Verdict};

/// A difference of coverage that counts as none.
const COMPARABLE: f64 = 0.05;
/// Coverage gained that counts as progress.
const PROGRESS: f64 = 0.10;

pub(super) type Made = (Figure, String, Report);

/// Figure 1: goals are places.
pub(super) fn places(found: &Found, effort: &Effort) -> Made {
    let mut findings = Vec::new();
    for (world, arms) in &found.worlds {
        let [straight, learned @ ..] = arms.as_slice() else {
            continue;
        };
        for arm in learned {
            let claim = format!("{world}: {} does as well as the straight line", arm.name);
            findings.push(comparable(found, arm, straight, claim));
        }
        if let [on_policy, off_policy] = learned {
            let claim = format!("{world}: learning on-policy and off-policy performs similarly");
            findings.push(similar(found, off_policy, on_policy, claim));
        }
    }
    let title = "Coverage with goals that are places";
    made(found, effort, title, findings)
}

/// Figure 2: goals are whole states.
pub(super) fn whole_states(found: &Found, effort: &Effort) -> Made {
    let mut findings = Vec::new();
    for (world, arms) in &found.worlds {
        let [places, whole @ ..] = arms.as_slice() else {
            continue;
        };
        for arm in whole {
            findings.push(progress(
                found,
                arm,
                format!("{world}: {} makes progress", arm.name),
            ));
        }
        if let [on_policy, off_policy] = whole {
            let claim = format!("{world}: whole states are learned more slowly than places");
            findings.push(slower(found, off_policy, places, claim));
            let claim = format!("{world}: learning on-policy and off-policy performs similarly");
            findings.push(similar(found, off_policy, on_policy, claim));
        }
    }
    let title = "Coverage with goals that are whole states";
    made(found, effort, title, findings)
}

/// Figure 5: where goals come from.
pub(super) fn generators(found: &Found, effort: &Effort) -> Made {
    let mut findings = Vec::new();
    for (world, arms) in &found.worlds {
        for pair in arms.chunks_exact(2) {
            let [gan, noise] = pair else { continue };
            let claim = format!(
                "{world}: action noise does as well as the goal GAN ({})",
                gan.name
            );
            findings.push(comparable(found, noise, gan, claim));
        }
    }
    made(found, effort, "Coverage by where goals come from", findings)
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
        differences: differences(effort),
    };
    (figure, csv(found, coverage), report)
}

/// What every figure of coverage has in common.
pub(super) fn differences(effort: &Effort) -> Vec<String> {
    let mut told = vec![
        "Coverage is by the straight line and in places, whatever was learned: 0.3 m for spheres, 1 m for ants.".to_owned(),
        "Intervals of means are Student's t over seeds; those of interquartile means and of differences are percentiles \
         of 2,000 stratified bootstrap samples of the seeds."
            .to_owned(),
        "The paper shows 5 seeds and no numbers; its room is a figure eight of unknown size, ours is told in \
         docs/deviations.md with everything else that was left open."
            .to_owned(),
    ];
    told.extend(given_up(effort));
    told
}

fn comparable(found: &Found, arm: &Arm, other: &Arm, claim: String) -> Finding {
    let apart = difference(found, arm, other, coverage);
    Finding {
        claim,
        found: compared(found, arm, other, apart),
        rule: "the mean difference is −0.05 or more",
        verdict: Verdict::from(apart.value >= -COMPARABLE),
    }
}

fn similar(found: &Found, arm: &Arm, other: &Arm, claim: String) -> Finding {
    let apart = difference(found, arm, other, coverage);
    Finding {
        claim,
        found: compared(found, arm, other, apart),
        rule: "the mean difference is between −0.05 and 0.05",
        verdict: Verdict::from(apart.value.abs() <= COMPARABLE),
    }
}

fn slower(found: &Found, arm: &Arm, other: &Arm, claim: String) -> Finding {
    let apart = difference(found, arm, other, coverage);
    Finding {
        claim,
        found: compared(found, arm, other, apart),
        rule: "the interval of the difference is below 0",
        verdict: Verdict::from(apart.high < 0.0),
    }
}

fn progress(found: &Found, arm: &Arm, claim: String) -> Finding {
    let groups = [
        found.runs.last(arm, coverage),
        found.runs.first(arm, coverage),
    ];
    let gained = estimate(&groups, |groups| mean(&groups[0]) - mean(&groups[1]));
    Finding {
        claim,
        found: format!("{}; gained {}", told(found, arm, coverage), signed(gained)),
        rule: "coverage grows by 0.10 or more",
        verdict: Verdict::from(gained.value >= PROGRESS),
    }
}

fn compared(found: &Found, arm: &Arm, other: &Arm, apart: Estimate) -> String {
    let (mine, others) = (told(found, arm, coverage), told(found, other, coverage));
    format!("{mine} against {others}: {}", signed(apart))
}

pub(super) fn signed(Estimate { value, low, high }: Estimate) -> String {
    format!("{value:+.3} [{low:+.3}, {high:+.3}]")
}
