//! Records of a training: lines that are reproducible to the byte, and separately those that depend on the clock.

use super::checkpoint::KnownBytes;
use super::clock::Spent;
use crate::cluster::Traffic;
use anyhow::Result;
use isochrone::curriculum::Difficulty;
use isochrone::evaluate::Coverage;
use isochrone::learner::LearnerReport;
use isochrone::train::{Counters, EvaluationSpec, IterationReport, PredictorReport, UpdateReport};
use isochrone::trpo::TrpoReport;
use isochrone_files::jsonl::{JsonLines, Keep};
use isochrone_files::run_folder::RunFolder;
use isochrone_files::run_spec::RunSpec;
use isochrone_files::tensorboard::{Events, now_s};
use serde::{Deserialize, Serialize};

/// A line of `metrics.jsonl`: an iteration. Lists have an entry per policy update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// After this many iterations.
    pub iteration: u64,
    /// Learned from, so far.
    pub steps: u64,
    /// All environment steps so far: also tails, labels and collected states, not evaluation.
    pub env_steps: u64,
    /// Share of episodes that reached their goal.
    pub success: Vec<f64>,
    /// Episodes that reached their goal …
    #[serde(default)]
    pub reached: Vec<usize>,
    /// … and those of them with a last state outside evaluation's Euclidean radius.
    #[serde(default)]
    pub falsely_reached: Vec<usize>,
    /// Mean KL divergence of the update.
    pub kl: Vec<f64>,
    /// Improvement of the surrogate objective.
    pub improvement: Vec<f64>,
    /// Entropy of the policy.
    pub entropy: Vec<f64>,
    /// Step sizes rejected by the line search; null if none was accepted.
    pub shrunk: Vec<Option<usize>>,
    /// Easy goals.
    pub easy: usize,
    /// Goals of intermediate difficulty.
    pub intermediate: usize,
    /// Hard goals.
    pub hard: usize,
    /// Goals from the generator.
    pub new_goals: usize,
    /// Goals from the archive.
    pub old_goals: usize,
    /// Proposals of the generator that the goal filter dropped.
    #[serde(default)]
    pub dropped_goals: usize,
    /// Goals of the working set that nobody can reach; null if the world does not know.
    #[serde(default)]
    pub infeasible: Option<usize>,
    /// Goals in the archive.
    pub archived: usize,
    /// Loss of the GAN's generator.
    pub generator_loss: Option<f64>,
    /// Loss of its discriminator.
    pub discriminator_loss: Option<f64>,
    /// Episodes ended by unstable physics.
    pub instabilities: usize,
    /// Episodes that the environment truncated.
    #[serde(default)]
    pub truncated: usize,
    /// The roadmap, if the policy gets waypoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waypoints: Option<WaypointRecord>,
}

/// Waypoints of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaypointRecord {
    /// Landmarks of the roadmap.
    pub landmarks: usize,
    /// Hops that routes may take.
    pub hops: usize,
    /// Hops that failed more often than they were made.
    pub dropped_hops: usize,
    /// Waypoints that the policy was given …
    pub given: usize,
    /// … and those of them that it reached.
    pub reached: usize,
}

impl WaypointRecord {
    fn of(report: &IterationReport) -> Option<Self> {
        report.map.map(|map| Self {
            landmarks: map.landmarks,
            hops: map.hops,
            dropped_hops: map.dropped_hops,
            given: report.updates.iter().map(|u| u.waypoints).sum(),
            reached: report.updates.iter().map(|u| u.waypoints_reached).sum(),
        })
    }

    /// The share of waypoints that were reached.
    pub(super) fn reached_share(&self) -> f64 {
        self.reached as f64 / self.given.max(1) as f64
    }
}

