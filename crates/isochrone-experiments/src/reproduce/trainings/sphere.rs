//! Figure 4: the share of pairs within ε, on-policy and off-policy.

use super::arm::Arm;
use super::coverage::{Made, differences, judged};
use super::curves::{Of, Seeds, csv, enough, panels};
use super::{Effort, Found};
use crate::reproduce::report::{Basis, Finding, Report, Verdict, paragraphs};
use isochrone_figures::Figure;
use isochrone_mujoco::WorldName;
use isochrone_runs::interval::Interval;
use isochrone_runs::train::table::EvaluationRow;
use std::collections::BTreeMap;

/// Where growth is measured from: the first iteration that counts, and its words in claims.
///
/// Before the first iteration the distance has seen the untrained policy alone; at the first evaluation after, it has
/// learned from what it goes on learning from.
const SINCE: [(u64, &str); 2] = [
    (0, "since before the first iteration"),
    (1, "since the first evaluation of the trained"),
];

/// Pairs of coverage goals, and of states of the untrained policy, within ε.
const NUMBERS: [(&str, Of); 2] = [
    ("states", |row| row.sphere_share),
    ("coverage goals", |row| row.goal_sphere_share),
];

/// Figure 4: how the share of states within ε of each other grows.
pub(super) fn expanding(found: &Found, effort: &Effort) -> Made {
    let mut findings = Vec::new();
    for (world, _) in &found.worlds {
        let Some(arms) = found.pair(*world, ["-on-policy", "-off-policy"]) else {
            continue;
        };
        for since in SINCE {
            findings.extend(judge(found, *world, arms, since).into_iter().flatten());
        }
    }
    let label = "share of pairs within ε";
    let [(_, states), (goals_title, goals)] = NUMBERS;
    let mut drawn = panels(found, "states of the untrained policy", label, states);
    drawn.extend(panels(found, goals_title, label, goals));
    let figure = Figure {
        title: "Pairs nearer than ε by the learned distance: mean and 95 % interval over seeds"
            .to_owned(),
        columns: 2,
        panels: drawn,
    };
    let mut report = Report {
        title: "The expanding ε-sphere".to_owned(),
        basis: Basis::Trained,
        findings,
        differences: differences(found, effort),
    };
    let own = paragraphs(include_str!("sphere.md"));
    report.differences.extend(own);
    (figure, csv(found, &NUMBERS), report)
}

/// Two findings, if both methods have growth to compare.
fn judge(
    found: &Found,
    world: WorldName,
    arms: [&Arm; 2],
    (from, since): (u64, &str),
) -> Option<[Finding; 2]> {
    let [on, off] = arms.map(|arm| growth(found, arm, from));
    // Seeds begin alike whatever is learned later: they are compared with themselves.
    let apart = off.iter().filter_map(|(seed, x)| Some(x - on.get(seed)?));
    let apart: Vec<f64> = apart.collect();
    let [on, off] = [on, off].map(|growth| growth.into_values().collect::<Vec<f64>>());
    let (on_mean, off_mean) = (Interval::of(&on)?, Interval::of(&off)?);
    let apart_mean = Interval::of(&apart)?;
    let seeds = enough(on.len().min(apart.len()));
    let [on_words, off_words, apart_words] =
        [on_mean, off_mean, apart_mean].map(|logs| ratio(logs, seeds));
    let grows = Verdict::of_interval((on_mean.low, on_mean.high), (0.0, f64::INFINITY));
    let is_less = Verdict::of_interval((apart_mean.low, apart_mean.high), (f64::NEG_INFINITY, 0.0));
    Some([
        Finding {
            claim: format!(
                "{world}: the ε-sphere of an on-policy distance expands (Figure 4), {since}"
            ),
            found: format!("share within ε, last ÷ first: {on_words}"),
            rule: "the interval of the ratio is above 1",
            verdict: judged(grows, seeds),
        },
        Finding {
            claim: format!(
                "{world}: that of an off-policy distance grows significantly less (Figure 4), {since}"
            ),
            found: format!("{off_words} off-policy; off-policy ÷ on-policy {apart_words}"),
            rule: "the interval of off-policy ÷ on-policy is below 1",
            verdict: judged(is_less, seeds),
        },
    ])
}

/// The logarithm of last ÷ first by seed; seeds with nothing within ε at an end are left out.
fn growth(found: &Found, arm: &Arm, from: u64) -> BTreeMap<u64, f64> {
    let of_seed = |rows: Vec<&EvaluationRow>| {
        let first = rows.iter().find(|row| row.iteration >= from)?;
        let last = rows
            .last()
            .filter(|last| first.iteration < last.iteration)?;
        let log = (last.sphere_share? / first.sphere_share?).ln();
        log.is_finite().then_some((last.seed, log))
    };
    let seeds = found.runs.seeds_of(arm).into_iter();
    seeds.filter_map(of_seed).collect()
}

/// Of logarithms: half and double are as far from one.
fn ratio(logs: Interval, seeds: Seeds) -> String {
    let [mean, low, high] = [logs.mean, logs.low, logs.high].map(f64::exp);
    match seeds {
        Seeds::Enough => format!("{mean:.2} [{low:.2}, {high:.2}]"),
        Seeds::TooFew => format!("{mean:.2}"),
    }
}
