//! Laws of soft actor-critic: what an update must do, whatever it learns from.

use isochrone::env::{ActionSpec, Observation};
use isochrone::policy::{Actor, InputRow};
use isochrone::rng::{Purpose, Seed};
use isochrone::sac::{
    Imitation, Minibatch, PlainSac, PlainSacSpec, Sac, SacIo, SacSpec, Transition,
};
use rand::RngExt;

const INPUTS: usize = 3;
const ROWS: usize = 64;

fn spec() -> SacSpec {
    SacSpec {
        learning_rate: 1e-2,
        ..SacSpec::published(&[32])
    }
}

fn io() -> SacIo {
    SacIo {
        inputs: INPUTS,
        actions: 1,
        value_range: [f32::MIN, f32::MAX],
    }
}

/// Random states and actions; the same reward and discount everywhere.
fn batch(reward: f32, discount: f32) -> Minibatch {
    let mut rng = Seed(7).stream(Purpose::Act, 0, 0);
    let mut draw =
        |n: usize| -> Vec<f32> { (0..n).map(|_| 2.0 * rng.random::<f32>() - 1.0).collect() };
    Minibatch {
        inputs: draw(ROWS * INPUTS),
        actions: draw(ROWS),
        rewards: vec![reward; ROWS],
        discounts: vec![discount; ROWS],
        next_inputs: draw(ROWS * INPUTS),
        imitation: Imitation::default(),
    }
}

fn trained(spec: &SacSpec, batch: &Minibatch, updates: usize) -> (Sac, f64) {
    let mut sac = Sac::new(spec, io(), Seed(1));
    let mut entropy = 0.0;
    for _ in 0..updates {
        let mut rng = sac.next_stream();
        entropy = sac.update(batch, &mut rng).unwrap().entropy;
    }
    (sac, entropy)
}

/// No density on −1 … 1 has more entropy than the uniform one. Without tanh's slope a Gaussian would.
#[test]
fn no_policy_has_more_entropy_than_the_uniform_one() {
    let spec = SacSpec {
        target_entropy: 0.6,
        ..spec()
    };
    let (_, entropy) = trained(&spec, &batch(0.0, 0.0), 600);
    assert!((0.4..=2.0_f64.ln() + 0.02).contains(&entropy), "{entropy}");
}

/// The temperature moves until the policy has the entropy that it was asked for.
#[test]
fn the_temperature_keeps_the_entropy() {
    for target_entropy in [-1.0, 0.0, 0.5] {
        let spec = SacSpec {
            target_entropy,
            ..spec()
        };
        let mut with_slope = batch(0.0, 0.0);
        // The best action is 1.
        with_slope.rewards.clone_from(&with_slope.actions);
        let (_, entropy) = trained(&spec, &with_slope, 1_500);
        assert!(
            (entropy - target_entropy).abs() < 0.25,
            "{target_entropy}: {entropy}"
        );
    }
}

/// With reward 0 the value of a state is the entropy that is still to come: γ ÷ (1 − γ) α H.
#[test]
fn values_count_the_entropy_to_come() {
    let spec = SacSpec {
        // As much as there can be: the temperature hardly moves.
        target_entropy: 2.0_f64.ln(),
        tau: 0.05,
        learning_rate: 1e-3,
        ..spec()
    };
    let batch = batch(0.0, 0.5);
    let (sac, entropy) = trained(&spec, &batch, 2_500);
    let values = sac.values(&batch.inputs, &batch.actions);
    let mean = values.iter().map(|q| f64::from(*q)).sum::<f64>() / values.len() as f64;
    let expected = f64::from(sac.temperature()) * entropy;
    assert!(
        (mean - expected).abs() < 0.15 * expected,
        "{mean} {expected}"
    );
}

/// The policy's mean action for a row of inputs, as a share of its bounds.
fn mean_action(sac: &Sac, inputs: &[f32]) -> f32 {
    let rows = InputRow::plain(INPUTS, 0);
    let policy = sac.freeze(rows, &ActionSpec::symmetric(1, 1.0)).unwrap();
    let seen = Observation::F32(inputs.to_vec());
    let mut action = [0.0];
    let rng = &mut Seed(4).stream(Purpose::Act, 0, 0);
    Actor::act(
        &policy.without_noise(),
        &seen,
        &[],
        rng,
        &mut Vec::new(),
        &mut action,
    );
    action[0]
}

