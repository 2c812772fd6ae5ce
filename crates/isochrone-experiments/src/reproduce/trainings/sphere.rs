//! The expanding ε-sphere.

use super::arm::Arm;
use super::coverage::{Made, differences, judged};
use super::curves::{Of, Seeds, csv, enough, panels};
use super::{Effort, Found};
use crate::reproduce::report::{Basis, Finding, Report, Verdict};
use isochrone_figures::Figure;
use isochrone_mujoco::WorldName;
use isochrone_runs::interval::Interval;
use isochrone_runs::train::table::EvaluationRow;
use std::collections::BTreeMap;

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
        let Some(arms) = found.pair(*world, ["-on-policy", "-off-policy"]) else {
            continue;
        };
        findings.extend(judge(found, *world, arms, Since::Untrained));
        findings.extend(judge(found, *world, arms, Since::FirstLook));
    }
    (figure(found), text(found), report(found, effort, findings))
}

/// What growth is measured from.
#[derive(Clone, Copy)]
enum Since {
    /// Before the first iteration, when the distance has seen the untrained policy alone.
    Untrained,
    /// The first evaluation after, when it has learned from what it goes on learning from.
    FirstLook,
}

impl Since {
    const fn told(self) -> &'static str {
        match self {
            Self::Untrained => "since before the first iteration",
            Self::FirstLook => "since the first evaluation of the trained",
        }
    }
}

fn judge(found: &Found, world: WorldName, arms: [&Arm; 2], since: Since) -> Vec<Finding> {
    let [on, off] = arms.map(|arm| growth(found, arm, since));
    // Seeds begin alike whatever is learned later: they are compared with themselves.
    let apart = off.iter().filter_map(|(seed, x)| Some(x - on.get(seed)?));
    let apart: Vec<f64> = apart.collect();
    let logs = |growth: &BTreeMap<u64, f64>| growth.values().copied().collect::<Vec<f64>>();
    let [on, off] = [logs(&on), logs(&off)];
    let intervals = [&on, &off, &apart].map(|logs| Interval::of(logs));
    let [Some(on_mean), Some(off_mean), Some(apart_mean)] = intervals else {
        return Vec::new();
    };
    let seeds = enough(on.len().min(apart.len()));
    let grows = Verdict::of_interval((on_mean.low, on_mean.high), (0.0, f64::INFINITY));
    let is_less = Verdict::of_interval((apart_mean.low, apart_mean.high), (f64::NEG_INFINITY, 0.0));
    let since = since.told();
    vec![
        Finding {
            claim: format!(
                "{world}: the ε-sphere of an on-policy distance expands (Figure 4), {since}"
            ),
            found: format!("share within ε, last ÷ first: {}", ratio(on_mean, seeds)),
            rule: "the interval of the ratio is above 1",
            verdict: judged(grows, seeds),
        },
        Finding {
            claim: format!(
                "{world}: that of an off-policy distance grows significantly less (Figure 4), {since}"
            ),
            found: format!(
                "{} off-policy; off-policy ÷ on-policy {}",
                ratio(off_mean, seeds),
                ratio(apart_mean, seeds)
            ),
            rule: "the interval of off-policy ÷ on-policy is below 1",
            verdict: judged(is_less, seeds),
        },
    ]
}

/// The logarithm of last ÷ first by seed; seeds with nothing within ε at an end are left out.
fn growth(found: &Found, arm: &Arm, since: Since) -> BTreeMap<u64, f64> {
    let of_seed = |rows: Vec<&EvaluationRow>| {
        let first = match since {
            Since::Untrained => rows.first(),
            Since::FirstLook => rows.iter().find(|row| row.iteration > 0),
        };
        let last = rows
            .last()
            .filter(|last| first.is_some_and(|first| first.iteration < last.iteration))?;
        let log = (of_states(last)? / of_states(first?)?).ln();
        log.is_finite().then_some((last.seed, log))
    };
    let seeds = found.runs.seeds_of(arm).into_iter();
    seeds.filter_map(of_seed).collect()
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
         episodes of the untrained policy, is what those maps show as one number. Ratios \
         are averaged as logarithms, with Student's t; off-policy ÷ on-policy seed by seed. Before the first iteration the \
         distance has learned from the untrained policy's episodes, later from other data, so that the first ratio has \
         that change in it as well."
            .to_owned(),
    );
    Report {
        title: "The expanding ε-sphere".to_owned(),
        basis: Basis::Trained,
        findings,
        differences: told,
    }
}

/// Of logarithms: half and double are as far from one.
fn ratio(logs: Interval, seeds: Seeds) -> String {
    let [mean, low, high] = [logs.mean, logs.low, logs.high].map(f64::exp);
    match seeds {
        Seeds::Enough => format!("{mean:.2} [{low:.2}, {high:.2}]"),
        Seeds::TooFew => format!("{mean:.2}"),
    }
}
