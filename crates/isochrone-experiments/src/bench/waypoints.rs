//! `isochrone-experiments bench waypoints`: what a planner costs a training.

use super::train::timed_iteration;
use super::turns::middle;
use super::{each_case, tell_json, tell_table};
use crate::cli::BenchWaypointsOptions;
use anyhow::Result;
use isochrone_files::run_spec::RunSpec;
use isochrone_mujoco::WorldName;
use isochrone_runs::train::TrainingRun;
use serde::Serialize;

/// One line of the result.
#[derive(Debug, Serialize)]
struct Measurement {
    world: &'static str,
    distance: &'static str,
    threads: u16,
    rounds: u16,
    planned_steps_per_s: f64,
    plain_steps_per_s: f64,
    /// With a planner over without, of neighbouring iterations.
    ratio: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchWaypointsOptions) -> Result<()> {
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
            ("distance", |m| m.distance.to_owned()),
            ("threads", |m| m.threads.to_string()),
            ("planned steps/s", |m| {
                format!("{:.0}", m.planned_steps_per_s)
            }),
            ("plain steps/s", |m| format!("{:.0}", m.plain_steps_per_s)),
            ("ratio", |m| format!("{:.3}", m.ratio)),
        ],
    )
}

/// Iterations of both in turns; medians.
fn measure(name: WorldName, threads: u16, options: &BenchWaypointsOptions) -> Result<Measurement> {
    let spec = RunSpec::preset(name.as_str())?.changed(&options.set)?;
    let plain = spec.changed(&["planner=off".to_owned()])?;
    let mut planned = TrainingRun::new(spec, threads.into())?;
    let mut plain = TrainingRun::new(plain, threads.into())?;
    let (mut planned_clock, mut plain_clock) = (planned.clock(), plain.clock());
    planned.prepare(&mut planned_clock)?;
    plain.prepare(&mut plain_clock)?;
    let (mut planned_rates, mut plain_rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // The first round warms up and is not counted.
    for round in 0..=options.rounds {
        let (with, _) = timed_iteration(&mut planned, &mut planned_clock)?;
        let (without, _) = timed_iteration(&mut plain, &mut plain_clock)?;
        if round > 0 {
            planned_rates.push(with);
            plain_rates.push(without);
            ratios.push(with / without);
        }
    }
    Ok(Measurement {
        world: name.as_str(),
        distance: planned.spec.agent.distance.method(),
        threads,
        rounds: options.rounds,
        planned_steps_per_s: middle(&planned_rates),
        plain_steps_per_s: middle(&plain_rates),
        ratio: middle(&ratios),
    })
}
