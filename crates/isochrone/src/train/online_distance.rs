//! The distance of the "reached" test: fixed, or learned during training.

use super::predictor::{Predictor, PredictorSpec};
use super::{AgentSpec, Training, TrainingError};
use crate::comm::Workers;
use crate::distance::{Distance, DistanceError, Learned};
use crate::embedding::{DistanceSpec, EpochReport};
use crate::goal::{GoalSpace, Proposals};
use crate::goal_generator::ProposalDistance;
use crate::nn::{NamedArray, NamedArrayError};
use crate::task::Task;
use crate::trajectory::Trajectories;
use std::sync::Arc;

/// Which distance training uses.
#[derive(Clone)]
pub enum DistanceConfig {
    /// A fixed distance.
    Given(Arc<dyn Distance>),
    /// A distance learned from the policy's trajectories.
    Learned(Box<PredictorSpec>),
}

impl std::fmt::Debug for DistanceConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given(_) => f.write_str("Given"),
            Self::Learned(spec) => f.debug_tuple("Learned").field(spec).finish(),
        }
    }
}

/// The training's distance with its learner, if it has one.
pub(super) enum OnlineDistance {
    Given(Arc<dyn Distance>),
    Learned(Box<Predictor>),
}

impl OnlineDistance {
    pub(super) fn new(source: DistanceConfig, spec: &AgentSpec) -> Result<Self, TrainingError> {
        Ok(match source {
            DistanceConfig::Given(distance) => Self::Given(distance),
            DistanceConfig::Learned(predictor) => {
                let predictor = Predictor::new(*predictor, spec.horizon_steps, spec.seed)?;
                Self::Learned(Box::new(predictor))
            }
        })
    }

    /// The current distance.
    pub(super) fn distance(&self) -> &dyn Distance {
        match self {
            Self::Given(distance) => distance.as_ref(),
            Self::Learned(predictor) => predictor.distance(),
        }
    }

    /// The task of reaching a goal within `radius`. A learned distance may take more entries of a state than `goals`.
    pub(super) fn task<'a>(&'a self, goals: &'a GoalSpace, radius: f64) -> Task<'a> {
        Task {
            space: self.input_space(goals),
            distance: self.distance(),
            radius,
        }
    }

    /// The entries of a state that the distance takes.
    pub(super) fn input_space<'a>(&'a self, goals: &'a GoalSpace) -> &'a GoalSpace {
        let seen = self
            .predictor()
            .map(|predictor| &predictor.spec().predictor_input);
        seen.unwrap_or(goals)
    }

    /// Maps a goal to a state with those entries; `None` if they are the goal's.
    pub(super) fn goal_state(&self) -> Option<&Proposals> {
        self.predictor().map(|predictor| &predictor.spec().goals)
    }

    /// The distance between states; the Euclidean one if it is not learned.
    pub(super) fn between_states(&self, dims: usize) -> Result<Learned, NamedArrayError> {
        match self {
            Self::Given(_) => Learned::euclidean(dims, None, 1.0),
            Self::Learned(predictor) => Ok(predictor.distance().learned().clone()),
        }
    }

    pub(super) fn predictor(&self) -> Option<&Predictor> {
        match self {
            Self::Given(_) => None,
            Self::Learned(predictor) => Some(predictor),
        }
    }

    pub(super) fn save(&self) -> Vec<NamedArray> {
        self.predictor().map_or_else(Vec::new, Predictor::save)
    }

    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        match self {
            Self::Given(_) => Ok(()),
            Self::Learned(predictor) => predictor.restore(arrays),
        }
    }
}

/// The training's distance between proposals.
pub(super) struct BetweenProposals<'a> {
    distance: &'a OnlineDistance,
    proposals: &'a Proposals,
}

impl<'a> BetweenProposals<'a> {
    pub(super) const fn new(distance: &'a OnlineDistance, proposals: &'a Proposals) -> Self {
        Self {
            distance,
            proposals,
        }
    }
}

