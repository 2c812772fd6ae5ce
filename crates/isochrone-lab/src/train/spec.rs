//! What a training is to do: a flat list of settings.

use super::world::WorldChoice;
use crate::fit::TargetName;
use anyhow::{Context, Result, bail};
use isochrone::advantage::{AdvantageSpec, TimeoutValue};
use isochrone::baseline::BaselineName;
use isochrone::comm::Shards;
use isochrone::curriculum::{Bounds, GanSpec, QueueSpec};
use isochrone::embedding::{Head, Scaling};
use isochrone::policy::Std;
use isochrone::rng::Seed;
use isochrone::train::{EvaluationSpec, Generator, LabelSource, TrainError, TrainSpec};
use isochrone::trpo::TrpoSpec;
use serde::{Deserialize, Serialize};

/// Where goals come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeneratorName {
    /// Anywhere in the range.
    Uniform,
    /// A network that learns to propose goals of intermediate difficulty.
    GoalGan,
    /// Where random actions lead after a success.
    ActionNoise,
}

impl GeneratorName {
    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::GoalGan => "goal_gan",
            Self::ActionNoise => "action_noise",
        }
    }
}

/// What goals are labelled by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelName {
    /// New rollouts after the updates.
    Fresh,
    /// The paths that the policy learned from.
    TrainingPaths,
}

/// Which goals can be reached in training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeasibleGoals {
    /// All that something comes near enough to, in walls too.
    Any,
    /// Those where a body can be.
    OnlyFeasible,
}

/// How far states are from goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DistanceName {
    /// The straight line, which nobody has to learn. Tables call it `l2`.
    #[serde(alias = "l2")]
    Euclidean,
    /// Learned from the paths that the policy learns from.
    OnPolicy,
    /// Learned from random actions at the end of episodes.
    OffPolicy,
}

/// What goals are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalSpaceName {
    /// Places.
    Xy,
    /// Whole states; of an ant standing still.
    Full,
}

/// What the predictor of a learned distance sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sees {
    /// What goals are about.
    GoalSpace,
    /// Whole states; a goal that is a place becomes the state at rest there.
    WholeState,
}