impl Metrics {
    /// The line of this report.
    pub fn of(report: &IterationReport) -> Self {
        let updates = &report.updates;
        let trpo = || updates.iter().map(trust_region_step);
        let count = |difficulty| {
            let labelled = report.labelled.iter();
            labelled.filter(|l| l.difficulty == difficulty).count()
        };
        Self {
            iteration: report.iteration,
            steps: report.counters.steps,
            env_steps: report.counters.env_steps,
            success: updates.iter().map(UpdateReport::success).collect(),
            reached: updates.iter().map(|u| u.reached).collect(),
            falsely_reached: updates.iter().map(|u| u.falsely_reached).collect(),
            kl: trpo().map(|step| step.kl).collect(),
            improvement: trpo().map(|step| step.improvement).collect(),
            entropy: trpo().map(|step| step.entropy).collect(),
            shrunk: trpo().map(|step| step.shrunk).collect(),
            easy: count(Difficulty::Easy),
            intermediate: count(Difficulty::Intermediate),
            hard: count(Difficulty::Hard),
            new_goals: report.proposed.new,
            old_goals: report.proposed.old,
            dropped_goals: report.proposed.dropped,
            infeasible: report.proposed.infeasible,
            archived: report.archived,
            generator_loss: report.generator.map(|gan| gan.generator_loss),
            discriminator_loss: report.generator.map(|gan| gan.discriminator_loss),
            instabilities: report.updates.iter().map(|u| u.instabilities).sum(),
            truncated: report.updates.iter().map(|u| u.truncated).sum(),
            waypoints: WaypointRecord::of(report),
        }
    }

    /// The share of successes outside the Euclidean radius (false positives); `None` without successes.
    pub(super) fn false_reached(&self) -> Option<f64> {
        let [reached, falsely] =
            [&self.reached, &self.falsely_reached].map(|counts| counts.iter().sum::<usize>());
        (reached > 0).then(|| falsely as f64 / reached as f64)
    }

    /// The share of all episodes that reached their goal.
    pub(super) fn reached_share(&self) -> Option<f64> {
        let updates = self.success.len();
        (updates > 0).then(|| self.success.iter().sum::<f64>() / updates as f64)
    }

    /// The share of labelled goals that are easy, of intermediate difficulty, and hard; `None` if no goal has a label.
    pub(super) fn label_shares(&self) -> Option<[f64; 3]> {
        let counts = [self.easy, self.intermediate, self.hard];
        let all: usize = counts.iter().sum();
        (all > 0).then(|| counts.map(|count| count as f64 / all as f64))
    }

    /// The share of the working set that nobody can reach.
    pub(super) fn infeasible_share(&self) -> Option<f64> {
        let goals = (self.new_goals + self.old_goals).max(1);
        self.infeasible.map(|count| count as f64 / goals as f64)
    }

    /// The share of the last update's episodes that reached their goal.
    pub(super) fn last_success(&self) -> f64 {
        self.success.last().copied().unwrap_or(0.0)
    }
}

const fn trust_region_step(update: &UpdateReport) -> &TrpoReport {
    let LearnerReport::Trpo(step) = &update.learner;
    step
}

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

fn scalars(metrics: &Metrics) -> [(&'static str, Option<f64>); 14] {
    [
        ("train/reached_share", metrics.reached_share()),
        ("planner/hops", metrics.waypoints.map(|w| w.hops as f64)),
        (
            "planner/waypoints_reached",
            metrics.waypoints.map(|w| w.reached_share()),
        ),
        ("goals/infeasible_share", metrics.infeasible_share()),
        ("train/false_reached", metrics.false_reached()),
        ("train/success", metrics.success.last().copied()),
        ("train/kl", metrics.kl.last().copied()),
        ("train/improvement", metrics.improvement.last().copied()),
        ("train/entropy", metrics.entropy.last().copied()),
        ("goals/easy", Some(metrics.easy as f64)),
        ("goals/intermediate", Some(metrics.intermediate as f64)),
        ("goals/hard", Some(metrics.hard as f64)),
        ("goals/archived", Some(metrics.archived as f64)),
        ("train/env_steps", Some(metrics.env_steps as f64)),
    ]
}
