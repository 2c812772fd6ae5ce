//! Reports of iterations and policy updates.

use super::{Counters, PredictorReport};
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
    /// The learner's own report.
    pub learner: LearnerReport,
}

impl UpdateReport {
    /// The share of episodes that reached their goal.
    pub fn success(&self) -> f64 {
        self.reached as f64 / self.episodes.max(1) as f64
    }
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
    /// How many goals came from the generator and from the archive.
    pub proposed: [usize; 2],
    /// Goals in the archive now.
    pub archived: usize,
    /// Losses of the generator, if it is a GAN.
    pub generator: Option<GanReport>,
    /// The distance's report, if it is learned.
    pub predictor: Option<PredictorReport>,
    /// Totals so far.
    pub counters: Counters,
}
