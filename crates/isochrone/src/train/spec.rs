//! Settings and errors of training.

use super::{GoalDistance, PlannerSpec, WaypointSpec};
use crate::comm::{CommError, Shards};
use crate::curriculum::{Bounds, CurriculumError, GoalFilter, PooledLabelSpec};
use crate::distance::DistanceError;
use crate::distance_spec::SpecError;
use crate::evaluate::EvaluateError;
use crate::goal::GoalError;
use crate::goal_generator::GeneratorSpec;
use crate::learner::{LearnerError, LearnerSpec};
use crate::nn::NamedArrayError;
use crate::pairs::EpisodesError;
use crate::rng::Seed;
use crate::roadmap::RoadmapError;
use crate::rollout::RolloutError;
use serde::{Deserialize, Serialize};

/// How goals are labelled easy, intermediate or hard.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LabelSpec {
    /// By new rollouts of the policy after its updates; with waypoints if it is trained with them.
    Fresh(RolloutLabelSpec),
    /// By the rollouts that the policy learned from.
    TrainingPaths(RolloutLabelSpec),
    /// By those of the last iterations, and of goals nearby.
    Pooled(PooledLabelSpec),
}

/// Labels by the attempts at each goal alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RolloutLabelSpec {
    /// Rollouts per goal: new ones, or training rollouts that a label needs. Goals with fewer are dropped.
    pub rollouts: u32,
    /// R_min: a goal with at most this success rate is hard.
    pub min: f64,
    /// R_max: a goal with at least this success rate is easy.
    pub max: f64,
}

impl LabelSpec {
    /// R_min and R_max.
    pub const fn bounds(&self) -> Bounds {
        match self {
            Self::Fresh(labels) | Self::TrainingPaths(labels) => Bounds {
                min: labels.min,
                max: labels.max,
            },
            Self::Pooled(labels) => labels.bounds(),
        }
    }

    /// Checks the ranges of all settings.
    fn check(&self) -> Result<(), TrainingError> {
        match self {
            Self::Fresh(labels) | Self::TrainingPaths(labels) => {
                check_counts(&[("labels.rollouts", labels.rollouts as usize, 1, 10_000)])?;
                Ok(self.bounds().check()?)
            }
            Self::Pooled(labels) => Ok(labels.check()?),
        }
    }
}

/// How coverage is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSpec {
    /// A goal nearer than this Euclidean distance is reached.
    pub radius_m: f64,
    /// The longest rollout.
    pub horizon_steps: usize,
    /// Coverage within so many steps, at least `horizon_steps`, is measured, too, by the same rollouts; 0 for the same.
    #[serde(default)]
    pub long_horizon_steps: usize,
    /// Rollouts per goal.
    pub rollouts: usize,
}

impl EvaluationSpec {
    /// Rollouts last as long as the longer horizon: coverage within a shorter second one would not be measured.
    fn check_horizons(&self) -> Result<(), TrainingError> {
        let Self {
            horizon_steps,
            long_horizon_steps,
            ..
        } = *self;
        if long_horizon_steps == 0 || long_horizon_steps >= horizon_steps {
            return Ok(());
        }
        Err(TrainingError::LongHorizon {
            horizon_steps,
            long_horizon_steps,
        })
    }
}

/// Whether a policy is evaluated with its planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planner {
    /// The policy alone: it is given the goal itself.
    Off,
    /// With waypoints, if it was trained with them.
    On,
}

/// An evaluation on chosen goals.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The goals.
    pub goals: &'a [Vec<f32>],
    /// A goal nearer than this Euclidean distance is reached; `None` uses the training's distance and ε.
    pub radius: Option<f64>,
    /// The longest rollout.
    pub horizon_steps: usize,
    /// Coverage within so many steps is measured, too; 0 for the same as `horizon_steps`.
    pub long_horizon_steps: usize,
    /// Rollouts per goal.
    pub rollouts: usize,
    /// Whether the policy gets waypoints.
    pub planner: Planner,
}

