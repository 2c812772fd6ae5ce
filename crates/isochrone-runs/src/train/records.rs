//! Records of a training: lines that are reproducible to the byte, and separately those that depend on the clock.

use super::checkpoint::KnownBytes;
use super::clock::Spent;
use super::metrics::{Metrics, scalars};
use crate::cluster::Traffic;
use anyhow::Result;
use isochrone::evaluate::Coverage;
use isochrone::train::{Counters, EvaluationSpec, IterationReport, PredictorReport};
use isochrone_files::jsonl::{JsonLines, Keep};
use isochrone_files::run_folder::RunFolder;
use isochrone_files::run_spec::RunSpec;
use isochrone_files::tensorboard::{Events, now_s};
use serde::{Deserialize, Serialize};

/// A line of `distance.jsonl`: a learned distance after an iteration; 0 is before the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DistanceRecord {
    /// After this many iterations.
    pub iteration: u64,
    /// Steps that the policy learned from.
    pub steps: u64,
    /// Pairs learned from.
    pub pairs: usize,
    /// Mean loss.
    pub loss: f64,
    /// Mean target.
    pub mean_target_steps: f64,
    /// Share of probe pairs nearer than ε.
    pub sphere_share: f64,
    /// Share of pairs of coverage goals nearer than ε.
    pub goal_sphere_share: f64,
    /// Mean distance of probe pairs.
    pub mean_distance_steps: f64,
    /// Mean change of those distances in this iteration, relative to their mean.
    pub drift: f64,
    /// ε, if it follows the distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon_steps: Option<f64>,
}

impl DistanceRecord {
    /// The line of this report.
    pub fn of(report: &PredictorReport, counters: Counters) -> Self {
        Self {
            iteration: counters.iteration,
            steps: counters.steps,
            pairs: report.pairs,
            loss: report.loss,
            mean_target_steps: report.mean_target_steps,
            sphere_share: report.sphere_share,
            goal_sphere_share: report.goal_sphere_share,
            mean_distance_steps: report.mean_distance_steps,
            drift: report.drift,
            epsilon_steps: report.epsilon_steps,
        }
    }
}

/// A line of `eval.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// After this many iterations.
    pub iteration: u64,
    /// Steps that the policy learned from.
    pub steps: u64,
    /// All steps but those of evaluations.
    pub env_steps: u64,
    /// Mean success over goals.
    pub coverage: f64,
    /// Steps of this evaluation, which are in no other count.
    pub eval_steps: u64,
    /// Of each of the world's goals, in their order.
    pub success: Vec<f64>,
    /// The mean within `evaluation.long_horizon_steps`, if that is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_coverage: Option<f64>,
    /// The same with the planner, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<PlannedEvaluation>,
}

/// Coverage of the policy with its planner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedEvaluation {
    /// Mean success over goals.
    pub coverage: f64,
    /// The mean within `evaluation.long_horizon_steps`, if that is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_coverage: Option<f64>,
    /// Of each of the world's goals, in their order.
    pub success: Vec<f64>,
    /// Steps of this evaluation.
    pub eval_steps: u64,
}

impl Evaluation {
    /// The line of these coverages, without and with the planner.
    pub fn of(
        coverage: &Coverage,
        planned: Option<&Coverage>,
        spec: &EvaluationSpec,
        counters: Counters,
    ) -> Self {
        let long = |of: &Coverage| (spec.long_horizon_steps > 0).then_some(of.long_mean);
        Self {
            iteration: counters.iteration,
            steps: counters.steps,
            env_steps: counters.env_steps,
            coverage: coverage.mean,
            eval_steps: coverage.steps,
            success: coverage.of_goal.clone(),
            long_coverage: long(coverage),
            planned: planned.map(|planned| PlannedEvaluation {
                coverage: planned.mean,
                long_coverage: long(planned),
                success: planned.of_goal.clone(),
                eval_steps: planned.steps,
            }),
        }
    }
}

/// A line of `goals.jsonl`: the working set as it was labelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkingSet {
    /// Of this iteration.
    pub iteration: u64,
    /// The goals.
    pub goals: Vec<Vec<f32>>,
    /// How often each was reached, 0 to 1.
    pub success: Vec<f64>,
}

impl WorkingSet {
    fn of(report: &IterationReport) -> Self {
        Self {
            iteration: report.iteration,
            goals: report.labelled.iter().map(|l| l.goal.clone()).collect(),
            success: report.labelled.iter().map(|l| l.success_rate).collect(),
        }
    }
}

/// A line of `timing.jsonl`.
#[derive(Clone, Debug, Serialize)]
struct Timing {
    iteration: u64,
    threads: usize,
    seconds: f64,
    env_steps_per_s: f64,
    shares: Spent,
    /// Between ranks, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    traffic: Option<Traffic>,
}

