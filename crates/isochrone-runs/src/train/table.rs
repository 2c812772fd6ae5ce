//! Trainings as a table: a row per evaluation, with world, method and revision.

use super::metrics::Metrics;
use super::records::{DISTANCE, DistanceRecord, METRICS};
use super::{History, WorldChoice, world_of};
use anyhow::{Context, Result};
use isochrone_files::fingerprint;
use isochrone_files::run_spec::RunSpec;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// With the planner, and without.
pub const ON: &str = "on";
/// Without it.
pub const OFF: &str = "off";

fn without_planner() -> String {
    OFF.to_owned()
}

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
    /// Whether the policy had its planner: `on` or `off`.
    #[serde(default = "without_planner")]
    pub planner: String,
    /// Mean success over goals.
    pub coverage: f64,
    /// Mean success within `evaluation.long_horizon_steps`.
    #[serde(default)]
    pub coverage_1000: Option<f64>,
    /// The Euclidean radius of evaluation, in metres.
    pub eval_epsilon_m: f64,
    /// Steps of this evaluation.
    pub eval_steps: u64,
    /// The share of the iteration's successes outside the Euclidean radius (false positives).
    #[serde(default)]
    pub false_reached: Option<f64>,
    /// Mean entropy of the policy's actions in the iteration, in nats.
    #[serde(default)]
    pub entropy: Option<f64>,
    /// Mean KL divergence of the iteration's updates.
    #[serde(default)]
    pub kl: Option<f64>,
    /// The share of the iteration's episodes that reached their goal.
    #[serde(default)]
    pub reached_share: Option<f64>,
    /// The share of labelled goals that are easy …
    #[serde(default)]
    pub easy_share: Option<f64>,
    /// … of intermediate difficulty …
    #[serde(default)]
    pub intermediate_share: Option<f64>,
    /// … and hard.
    #[serde(default)]
    pub hard_share: Option<f64>,
    /// The share of infeasible goals in the working set.
    #[serde(default)]
    pub infeasible_share: Option<f64>,
    /// Hops of the roadmap that routes may take.
    #[serde(default)]
    pub hops: Option<usize>,
    /// The share of waypoints that the policy reached.
    #[serde(default)]
    pub waypoints_reached: Option<f64>,
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
    let mut table = Table::try_from(spec)?;
    table.retain(|key, _| !matches!(key, "seed" | "iterations" | "evaluate_every"));
    drop_later_settings(&mut table);
    Ok(fingerprint::of_text(&toml::to_string(&table)?))
}

/// Drops settings that are newer than recorded results and have the value that was the only one then: a method keeps its
/// hash when it could have been another and is not.
fn drop_later_settings(table: &mut Table) {
    let has_planner = table
        .get("planner")
        .and_then(|planner| planner.get("kind"))
        .is_some_and(|kind| *kind != Value::from("off"));
    if !has_planner && let Some(Value::Table(learner)) = table.get_mut("learner") {
        // It has no effect.
        learner.remove("imitation_weight");
    }
    drop_if(table, "learner.imitation_weight", &Value::from(0.0));
    drop_if(table, "goal_filter.kind", &Value::from("off"));
    drop_if(table, "planner.kind", &Value::from("off"));
    drop_if(table, "planner.region", &Value::from("nearest"));
    drop_if(table, "planner.hops_from", &Value::from("history"));
    drop_if(table, "distance.epsilon.kind", &Value::from("steps"));
    drop_if(table, "distance.replay_states", &Value::from(0));
    if let Some(Value::Table(distance)) = table.get_mut("distance")
        && distance.get("fourier_features") == Some(&Value::from(0))
    {
        // Without features their frequency has no effect.
        distance.remove("fourier_features");
        distance.remove("fourier_frequency");
    }
    drop_if(table, "learner.input", &Value::from("state_goal"));
    drop_if(table, "evaluation.long_horizon_steps", &Value::from(0));
}

/// Drops the setting with this dotted name if it has this value, and tables that are empty then.
fn drop_if(table: &mut Table, name: &str, only: &Value) {
    let Some((first, rest)) = name.split_once('.') else {
        if table.get(name) == Some(only) {
            table.remove(name);
        }
        return;
    };
    if let Some(Value::Table(inner)) = table.get_mut(first) {
        drop_if(inner, rest, only);
        if inner.is_empty() {
            table.remove(first);
        }
    }
}