impl ProposalDistance for BetweenProposals<'_> {
    fn embed(&self, proposal: &[f32]) -> Result<Vec<f32>, DistanceError> {
        let goal = self.proposals.goal(proposal);
        match self.distance {
            OnlineDistance::Given(_) => Ok(goal),
            OnlineDistance::Learned(predictor) => predictor.distance().embed_goal(&goal),
        }
    }

    fn between(&self, from: &[f32], to: &[f32]) -> Result<f64, DistanceError> {
        match self.distance {
            OnlineDistance::Given(distance) => distance.between(from, to),
            OnlineDistance::Learned(predictor) => {
                let learned = predictor.distance().learned();
                Ok(learned.metric().one_way(from, to))
            }
        }
    }
}

/// Report of the distance predictor for an iteration, or for the epochs before the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictorReport {
    /// Training pairs.
    pub pairs: usize,
    /// Mean loss, in the network's unit.
    pub loss: f64,
    /// Mean target.
    pub mean_target_steps: f64,
    /// Share of probe pairs nearer than ε. Probe pairs are states of the untrained policy from different episodes; they
    /// stay the same for the whole run.
    pub sphere_share: f64,
    /// Share of pairs of coverage goals nearer than ε.
    pub goal_sphere_share: f64,
    /// Mean distance of the probe pairs, in steps.
    pub mean_distance_steps: f64,
    /// ε in steps, if it follows the distance.
    pub epsilon_steps: Option<f64>,
    /// Relative change of the probe pairs' distances: mean |d − d before| ÷ mean d before.
    pub drift: f64,
}

impl Training {
    /// One epoch of the predictor, if the distance is learned; the roadmap follows the distance.
    pub(super) fn learn_distance(
        &mut self,
        paths: &Trajectories,
        workers: &Workers<'_>,
    ) -> Result<Option<EpochReport>, TrainingError> {
        let report = match &mut self.distance {
            OnlineDistance::Given(_) => None,
            OnlineDistance::Learned(predictor) => {
                let report = predictor.learn_from(paths, workers);
                Some(report.inspect_err(|error| workers.comm.abort(&error.to_string()))?)
            }
        };
        self.refresh_map()?;
        Ok(report)
    }

    /// A learned distance's spec, parameters, and steps per unit of its network.
    pub fn predictor_arrays(&self) -> Option<(DistanceSpec, Vec<NamedArray>, f64)> {
        self.distance.predictor().map(Predictor::arrays)
    }

    /// Adam steps of the predictor so far; 0 if the distance is fixed.
    pub fn predictor_updates(&self) -> u64 {
        self.distance.predictor().map_or(0, Predictor::updates)
    }

    /// Distances of the probe pairs ([`PredictorReport::sphere_share`]); empty if the distance is fixed.
    pub fn probe_distances(&self) -> Vec<f64> {
        let predictor = self.distance.predictor();
        predictor.map_or_else(Vec::new, Predictor::probe_distances)
    }

    /// The predictor's report; `before` are the probe pairs' distances at the start.
    pub(super) fn report_distance(
        &self,
        epochs: &[EpochReport],
        before: &[f64],
    ) -> Option<PredictorReport> {
        let predictor = self.distance.predictor()?;
        let after = predictor.probe_distances();
        let goals = predictor.distances_between(&self.setup.coverage_goals);
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
            sphere_share: share_within(&after, self.epsilon.radius),
            goal_sphere_share: share_within(&goals, self.epsilon.radius),
            mean_distance_steps: after.iter().sum::<f64>() / after.len().max(1) as f64,
            epsilon_steps: self.has_moving_epsilon().then_some(self.epsilon.radius),
            drift: moved.sum::<f64>() / before.iter().sum::<f64>().max(f64::MIN_POSITIVE),
        })
    }
}

/// The share of distances below a radius.
fn share_within(distances: &[f64], radius: f64) -> f64 {
    let within = distances.iter().filter(|d| **d < radius).count();
    within as f64 / distances.len().max(1) as f64
}
