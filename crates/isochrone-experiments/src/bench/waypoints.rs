//! `isochrone-experiments bench waypoints`: what a planner costs a training.

use super::turns::middle;
use super::{each_case, tell_json, tell_table};
use crate::cli::BenchWaypointsOptions;
use anyhow::Result;
use isochrone_files::run_spec::RunSpec;
use isochrone_mujoco::WorldName;
use isochrone_runs::train::{Clock, TrainingRun};
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
    let mut planned = Timed::new(spec, threads)?;
    let mut plain = Timed::new(plain, threads)?;
    let (mut planned_rates, mut plain_rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // The first round warms up and is not counted.
    for round in 0..=options.rounds {
        let (with, without) = (planned.steps_per_s()?, plain.steps_per_s()?);
        if round > 0 {
            planned_rates.push(with);
            plain_rates.push(without);
            ratios.push(with / without);
        }
    }
    Ok(Measurement {
        world: name.as_str(),
        distance: planned.run.spec.agent.distance.method(),
        threads,
        rounds: options.rounds,
        planned_steps_per_s: middle(&planned_rates),
        plain_steps_per_s: middle(&plain_rates),
        ratio: middle(&ratios),
    })
}

struct Timed {
    run: TrainingRun,
    clock: Clock<'static>,
}

impl Timed {
    fn new(spec: RunSpec, threads: u16) -> Result<Self> {
        let mut run = TrainingRun::new(spec, threads.into())?;
        let mut clock = run.clock();
        run.prepare(&mut clock)?;
        Ok(Self { run, clock })
    }

    /// All environment steps of an iteration over its time.
    fn steps_per_s(&mut self) -> Result<f64> {
        self.clock.take();
        let before = self.run.training.counters().env_steps;
        let report = self.run.iterate(&mut self.clock)?;
        let steps = report.counters.env_steps - before;
        Ok(steps as f64 / self.clock.take().total())
    }
}