/// Settings of an agent and its training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// Seed of all random streams.
    pub seed: Seed,
    /// How the policy learns.
    pub learner: LearnerSpec,
    /// The longest episode.
    pub horizon_steps: usize,
    /// Policy steps per update, at least.
    pub batch_steps: usize,
    /// Updates with one working set of goals.
    pub updates_per_iteration: usize,
    /// How far states are from goals, and when a goal is reached.
    pub distance: GoalDistance,
    /// The goal generator.
    pub generator: GeneratorSpec,
    /// New goals per iteration.
    pub new_goals: usize,
    /// Goals from the archive per iteration.
    pub old_goals: usize,
    /// Minimum distance between goals in the archive.
    pub archive_spacing_m: f64,
    /// Which proposed goals are tried.
    #[serde(default)]
    pub goal_filter: GoalFilter,
    /// How goals are labelled.
    pub labels: LabelSpec,
    /// States of the untrained policy for the generator's first training.
    pub initial_states: usize,
    /// States of the policy added to the archive in every iteration.
    pub on_policy_states: usize,
    /// Whether the policy gets waypoints.
    #[serde(default)]
    pub planner: PlannerSpec,
    /// How coverage is measured.
    pub evaluation: EvaluationSpec,
    /// V, the number of shards: the fixed partition of the work among ranks. It changes the result.
    pub shards: usize,
}

impl AgentSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), TrainingError> {
        const TENS: usize = 10_000_000;
        const HUNDREDS: usize = 100_000_000;
        let counts = [
            ("horizon_steps", self.horizon_steps, 1, TENS),
            ("batch_steps", self.batch_steps, 1, HUNDREDS),
            ("updates_per_iteration", self.updates_per_iteration, 1, TENS),
            ("new_goals", self.new_goals, 1, 1_000_000),
            ("old_goals", self.old_goals, 0, 1_000_000),
            ("initial_states", self.initial_states, 0, HUNDREDS),
            ("on_policy_states", self.on_policy_states, 0, HUNDREDS),
            (
                "evaluation.horizon_steps",
                self.evaluation.horizon_steps,
                1,
                TENS,
            ),
            (
                "evaluation.long_horizon_steps",
                self.evaluation.long_horizon_steps,
                0,
                TENS,
            ),
            ("evaluation.rollouts", self.evaluation.rollouts, 1, 10_000),
            ("shards", self.shards, 1, 1_024),
        ];
        check_counts(&counts)?;
        self.evaluation.check_horizons()?;
        let numbers = [
            ("evaluation.radius_m", self.evaluation.radius_m),
            ("archive_spacing_m", self.archive_spacing_m),
        ];
        let is_bad = |(_, value): &(&str, f64)| !(value.is_finite() && *value > 0.0);
        if let Some((setting, value)) = numbers.into_iter().find(is_bad) {
            return Err(TrainingError::Setting {
                setting,
                value,
                rule: "finite and above 0",
            });
        }
        Shards::new(self.shards, 1)?;
        self.distance.check(self.horizon_steps)?;
        self.learner.check().map_err(LearnerError::from)?;
        self.generator.check()?;
        self.goal_filter.check()?;
        if let Some(waypoints) = self.planner.waypoints() {
            waypoints.check()?;
            self.check_imitation(waypoints)?;
        }
        self.labels.check()
    }

    /// Imitation keeps the next landmark for every pair of them, and computes it anew before each call of the learner.
    fn check_imitation(&self, waypoints: &WaypointSpec) -> Result<(), TrainingError> {
        const MOST_LANDMARKS: usize = 2_000;
        match &self.learner {
            LearnerSpec::Sac(sac) if sac.imitation_weight > 0.0 => {
                if waypoints.landmarks <= MOST_LANDMARKS {
                    return Ok(());
                }
                Err(TrainingError::Setting {
                    setting: "planner.landmarks",
                    value: waypoints.landmarks as f64,
                    rule: "at most 2000 where learner.imitation_weight is above 0",
                })
            }
            LearnerSpec::Sac(_) | LearnerSpec::Trpo(_) => Ok(()),
        }
    }
}

