//! `isochrone evaluate`: how many goals a trained policy reaches.

use crate::cli::EvaluateOptions;
use anyhow::Result;
use isochrone_runs::output::print;
use isochrone_runs::progress::Waiting;
use isochrone_runs::train::{Evaluation, PlannedEvaluation, TrainingRun, places, threads};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    long_horizon_steps: Option<usize>,
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
        long_horizon_steps: Some(spec.agent.evaluation.long_horizon_steps).filter(|s| *s > 0),
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
        long_coverage,
        planned,
        steps: _,
    } = &report.evaluation;
    let mut text = format!(
        "{}: {} after {iteration} iterations, {env_steps} steps\n\
         {} goals, {} rollouts each; reached is within {} m in {} steps\n",
        report.run,
        report.world,
        success.len(),
        report.rollouts,
        report.radius_m,
        report.horizon_steps,
    );
    let name = if planned.is_some() {
        "policy alone: "
    } else {
        ""
    };
    text += name;
    text += &coverage_line(*coverage, *long_coverage, success, *eval_steps, report);
    if let Some(planned) = planned {
        let PlannedEvaluation {
            coverage,
            long_coverage,
            success,
            eval_steps,
        } = planned;
        text += "with its planner: ";
        text += &coverage_line(*coverage, *long_coverage, success, *eval_steps, report);
    }
    text
}

/// The line of one evaluation.
fn coverage_line(
    coverage: f64,
    long_coverage: Option<f64>,
    success: &[f64],
    eval_steps: u64,
    report: &Report,
) -> String {
    let count = |wanted: fn(f64) -> bool| success.iter().filter(|s| wanted(**s)).count();
    let (always, never) = (count(|s| s >= 1.0), count(|s| s <= 0.0));
    let long = long_coverage.zip(report.long_horizon_steps);
    let long = long.map_or_else(String::new, |(coverage, steps)| {
        format!(" ({coverage:.4} in {steps} steps)")
    });
    format!(
        "coverage {coverage:.4}{long}; {always} always reached, {} sometimes, {never} never; {eval_steps} steps to find out\n",
        success.len() - always - never,
    )
}
