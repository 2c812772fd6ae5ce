//! `isochrone-experiments bench train`: what is left of the engine's own speed when a policy is trained too.

use super::bare::Bare;
use super::turns::{middle, timed};
use super::{each_case, tell_json, tell_table};
use crate::cli::BenchTrainOptions;
use anyhow::Result;
use isochrone::curriculum::GoalList;
use isochrone::distance::PlaceDistance;
use isochrone::rollout::{Phase, Plan, Streams, Tail, collect_alone};
use isochrone::task::Task;
use isochrone::trajectory::Trajectories;
use isochrone_files::run_spec::RunSpec;
use isochrone_mujoco::WorldName;
use isochrone_runs::train::{Clock, Spent, TrainingRun};
use serde::Serialize;

/// One line of the result.
#[derive(Debug, Serialize)]
struct Measurement {
    world: &'static str,
    /// How far states are from goals.
    distance: &'static str,
    threads: u16,
    rounds: u16,
    /// Of the engine alone.
    bare_steps_per_s: f64,
    /// All environment steps of an iteration over its time.
    train_steps_per_s: f64,
    ratio: f64,
    shares: Spent,
}

/// Runs the command.
pub(super) fn run(options: &BenchTrainOptions) -> Result<()> {
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
            ("bare steps/s", |m| format!("{:.0}", m.bare_steps_per_s)),
            ("training steps/s", |m| {
                format!("{:.0}", m.train_steps_per_s)
            }),
            ("ratio", |m| format!("{:.3}", m.ratio)),
            ("where the time goes", |m| m.shares.in_words()),
        ],
    )
}

/// Iterations and the bare engine in turns; the median of each, and of the ratios of neighbours.
fn measure(name: WorldName, threads: u16, options: &BenchTrainOptions) -> Result<Measurement> {
    let spec = RunSpec::preset(&format!("{name}-paper"))?.changed(&options.set)?;
    let mut agent = TrainingRun::new(spec, threads.into())?;
    let mut bare = Bare::new(&name.build()?, threads.into());
    let mut clock = agent.clock();
    agent.prepare(&mut clock)?;
    let (mut bare_rates, mut rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut all = Spent::default();
    // The first round warms up and is not counted.
    for round in 0..=u64::from(options.rounds) {
        let (rate, spent) = timed_iteration(&mut agent, &mut clock)?;
        let seen = roll_out(&mut agent, round, options.steps as usize)?;
        let controls = bare.controls_of(&seen)?;
        let ((), alone) = timed(|| bare.replay(&controls));
        if round > 0 {
            let bare_rate = seen.policy_steps() as f64 / alone.wall_s;
            rates.push(rate);
            bare_rates.push(bare_rate);
            ratios.push(rate / bare_rate);
            all.add(&spent);
        }
    }
    Ok(Measurement {
        world: name.as_str(),
        distance: agent.spec.agent.distance.method(),
        threads,
        rounds: options.rounds,
        bare_steps_per_s: middle(&bare_rates),
        train_steps_per_s: middle(&rates),
        ratio: middle(&ratios),
        shares: all.shares(),
    })
}

/// One iteration: all its environment steps per second, and what it spent.
pub(super) fn timed_iteration(
    agent: &mut TrainingRun,
    clock: &mut Clock<'_>,
) -> Result<(f64, Spent)> {
    clock.take();
    let before = agent.training.counters().env_steps;
    let report = agent.iterate(clock)?;
    let spent = clock.take();
    let steps = report.counters.env_steps - before;
    Ok((steps as f64 / spent.total(), spent))
}

/// What the policy does now, for the engine to do again.
fn roll_out(agent: &mut TrainingRun, round: u64, steps: usize) -> Result<Trajectories> {
    let actor = agent.training.learner().actor()?;
    let (field, spec) = (&agent.built.setup, agent.training.spec());
    let plan = Plan {
        streams: Streams {
            seed: spec.seed,
            iteration: round,
            phase: Phase::Evaluate,
        },
        actor: actor.as_ref(),
        goals: &GoalList::new(field.coverage_goals.clone())?,
        task: Some(Task {
            space: &field.space,
            distance: &PlaceDistance::new(field.place.clone()),
            radius: spec.evaluation.radius_m,
        }),
        horizon_steps: spec.horizon_steps,
        tail: Tail::Off,
        waypoints: None,
    };
    Ok(collect_alone(agent.built.source.as_mut(), &plan, steps)?)
}
