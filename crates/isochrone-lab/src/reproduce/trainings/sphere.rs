//! The expanding ε-sphere.

use super::arm::Arm;
use super::coverage::{Made, differences, judged};
use super::curves::{Of, Seeds, csv, panels, seeds};
use super::{Effort, Found};
use crate::bootstrap::{Estimate, estimate, mean};
use crate::figure::Figure;
use crate::reproduce::report::{Basis, Finding, Report};
use crate::train::table::EvaluationRow;

/// Pairs of coverage goals within ε.
fn of_goals(row: &EvaluationRow) -> Option<f64> {
    row.goal_sphere_share
}

/// Pairs of states of the untrained policy within ε.
fn of_states(row: &EvaluationRow) -> Option<f64> {
    row.sphere_share
}

/// Figure 4: how the share of states within ε of each other grows.
pub(super) fn expanding(found: &Found, effort: &Effort) -> Made {
    let mut findings = Vec::new();
    for (world, _) in &found.worlds {
        let Some([on_policy, off_policy]) = found.pair(*world, ["-on-policy", "-off-policy"])
        else {
            continue;
        };
        let seeds = seeds(found, &[on_policy, off_policy]);
        let [on, off] = [on_policy, off_policy].map(|arm| growth(found, arm));
        if on.is_empty() || off.is_empty() {
            continue;
        }
        let [on_mean, off_mean] =
            [&on, &off].map(|g| estimate(std::slice::from_ref(g), |g| geometric_mean(&g[0])));
        findings.push(Finding {
            claim: format!("{world}: the ε-sphere of an on-policy distance expands"),
            found: format!("share within ε, last ÷ first: {}", ratio(on_mean, seeds)),
            rule: "the interval of the ratio is above 1",
            verdict: judged((on_mean.low > 1.0).into(), seeds),
        });
        let apart = estimate(&[off, on], |g| {
            geometric_mean(&g[0]) / geometric_mean(&g[1])
        });
        let off_told = ratio(off_mean, seeds);
        findings.push(Finding {
            claim: format!("{world}: that of an off-policy distance grows significantly less"),
            found: format!(
                "{off_told} off-policy; off-policy ÷ on-policy {}",
                ratio(apart, seeds)
            ),
            rule: "on-policy grows, and the interval of off-policy ÷ on-policy is below 1",
            verdict: judged((on_mean.low > 1.0 && apart.high < 1.0).into(), seeds),
        });
    }
    (figure(found), text(found), report(found, effort, findings))
}

/// Last ÷ first, seed by seed; seeds that began with nothing within ε are left out.
fn growth(found: &Found, arm: &Arm) -> Vec<f64> {
    let ends = found.runs.ends(arm, of_states).into_iter();
    let ratios = ends.filter(|[first, _]| *first > 0.0);
    ratios.map(|[first, last]| last / first).collect()
}

/// Of ratios: half and double are as far from one.
fn geometric_mean(values: &[f64]) -> f64 {
    let logs: Vec<f64> = values
        .iter()
        .map(|x| x.max(f64::MIN_POSITIVE).ln())
        .collect();
    mean(&logs).exp()
}

fn figure(found: &Found) -> Figure {
    let label = "share of pairs within ε";
    let mut drawn = panels(found, "states of the untrained policy", label, of_states);
    drawn.extend(panels(found, "coverage goals", label, of_goals));
    Figure {
        title: "Pairs nearer than ε by the learned distance: mean and 95 % interval over seeds"
            .to_owned(),
        columns: 2,
        panels: drawn,
    }
}

fn text(found: &Found) -> String {
    let numbers: [(&str, Of); 2] = [("states", of_states), ("coverage goals", of_goals)];
    csv(found, &numbers)
}

fn report(found: &Found, effort: &Effort, findings: Vec<Finding>) -> Report {
    let mut told = differences(found, effort);
    told.push(
        "The paper shows maps of Maze Ant round one state. The share of pairs, always the same ones from different \
         episodes of the untrained policy, is what those maps show as one number; ratios are averaged as logarithms."
            .to_owned(),
    );
    Report {
        title: "The expanding ε-sphere".to_owned(),
        basis: Basis::Trained,
        findings,
        differences: told,
    }
}

fn ratio(Estimate { value, low, high }: Estimate, seeds: Seeds) -> String {
    match seeds {
        Seeds::Enough => format!("{value:.2} [{low:.2}, {high:.2}]"),
        Seeds::TooFew => format!("{value:.2}"),
    }
}
