//! Who says whether a goal is reached.

use super::predictor::{Predictor, PredictorSpec};
use super::{Team, TrainError, TrainSpec, Training};
use crate::distance::Distance;
use crate::embedding::{DistanceSpec, EpochReport};
use crate::goal::GoalSpace;
use crate::nn::{Named, NamedError};
use crate::trajectory::Trajectories;
use std::sync::Arc;

/// Where the distance comes from.
#[derive(Clone)]
pub enum DistanceSource {
    /// It is known.
    Given(Arc<dyn Distance>),
    /// It is learned beside the policy.
    Learned(Box<PredictorSpec>),
}

impl std::fmt::Debug for DistanceSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given(_) => f.write_str("Given"),
            Self::Learned(spec) => f.debug_tuple("Learned").field(spec).finish(),
        }
    }
}

/// A distance, and what it needs to go on learning.
pub(super) enum Judge {
    Given(Arc<dyn Distance>),
    Learned(Box<Predictor>),
}

impl Judge {
    pub(super) fn new(source: DistanceSource, spec: &TrainSpec) -> Result<Self, TrainError> {
        Ok(match source {
            DistanceSource::Given(distance) => Self::Given(distance),
            DistanceSource::Learned(predictor) => {
                let predictor = Predictor::new(*predictor, spec.horizon_steps, spec.seed)?;
                Self::Learned(Box::new(predictor))
            }
        })
    }

    /// The distance as it is now.
    pub(super) fn distance(&self) -> &dyn Distance {
        match self {
            Self::Given(distance) => distance.as_ref(),
            Self::Learned(predictor) => predictor.distance(),
        }
    }

    /// What it sees of states, if not goal space.
    pub(super) fn sees(&self) -> Option<&GoalSpace> {
        self.predictor().map(|predictor| &predictor.spec().sees)
    }

    pub(super) fn predictor(&self) -> Option<&Predictor> {
        match self {
            Self::Given(_) => None,
            Self::Learned(predictor) => Some(predictor),
        }
    }

    pub(super) fn save(&self) -> Vec<Named> {
        self.predictor().map_or_else(Vec::new, Predictor::save)
    }

    pub(super) fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        match self {
            Self::Given(_) => Ok(()),
            Self::Learned(predictor) => predictor.restore(arrays),
        }
    }
}

/// What became of the predictor in an iteration, or before the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictorReport {
    /// Pairs it learned from.
    pub pairs: usize,
    /// Its mean loss, in the network's unit.
    pub loss: f64,
    /// The mean of its targets.
    pub mean_target_steps: f64,
    /// Of pairs of states of the untrained policy, kept from the beginning and from different episodes: the share
    /// nearer than ε.
    pub sphere_share: f64,
    /// The same of all pairs of coverage goals.
    pub goal_sphere_share: f64,
    /// The mean distance of the former pairs.
    pub mean_distance_steps: f64,
    /// How much the distances of the former pairs have changed: mean |d − d before| ÷ mean d before.
    pub drift: f64,
}

impl Training {
    /// One epoch of the predictor, if there is one.
    pub(super) fn learn_distance(
        &mut self,
        paths: &Trajectories,
        team: &Team<'_>,
    ) -> Result<Option<EpochReport>, TrainError> {
        let Judge::Learned(predictor) = &mut self.judge else {
            return Ok(None);
        };
        let report = predictor.learn_from(paths, team);
        let report = report.inspect_err(|error| team.comm.abort(&error.to_string()))?;
        Ok(Some(report))
    }

    /// What a learned distance is made of: its spec, its arrays, and steps per unit of its network.
    pub fn predictor_arrays(&self) -> Option<(DistanceSpec, Vec<Named>, f64)> {
        self.judge.predictor().map(Predictor::arrays)
    }

    /// Steps of Adam that the predictor has taken; 0 where the distance is given.
    pub fn predictor_updates(&self) -> u64 {
        self.judge.predictor().map_or(0, Predictor::updates)
    }

    /// What the predictor says now of pairs of states of the untrained policy, always the same ones and from different
    /// episodes; nothing where the distance is given.
    pub fn watched_distances(&self) -> Vec<f64> {
        let predictor = self.judge.predictor();
        predictor.map_or_else(Vec::new, Predictor::watched_distances)
    }

    /// What the predictor has become since `before`.
    pub(super) fn report_distance(
        &self,
        epochs: &[EpochReport],
        before: &[f64],
    ) -> Option<PredictorReport> {
        let predictor = self.judge.predictor()?;
        let after = predictor.watched_distances();
        let goals = predictor.distances_between(&self.field.coverage_goals);
        let pairs: usize = epochs.iter().map(|epoch| epoch.pairs).sum();
        let mean = |of: fn(&EpochReport) -> f64| {
            let sum: f64 = epochs.iter().map(|e| of(e) * e.pairs as f64).sum();
            sum / pairs.max(1) as f64
        };
        let moved = after.iter().zip(before).map(|(a, b)| (a - b).abs());
        Some(PredictorReport {
            pairs,
            loss: mean(|epoch| epoch.loss),
            mean_target_steps: mean(|epoch| epoch.mean_target_steps),
            sphere_share: share_within(&after, self.spec.radius),
            goal_sphere_share: share_within(&goals, self.spec.radius),
            mean_distance_steps: after.iter().sum::<f64>() / after.len().max(1) as f64,
            drift: moved.sum::<f64>() / before.iter().sum::<f64>().max(f64::MIN_POSITIVE),
        })
    }
}

/// The share of distances below a radius.
fn share_within(distances: &[f64], radius: f64) -> f64 {
    let within = distances.iter().filter(|d| **d < radius).count();
    within as f64 / distances.len().max(1) as f64
}
