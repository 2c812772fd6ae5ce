//! Settings of SAC with hindsight.

use super::reward::GoalReward;
use crate::distance_spec::SpecError;
use crate::policy::PolicyInput;
use crate::sac::SacSpec;
use serde::{Deserialize, Serialize};

/// Settings of [`SacLearner`](super::SacLearner). Those of [`SacSpec`] are repeated: serde cannot flatten a spec and refuse unknown keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SacLearnerSpec {
    /// What policy and critics see.
    pub input: PolicyInput,
    /// Widths of the hidden layers of policy and critics.
    pub hidden: Vec<usize>,
    /// Adam's, of policy, critics and temperature.
    pub learning_rate: f64,
    /// Transitions of an update.
    pub batch: usize,
    /// τ: how far the target critics follow in an update.
    pub tau: f64,
    /// The entropy asked for, per entry of an action; at most ln 2.
    pub target_entropy: f64,
    /// α at the beginning.
    pub first_temperature: f64,
    /// γ, the discount factor, below 1.
    pub discount: f64,
    /// What a step is worth.
    pub reward: GoalReward,
    /// The distance that counts as far, for the rewards `linear` and `potential`.
    pub max_distance: f64,
    /// Updates per environment step.
    pub updates_per_step: f64,
    /// Environment steps before the first update.
    pub warm_up_steps: usize,
    /// Steps that the replay buffer keeps.
    pub replay_steps: usize,
    /// The share of transitions whose goal is a later state of the same episode, …
    pub future_share: f64,
    /// … the last one, …
    pub final_share: f64,
    /// … a state of any episode. The others keep the goal that the policy pursued.
    pub random_share: f64,
    /// λ of [`Imitation`](crate::sac::Imitation): towards goals of two hops and more, the policy imitates what it does for the planner's next
    /// waypoint. Without a planner it has no effect.
    pub imitation_weight: f64,
}

impl SacLearnerSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), SpecError> {
        self.sac().check()?;
        let refuse = |field, value, rule| Err(SpecError { field, value, rule });
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let shares = self.future_share + self.final_share + self.random_share;
        let per_step = self.updates_per_step;
        let from_0_to_1 = "from 0 to 1";
        let rules = [
            (
                "discount",
                self.discount,
                (0.0..1.0).contains(&self.discount),
                "at least 0 and below 1, or goals that are never reached have infinite values",
            ),
            (
                "future_share",
                self.future_share,
                share(self.future_share),
                from_0_to_1,
            ),
            (
                "final_share",
                self.final_share,
                share(self.final_share),
                from_0_to_1,
            ),
            (
                "random_share",
                self.random_share,
                share(self.random_share),
                from_0_to_1,
            ),
            (
                "future_share + final_share + random_share",
                shares,
                // 0.7 + 0.2 + 0.1 is not exactly 1.
                shares <= 1.0 + 1e-9,
                "at most 1",
            ),
            (
                "max_distance",
                self.max_distance,
                self.max_distance > 0.0 && self.max_distance.is_finite(),
                "finite and above 0",
            ),
            (
                "updates_per_step",
                per_step,
                (0.0..=100.0).contains(&per_step),
                "from 0 to 100",
            ),
            (
                "imitation_weight",
                self.imitation_weight,
                (0.0..=1_000.0).contains(&self.imitation_weight),
                "from 0 to 1,000",
            ),
            (
                "replay_steps",
                self.replay_steps as f64,
                (1_000..=1_000_000_000).contains(&self.replay_steps),
                "from a thousand to a billion",
            ),
        ];
        match rules.into_iter().find(|(.., is_kept, _)| !is_kept) {
            Some((field, value, _, rule)) => refuse(field, value, rule),
            None => Ok(()),
        }
    }

    /// Those of the update.
    pub(super) fn sac(&self) -> SacSpec {
        SacSpec {
            hidden: self.hidden.clone(),
            learning_rate: self.learning_rate,
            batch: self.batch,
            tau: self.tau,
            target_entropy: self.target_entropy,
            first_temperature: self.first_temperature,
        }
    }
}