/// Rows with a waypoint come to act as the policy acts for it: where their own values say nothing, and against them, from the wrong
/// end of the action's range.
#[test]
fn far_goals_imitate_waypoints() {
    let mut batch = batch(0.0, 0.0);
    // The first half of the rows are near goals, for which the action 1 is the best; the others are worth nothing to act for.
    for row in 0..ROWS {
        let sign = if row < ROWS / 2 { 1.0 } else { -1.0 };
        batch.inputs[row * INPUTS] = sign;
        batch.rewards[row] = if row < ROWS / 2 {
            batch.actions[row]
        } else {
            0.0
        };
    }
    let acts = |sac: &Sac, batch: &Minibatch| {
        let row = |row: usize| mean_action(sac, &batch.inputs[row * INPUTS..(row + 1) * INPUTS]);
        let mean =
            |rows: std::ops::Range<usize>| rows.clone().map(row).sum::<f32>() / rows.len() as f32;
        [mean(0..ROWS / 2), mean(ROWS / 2..ROWS)]
    };
    let (sac, _) = trained(&spec(), &batch, 800);
    let [near, far] = acts(&sac, &batch);
    assert!(near > 0.8 && far < 0.5, "{near} {far}");
    let mut opposed = batch.clone();
    for row in ROWS / 2..ROWS {
        opposed.rewards[row] = -0.1 * opposed.actions[row];
    }
    let (mut sac, _) = trained(&spec(), &opposed, 800);
    let [near, far] = acts(&sac, &opposed);
    assert!(near > 0.8 && far < -0.5, "{near} {far}");
    batch.imitation = Imitation {
        weight: 1.0,
        rows: (ROWS / 2..ROWS).collect(),
        inputs: batch.inputs[..ROWS / 2 * INPUTS].to_vec(),
    };
    let (learned, _) = trained(&spec(), &batch, 800);
    let [near, far] = acts(&learned, &batch);
    assert!(near > 0.8 && (near - far).abs() < 0.1, "{near} {far}");
    opposed.imitation = batch.imitation;
    for _ in 0..800 {
        let mut rng = sac.next_stream();
        let report = sac.update(&opposed, &mut rng).unwrap();
        assert!((report.imitated - (ROWS / 2) as f64).abs() < 1e-9);
    }
    let [near, far] = acts(&sac, &opposed);
    assert!(near > 0.8 && far > 0.5, "{near} {far}");
}

#[test]
fn nan_stops_the_update_and_is_named() {
    let mut sac = Sac::new(&spec(), io(), Seed(1));
    let mut rng = sac.next_stream();
    let error = sac.update(&batch(f32::NAN, 0.0), &mut rng).unwrap_err();
    assert_eq!(error.to_string(), "update 1: the critics' loss is NaN");
}

/// A pendulum would take minutes; pushing towards zero takes a second.
#[test]
fn a_plain_reward_is_learned() {
    let plain = PlainSacSpec {
        sac: SacSpec {
            batch: 64,
            learning_rate: 3e-3,
            ..SacSpec::published(&[32])
        },
        discount: 0.9,
        capacity: 5_000,
    };
    let bounds = ActionSpec::symmetric(1, 0.2);
    let mut learner = PlainSac::new(&plain, 1, bounds.clone(), Seed(2)).unwrap();
    let mut rng = Seed(3).stream(Purpose::Act, 0, 0);
    let mut x = 0.0_f32;
    for step in 0..3_000 {
        if step % 20 == 0 {
            x = 2.0 * rng.random::<f32>() - 1.0;
        }
        let action = [bounds.low[0] + 0.4 * rng.random::<f32>()];
        let next = (x + action[0]).clamp(-1.0, 1.0);
        let kept = learner.observe(&Transition {
            state: &[x],
            action: &action,
            reward: -next.abs(),
            next_state: &[next],
            is_terminal: false,
        });
        kept.unwrap();
        x = next;
    }
    let too_long = learner.observe(&Transition {
        state: &[0.0, 0.0],
        action: &[0.0],
        reward: 0.0,
        next_state: &[0.0],
        is_terminal: false,
    });
    assert_eq!(
        too_long.unwrap_err().to_string(),
        "the state has 2 entries; this learner takes 1"
    );
    learner.learn(1_500).unwrap();
    let policy = learner.policy().unwrap().without_noise();
    let act = |x: f32| {
        let seen = Observation::F32(vec![x]);
        let mut action = [0.0];
        let rng = &mut Seed(4).stream(Purpose::Act, 0, 0);
        Actor::act(&policy, &seen, &[], rng, &mut Vec::new(), &mut action);
        action[0]
    };
    assert!(
        act(-0.8) > 0.15 && act(0.8) < -0.15,
        "{} {}",
        act(-0.8),
        act(0.8)
    );
}
