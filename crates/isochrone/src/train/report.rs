//! Reports of iterations and policy updates.

use super::{Counters, MapReport, PredictorReport};
use crate::curriculum::Labelled;
use crate::goal_generator::GanReport;
use crate::learner::LearnerReport;

/// One policy update and its rollouts.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateReport {
    /// Episodes of all ranks.
    pub episodes: usize,
    /// The policy's steps of all ranks.
    pub steps: usize,
    /// Episodes that reached their goal.
    pub reached: usize,
    /// Those of them with a last state outside evaluation's Euclidean radius: false positives.
    pub falsely_reached: usize,
    /// Episodes of all ranks with NaN or infinity in an observation.
    pub instabilities: usize,
    /// Episodes of all ranks that the environment truncated; they have no random tail.
    pub truncated: usize,
    /// Waypoints that the policy was given …
    pub waypoints: usize,
    /// … and those of them that it reached.
    pub waypoints_reached: usize,
    /// The learner's own report.
    pub learner: LearnerReport,
}

impl UpdateReport {
    /// The share of episodes that reached their goal.
    pub fn success(&self) -> f64 {
        self.reached as f64 / self.episodes.max(1) as f64
    }
}

/// The goals of an iteration by their origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// From the generator.
    pub new: usize,
    /// From the archive.
    pub old: usize,
    /// Proposals of the generator that the filter dropped.
    pub dropped: usize,
    /// Infeasible goals of the working set; `None` if feasibility is unknown.
    pub infeasible: Option<usize>,
}

/// One iteration of the loop.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationReport {
    /// Its number, from 1.
    pub iteration: u64,
    /// The policy updates.
    pub updates: Vec<UpdateReport>,
    /// The working set with its labels.
    pub labelled: Vec<Labelled>,
    /// Where its goals came from.
    pub proposed: Proposed,
    /// Goals in the archive now.
    pub archived: usize,
    /// Losses of the generator, if it is a GAN.
    pub generator: Option<GanReport>,
    /// The distance's report, if it is learned.
    pub predictor: Option<PredictorReport>,
    /// The roadmap, if the policy gets waypoints.
    pub map: Option<MapReport>,
    /// Totals so far.
    pub counters: Counters,
}
