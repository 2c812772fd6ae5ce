//! What a step towards a goal is worth.

use serde::{Deserialize, Serialize};

/// A reward of goal-conditioned learning.
///
/// With d and d' the distances to the goal before and after the step, and φ(d) = −min(d / d_max, 1):
///
/// ```text
/// step_cost   0 if reached, else −1          the value counts the steps left, discounted
/// success     1 if reached, else 0
/// linear      φ(d')
/// potential   step_cost + γ φ(d') − φ(d)     which policy is best stays as it is (Ng et al. 1999)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalReward {
    /// −1 for every step that does not reach the goal.
    StepCost,
    /// 1 for the step that reaches the goal.
    Success,
    /// Minus the distance that is left.
    Linear,
    /// The step cost, shaped by how much nearer the step led.
    Potential,
}

/// A step and its goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalStep {
    /// The distance to the goal before the step. Only the potential asks for it.
    pub before: f64,
    /// The distance after the step.
    pub after: f64,
    /// How the step ended.
    pub end: StepEnd,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// The goal.
    Reached,
    /// The end of the episode, elsewhere.
    Lost,
    /// Neither.
    GoesOn,
}

/// The constants of a reward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RewardScale {
    /// γ, the discount factor.
    pub discount: f64,
    /// d_max, in units of the distance.
    pub max_distance: f64,
}

impl GoalReward {
    /// The reward of a step. One after which the goal cannot be reached any more has the worst value that there can be.
    pub fn of(self, step: &GoalStep, scale: RewardScale) -> f64 {
        let is_reached = step.end == StepEnd::Reached;
        // Nothing is left behind a reached goal, so the potential there is 0.
        let potential_after = if is_reached {
            0.0
        } else {
            scale.phi(step.after)
        };
        match self {
            // Shaped as every other value of the state before.
            Self::Potential if step.end == StepEnd::Lost => {
                self.value_range(scale.discount)[0] - scale.phi(step.before)
            }
            _ if step.end == StepEnd::Lost => self.value_range(scale.discount)[0],
            Self::Success => f64::from(u8::from(is_reached)),
            Self::StepCost => f64::from(u8::from(is_reached)) - 1.0,
            Self::Linear => scale.phi(step.after),
            Self::Potential => {
                let cost = Self::StepCost.of(step, scale);
                cost + scale.discount * potential_after - scale.phi(step.before)
            }
        }
    }

    /// Whether it asks for the distance before the step.
    pub(crate) fn asks_before(self) -> bool {
        self == Self::Potential
    }

    /// What targets of values are clamped to. Below, to what it is worth to be lost for ever: no other value may be smaller.
    /// Above, to 1 for `success`. The other rewards have no bound there: without the entropy no value exceeds 0, or 1 with
    /// the potential, but values of SAC have the entropy to come in them, and a bound would cut it off where the goal is near.
    pub(crate) fn value_range(self, discount: f64) -> [f64; 2] {
        match self {
            Self::StepCost | Self::Linear | Self::Potential => {
                [-1.0 / (1.0 - discount).max(1e-6), f64::from(f32::MAX)]
            }
            Self::Success => [0.0, 1.0],
        }
    }
}

impl RewardScale {
    /// φ(d) = −min(d / d_max, 1).
    fn phi(self, distance: f64) -> f64 {
        -(distance / self.max_distance).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Along any path, discounted shaping adds up to minus the potential where it began.
        #[test]
        fn shaping_tells_only_the_start(
            distances in prop::collection::vec(0.0..80.0_f64, 2..20),
            discount in 0.5..1.0_f64,
        ) {
            let scale = RewardScale { discount, max_distance: 50.0 };
            let (mut sums, mut factor) = ([0.0; 2], 1.0);
            let last = distances.len() - 2;
            for (time, of) in distances.windows(2).enumerate() {
                let end = if time == last { StepEnd::Reached } else { StepEnd::GoesOn };
                let step = GoalStep { before: of[0], after: of[1], end };
                sums[0] += factor * GoalReward::Potential.of(&step, scale);
                sums[1] += factor * GoalReward::StepCost.of(&step, scale);
                factor *= discount;
            }
            let start = (distances[0] / 50.0).min(1.0);
            prop_assert!((sums[0] - sums[1] - start).abs() < 1e-9);
        }

        /// No step is worth less than what it is to be lost for ever.
        #[test]
        fn nothing_is_worse_than_lost(before in 0.0..200.0_f64, after in 0.0..200.0_f64, discount in 0.0..0.999_f64) {
            let scale = RewardScale { discount, max_distance: 50.0 };
            let all = [GoalReward::StepCost, GoalReward::Success, GoalReward::Linear, GoalReward::Potential];
            for reward in all {
                let of = |end| reward.of(&GoalStep { before, after, end }, scale);
                prop_assert!(of(StepEnd::Lost) <= of(StepEnd::GoesOn) + 1e-9);
                prop_assert!(of(StepEnd::GoesOn) <= of(StepEnd::Reached) || reward == GoalReward::Linear);
            }
        }
    }
}
