//! Five tiny worlds, each with one faculty more: a learner that fails on one is broken in a known place.

use crate::probe::{Faculty, Probe};
use isochrone::advantage::{AdvantageSpec, TimeoutValue, advantages};
use isochrone::baseline::{Baseline, BaselineName};
use isochrone::batch::Batch;
use isochrone::comm::{Shards, Single, Workers};
use isochrone::distance::Euclidean;
use isochrone::env::Environment;
use isochrone::goal::{GoalRange, GoalSpace};
use isochrone::learner::{
    Experience, GoalReward, PolicyIo, PolicyLearner, SacLearner, SacLearnerSpec,
};
use isochrone::policy::{GaussianPolicy, InputRow, PolicyInput, PolicyShape, Std};
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

fn sac_spec() -> SacLearnerSpec {
    SacLearnerSpec {
        input: PolicyInput::StateGoal,
        hidden: vec![32],
        learning_rate: 3e-3,
        batch: 64,
        tau: 0.05,
        target_entropy: -2.0,
        first_temperature: 0.01,
        discount: DISCOUNT,
        reward: GoalReward::Success,
        max_distance: 1.0,
        updates_per_step: 0.5,
        warm_up_steps: 0,
        replay_steps: 10_000,
        future_share: 0.0,
        final_share: 0.0,
        random_share: 0.0,
        imitation_weight: 0.0,
    }
}

/// SAC after some waves of rollouts, and the share of the last wave that arrived.
fn learned_by_sac(faculty: Faculty, spec: &SacLearnerSpec, waves: u64) -> (SacLearner, f64) {
    let world = Probe::new(faculty);
    let observation = world.observation_spec();
    let space = GoalSpace::entries(&[1], &observation).unwrap();
    let goals = GoalRange::new(vec![1.0], vec![0.0]).unwrap();
    let io = PolicyIo {
        observation,
        goals: space.clone(),
        goal_half_width: Vec::new(),
        action: world.action_spec(),
    };
    let mut learner = SacLearner::new(spec, &io, Seed(3)).unwrap();
    let mut source = Threads::new(1, || Probe::new(faculty));
    let task = Task {
        space: &space,
        distance: &Euclidean,
        radius: 0.5,
    };
    let workers = Workers {
        comm: &Single,
        shards: Shards::new(64, 1).unwrap(),
        threads: 1,
    };
    let mut arrived = 0.0;
    for iteration in 0..waves {
        let actor = learner.actor().unwrap();
        let plan = Plan {
            streams: Streams {
                seed: Seed(3),
                iteration,
                phase: Phase::Train,
            },
            actor: actor.as_ref(),
            goals: &goals,
            task: Some(task),
            horizon_steps: 5,
            tail: Tail::Off,
            waypoints: None,
        };
        let paths = collect_alone(&mut source, &plan, 200).unwrap();
        let episodes = paths.episodes();
        let reached = episodes.iter().filter(|e| e.end == End::Reached).count();
        arrived = reached as f64 / episodes.len() as f64;
        let experience = Experience {
            trajectories: &paths,
            goals: &space,
            task,
            waypoints: None,
        };
        learner.learn(&experience, &workers).unwrap();
    }
    (learner, arrived)
}

/// Q of both extreme actions, for the goal.
fn sac_values(learner: &SacLearner, cue: f32) -> [f64; 2] {
    [-1.0, 1.0].map(|action| f64::from(learner.values(&[cue, 0.0, 1.0], &[action])[0]))
}

#[test]
fn sac_learns_values() {
    let spec = sac_spec();
    let (learner, _) = learned_by_sac(Faculty::Value, &spec, 10);
    sac_values(&learner, 0.0)
        .into_iter()
        .for_each(|q| near(q, 1.0));
    let (learner, _) = learned_by_sac(Faculty::Observation, &spec, 10);
    sac_values(&learner, 1.0)
        .into_iter()
        .for_each(|q| near(q, 1.0));
    sac_values(&learner, -1.0)
        .into_iter()
        .for_each(|q| near(q, 0.0));
    let (learner, _) = learned_by_sac(Faculty::Discount, &spec, 20);
    sac_values(&learner, 0.0)
        .into_iter()
        .for_each(|q| near(q, DISCOUNT));
    sac_values(&learner, 1.0)
        .into_iter()
        .for_each(|q| near(q, 1.0));
}

