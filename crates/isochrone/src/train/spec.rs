//! What is asked for.

use crate::advantage::AdvantageSpec;
use crate::baseline::{BaselineError, BaselineName};
use crate::batch::BatchError;
use crate::comm::CommError;
use crate::curriculum::{Bounds, CurriculumError, GanSpec, QueueSpec};
use crate::embedding::SpecError;
use crate::evaluate::EvaluateError;
use crate::goal::GoalError;
use crate::nn::NamedError;
use crate::pairs::EpisodesError;
use crate::policy::{PolicyError, Std};
use crate::rng::Seed;
use crate::rollout::RolloutError;
use crate::trpo::{TrpoError, TrpoSpec};

/// Where goals come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Generator {
    /// Anywhere in the range.
    Uniform,
    /// A network learns to propose goals of intermediate difficulty.
    GoalGan(GanSpec),
    /// Random actions after a success lead to the next goals.
    ActionNoise {
        /// Where they are kept.
        queue: QueueSpec,
        /// Random actions after a success.
        tail_steps: usize,
    },
}

/// How it is found out how hard a goal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelSource {
    /// New rollouts of the policy after its updates.
    Fresh {
        /// Per goal.
        rollouts: usize,
    },
    /// The paths that it learned from; goals with fewer are dropped.
    TrainingPaths {
        /// Per goal.
        least: u32,
    },
}

/// How coverage is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationSpec {
    /// Goals nearer than this are reached, as the crow flies.
    pub radius: f64,
    /// The longest rollout.
    pub horizon_steps: usize,
    /// Per goal.
    pub rollouts: usize,
}

/// Goals to be tried.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// Which.
    pub goals: &'a [Vec<f32>],
    /// Nearer than this, as the crow flies, is reached; as in training, by its distance and ε, if absent.
    pub radius: Option<f64>,
    /// The longest attempt.
    pub horizon_steps: usize,
    /// Attempts per goal.
    pub rollouts: usize,
}

/// A training.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainSpec {
    /// The root of its randomness.
    pub seed: Seed,
    /// Widths of the policy's hidden layers.
    pub hidden: Vec<usize>,
    /// Whether its standard deviations are learned.
    pub std: Std,
    /// What they are at first.
    pub first_std: f32,
    /// The value estimate.
    pub baseline: BaselineName,
    /// γ, λ, time-outs.
    pub advantage: AdvantageSpec,
    /// The update.
    pub trpo: TrpoSpec,
    /// The longest episode.
    pub horizon_steps: usize,
    /// Policy steps per update, at least.
    pub batch_steps: usize,
    /// Updates with one working set of goals.
    pub updates_per_iteration: usize,
    /// ε of the training's distance.
    pub radius: f64,
    /// Where new goals come from.
    pub generator: Generator,
    /// New goals per iteration.
    pub new_goals: usize,
    /// Goals from the archive per iteration.
    pub old_goals: usize,
    /// Goals in the archive are farther apart than this.
    pub archive_spacing: f64,
    /// How goals are labelled.
    pub labels: LabelSource,
    /// R_min and R_max.
    pub bounds: Bounds,
    /// States of the untrained policy that the generator begins with.
    pub initial_states: usize,
    /// States of the policy added to the archive in every iteration.
    pub on_policy_states: usize,
    /// How coverage is measured.
    pub evaluation: EvaluationSpec,
}

impl TrainSpec {
    /// Refuses what cannot be trained.
    pub fn check(&self) -> Result<(), TrainError> {
        let counts = [
            ("horizon_steps", self.horizon_steps),
            ("batch_steps", self.batch_steps),
            ("updates_per_iteration", self.updates_per_iteration),
            ("new_goals", self.new_goals),
            ("evaluation.horizon_steps", self.evaluation.horizon_steps),
            ("evaluation.rollouts", self.evaluation.rollouts),
            ("trpo.conjugate_steps", self.trpo.conjugate_steps),
            ("trpo.backtracks", self.trpo.backtracks),
        ];
        if let Some((setting, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(TrainError::Setting {
                setting,
                value: 0.0,
                law: "at least 1",
            });
        }
        let numbers = self.numbers();
        match numbers.into_iter().find(|(.., is_lawful, _)| !is_lawful) {
            Some((setting, value, _, law)) => Err(TrainError::Setting {
                setting,
                value,
                law,
            }),
            None => Ok(self.bounds.check()?),
        }
    }

    /// Numbers, whether they can be, and what they must be.
    fn numbers(&self) -> [(&'static str, f64, bool, &'static str); 9] {
        let Self {
            trpo, advantage, ..
        } = self;
        let above = |value: f64| value.is_finite() && value > 0.0;
        let within = |value: f64| (0.0..=1.0).contains(&value);
        [
            (
                "radius",
                self.radius,
                above(self.radius),
                "finite and above 0",
            ),
            (
                "evaluation.radius",
                self.evaluation.radius,
                above(self.evaluation.radius),
                "finite and above 0",
            ),
            (
                "first_std",
                f64::from(self.first_std),
                above(f64::from(self.first_std)),
                "finite and above 0",
            ),
            (
                "trpo.kl_limit",
                trpo.kl_limit,
                above(trpo.kl_limit),
                "finite and above 0",
            ),
            (
                "trpo.damping",
                trpo.damping,
                trpo.damping.is_finite() && trpo.damping >= 0.0,
                "finite, and 0 or above",
            ),
            (
                "trpo.shrink",
                trpo.shrink,
                above(trpo.shrink) && trpo.shrink < 1.0,
                "between 0 and 1",
            ),
            (
                "discount",
                advantage.discount,
                within(advantage.discount),
                "from 0 to 1",
            ),
            (
                "lambda",
                advantage.lambda,
                within(advantage.lambda),
                "from 0 to 1",
            ),
            (
                "archive_spacing",
                self.archive_spacing,
                above(self.archive_spacing),
                "finite and above 0",
            ),
        ]
    }
}

/// Why a training stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A setting that cannot be.
    #[error("{setting} is {value}; it must be {law}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        law: &'static str,
    },
    /// A range that nobody knows, and no samples to measure it on.
    #[error(
        "the range of the goals is to be measured on the first samples of a predictor, and there is none"
    )]
    NothingToMeasure,
    /// Whoever looks on said so.
    #[error("stopped")]
    Stopped,
    /// In a rollout.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
    /// In the policy.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// In an update.
    #[error(transparent)]
    Trpo(#[from] TrpoError),
    /// In the baseline.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// In a batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// In what goals are about.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// In the predictor's spec.
    #[error("the predictor cannot be")]
    PredictorSpec(#[from] SpecError),
    /// In its learning.
    #[error("the predictor cannot go on learning")]
    Predictor(#[from] crate::embedding::TrainError),
    /// In its parameters.
    #[error("the predictor's parameters are not its own")]
    PredictorArrays(#[from] NamedError),
    /// In what it learns from.
    #[error("the predictor cannot learn from this")]
    Episodes(#[from] EpisodesError),
    /// In the goals.
    #[error(transparent)]
    Curriculum(#[from] CurriculumError),
    /// In an evaluation.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// Between workers.
    #[error(transparent)]
    Comm(#[from] CommError),
}
