//! Trainings as a table: a row per evaluation, with world, method and revision.

use super::records::{DISTANCE, DistanceRecord, METRICS, Metrics};
use super::{History, WorldChoice, world_of};
use anyhow::{Context, Result};
use isochrone_files::fingerprint;
use isochrone_files::run_spec::{GoalSpaceName, RunSpec};
use serde::{Deserialize, Serialize};

/// One evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRow {
    /// Name of the world.
    pub world: String,
    /// The distance.
    pub method: String,
    /// The goal space.
    pub goal_space: String,
    /// The goal generator.
    pub generator: String,
    /// Seed of the run.
    pub seed: u64,
    /// After this many iterations.
    pub iteration: u64,
    /// Steps that the policy learned from.
    pub steps: u64,
    /// All environment steps except those of evaluation.
    pub env_steps: u64,
    /// Mean success over goals.
    pub coverage: f64,
    /// The Euclidean radius of evaluation, in metres.
    pub eval_epsilon_m: f64,
    /// Steps of this evaluation.
    pub eval_steps: u64,
    /// The share of the iteration's successes outside the Euclidean radius (false positives).
    #[serde(default)]
    pub false_reached: Option<f64>,
    /// The share of probe pairs within ε of a learned distance …
    #[serde(default)]
    pub sphere_share: Option<f64>,
    /// … and of pairs of coverage goals.
    #[serde(default)]
    pub goal_sphere_share: Option<f64>,
    /// Revision of the program.
    pub revision: String,
    /// Hash of the spec.
    pub spec_hash: String,
    /// Hash of the spec without seed, length and evaluation interval, and without unused settings: equal for runs of one
    /// method.
    #[serde(default)]
    pub method_hash: String,
}

/// The digits of all settings but the seed, the length and how often coverage is measured: equal for runs of one method.
pub fn method_hash(spec: &RunSpec) -> Result<String> {
    let mut table = toml::Table::try_from(spec)?;
    table.retain(|key, _| !matches!(key, "seed" | "iterations" | "evaluate_every"));
    Ok(fingerprint::of_text(&toml::to_string(&table)?))
}

/// All evaluations of a run.
pub fn rows(run: &History) -> Result<Vec<EvaluationRow>> {
    let metrics: Vec<Metrics> = run.lines(METRICS)?;
    let distance: Vec<DistanceRecord> = if run.path.join(DISTANCE).exists() {
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
    let agent = &run.spec.agent;
    let is_simple = matches!(
        world_of(&run.spec)?,
        WorldChoice::Point { .. } | WorldChoice::Own
    );
    let goal_space = match run.spec.goal_space {
        _ if is_simple => "position",
        GoalSpaceName::Xy => "xy",
        GoalSpaceName::Full => "full",
    };
    let row = |e: &super::Evaluation| EvaluationRow {
        world: run.spec.world.clone(),
        method: agent.distance.method().to_owned(),
        goal_space: goal_space.to_owned(),
        generator: agent.generator.kind().to_owned(),
        seed: agent.seed.0,
        iteration: e.iteration,
        steps: e.steps,
        env_steps: e.env_steps,
        coverage: e.coverage,
        eval_epsilon_m: agent.evaluation.radius_m,
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
pub fn to_csv(rows: &[EvaluationRow]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().context("cannot write the table")?;
    Ok(String::from_utf8(bytes)?)
}

/// Parses such CSV.
pub fn of_csv(text: &str) -> Result<Vec<EvaluationRow>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Result<Vec<EvaluationRow>, csv::Error> = reader.deserialize().collect();
    rows.context("this is not a table of evaluations")
}
