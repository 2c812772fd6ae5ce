//! Trainings as a table: a row per evaluation, each with where it comes from.

use super::records::{DISTANCE, Distance, METRICS, Metrics};
use super::{DistanceName, GoalSpaceName, History, RunSpec, WorldChoice};
use crate::fingerprint;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// One evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EvaluationRow {
    pub(crate) world: String,
    pub(crate) method: String,
    pub(crate) goal_space: String,
    pub(crate) generator: String,
    pub(crate) seed: u64,
    pub(crate) iteration: u64,
    /// Learned from.
    pub(crate) steps: u64,
    /// All but evaluation's.
    pub(crate) env_steps: u64,
    pub(crate) coverage: f64,
    pub(crate) eval_epsilon_m: f64,
    /// Of this evaluation.
    pub(crate) eval_steps: u64,
    /// Of the iteration's successes, the share that the straight line denies.
    #[serde(default)]
    pub(crate) false_reached: Option<f64>,
    /// Of pairs of states of the untrained policy, the share within ε of a learned distance …
    #[serde(default)]
    pub(crate) sphere_share: Option<f64>,
    /// … and of pairs of coverage goals.
    #[serde(default)]
    pub(crate) goal_sphere_share: Option<f64>,
    pub(crate) revision: String,
    pub(crate) spec_hash: String,
    /// The digits of all settings but the seed, how long the run is and how often it is looked at, and of none that it
    /// does not use: runs of one method.
    #[serde(default)]
    pub(crate) method_hash: String,
}

/// What tells methods apart: all settings that a run uses but its seed, its length and how often it is looked at.
pub(crate) fn method_hash(spec: &RunSpec) -> Result<String> {
    let mut table = toml::Table::try_from(spec)?;
    let is_straight = spec.distance == DistanceName::Euclidean;
    table.retain(|key, _| match key {
        "seed" | "iterations" | "evaluate_every" => false,
        "radius_m" => is_straight,
        "epsilon_steps" => !is_straight,
        other => !(is_straight && other.starts_with("predictor_")),
    });
    Ok(fingerprint::of_text(&toml::to_string(&table)?))
}

/// All evaluations of a run.
pub(crate) fn rows(run: &History) -> Result<Vec<EvaluationRow>> {
    let metrics: Vec<Metrics> = run.lines(METRICS)?;
    let distance: Vec<Distance> = if run.path.join(DISTANCE).exists() {
        run.lines(DISTANCE)?
    } else {
        Vec::new()
    };
    let falsely = |iteration: u64| {
        let metrics = metrics.iter().find(|m| m.iteration == iteration)?;
        metrics.false_reached()
    };
    let learned = |iteration: u64| distance.iter().find(|d| d.iteration == iteration);
    let method_hash = method_hash(&run.spec)?;
    let row = |e: &super::Evaluation| EvaluationRow {
        world: run.spec.world.to_string(),
        method: run.spec.distance.method().to_owned(),
        goal_space: match (run.spec.world, run.spec.goal_space) {
            (WorldChoice::Point { .. } | WorldChoice::Own, _) => "position",
            (WorldChoice::Mujoco(_), GoalSpaceName::Xy) => "xy",
            (WorldChoice::Mujoco(_), GoalSpaceName::Full) => "full",
        }
        .to_owned(),
        generator: run.spec.generator.as_str().to_owned(),
        seed: run.spec.seed,
        iteration: e.iteration,
        steps: e.steps,
        env_steps: e.env_steps,
        coverage: e.coverage,
        eval_epsilon_m: run.spec.eval_radius_m,
        eval_steps: e.eval_steps,
        false_reached: falsely(e.iteration),
        sphere_share: learned(e.iteration).map(|d| d.sphere_share),
        goal_sphere_share: learned(e.iteration).map(|d| d.goal_sphere_share),
        revision: run.manifest.revision.clone(),
        spec_hash: run.manifest.spec_hash.clone(),
        method_hash: method_hash.clone(),
    };
    Ok(run.evaluations.iter().map(row).collect())
}

/// Rows as CSV, with a line of names.
pub(crate) fn to_csv(rows: &[EvaluationRow]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().context("cannot write the table")?;
    Ok(String::from_utf8(bytes)?)
}

/// The opposite.
pub(crate) fn of_csv(text: &str) -> Result<Vec<EvaluationRow>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Result<Vec<EvaluationRow>, csv::Error> = reader.deserialize().collect();
    rows.context("this is no table of evaluations")
}
