//! Settings of the training's distance, and of the "reached" test.

use super::{DistanceConfig, EpsilonSpec, GoalSetup, PredictorData, PredictorSpec, TrainingError};
use crate::distance::{Euclidean, FeasibleEuclidean};
use crate::embedding::{
    Architecture, DistanceSpec, EncoderSpec, Head, LearningRate, Objective, Scaling,
};
use crate::goal::Proposals;
use crate::pairs::{Sampler, Target};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Adam steps between two copies of the target network of bootstrapped targets.
const TARGET_COPY_STEPS: u64 = 50;

/// Which goals can be reached, for the Euclidean distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeasibleGoals {
    /// Every goal within the radius, also goals inside walls.
    Any,
    /// Only feasible goals: positions that a body can take.
    OnlyFeasible,
}

/// The input of a learned distance's predictor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PredictorInput {
    /// The goal space.
    GoalSpace,
    /// The whole state; a goal position becomes the state at rest there.
    WholeState,
}

/// The regression target of the predictor; see [`Target`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TargetSpec {
    /// Mean steps until a state is reached, given that it is reached within the window.
    Window {
        /// The largest lag, in steps.
        steps: usize,
    },
    /// The same, and later states of a trajectory that were not met within so many steps are at least so many steps away.
    SeparatedWindow {
        /// The largest lag, in steps.
        steps: usize,
        /// Pairs beyond the window for each pair within.
        far_share: f64,
    },
    /// Mean steps until a ball is entered, given that it is entered within the trajectory.
    FirstPassage {
        /// The ball's radius.
        radius_m: f64,
    },
    /// Mean steps until a ball is entered, however long that takes.
    Bootstrapped {
        /// The ball's radius.
        radius_m: f64,
        /// The largest observed lag, in steps.
        steps: usize,
    },
}

impl TargetSpec {
    const fn target(self) -> Target {
        match self {
            Self::Window { steps } => Target::Window { steps },
            Self::SeparatedWindow { steps, far_share } => Target::SeparatedWindow {
                steps,
                far_share: far_share as f32,
            },
            Self::FirstPassage { radius_m } => Target::FirstPassage {
                radius: radius_m as f32,
            },
            Self::Bootstrapped { radius_m, steps } => Target::Bootstrapped {
                radius: radius_m as f32,
                steps,
            },
        }
    }
}

/// Settings of the predictor of a learned distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PredictorSettings {
    /// Its input.
    pub input: PredictorInput,
    /// Its regression target.
    pub target: TargetSpec,
    /// Random Fourier features of its input that the layers see; 0: the input itself.
    pub fourier_features: usize,
    /// σ, the standard deviation of their frequencies, in radians per unit of the input.
    pub fourier_frequency: f64,
    /// Widths of its hidden layers.
    pub hidden: Vec<usize>,
    /// Dimensions of its embedding.
    pub dims: usize,
    /// The head: whether the distance may differ by direction.
    pub head: Head,
    /// p of the norm.
    pub p: f64,
    /// q, the power of the norm.
    pub q: f64,
    /// The unit of its targets: steps, or their running mean.
    pub scaling: Scaling,
    /// Pairs per step of Adam.
    pub batch: usize,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// States of the untrained policy for its first epochs; `initial_states` if that is more.
    pub initial_samples: usize,
    /// Epochs on these states.
    pub initial_epochs: u64,
    /// States of earlier trajectories that are kept and learned from again; 0: only the newest trajectories.
    pub replay_states: usize,
}

impl PredictorSettings {
    fn architecture(&self) -> Architecture {
        let hidden = self.hidden.clone();
        match self.fourier_features {
            0 => Architecture::Mlp { hidden },
            features => Architecture::Fourier {
                features,
                frequency: self.fourier_frequency as f32,
                hidden,
            },
        }
    }