/// Checks counts, each with its name, least and largest valid value.
pub(super) fn check_counts(
    counts: &[(&'static str, usize, usize, usize)],
) -> Result<(), TrainingError> {
    let is_out = |(_, count, least, most): &&(&'static str, usize, usize, usize)| {
        !(*least..=*most).contains(count)
    };
    match counts.iter().find(is_out) {
        Some(&(setting, count, least, most)) => Err(TrainingError::Count {
            setting,
            count,
            least,
            most,
        }),
        None => Ok(()),
    }
}

/// Why training failed or stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// A setting out of range.
    #[error("{setting} is {value}; it must be {rule}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// Value given.
        value: f64,
        /// Valid range.
        rule: &'static str,
    },
    /// A count out of range.
    #[error("{setting} is {count}; it must be at least {least} and at most {most}")]
    Count {
        /// Name of the setting.
        setting: &'static str,
        /// Value given.
        count: usize,
        /// Smallest valid value.
        least: usize,
        /// Largest valid value.
        most: usize,
    },
    /// A second horizon of the evaluation that is shorter than the first.
    #[error(
        "evaluation.long_horizon_steps is {long_horizon_steps}; it must be 0 or at least evaluation.horizon_steps \
         ({horizon_steps})"
    )]
    LongHorizon {
        /// The first horizon.
        horizon_steps: usize,
        /// The second.
        long_horizon_steps: usize,
    },
    /// Lags that never exceed ε: every goal would be reached at once.
    #[error(
        "{setting} is {steps}; it must exceed distance.epsilon_steps ({epsilon_steps}), or every goal counts as reached"
    )]
    Lags {
        /// Name of the setting.
        setting: &'static str,
        /// Value given, in steps.
        steps: usize,
        /// ε, in steps.
        epsilon_steps: f64,
    },
    /// Bootstrapped targets without running scaling: they span orders of magnitude.
    #[error(
        "distance.target is \"bootstrapped\", and its times span decades: set distance.scaling=running (presets that end in \
         -bootstrapped have it, and a potential)"
    )]
    BootstrappedWithoutScaling,
    /// Only feasible goals, in an environment that does not know which goals are feasible.
    #[error(
        "distance.feasible_goals is \"only_feasible\", but this environment does not know which goals are; set it to \"any\""
    )]
    NoFeasibility,
    /// A predictor of whole states, in an environment that cannot complete goals to whole states.
    #[error(
        "distance.input is \"whole_state\", but in this environment goals cannot become whole states; set it to \"goal_space\""
    )]
    NoWholeState,
    /// An unknown goal range, and no predictor with samples to estimate it from.
    #[error(
        "the goal range is unknown and would be measured on a predictor's first samples; use a learned distance or give \
         the range"
    )]
    NothingToMeasure,
    /// The observer stopped training.
    #[error("stopped")]
    Stopped,
    /// An error in a rollout.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
    /// An error in the policy learner.
    #[error(transparent)]
    Learner(#[from] LearnerError),
    /// An error in the distance.
    #[error(transparent)]
    Distance(#[from] DistanceError),
    /// An error in the goal setup.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// An error in the predictor's spec.
    #[error("invalid setting of the distance predictor")]
    PredictorSpec(#[from] SpecError),
    /// An error in the predictor's training.
    #[error("the distance predictor failed to learn")]
    Predictor(#[from] crate::embedding::TrainError),
    /// An error in the predictor's saved parameters.
    #[error("the saved parameters do not fit the distance predictor")]
    PredictorArrays(#[from] NamedArrayError),
    /// An error in the predictor's training data.
    #[error("invalid training data of the distance predictor")]
    Episodes(#[from] EpisodesError),
    /// An error in the goal generator or the labels.
    #[error(transparent)]
    Curriculum(#[from] CurriculumError),
    /// An error in an evaluation.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// An error in the roadmap.
    #[error(transparent)]
    Roadmap(#[from] RoadmapError),
    /// An error in the communication between ranks.
    #[error(transparent)]
    Comm(#[from] CommError),
}
