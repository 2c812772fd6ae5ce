//! Trainings as a table: a row per evaluation, each with where it comes from.

use crate::train::{GoalSpaceName, History, WorldChoice};
use anyhow::{Context, Result};
use serde::Serialize;

/// One evaluation.
#[derive(Serialize)]
struct Row<'a> {
    world: String,
    method: &'static str,
    goal_space: &'static str,
    generator: &'static str,
    seed: u64,
    iteration: u64,
    /// Learned from.
    steps: u64,
    /// All but evaluation's.
    env_steps: u64,
    coverage: f64,
    eval_epsilon_m: f64,
    /// Of this evaluation.
    eval_steps: u64,
    revision: &'a str,
    spec_hash: &'a str,
}

/// All evaluations of all runs.
pub(super) fn of(runs: &[History]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for run in runs {
        for evaluation in &run.evaluations {
            writer.serialize(Row {
                world: run.spec.world.to_string(),
                method: run.spec.distance.method(),
                goal_space: match (run.spec.world, run.spec.goal_space) {
                    (WorldChoice::Point { .. }, _) => "position",
                    (WorldChoice::Mujoco(_), GoalSpaceName::Xy) => "xy",
                    (WorldChoice::Mujoco(_), GoalSpaceName::Full) => "full",
                },
                generator: run.spec.generator.as_str(),
                seed: run.spec.seed,
                iteration: evaluation.iteration,
                steps: evaluation.steps,
                env_steps: evaluation.env_steps,
                coverage: evaluation.coverage,
                eval_epsilon_m: run.spec.eval_radius_m,
                eval_steps: evaluation.eval_steps,
                revision: &run.manifest.revision,
                spec_hash: &run.manifest.spec_hash,
            })?;
        }
    }
    let bytes = writer.into_inner().context("cannot write the table")?;
    Ok(String::from_utf8(bytes)?)
}
