//! `isochrone-experiments bench endurance`: a long run of random actions. Nothing may abort, memory must stay constant, and
//! NaN or infinity in the physics is counted.

use super::{memory_mb, tell_json, tell_table};
use crate::cli::BenchEnduranceOptions;
use anyhow::Result;
use isochrone::env::Environment;
use isochrone::policy::Uniform;
use isochrone::rng::Seed;
use isochrone::rollout::{NoGoal, Phase, Plan, Streams, Tail, Threads, collect_alone};
use isochrone::trajectory::End;
use isochrone_mujoco::WorldName;
use isochrone_runs::progress::Waiting;
use serde::Serialize;
use std::time::Instant;

/// Steps between two looks at the memory.
const BATCH_STEPS: u64 = 100_000;
const HORIZON_STEPS: usize = 500;

/// One line of the result.
#[derive(Debug, Default, Serialize)]
struct Endurance {
    world: &'static str,
    steps: u64,
    episodes: u64,
    falls: u64,
    instabilities: u64,
    /// After the first tenth: what is allocated once has been.
    memory_mb_early: f64,
    memory_mb_late: f64,
    steps_per_s: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchEnduranceOptions) -> Result<()> {
    let waiting = Waiting::new("building");
    let mut results = Vec::new();
    for &world in &options.worlds {
        results.push(endure(world, options, &waiting)?);
    }
    drop(waiting);
    if options.json {
        return tell_json(&results);
    }
    tell_table(
        &results,
        &[
            ("world", |e| e.world.to_owned()),
            ("steps", |e| e.steps.to_string()),
            ("episodes", |e| e.episodes.to_string()),
            ("falls", |e| e.falls.to_string()),
            ("instabilities", |e| e.instabilities.to_string()),
            ("MB early", |e| format!("{:.1}", e.memory_mb_early)),
            ("MB late", |e| format!("{:.1}", e.memory_mb_late)),
            ("steps/s", |e| format!("{:.0}", e.steps_per_s)),
        ],
    )
}

fn endure(
    name: WorldName,
    options: &BenchEnduranceOptions,
    waiting: &Waiting,
) -> Result<Endurance> {
    let world = name.build()?;
    let actor = Uniform(world.action_spec());
    let mut source = Threads::new(options.threads.into(), || world.clone());
    let mut measured = Endurance {
        world: name.as_str(),
        ..Endurance::default()
    };
    let start = Instant::now();
    for iteration in 0.. {
        let plan = Plan {
            streams: Streams {
                seed: Seed(0),
                iteration,
                phase: Phase::Train,
            },
            actor: &actor,
            goals: &NoGoal,
            task: None,
            horizon_steps: HORIZON_STEPS,
            tail: Tail::Off,
            waypoints: None,
        };
        let missing = BATCH_STEPS.min(options.steps - measured.steps) as usize;
        let seen = collect_alone(&mut source, &plan, missing)?;
        let count = |end| seen.episodes().iter().filter(|e| e.end == end).count() as u64;
        measured.steps += seen.policy_steps() as u64;
        measured.episodes += seen.episodes().len() as u64;
        measured.falls += count(End::Terminal);
        measured.instabilities += seen.instabilities() as u64;
        measured.memory_mb_late = memory_mb("VmRSS:");
        if measured.steps <= options.steps / 10 || iteration == 0 {
            measured.memory_mb_early = measured.memory_mb_late;
        }
        waiting.now(&format!(
            "{name}, {} of {} steps",
            measured.steps, options.steps
        ));
        if measured.steps >= options.steps {
            break;
        }
    }
    measured.steps_per_s = measured.steps as f64 / start.elapsed().as_secs_f64();
    Ok(measured)
}
