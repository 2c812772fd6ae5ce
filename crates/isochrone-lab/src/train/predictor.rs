//! The distance that is learned beside the policy, as a spec asks for it.

use super::spec::{DistanceName, FeasibleGoals, GoalSpaceName, RunSpec, Sees};
use crate::fit::TargetName;
use anyhow::{Result, bail};
use isochrone::embedding::{
    DistanceSpec, DistanceTrainer, EncoderSpec, LearningRate, Objective, Scaling, SpecError, Units,
};
use isochrone::goal::{GoalSpace, Proposals};
use isochrone::pairs::{Sampler, Target};
use isochrone::rng::Seed;
use isochrone::train::{PredictorData, PredictorSpec};

/// Steps between two copies of the network that bootstrapped targets are read from.
const TARGET_COPY_STEPS: u64 = 50;

impl DistanceName {
    /// As tables and figures call the method.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Euclidean => "l2",
            Self::OnPolicy => "on_policy",
            Self::OffPolicy => "off_policy",
        }
    }
}

impl RunSpec {
    /// Refuses distances that cannot be.
    pub(super) fn check_distance(&self) -> Result<()> {
        let is_full = self.goal_space == GoalSpaceName::Full;
        if is_full && self.world.mujoco().is_none() {
            bail!(
                "goal_space is \"full\", which is for worlds of MuJoCo; {} is none",
                self.world
            );
        }
        if self.distance == DistanceName::Euclidean {
            if is_full {
                bail!(
                    "goal_space is \"full\": metres and their rates have no straight line between them; \
                     set distance=off_policy or distance=on_policy"
                );
            }
            return Ok(());
        }
        if self.feasible_goals == FeasibleGoals::OnlyFeasible {
            bail!("a learned distance knows nothing of walls; set feasible_goals=any");
        }
        if self.predictor_sees == Sees::WholeState && self.world.mujoco().is_none() {
            bail!("predictor_sees is \"whole_state\", which is for worlds of MuJoCo");
        }
        self.check_lags()?;
        match DistanceTrainer::new(self.distance_spec(1), Seed(self.seed)) {
            Err(SpecError { field, value, rule }) => {
                bail!("{} is {value}; it must be {rule}", typed(field))
            }
            Ok(_) => Ok(()),
        }
    }

    /// Refuses lags that ε can never be among: everything would be reached at once.
    fn check_lags(&self) -> Result<()> {
        let epsilon = self.epsilon_steps;
        let (window, tail) = (self.predictor_window_steps, self.tail_steps);
        if self.predictor_target == TargetName::Window && window as f64 <= epsilon {
            bail!(
                "predictor_window_steps is {window}, and nothing would be as far as epsilon_steps, {epsilon}; make it \
                 longer"
            );
        }
        let is_off_policy = self.distance == DistanceName::OffPolicy;
        if is_off_policy
            && self.predictor_target != TargetName::Bootstrapped
            && tail as f64 <= epsilon
        {
            bail!(
                "tail_steps is {tail}, and nothing would be as far as epsilon_steps, {epsilon}; make it longer"
            );
        }
        let is_bootstrapped = self.predictor_target == TargetName::Bootstrapped;
        if is_bootstrapped && self.predictor_scaling == Scaling::Off {
            bail!(
                "predictor_target is \"bootstrapped\", whose times span decades: set predictor_scaling=running (presets \
                 that end in -bootstrapped have that, and a potential)"
            );
        }
        Ok(())
    }

    /// The predictor that sees states so, and goals made into such states; `None` if the distance is given.
    pub(super) fn predictor(&self, sees: GoalSpace, goals: Proposals) -> Option<PredictorSpec> {
        let data = match self.distance {
            DistanceName::Euclidean => return None,
            DistanceName::OnPolicy => PredictorData::OnPolicy,
            DistanceName::OffPolicy => PredictorData::OffPolicy {
                tail_steps: self.tail_steps,
            },
        };
        Some(PredictorSpec {
            distance: self.distance_spec(sees.dims()),
            sees,
            goals,
            data,
            initial_samples: self.predictor_initial_samples,
            initial_epochs: self.predictor_initial_epochs,
        })
    }

    fn distance_spec(&self, inputs: usize) -> DistanceSpec {
        let radius = self.predictor_hit_radius_m as f32;
        let steps = self.predictor_window_steps;
        DistanceSpec {
            encoder: EncoderSpec {
                inputs,
                units: Units::Mlp {
                    hidden: self.predictor_hidden.clone(),
                },
                dims: self.predictor_dims,
                head: self.predictor_head,
            },
            p: self.predictor_p as f32,
            q: self.predictor_q as f32,
            objective: Objective::Regression {
                target: match self.predictor_target {
                    TargetName::Window => Target::Window { steps },
                    TargetName::FirstPassage => Target::FirstPassage { radius },
                    TargetName::Bootstrapped => Target::Bootstrapped { radius, steps },
                },
                sampler: Sampler::UniformStartThenEnd,
            },
            scaling: self.predictor_scaling,
            batch: self.predictor_batch,
            learning_rate: LearningRate::Constant(self.predictor_learning_rate),
            target_copy_steps: TARGET_COPY_STEPS,
        }
    }
}

/// The setting that a number of a distance's spec was typed as.
fn typed(field: &str) -> &str {
    match field {
        "radius" => "predictor_hit_radius_m",
        "inputs" => "the number of inputs",
        "window_steps" => "predictor_window_steps",
        "learning_rate" => "predictor_learning_rate",
        "hidden" => "predictor_hidden",
        "dims" => "predictor_dims",
        "batch" => "predictor_batch",
        "p" => "predictor_p",
        "q" => "predictor_q",
        other => other,
    }
}
