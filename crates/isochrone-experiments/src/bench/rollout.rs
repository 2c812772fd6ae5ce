//! `isochrone-experiments bench rollout`: what is left of the engine's own speed when everything else is done too.

use super::bare::Bare;
use super::turns::{middle, timed};
use super::{each_case, tell_json, tell_table};
use crate::cli::BenchRolloutOptions;
use anyhow::Result;
use isochrone::distance::Euclidean;
use isochrone::env::Environment;
use isochrone::policy::{FrozenPolicy, InputRow};
use isochrone::rng::{Purpose, Seed};
use isochrone::rollout::{Phase, Plan, Streams, Tail, Threads, collect_alone};
use isochrone::task::Task;
use isochrone::trajectory::Trajectories;
use isochrone_mujoco::{World, WorldName};
use serde::Serialize;

const SEED: Seed = Seed(0);
const HIDDEN: [usize; 2] = [64, 64];
const HORIZON_STEPS: usize = 500;

/// One line of the result.
#[derive(Debug, Serialize)]
struct Measurement {
    world: &'static str,
    threads: u16,
    bare_steps_per_s: f64,
    rollout_steps_per_s: f64,
    bare_steps_per_cpu_s: f64,
    rollout_steps_per_cpu_s: f64,
    ratio: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchRolloutOptions) -> Result<()> {
    let results = each_case(&options.cases, |world, threads| {
        measure(world, threads, options)
    })?;
    if options.json {
        return tell_json(&results);
    }
    tell_table(
        &results,
        &[
            ("world", |m| m.world.to_owned()),
            ("threads", |m| m.threads.to_string()),
            ("bare steps/s", |m| format!("{:.0}", m.bare_steps_per_s)),
            ("rollout steps/s", |m| {
                format!("{:.0}", m.rollout_steps_per_s)
            }),
            ("ratio", |m| format!("{:.3}", m.ratio)),
        ],
    )
}

/// Rollout and bare engine in turns; the median of each, and of the ratios of neighbours.
fn measure(name: WorldName, threads: u16, options: &BenchRolloutOptions) -> Result<Measurement> {
    let world = name.build()?;
    let mut source = Threads::new(threads.into(), || world.clone());
    let mut bare = Bare::new(&world, threads.into());
    let (mut bare_walls, mut walls, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bare_cpus, mut cpus) = (Vec::new(), Vec::new());
    // The first round warms up and is not counted.
    for round in 0..=u64::from(options.rounds) {
        let (seen, rollout) =
            timed(|| roll_out(&world, &mut source, round, options.steps as usize));
        let seen = seen?;
        let controls = bare.controls_of(&seen)?;
        let ((), alone) = timed(|| bare.replay(&controls));
        if round > 0 {
            let steps = seen.policy_steps() as f64;
            walls.push(steps / rollout.wall_s);
            bare_walls.push(steps / alone.wall_s);
            cpus.push(steps / rollout.cpu_s);
            bare_cpus.push(steps / alone.cpu_s);
            ratios.push(alone.wall_s / rollout.wall_s);
        }
    }
    Ok(Measurement {
        world: name.as_str(),
        threads,
        bare_steps_per_s: middle(&bare_walls),
        rollout_steps_per_s: middle(&walls),
        bare_steps_per_cpu_s: middle(&bare_cpus),
        rollout_steps_per_cpu_s: middle(&cpus),
        ratio: middle(&ratios),
    })
}

/// Everything a training rollout does.
fn roll_out(
    world: &World,
    source: &mut Threads<World>,
    iteration: u64,
    steps: usize,
) -> Result<Trajectories> {
    let space = world.xy_space()?;
    let goals = world.goal_range()?;
    let inputs = InputRow::plain(world.observation_spec().len(), space.dims());
    let mut rng = SEED.stream(Purpose::Weights, 0, 0);
    let actor = FrozenPolicy::untrained(inputs, &HIDDEN, world.action_spec().len(), &mut rng)?;
    let radius = match world {
        World::PointMass(_) => 0.3,
        _ => 1.0,
    };
    let plan = Plan {
        streams: Streams {
            seed: SEED,
            iteration,
            phase: Phase::Train,
        },
        actor: &actor,
        goals: &goals,
        task: Some(Task {
            space: &space,
            distance: &Euclidean,
            radius,
        }),
        horizon_steps: HORIZON_STEPS,
        tail: Tail::Off,
        waypoints: None,
    };
    Ok(collect_alone(source, &plan, steps)?)
}
