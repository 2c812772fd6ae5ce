//! What an iteration did.

use super::{Counters, PredictorReport};
use crate::curriculum::Labelled;
use crate::trpo::TrpoReport;

/// What one policy update saw and did.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateReport {
    /// Episodes of all ranks.
    pub episodes: usize,
    /// The policy's steps of all ranks.
    pub steps: usize,
    /// Episodes that reached their goal.
    pub reached: usize,
    /// Those of them whose last state is as far from the goal as evaluation's radius, or farther.
    pub falsely_reached: usize,
    /// Episodes of all ranks whose physics left the numbers.
    pub instabilities: usize,
    /// Episodes of all ranks that their world stopped by itself: no random actions follow those.
    pub truncated: usize,
    /// The trust-region step.
    pub trpo: TrpoReport,
}

impl UpdateReport {
    /// The share of episodes that reached their goal.
    pub fn success(&self) -> f64 {
        self.reached as f64 / self.episodes.max(1) as f64
    }
}

/// What one iteration of the loop did.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationReport {
    /// Which one, from 1.
    pub iteration: u64,
    /// The policy updates.
    pub updates: Vec<UpdateReport>,
    /// The working set as it was labelled afterwards.
    pub labelled: Vec<Labelled>,
    /// How many goals came from the generator and from the archive.
    pub proposed: [usize; 2],
    /// Goals in the archive now.
    pub archived: usize,
    /// What the generator's learning said, where it learns by a loss: of the generator and of the discriminator.
    pub generator_losses: Option<[f64; 2]>,
    /// What became of the distance, if it is learned.
    pub predictor: Option<PredictorReport>,
    /// Totals so far.
    pub counters: Counters,
}
