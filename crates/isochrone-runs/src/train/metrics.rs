//! Lines of `metrics.jsonl`: what an iteration was like.

use isochrone::curriculum::Difficulty;
use isochrone::learner::LearnerReport;
use isochrone::sac::SacReport;
use isochrone::train::{IterationReport, UpdateReport};
use isochrone::trpo::TrpoReport;
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
    /// Mean KL divergence of the update. This list and `improvement` and `shrunk` are empty where there is no trust region.
    pub kl: Vec<f64>,
    /// Improvement of the surrogate objective.
    pub improvement: Vec<f64>,
    /// Entropy of the policy; null where nothing was due to be learned.
    pub entropy: Vec<Option<f64>>,
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
    /// Infeasible goals of the working set; null if feasibility is unknown.
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
    /// The critics of an off-policy learner; absent where nothing was due to be learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critics: Option<CriticRecord>,
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

/// Critics of an iteration: the mean of its updates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriticRecord {
    /// Gradient steps.
    pub updates: usize,
    /// ½ mean (Q − y)².
    pub loss: f64,
    /// Mean value of the policy's actions.
    pub value: f64,
    /// α after the last one.
    pub temperature: f64,
    /// Transitions of an update whose action for a waypoint was imitated. Older records have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imitated: Option<f64>,
}

impl CriticRecord {
    fn of(report: &IterationReport) -> Option<Self> {
        let learners = report.updates.iter().map(|update| &update.learner);
        let steps: Vec<&SacReport> = learners
            .filter_map(|learner| match learner {
                LearnerReport::Sac(step) => Some(step).filter(|step| step.updates > 0),
                LearnerReport::Trpo(_) => None,
            })
            .collect();
        let last = steps.last()?;
        let updates: usize = steps.iter().map(|step| step.updates).sum();
        let mean = |value: fn(&SacReport) -> f64| {
            let sum: f64 = (steps.iter())
                .map(|step| value(step) * step.updates as f64)
                .sum();
            sum / updates.max(1) as f64
        };
        Some(Self {
            updates,
            loss: mean(|step| step.critic_loss),
            value: mean(|step| step.value),
            temperature: last.temperature,
            imitated: Some(mean(|step| step.imitated)),
        })
    }
}

impl Metrics {
    /// The line of this report.
    pub fn of(report: &IterationReport) -> Self {
        let updates = &report.updates;
        let trpo = || updates.iter().filter_map(trust_region_step);
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
            entropy: updates.iter().map(entropy).collect(),
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
            critics: CriticRecord::of(report),
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

    /// The share of infeasible goals in the working set.
    pub(super) fn infeasible_share(&self) -> Option<f64> {
        let goals = (self.new_goals + self.old_goals).max(1);
        self.infeasible.map(|count| count as f64 / goals as f64)
    }

    /// The share of the last update's episodes that reached their goal.
    pub(super) fn last_success(&self) -> f64 {
        self.success.last().copied().unwrap_or(0.0)
    }
}

const fn trust_region_step(update: &UpdateReport) -> Option<&TrpoReport> {
    match &update.learner {
        LearnerReport::Trpo(step) => Some(step),
        LearnerReport::Sac(_) => None,
    }
}

/// SAC makes no update before its warm-up is over, and then there is no entropy.
fn entropy(update: &UpdateReport) -> Option<f64> {
    match &update.learner {
        LearnerReport::Trpo(step) => Some(step.entropy),
        LearnerReport::Sac(step) => (step.updates > 0).then_some(step.entropy),
    }
}

/// Its numbers for TensorBoard.
pub(super) fn scalars(metrics: &Metrics) -> [(&'static str, Option<f64>); 18] {
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
        ("train/entropy", metrics.entropy.last().copied().flatten()),
        ("train/critic_loss", metrics.critics.map(|c| c.loss)),
        ("train/value", metrics.critics.map(|c| c.value)),
        ("train/temperature", metrics.critics.map(|c| c.temperature)),
        ("train/imitated", metrics.critics.and_then(|c| c.imitated)),
        ("goals/easy", Some(metrics.easy as f64)),
        ("goals/intermediate", Some(metrics.intermediate as f64)),
        ("goals/hard", Some(metrics.hard as f64)),
        ("goals/archived", Some(metrics.archived as f64)),
        ("train/env_steps", Some(metrics.env_steps as f64)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone::train::{Counters, Proposed};

    const LEARNED: SacReport = SacReport {
        updates: 10,
        critic_loss: 0.5,
        policy_loss: 0.0,
        value: -3.0,
        entropy: 0.25,
        temperature: 0.1,
        imitated: 3.0,
    };

    fn update(step: SacReport) -> UpdateReport {
        UpdateReport {
            episodes: 4,
            steps: 40,
            reached: 1,
            falsely_reached: 0,
            instabilities: 0,
            truncated: 0,
            waypoints: 0,
            waypoints_reached: 0,
            learner: LearnerReport::Sac(step),
        }
    }

    fn metrics(steps: &[SacReport]) -> Metrics {
        Metrics::of(&IterationReport {
            iteration: 1,
            updates: steps.iter().copied().map(update).collect(),
            labelled: Vec::new(),
            proposed: Proposed {
                new: 0,
                old: 0,
                dropped: 0,
                infeasible: None,
            },
            archived: 0,
            generator: None,
            predictor: None,
            map: None,
            counters: Counters::default(),
        })
    }

    /// A call without due updates has no numbers: they are absent, not 0.
    #[test]
    fn what_was_not_learned_has_no_numbers() {
        let idle = SacReport::default();
        for steps in [[idle, LEARNED], [LEARNED, idle]] {
            let critics = metrics(&steps).critics.unwrap();
            assert_eq!(
                (critics.updates, critics.temperature, critics.imitated),
                (10, 0.1, Some(3.0))
            );
        }
        assert_eq!(metrics(&[idle, LEARNED]).entropy, [None, Some(0.25)]);
        let none = metrics(&[idle]);
        assert!(none.critics.is_none());
        assert_eq!(none.entropy, [None]);
        let scalars = scalars(&none);
        let absent = scalars.iter().filter(|(_, value)| value.is_none());
        let names: Vec<&str> = absent.map(|(name, _)| *name).collect();
        for name in ["entropy", "critic_loss", "value", "temperature", "imitated"] {
            assert!(
                names.contains(&format!("train/{name}").as_str()),
                "{names:?}"
            );
        }
    }
}