/// The files of a run.
pub(super) struct Records {
    metrics: JsonLines,
    eval: JsonLines,
    goals: JsonLines,
    /// Only where the distance is learned.
    distance: Option<JsonLines>,
    timing: JsonLines,
    events: Events,
    threads: usize,
}

impl Records {
    /// Begins, or resumes after what the checkpoint has.
    pub(super) fn open(
        folder: &RunFolder,
        spec: &RunSpec,
        known: KnownBytes,
        threads: usize,
    ) -> Result<Self> {
        let open = |name: &str, keep| JsonLines::open(folder.file(name), keep);
        let is_learned = spec.agent.distance.predictor().is_some();
        let distance = is_learned.then(|| open(DISTANCE, Keep::Bytes(known.distance)));
        Ok(Self {
            metrics: open(METRICS, Keep::Bytes(known.metrics))?,
            eval: open(EVAL, Keep::Bytes(known.eval))?,
            goals: open(GOALS, Keep::Bytes(known.goals))?,
            distance: distance.transpose()?,
            timing: open("timing.jsonl", Keep::All)?,
            events: Events::create(folder.path(), now_s())?,
            threads,
        })
    }

    /// An iteration is done.
    pub(super) fn iterated(&mut self, report: &IterationReport) -> Result<Metrics> {
        let metrics = Metrics::of(report);
        self.metrics.add(&metrics)?;
        self.goals.add(&WorkingSet::of(report))?;
        if let Some(predictor) = &report.predictor {
            self.learned(predictor, report.counters)?;
        }
        self.show(metrics.steps, &scalars(&metrics))?;
        Ok(metrics)
    }

    /// The distance has learned.
    pub(super) fn learned(&mut self, report: &PredictorReport, at: Counters) -> Result<()> {
        let line = DistanceRecord::of(report, at);
        if let Some(file) = &mut self.distance {
            file.add(&line)?;
        }
        self.show(
            at.steps,
            &[
                ("distance/loss", Some(line.loss)),
                ("distance/sphere_share", Some(line.sphere_share)),
                ("distance/goal_sphere_share", Some(line.goal_sphere_share)),
                ("distance/drift", Some(line.drift)),
                ("distance/epsilon_steps", line.epsilon_steps),
            ],
        )
    }

    /// Coverage was measured.
    pub(super) fn evaluated(&mut self, evaluation: &Evaluation) -> Result<()> {
        self.eval.add(evaluation)?;
        let planned = evaluation.planned.as_ref();
        self.show(
            evaluation.steps,
            &[
                ("eval/coverage", Some(evaluation.coverage)),
                ("eval/long_coverage", evaluation.long_coverage),
                ("eval/planned_coverage", planned.map(|p| p.coverage)),
                (
                    "eval/planned_long_coverage",
                    planned.and_then(|p| p.long_coverage),
                ),
            ],
        )
    }

    /// What an iteration took; environment steps per second without evaluation.
    pub(super) fn took(
        &mut self,
        at: Counters,
        env_steps: u64,
        spent: &Spent,
        traffic: Option<Traffic>,
    ) -> Result<f64> {
        let env_steps_per_s = env_steps as f64 / spent.training().max(1e-9);
        self.timing.add(&Timing {
            iteration: at.iteration,
            threads: self.threads,
            seconds: spent.total(),
            env_steps_per_s,
            shares: spent.shares(),
            traffic,
        })?;
        self.show(
            at.steps,
            &[("time/env_steps_per_second", Some(env_steps_per_s))],
        )?;
        Ok(env_steps_per_s)
    }

    /// The same for TensorBoard, by steps learned from.
    fn show(&mut self, step: u64, scalars: &[(&str, Option<f64>)]) -> Result<()> {
        let now = now_s();
        for (tag, value) in scalars {
            if let Some(value) = value {
                self.events.scalar(tag, step, *value as f32, now)?;
            }
        }
        self.events.flush()
    }

    /// Makes sure that everything is on the disk; how much that is.
    pub(super) fn sync(&mut self) -> Result<KnownBytes> {
        Ok(KnownBytes {
            metrics: self.metrics.sync()?,
            eval: self.eval.sync()?,
            goals: self.goals.sync()?,
            distance: match &mut self.distance {
                Some(file) => file.sync()?,
                None => 0,
            },
        })
    }
}

/// One line per iteration.
pub(super) const METRICS: &str = "metrics.jsonl";
/// One line per evaluation.
pub(super) const EVAL: &str = "eval.jsonl";
/// One line per iteration, and one before the first.
pub(super) const DISTANCE: &str = "distance.jsonl";
/// One line per iteration.
pub(super) const GOALS: &str = "goals.jsonl";