#[test]
fn sac_counts_steps() {
    let spec = SacLearnerSpec {
        reward: GoalReward::StepCost,
        ..sac_spec()
    };
    // A step that arrives costs nothing, the one before it 1.
    let (learner, _) = learned_by_sac(Faculty::Discount, &spec, 20);
    sac_values(&learner, 0.0)
        .into_iter()
        .for_each(|q| near(q, -1.0));
    sac_values(&learner, 1.0)
        .into_iter()
        .for_each(|q| near(q, 0.0));
    // An episode that ended elsewhere never arrives: −1 ÷ (1 − γ).
    let (learner, _) = learned_by_sac(Faculty::Observation, &spec, 20);
    sac_values(&learner, -1.0)
        .into_iter()
        .for_each(|q| near(q, -2.0));
}

/// The distance to the goal is 1, then 0; a distance of 2 counts as far.
#[test]
fn sac_learns_by_distances() {
    // linear: −½ for the first step, 0 for the second. potential: the step cost (−1, 0), and ½ more, minus the potential ahead.
    for (reward, first, second) in [
        (GoalReward::Linear, -0.5, 0.0),
        (GoalReward::Potential, -0.5, 0.5),
    ] {
        let spec = SacLearnerSpec {
            reward,
            max_distance: 2.0,
            ..sac_spec()
        };
        let (learner, _) = learned_by_sac(Faculty::Discount, &spec, 30);
        for (cue, value) in [(0.0, first), (1.0, second)] {
            let values = sac_values(&learner, cue);
            values.into_iter().for_each(|q| near(q, value));
        }
    }
}

/// Nothing behind a reached goal counts. Here the first step reaches the goal `arrived = 0`, and the second would leave it for ever.
#[test]
fn sac_stops_at_a_reached_goal() {
    let spec = SacLearnerSpec {
        reward: GoalReward::StepCost,
        random_share: 0.5,
        ..sac_spec()
    };
    let (learner, _) = learned_by_sac(Faculty::Discount, &spec, 30);
    for action in [-1.0, 1.0] {
        let value = |cue| f64::from(learner.values(&[cue, 0.0, 0.0], &[action])[0]);
        near(value(0.0), 0.0);
        let behind = value(1.0);
        assert!(
            behind < -1.0,
            "{behind}: with a bootstrap, half of it would count"
        );
    }
}

#[test]
fn sac_learns_actions() {
    for (faculty, cue) in [(Faculty::Policy, 0.0), (Faculty::Both, 1.0)] {
        let (_, before) = learned_by_sac(faculty, &sac_spec(), 1);
        let (learner, after) = learned_by_sac(faculty, &sac_spec(), 20);
        assert!(
            before < 0.75 && after > 0.95,
            "{faculty:?}: {before} {after}"
        );
        let [left, right] = sac_values(&learner, cue);
        assert!(left < 0.3 && right > 0.9, "{faculty:?}: {left} {right}");
    }
}

/// A buffer that was saved and restored gives the same bytes from there on.
#[test]
fn sac_resumes_to_the_same_bytes() {
    let spec = SacLearnerSpec {
        future_share: 0.3,
        final_share: 0.1,
        random_share: 0.1,
        replay_steps: 1_000,
        ..sac_spec()
    };
    let (learner, _) = learned_by_sac(Faculty::Both, &spec, 12);
    let mut restored = learned_by_sac(Faculty::Both, &spec, 1).0;
    restored.restore(&learner.save()).unwrap();
    assert_eq!(restored.save(), learner.save());
}
