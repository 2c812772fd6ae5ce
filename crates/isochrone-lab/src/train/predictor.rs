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

    /// Which colour of the figures its curves have.
    pub(crate) const fn colour(self) -> usize {
        match self {
            Self::Euclidean => 0,
            Self::OnPolicy => 1,
            Self::OffPolicy => 2,
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
        // Paths are no longer than an episode, and neither are bootstrapped times.
        let horizon = self.horizon_steps;
        if (is_bootstrapped || !is_off_policy) && horizon as f64 <= epsilon {
            bail!(
                "horizon_steps is {horizon}, and nothing would be as far as epsilon_steps, {epsilon}; make it longer"
            );
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings;
    use crate::train::preset;

    fn changed(name: &str, set: &str) -> RunSpec {
        settings::change(&preset(name).unwrap(), &[set.to_owned()]).unwrap()
    }

    #[test]
    fn lags_that_epsilon_is_never_among_are_refused() {
        for (name, set) in [
            ("point-mass-off-policy", "predictor_window_steps=20"),
            ("point-mass-off-policy", "tail_steps=20"),
            ("point-mass-on-policy", "horizon_steps=20"),
            ("point-mass-off-policy-bootstrapped", "horizon_steps=20"),
        ] {
            let error = changed(name, set).check_distance().unwrap_err();
            let begin = set.replace('=', " is ") + ", and nothing would be as far";
            assert!(error.to_string().starts_with(&begin), "{name}: {error}");
        }
        // Tails go on where episodes end.
        let spec = changed("point-mass-off-policy", "horizon_steps=20");
        assert!(spec.check_distance().is_ok());
    }

    #[test]
    fn tables_and_settings_may_call_the_straight_line_the_same() {
        let spec = changed("point-mass-off-policy", "distance=l2");
        assert_eq!(spec.distance, DistanceName::Euclidean);
        assert_eq!(spec.distance.method(), "l2");
    }
}