    /// The spec of the distance, for inputs of this width.
    pub fn distance(&self, inputs: usize) -> DistanceSpec {
        DistanceSpec {
            encoder: EncoderSpec {
                inputs,
                architecture: self.architecture(),
                dims: self.dims,
                head: self.head,
            },
            p: self.p as f32,
            q: self.q as f32,
            objective: Objective::Regression {
                target: self.target.target(),
                sampler: Sampler::UniformStartThenEnd,
            },
            scaling: self.scaling,
            batch: self.batch,
            learning_rate: LearningRate::Constant(self.learning_rate),
            target_copy_steps: TARGET_COPY_STEPS,
        }
    }
}

/// How far states are from goals, and when a goal counts as reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GoalDistance {
    /// The Euclidean distance between positions.
    Euclidean {
        /// ε in metres: a goal nearer than this is reached.
        radius_m: f64,
        /// Which goals can be reached.
        feasible_goals: FeasibleGoals,
    },
    /// Learned from the rollouts that the policy learns from.
    OnPolicy {
        /// ε in steps: a goal nearer than this is reached.
        epsilon_steps: f64,
        /// How ε follows the distance; `epsilon_steps` is where it begins.
        epsilon: EpsilonSpec,
        /// Settings of the predictor.
        #[serde(flatten)]
        predictor: PredictorSettings,
    },
    /// Learned from random actions at the end of episodes.
    OffPolicy {
        /// ε in steps: a goal nearer than this is reached.
        epsilon_steps: f64,
        /// How ε follows the distance; `epsilon_steps` is where it begins.
        epsilon: EpsilonSpec,
        /// Random actions at the end of an episode.
        tail_steps: usize,
        /// Settings of the predictor.
        #[serde(flatten)]
        predictor: PredictorSettings,
    },
}

impl GoalDistance {
    /// ε: a goal nearer than this is reached, in metres or in steps; where it begins, if it follows the distance.
    pub const fn radius(&self) -> f64 {
        match self {
            Self::Euclidean { radius_m, .. } => *radius_m,
            Self::OnPolicy { epsilon_steps, .. } | Self::OffPolicy { epsilon_steps, .. } => {
                *epsilon_steps
            }
        }
    }

    /// How ε follows the distance.
    pub fn epsilon(&self) -> EpsilonSpec {
        match self {
            Self::Euclidean { .. } => EpsilonSpec::Steps {},
            Self::OnPolicy { epsilon, .. } | Self::OffPolicy { epsilon, .. } => *epsilon,
        }
    }

    /// The settings of its predictor; `None` if it is not learned.
    pub const fn predictor(&self) -> Option<&PredictorSettings> {
        match self {
            Self::Euclidean { .. } => None,
            Self::OnPolicy { predictor, .. } | Self::OffPolicy { predictor, .. } => Some(predictor),
        }
    }

    /// The same, mutable.
    pub const fn predictor_mut(&mut self) -> Option<&mut PredictorSettings> {
        match self {
            Self::Euclidean { .. } => None,
            Self::OnPolicy { predictor, .. } | Self::OffPolicy { predictor, .. } => Some(predictor),
        }
    }

