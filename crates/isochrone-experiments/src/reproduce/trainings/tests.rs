//! Verdicts on made-up runs.

use super::arm::Arm;
use super::work::Runs;
use super::{Experiment, Found, coverage, sphere};
use crate::reproduce::report::{Report, Verdict};
use crate::reproduce::{Effort, Size};
use isochrone_mujoco::WorldName;
use isochrone_runs::train::table::EvaluationRow;
use std::path::PathBuf;

fn effort() -> Effort {
    Effort {
        seeds: 5,
        size: Size::Full,
        revision: "trial".to_owned(),
        world: None,
        iterations: None,
        runs: PathBuf::new(),
    }
}

/// The first and the last evaluation of a seed.
fn ends(arm: &Arm, seed: u64, coverage: [f64; 2], shares: [f64; 2]) -> [EvaluationRow; 2] {
    [0, 1].map(|k| EvaluationRow {
        world: arm.world.to_string(),
        method: String::new(),
        goal_space: String::new(),
        generator: String::new(),
        seed,
        iteration: [0, arm.iterations()][k],
        steps: 0,
        env_steps: 0,
        planner: "off".to_owned(),
        coverage: coverage[k],
        coverage_1000: None,
        eval_epsilon_m: 0.3,
        eval_steps: 0,
        false_reached: None,
        entropy: None,
        kl: None,
        reached_share: None,
        easy_share: None,
        intermediate_share: None,
        hard_share: None,
        infeasible_share: None,
        hops: None,
        waypoints_reached: None,
        sphere_share: Some(shares[k]),
        goal_sphere_share: Some(shares[k]),
        revision: "trial".to_owned(),
        spec_hash: String::new(),
        method_hash: arm.hash().unwrap(),
    })
}

/// Point Mass with these methods: suffix, seeds, last coverage, growth of the ε-sphere.
fn found(experiment: Experiment, methods: &[(&'static str, u64, f64, f64)]) -> Found {
    let effort = effort();
    let mut rows = Vec::new();
    for &(suffix, seeds, coverage, growth) in methods {
        let arm = Arm::new(WorldName::PointMass, suffix, &effort).unwrap();
        for seed in 0..seeds {
            let apart = 0.01 * (seed as f64 - 2.0);
            let (last, shares) = (coverage + apart, [0.1, 0.1 * growth + 0.1 * apart]);
            rows.extend(ends(&arm, seed, [0.02, last], shares));
        }
    }
    Found::of(experiment, Runs::made_up(rows, &effort), &effort)
}

/// The report that compares these methods.
fn compared(experiment: Experiment, methods: &[(&'static str, u64, f64, f64)]) -> Report {
    coverage::compare(experiment, &found(experiment, methods), &effort()).2
}

fn verdicts(report: &Report) -> Vec<(&str, Verdict)> {
    let told = report.findings.iter();
    told.map(|f| (f.claim.as_str(), f.verdict)).collect()
}

#[test]
fn methods_are_compared_with_what_the_claim_names() {
    let methods = [("", 5, 0.8, 1.0), ("-off-policy", 5, 0.78, 1.0)];
    let report = compared(Experiment::CoverageXy, &methods);
    assert_eq!(
        verdicts(&report),
        [(
            "point-mass: learned, off-policy does as well as straight line (Figure 1)",
            Verdict::Holds
        )]
    );
    assert!(
        report
            .differences
            .iter()
            .any(|d| d.contains("point-mass-paper-on-policy"))
    );
    // Neither has goals from action noise: there is nothing to say about it.
    let report = compared(Experiment::GoalGeneration, &methods);
    assert_eq!(verdicts(&report), []);
    let methods = [
        ("", 5, 0.8, 1.0),
        ("-on-policy", 5, 0.7, 1.0),
        ("-off-policy", 5, 0.79, 1.0),
    ];
    let report = compared(Experiment::CoverageXy, &methods);
    let verdicts: Vec<Verdict> = verdicts(&report).into_iter().map(|(_, v)| v).collect();
    assert_eq!(verdicts, [Verdict::Fails, Verdict::Holds, Verdict::Fails]);
}

#[test]
fn few_seeds_have_no_verdict() {
    let methods = [("", 5, 0.8, 1.0), ("-off-policy", 1, 0.9, 1.0)];
    let report = compared(Experiment::CoverageXy, &methods);
    assert_eq!(verdicts(&report)[0].1, Verdict::TooFew);
    assert!(
        !report.findings[0].found.contains("+0.1 ["),
        "{}",
        report.findings[0].found
    );
    let named = "point-mass-paper-off-policy (1 of 5 seeds were run)";
    assert!(report.differences.iter().any(|d| d.contains(named)));
}

#[test]
fn a_sphere_that_shrinks_does_not_expand() {
    let judge = |on: f64, off: f64| {
        let methods = [("-on-policy", 5, 0.8, on), ("-off-policy", 5, 0.8, off)];
        let found = found(Experiment::ExpandingSphere, &methods);
        let (.., report) = sphere::expanding(&found, &effort());
        verdicts(&report)
            .into_iter()
            .map(|(_, v)| v)
            .collect::<Vec<_>>()
    };
    // With one evaluation after the first there is no later growth to test.
    assert_eq!(judge(3.0, 1.2), [Verdict::Holds, Verdict::Holds]);
    assert_eq!(judge(3.0, 4.0), [Verdict::Holds, Verdict::Fails]);
    assert_eq!(judge(0.5, 0.2), [Verdict::Fails, Verdict::Holds]);
}

/// Means of 0.75 and 0.8 with a standard deviation as in real runs: the mean is within 0.05, but the interval is too wide.
#[test]
fn a_wide_interval_is_no_verdict() {
    let effort = effort();
    let mut rows = Vec::new();
    for (suffix, coverage) in [("", 0.8), ("-off-policy", 0.77)] {
        let arm = Arm::new(WorldName::PointMass, suffix, &effort).unwrap();
        for seed in 0..5 {
            let last = coverage + 0.08 * (seed as f64 - 2.0);
            rows.extend(ends(&arm, seed, [0.02, last], [0.1, 0.1]));
        }
    }
    let found = Found::of(
        Experiment::CoverageXy,
        Runs::made_up(rows, &effort),
        &effort,
    );
    let (.., report) = coverage::compare(Experiment::CoverageXy, &found, &effort);
    assert_eq!(verdicts(&report)[0].1, Verdict::Unclear);
}

#[test]
fn worlds_with_nothing_of_the_figures_own_are_left_out() {
    let places = [("", 5, 0.5, 1.0), ("-off-policy", 5, 0.5, 1.0)];
    assert_eq!(found(Experiment::CoverageXy, &places).worlds.len(), 1);
    for figure in [
        Experiment::CoverageFull,
        Experiment::GoalGeneration,
        Experiment::ExpandingSphere,
        Experiment::OnlineTargets,
    ] {
        assert!(found(figure, &places).worlds.is_empty(), "{figure:?}");
    }
    let with_whole_states = [places[0], ("-full-on-policy", 5, 0.1, 1.0)];
    let shown = found(Experiment::CoverageFull, &with_whole_states).worlds;
    let names = shown
        .iter()
        .flat_map(|(_, arms)| arms.iter().map(|arm| arm.name));
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["places, straight line", "whole states, learned on-policy"]
    );
}
