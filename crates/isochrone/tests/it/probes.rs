//! Five tiny worlds, each with one faculty more: a learner that fails on one is broken in a known place.

use crate::probe::{Faculty, Probe};
use isochrone::advantage::{AdvantageSpec, TimeoutValue, advantages};
use isochrone::baseline::{Baseline, BaselineName};
use isochrone::batch::Batch;
use isochrone::comm::{Shards, Single};
use isochrone::distance::Euclidean;
use isochrone::env::Environment;
use isochrone::goal::{GoalRange, GoalSpace};
use isochrone::policy::{GaussianPolicy, InputRow, PolicyShape, Std};
use isochrone::rng::Seed;
use isochrone::rollout::{Phase, Plan, Streams, Tail, Threads, collect_alone};
use isochrone::task::Task;
use isochrone::trajectory::End;
use isochrone::trpo::{self, TrpoSpec};

const DISCOUNT: f64 = 0.5;

/// A learner after some updates, and the share of its last batch that arrived.
fn learned(faculty: Faculty, baseline: BaselineName, updates: u64) -> (Baseline, f64) {
    let world = Probe::new(faculty);
    let space = GoalSpace::entries(&[1], &world.observation_spec()).unwrap();
    let goals = GoalRange::new(vec![1.0], vec![0.0]).unwrap();
    let shape = PolicyShape {
        inputs: InputRow::plain(2, 1),
        hidden: vec![16],
        actions: 1,
    };
    let mut policy = GaussianPolicy::untrained(&shape, Std::Learned, 1.0, Seed(3));
    let mut baseline = Baseline::untrained(baseline, 3, Seed(3));
    let mut source = Threads::new(1, || Probe::new(faculty));
    let spec = AdvantageSpec {
        discount: DISCOUNT,
        lambda: 1.0,
        timeout_value: TimeoutValue::Zero,
    };
    let (shards, mut arrived) = (Shards::new(64, 1).unwrap(), 0.0);
    for iteration in 0..updates {
        let frozen = policy.freeze().unwrap();
        let plan = Plan {
            streams: Streams {
                seed: Seed(3),
                iteration,
                phase: Phase::Train,
            },
            actor: &frozen,
            goals: &goals,
            task: Some(Task {
                space: &space,
                distance: &Euclidean,
                radius: 0.5,
            }),
            horizon_steps: 5,
            tail: Tail::Off,
            waypoints: None,
        };
        let paths = collect_alone(&mut source, &plan, 500).unwrap();
        let episodes = paths.episodes();
        let reached = episodes.iter().filter(|e| e.end == End::Reached).count();
        arrived = reached as f64 / episodes.len() as f64;
        let batch = Batch::of(&paths, &InputRow::plain(2, 1), &Single, shards).unwrap();
        let gains = advantages(&batch, &baseline, &spec, &Single).unwrap();
        let limits = TrpoSpec::reference();
        trpo::update(
            &mut policy,
            &batch,
            &gains.standardised,
            &limits,
            &Single,
            1,
        )
        .unwrap();
        baseline.fit(&batch, &gains.returns, &Single, 1).unwrap();
    }
    (baseline, arrived)
}

/// V of a state at a time, for the goal.
fn value(baseline: &Baseline, cue: f32, time: u32) -> f64 {
    baseline.values(&[cue, 0.0, 1.0], &[time])[0]
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 0.05,
        "{found}, {expected} expected"
    );
}

#[test]
fn values_are_learned() {
    for name in [BaselineName::Linear, BaselineName::Mlp] {
        near(value(&learned(Faculty::Value, name, 5).0, 0.0, 0), 1.0);
        let by_cue = learned(Faculty::Observation, name, 30).0;
        near(value(&by_cue, 1.0, 0), 1.0);
        near(value(&by_cue, -1.0, 0), 0.0);
        let back_in_time = learned(Faculty::Discount, name, 30).0;
        near(value(&back_in_time, 0.0, 0), DISCOUNT);
        near(value(&back_in_time, 1.0, 1), 1.0);
    }
}

#[test]
fn actions_are_learned() {
    for faculty in [Faculty::Policy, Faculty::Both] {
        let (_, before) = learned(faculty, BaselineName::Linear, 1);
        let (_, after) = learned(faculty, BaselineName::Linear, 60);
        assert!(
            before < 0.75 && after > 0.97,
            "{faculty:?}: {before} {after}"
        );
    }
}
