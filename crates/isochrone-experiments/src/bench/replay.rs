//! `isochrone-experiments bench replay`: what a replay buffer of many transitions needs, and what drawing from it costs.

use super::turns::{Spread, Turns, timed};
use super::{memory_mb, tell_json, tell_table};
use crate::cli::BenchReplayOptions;
use anyhow::Result;
use isochrone::comm::{Shards, Single, Workers};
use isochrone::distance::Euclidean;
use isochrone::env::Environment;
use isochrone::env::point::Point;
use isochrone::goal::{GoalRange, GoalSpace};
use isochrone::learner::{
    Experience, GoalReward, PolicyIo, PolicyLearner, SacLearner, SacLearnerSpec,
};
use isochrone::policy::PolicyInput;
use isochrone::rng::Seed;
use isochrone::rollout::{Phase, Plan, Streams, Tail, Threads, collect_alone};
use isochrone::task::Task;
use isochrone_runs::progress::Waiting;
use serde::Serialize;

const SEED: Seed = Seed(0);
/// Dimensions of the point: 30 numbers of a state and 15 of an action, a little more than an ant in a plane has.
const DIMS: usize = 15;
/// Steps of an episode.
const HORIZON: usize = 400;
/// Steps of a wave of rollouts.
const WAVE: usize = 100_000;

/// A buffer of one size.
#[derive(Debug, Serialize)]
struct Measurement {
    /// Transitions in the buffer.
    transitions: usize,
    /// Numbers of each: state and action.
    numbers: usize,
    batch: usize,
    rounds: u16,
    /// In each round.
    updates: usize,
    /// An update with the draw of its transitions, CPU time.
    update_us: Spread,
    /// Memory of the process now.
    resident_mb: f64,
    /// The transitions alone.
    data_mb: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchReplayOptions) -> Result<()> {
    let waiting = Waiting::new("filling the buffer");
    let mut found = Vec::new();
    for &transitions in &options.transitions {
        waiting.now(&format!("{transitions} transitions"));
        found.push(measure(transitions as usize, options)?);
    }
    drop(waiting);
    if options.json {
        return tell_json(&found);
    }
    tell_table(
        &found,
        &[
            ("transitions", |m| m.transitions.to_string()),
            ("numbers of each", |m| m.numbers.to_string()),
            ("CPU µs per update", |m| m.update_us.in_words()),
            ("MB of the process", |m| format!("{:.0}", m.resident_mb)),
            ("MB of transitions", |m| format!("{:.0}", m.data_mb)),
        ],
    )
}

fn measure(transitions: usize, options: &BenchReplayOptions) -> Result<Measurement> {
    let updates = options.updates as usize;
    let point = || Point::new(vec![1.0; DIMS]);
    let observation = point().observation_spec();
    let goals = GoalSpace::entries(&[0, 1], &observation)?;
    let range = GoalRange::new(vec![0.0; 2], vec![1.0; 2])?;
    let io = PolicyIo {
        observation,
        goals: goals.clone(),
        goal_half_width: vec![1.0; 2],
        action: point().action_spec(),
    };
    let spec = spec(transitions, options);
    let mut learner = SacLearner::new(&spec, &io, SEED)?;
    let task = Task {
        space: &goals,
        distance: &Euclidean,
        radius: 0.1,
    };
    let workers = Workers {
        comm: &Single,
        shards: Shards::new(64, 1)?,
        threads: 1,
    };
    let actor = learner.actor()?;
    let mut source = Threads::new(1, point);
    let mut wave = |iteration, steps| {
        let plan = Plan {
            streams: Streams {
                seed: SEED,
                iteration,
                phase: Phase::Train,
            },
            actor: actor.as_ref(),
            goals: &range,
            task: None,
            horizon_steps: HORIZON,
            tail: Tail::Off,
            waypoints: None,
        };
        collect_alone(&mut source, &plan, steps)
    };
    let mut kept = 0;
    while kept < transitions {
        let paths = wave(kept as u64, WAVE.min(transitions - kept))?;
        kept += paths.policy_steps();
        let experience = Experience {
            trajectories: &paths,
            goals: &goals,
            task,
            waypoints: None,
        };
        learner.observe(&experience, &workers)?;
    }
    let mut turns = Turns::default();
    // The first round makes the updates that the filling left due, and warms up.
    for round in 0..=options.rounds {
        let paths = wave((kept + usize::from(round)) as u64, updates)?;
        let experience = Experience {
            trajectories: &paths,
            goals: &goals,
            task,
            waypoints: None,
        };
        let (report, taken) = timed(|| learner.learn(&experience, &workers));
        report?;
        if round > 0 {
            turns.push(taken.per(paths.policy_steps()));
        }
    }
    let numbers = 3 * DIMS;
    Ok(Measurement {
        transitions,
        numbers,
        batch: spec.batch,
        rounds: options.rounds,
        updates,
        update_us: turns.us(|taken| taken.cpu_s),
        resident_mb: memory_mb("VmRSS:"),
        data_mb: (transitions * numbers * size_of::<f32>()) as f64 / 1e6,
    })
}

/// One update for every step beyond those that fill the buffer.
fn spec(transitions: usize, options: &BenchReplayOptions) -> SacLearnerSpec {
    SacLearnerSpec {
        input: PolicyInput::StateGoal,
        hidden: vec![64, 64],
        learning_rate: 1e-3,
        batch: options.batch as usize,
        tau: 0.005,
        target_entropy: -1.0,
        first_temperature: 0.1,
        discount: 0.98,
        reward: GoalReward::StepCost,
        max_distance: 1.0,
        updates_per_step: 1.0,
        warm_up_steps: transitions.next_multiple_of(HORIZON),
        replay_steps: transitions + transitions / 100,
        future_share: 0.6,
        final_share: 0.0,
        random_share: 0.2,
        imitation_weight: 0.0,
    }
}