    /// Its kind, as result tables name the method.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Euclidean { .. } => "l2",
            Self::OnPolicy { .. } => "on_policy",
            Self::OffPolicy { .. } => "off_policy",
        }
    }

    /// Checks the ranges of all settings, for episodes of at most `horizon_steps`.
    pub(super) fn check(&self, horizon_steps: usize) -> Result<(), TrainingError> {
        let (setting, radius) = match self {
            Self::Euclidean { .. } => ("distance.radius_m", self.radius()),
            _ => ("distance.epsilon_steps", self.radius()),
        };
        if !(radius.is_finite() && radius > 0.0) {
            return Err(TrainingError::Setting {
                setting,
                value: radius,
                rule: "finite and above 0",
            });
        }
        let Some(predictor) = self.predictor() else {
            return Ok(());
        };
        self.epsilon().check()?;
        predictor.distance(1).check()?;
        if predictor.initial_samples == 0 {
            return Err(TrainingError::Setting {
                setting: "distance.initial_samples",
                value: 0.0,
                rule: "at least 1",
            });
        }
        let is_bootstrapped = matches!(predictor.target, TargetSpec::Bootstrapped { .. });
        if is_bootstrapped && predictor.scaling == Scaling::Off {
            return Err(TrainingError::BootstrappedWithoutScaling);
        }
        self.check_far_pairs(predictor, horizon_steps)?;
        self.check_lags(predictor.target, horizon_steps)
    }

    /// Returns an error if no trajectory is longer than a separated window: there would be no far pairs.
    fn check_far_pairs(
        &self,
        predictor: &PredictorSettings,
        horizon_steps: usize,
    ) -> Result<(), TrainingError> {
        let TargetSpec::SeparatedWindow { steps, .. } = predictor.target else {
            return Ok(());
        };
        let longest_steps = match self {
            Self::OffPolicy { tail_steps, .. } if predictor.replay_states == 0 => *tail_steps,
            Self::OffPolicy { tail_steps, .. } => horizon_steps.max(*tail_steps),
            Self::OnPolicy { .. } | Self::Euclidean { .. } => horizon_steps,
        };
        if steps < longest_steps {
            return Ok(());
        }
        Err(TrainingError::Setting {
            setting: "distance.target.steps",
            value: steps as f64,
            rule: "shorter than the trajectories that the distance learns from: no pair is beyond it otherwise",
        })
    }

    /// Returns an error for lags that never exceed ε: every goal would be reached at once.
    fn check_lags(&self, target: TargetSpec, horizon_steps: usize) -> Result<(), TrainingError> {
        let epsilon_steps = self.radius();
        let is_bootstrapped = matches!(target, TargetSpec::Bootstrapped { .. });
        let mut lags = Vec::new();
        if let TargetSpec::Window { steps } | TargetSpec::SeparatedWindow { steps, .. } = target {
            lags.push(("distance.target.steps", steps));
        }
        if let Self::OffPolicy { tail_steps, .. } = self
            && !is_bootstrapped
        {
            lags.push(("distance.tail_steps", *tail_steps));
        }
        // Rollouts are no longer than an episode, and neither are bootstrapped times.
        if is_bootstrapped || matches!(self, Self::OnPolicy { .. }) {
            lags.push(("horizon_steps", horizon_steps));
        }
        match lags
            .into_iter()
            .find(|(_, steps)| *steps as f64 <= epsilon_steps)
        {
            Some((setting, steps)) => Err(TrainingError::Lags {
                setting,
                steps,
                epsilon_steps,
            }),
            None => Ok(()),
        }
    }

    /// The distance for goals of this setup.
    pub(super) fn build(&self, setup: &GoalSetup) -> Result<DistanceConfig, TrainingError> {
        let data = match self {
            Self::Euclidean { feasible_goals, .. } => {
                return Ok(DistanceConfig::Given(
                    match (feasible_goals, &setup.is_feasible) {
                        (FeasibleGoals::OnlyFeasible, Some(is_feasible)) => {
                            Arc::new(FeasibleEuclidean::new(Arc::clone(is_feasible)))
                        }
                        (FeasibleGoals::OnlyFeasible, None) => {
                            return Err(TrainingError::NoFeasibility);
                        }
                        (FeasibleGoals::Any, _) => Arc::new(Euclidean),
                    },
                ));
            }
            Self::OnPolicy { .. } => PredictorData::OnPolicy,
            Self::OffPolicy { tail_steps, .. } => PredictorData::OffPolicy {
                tail_steps: *tail_steps,
            },
        };
        let Some(predictor) = self.predictor() else {
            return Ok(DistanceConfig::Given(Arc::new(Euclidean)));
        };
        let (sees, goals) = match (predictor.input, &setup.whole_state) {
            (PredictorInput::GoalSpace, _) => {
                (setup.space.clone(), Proposals::whole(setup.space.dims()))
            }
            (PredictorInput::WholeState, Some((space, goals))) => (space.clone(), goals.clone()),
            (PredictorInput::WholeState, None) => return Err(TrainingError::NoWholeState),
        };
        Ok(DistanceConfig::Learned(Box::new(PredictorSpec {
            distance: predictor.distance(sees.dims()),
            predictor_input: sees,
            goals,
            data,
            initial_samples: predictor.initial_samples,
            initial_epochs: predictor.initial_epochs,
            replay_states: predictor.replay_states,
        })))
    }
}
