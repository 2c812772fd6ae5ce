//! The expanding ε-sphere.

use super::coverage::{Made, differences};
use super::curves::{csv, panels};
use super::{Effort, Found};
use crate::bootstrap::{Estimate, estimate, mean};
use crate::figure::Figure;
use crate::reproduce::report::{Basis, Finding, Report, Verdict};
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
    for (world, arms) in &found.worlds {
        let [on_policy, off_policy] = arms.as_slice() else {
            continue;
        };
        let growth = |arm| {
            let (last, first) = (
                found.runs.last(arm, of_states),
                found.runs.first(arm, of_states),
            );
            let ratios = last
                .iter()
                .zip(&first)
                .map(|(last, first)| last / first.max(1e-9));
            ratios.collect::<Vec<f64>>()
        };
        let (on, off) = (growth(on_policy), growth(off_policy));
        if on.is_empty() || off.is_empty() {
            continue;
        }
        let [on_mean, off_mean] =
            [&on, &off].map(|g| estimate(std::slice::from_ref(g), |g| mean(&g[0])));
        findings.push(Finding {
            claim: format!("{world}: the ε-sphere of an on-policy distance expands"),
            found: format!("share within ε, last ÷ first: {}", ratio(on_mean)),
            rule: "the interval of the ratio is above 1",
            verdict: Verdict::from(on_mean.low > 1.0),
        });
        let apart = estimate(&[off, on], |g| mean(&g[0]) / mean(&g[1]));
        findings.push(Finding {
            claim: format!("{world}: that of an off-policy distance grows significantly less"),
            found: format!(
                "{} off-policy; off-policy ÷ on-policy {}",
                ratio(off_mean),
                ratio(apart)
            ),
            rule: "the interval of off-policy ÷ on-policy is below 1",
            verdict: Verdict::from(apart.high < 1.0),
        });
    }
    let label = "share of pairs within ε";
    let mut drawn = panels(found, "states of the untrained policy", label, of_states);
    drawn.extend(panels(found, "coverage goals", label, of_goals));
    let figure = Figure {
        title: "Pairs nearer than ε by the learned distance: mean and 95 % interval over seeds"
            .to_owned(),
        columns: 2,
        panels: drawn,
    };
    let mut told = differences(effort);
    told.push(
        "The paper shows maps of Maze Ant round one state. The share of pairs, always the same ones from different \
         episodes of the untrained policy, is what those maps show as one number."
            .to_owned(),
    );
    let report = Report {
        title: "The expanding ε-sphere".to_owned(),
        basis: Basis::Trained,
        findings,
        differences: told,
    };
    (figure, csv(found, of_states), report)
}

fn ratio(Estimate { value, low, high }: Estimate) -> String {
    format!("{value:.2} [{low:.2}, {high:.2}]")
}