/// `spec.toml`. What is absent is as in the preset `point-mass`; a run writes everything down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSpec {
    /// A world of `isochrone worlds`, or `point-2d` … `point-6d`.
    pub world: WorldChoice,
    /// The root of all randomness.
    pub seed: u64,
    /// Iterations of the loop.
    pub iterations: u64,
    /// Coverage is measured after every so many; at the beginning and at the end in any case.
    pub evaluate_every: u64,
    /// How far states are from goals.
    pub distance: DistanceName,
    /// What goals are about.
    pub goal_space: GoalSpaceName,
    /// Where new goals come from.
    pub generator: GeneratorName,
    /// What goals are labelled by.
    pub labels: LabelName,
    /// Rollouts per goal: made anew, or needed for a label.
    pub label_rollouts: u32,
    /// Goals reached at most this often are hard.
    pub label_min: f64,
    /// Goals reached at least this often are easy.
    pub label_max: f64,
    /// Widths of the policy's hidden layers.
    pub hidden: Vec<usize>,
    /// Whether its standard deviations are learned.
    pub std: Std,
    /// What they are at first.
    pub first_std: f64,
    /// The value estimate.
    pub baseline: BaselineName,
    /// γ.
    pub discount: f64,
    /// λ.
    pub lambda: f64,
    /// What stands behind a time-out.
    pub timeout_value: TimeoutValue,
    /// The largest mean KL divergence of an update.
    pub kl_limit: f64,
    /// Conjugate-gradient steps of an update.
    pub conjugate_steps: usize,
    /// Added to the curvature.
    pub damping: f64,
    /// The longest episode.
    pub horizon_steps: usize,
    /// Steps per update, at least.
    pub batch_steps: usize,
    /// Updates with one working set of goals.
    pub updates_per_iteration: usize,
    /// A goal nearer than this is reached, by the straight line …
    pub radius_m: f64,
    /// … and by a learned distance.
    pub epsilon_steps: f64,
    /// Which goals can be reached.
    pub feasible_goals: FeasibleGoals,
    /// Goals per iteration from the generator.
    pub new_goals: usize,
    /// Goals per iteration from the archive.
    pub old_goals: usize,
    /// Goals in the archive are farther apart than this.
    pub archive_spacing_m: f64,
    /// States of the untrained policy that the generator begins with.
    pub initial_states: usize,
    /// States of the policy that the archive gets in every iteration.
    pub on_policy_states: usize,
    /// Steps of the goal GAN per iteration.
    pub gan_iterations: u64,
    /// Steps of the goal GAN before the first.
    pub gan_initial_iterations: u64,
    /// Added to goals of the GAN.
    pub gan_noise_std_m: f64,
    /// Random actions: after a success for `action_noise`, after episodes for an `off_policy` distance.
    pub tail_steps: usize,
    /// Goals that `action_noise` keeps.
    pub queue_size: usize,
    /// How many of them an iteration replaces.
    pub queue_replaced: usize,
    /// Goals nearer than this are one.
    pub queue_tolerance: f64,
    /// What the predictor of a learned distance sees.
    pub predictor_sees: Sees,
    /// What it is fitted to.
    pub predictor_target: TargetName,
    /// The longest lag that it learns; longer trajectories are cut.
    pub predictor_window_steps: usize,
    /// For `first_passage` and `bootstrapped`: the ball round a state that is met when it is entered.
    pub predictor_hit_radius_m: f64,
    /// Widths of its hidden layers.
    pub predictor_hidden: Vec<usize>,
    /// Dimensions of its embedding.
    pub predictor_dims: usize,
    /// Whether it tells one way from the other.
    pub predictor_head: Head,
    /// The norm's p.
    pub predictor_p: f64,
    /// The norm's power.
    pub predictor_q: f64,
    /// What unit it works in.
    pub predictor_scaling: Scaling,
    /// Pairs per step.
    pub predictor_batch: usize,
    /// Adam's.
    pub predictor_learning_rate: f64,
    /// States of the untrained policy that it begins with; `initial_states` if that is more.
    pub predictor_initial_samples: usize,
    /// Epochs on those.
    pub predictor_initial_epochs: u64,
    /// As `radius_m`, when coverage is measured.
    pub eval_radius_m: f64,
    /// As `horizon_steps`, when coverage is measured.
    pub eval_horizon_steps: usize,
    /// Rollouts per goal when coverage is measured.
    pub eval_rollouts: usize,
    /// V: the fixed cut of the work. Part of every result.
    pub shards: usize,
}

impl RunSpec {
    /// Refuses what cannot be: a training must not fail after an hour for what could be known at once.
    pub fn check(&self) -> Result<()> {
        let (tens, hundreds) = (10_000_000, 100_000_000);
        let has_tails = self.distance == DistanceName::OffPolicy;
        let is_noisy = self.generator == GeneratorName::ActionNoise;
        let (least, least_tail) = (usize::from(is_noisy), usize::from(is_noisy || has_tails));
        let counts = [
            ("iterations", self.iterations as usize, 1, tens),
            ("evaluate_every", self.evaluate_every as usize, 1, tens),
            ("label_rollouts", self.label_rollouts as usize, 1, 10_000),
            ("conjugate_steps", self.conjugate_steps, 1, 1_000_000),
            ("horizon_steps", self.horizon_steps, 1, tens),
            ("batch_steps", self.batch_steps, 1, hundreds),
            ("updates_per_iteration", self.updates_per_iteration, 1, tens),
            ("new_goals", self.new_goals, 1, 1_000_000),
            ("old_goals", self.old_goals, 0, 1_000_000),
            ("initial_states", self.initial_states, 0, hundreds),
            ("on_policy_states", self.on_policy_states, 0, hundreds),
            ("tail_steps", self.tail_steps, least_tail, tens),
            ("queue_size", self.queue_size, least, tens),
            ("eval_horizon_steps", self.eval_horizon_steps, 1, tens),
            ("eval_rollouts", self.eval_rollouts, 1, 10_000),
            ("shards", self.shards, 1, 1_024),
            (
                "predictor_initial_samples",
                self.predictor_initial_samples,
                1,
                hundreds,
            ),
            (
                "predictor_initial_epochs",
                self.predictor_initial_epochs as usize,
                0,
                1_000_000,
            ),
        ];
        for (name, value, least, most) in counts {
            if !(least..=most).contains(&value) {
                bail!("{name} is {value}; it must be at least {least} and at most {most}");
            }
        }
        if self.hidden.len() > 16 || self.hidden.iter().any(|w| !(1..=4_096).contains(w)) {
            bail!("hidden has at most 16 layers, each of 1 to 4096 units");
        }
        if self.seed > i64::MAX as u64 {
            bail!("seed is {}; it must be below 2⁶³", self.seed);
        }
        Shards::new(self.shards, 1)?;
        let bounds = self.bounds().check();
        bounds.context("label_min and label_max")?;
        self.check_distance()?;
        let checked = self.train().check();
        checked.map_err(|error| self.in_our_words(error))?;
        Ok(())
    }

