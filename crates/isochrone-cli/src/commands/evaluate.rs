//! `isochrone evaluate`: how many goals a trained policy reaches.

use crate::cli::EvaluateOptions;
use anyhow::Result;
use isochrone_runs::output::print;
use isochrone_runs::progress::Waiting;
use isochrone_runs::train::{Evaluation, TrainingRun, places, threads};
use serde::Serialize;

/// JSON output.
#[derive(Serialize)]
struct Report {
    run: String,
    world: String,
    seed: u64,
    rollouts: usize,
    radius_m: f64,
    horizon_steps: usize,
    goals: Vec<Vec<f32>>,
    #[serde(flatten)]
    evaluation: Evaluation,
}

/// Runs the command.
pub fn run(options: &EvaluateOptions) -> Result<()> {
    let waiting = Waiting::new("rolling out");
    let mut agent = TrainingRun::of_run(&options.run, options.rollouts, threads(options.threads))?;
    let mut clock = agent.clock();
    let evaluation = agent.evaluate(&mut clock)?;
    drop(waiting);
    let spec = &agent.spec;
    let report = Report {
        run: options.run.display().to_string(),
        world: spec.world.clone(),
        seed: spec.agent.seed.0,
        rollouts: spec.agent.evaluation.rollouts,
        radius_m: spec.agent.evaluation.radius_m,
        horizon_steps: spec.agent.evaluation.horizon_steps,
        goals: places(&agent.built.setup),
        evaluation,
    };
    if options.json {
        return print(&(serde_json::to_string_pretty(&report)? + "\n"));
    }
    print(&text(&report))
}

fn text(report: &Report) -> String {
    let Evaluation {
        iteration,
        env_steps,
        coverage,
        eval_steps,
        success,
        ..
    } = &report.evaluation;
    let count = |wanted: fn(f64) -> bool| success.iter().filter(|s| wanted(**s)).count();
    let (always, never) = (count(|s| s >= 1.0), count(|s| s <= 0.0));
    format!(
        "{}: {} after {iteration} iterations, {env_steps} steps\n\
         coverage {coverage:.4}: {} goals, {} rollouts each; reached is within {} m in {} steps\n\
         {always} always reached, {} sometimes, {never} never; {eval_steps} steps to find out\n",
        report.run,
        report.world,
        success.len(),
        report.rollouts,
        report.radius_m,
        report.horizon_steps,
        success.len() - always - never,
    )
}