/// All evaluations of a run.
pub fn rows(run: &History) -> Result<Vec<EvaluationRow>> {
    let metrics: Vec<Metrics> = run.lines(METRICS)?;
    let distance: Vec<DistanceRecord> = if run.path.join(DISTANCE).exists() {
        run.lines(DISTANCE)?
    } else {
        Vec::new()
    };
    let trained = |iteration: u64| metrics.iter().find(|m| m.iteration == iteration);
    let learned = |iteration: u64| distance.iter().find(|d| d.iteration == iteration);
    let method_hash = method_hash(&run.spec)?;
    let agent = &run.spec.agent;
    let is_simple = matches!(
        world_of(&run.spec)?,
        WorldChoice::Point { .. } | WorldChoice::Own
    );
    let goal_space = if is_simple {
        "position"
    } else {
        run.spec.goal_space.as_str()
    };
    let row = |e: &super::Evaluation| {
        let trained = trained(e.iteration);
        let shares = trained.and_then(Metrics::label_shares);
        EvaluationRow {
            world: run.spec.world.clone(),
            method: agent.distance.method().to_owned(),
            goal_space: goal_space.to_owned(),
            generator: agent.generator.kind().to_owned(),
            seed: agent.seed.0,
            iteration: e.iteration,
            steps: e.steps,
            env_steps: e.env_steps,
            planner: OFF.to_owned(),
            coverage: e.coverage,
            coverage_1000: e.long_coverage,
            eval_epsilon_m: agent.evaluation.radius_m,
            eval_steps: e.eval_steps,
            false_reached: trained.and_then(Metrics::false_reached),
            entropy: trained.and_then(|m| mean(&known(&m.entropy))),
            kl: trained.and_then(|m| mean(&m.kl)),
            reached_share: trained.and_then(Metrics::reached_share),
            easy_share: shares.map(|[easy, ..]| easy),
            intermediate_share: shares.map(|[_, intermediate, _]| intermediate),
            hard_share: shares.map(|[.., hard]| hard),
            infeasible_share: trained.and_then(Metrics::infeasible_share),
            hops: trained.and_then(|m| m.waypoints).map(|w| w.hops),
            waypoints_reached: trained.and_then(|m| m.waypoints).map(|w| w.reached_share()),
            sphere_share: learned(e.iteration).map(|d| d.sphere_share),
            goal_sphere_share: learned(e.iteration).map(|d| d.goal_sphere_share),
            revision: run.manifest.revision.clone(),
            spec_hash: run.manifest.spec_hash.clone(),
            method_hash: method_hash.clone(),
        }
    };
    let rows = run.evaluations.iter().flat_map(|e| {
        let alone = row(e);
        let planned = e.planned.as_ref().map(|planned| EvaluationRow {
            planner: ON.to_owned(),
            coverage: planned.coverage,
            coverage_1000: planned.long_coverage,
            eval_steps: planned.eval_steps,
            ..alone.clone()
        });
        [Some(alone), planned]
    });
    Ok(rows.flatten().collect())
}

fn known(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().copied().flatten().collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(preset: &str, changes: &[&str]) -> String {
        let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
        let spec = RunSpec::preset(preset).and_then(|spec| spec.changed(&changes));
        method_hash(&spec.unwrap()).unwrap()
    }

    /// A weight without a planner changes no method, and one of 0 was the only one before there were others.
    #[test]
    fn imitation_is_part_of_a_method_where_it_has_an_effect() {
        let sac = |changes: &[&str]| hash("point-mass-sac-off-policy", changes);
        let (off, weight) = ("planner=off", "learner.imitation_weight=0.7");
        assert_eq!(sac(&[off]), sac(&[off, weight]));
        assert_ne!(sac(&[]), sac(&[weight]));
        // As recorded before imitation (experiments/sac-waypoints/results-without-imitation.csv).
        let before = ["learner.imitation_weight=0", "evaluation.rollouts=1"];
        assert_eq!(sac(&before), "77f744597713");
    }
}