    /// The same for the loop.
    pub fn train(&self) -> TrainSpec {
        TrainSpec {
            seed: Seed(self.seed),
            hidden: self.hidden.clone(),
            std: self.std,
            first_std: self.first_std as f32,
            baseline: self.baseline,
            advantage: AdvantageSpec {
                discount: self.discount,
                lambda: self.lambda,
                timeout_value: self.timeout_value,
            },
            trpo: TrpoSpec {
                kl_limit: self.kl_limit,
                conjugate_steps: self.conjugate_steps,
                damping: self.damping,
                ..TrpoSpec::default()
            },
            horizon_steps: self.horizon_steps,
            batch_steps: self.batch_steps,
            updates_per_iteration: self.updates_per_iteration,
            radius: match self.distance {
                DistanceName::Euclidean => self.radius_m,
                DistanceName::OnPolicy | DistanceName::OffPolicy => self.epsilon_steps,
            },
            generator: self.generator(),
            new_goals: self.new_goals,
            old_goals: self.old_goals,
            archive_spacing: self.archive_spacing_m,
            labels: match self.labels {
                LabelName::Fresh => LabelSource::Fresh {
                    rollouts: self.label_rollouts as usize,
                },
                LabelName::TrainingPaths => LabelSource::TrainingPaths {
                    least: self.label_rollouts,
                },
            },
            bounds: self.bounds(),
            initial_states: self.initial_states,
            on_policy_states: self.on_policy_states,
            evaluation: EvaluationSpec {
                radius: self.eval_radius_m,
                horizon_steps: self.eval_horizon_steps,
                rollouts: self.eval_rollouts,
            },
        }
    }

    /// `R_min` and `R_max`.
    pub const fn bounds(&self) -> Bounds {
        Bounds {
            min: self.label_min,
            max: self.label_max,
        }
    }

    fn generator(&self) -> Generator {
        match self.generator {
            GeneratorName::Uniform => Generator::Uniform,
            GeneratorName::GoalGan => Generator::GoalGan(GanSpec {
                iterations: self.gan_iterations,
                initial_iterations: self.gan_initial_iterations,
                noise_std: self.gan_noise_std_m as f32,
                ..GanSpec::default()
            }),
            GeneratorName::ActionNoise => Generator::ActionNoise {
                queue: QueueSpec {
                    size: self.queue_size,
                    replaced_per_iteration: self.queue_replaced,
                    tolerance: self.queue_tolerance,
                },
                tail_steps: self.tail_steps,
            },
        }
    }

    /// The loop's refusals, by the names that were typed.
    fn in_our_words(&self, error: TrainError) -> TrainError {
        let TrainError::Setting {
            setting,
            value,
            law,
        } = error
        else {
            return error;
        };
        let is_straight = self.distance == DistanceName::Euclidean;
        let setting = match setting {
            "radius" if is_straight => "radius_m",
            "radius" => "epsilon_steps",
            "evaluation.radius" => "eval_radius_m",
            "archive_spacing" => "archive_spacing_m",
            "trpo.kl_limit" => "kl_limit",
            "trpo.damping" => "damping",
            other => other,
        };
        TrainError::Setting {
            setting,
            value,
            law,
        }
    }
}
