//! A controller that pushes straight at the goal: the floor under every learned policy.

use super::{Actor, PolicyError, check_inputs, check_outputs};
use crate::env::{ActionSpec, Observation, ObservationSpec};
use crate::goal::GoalSpace;
use crate::rng::Rng;

/// Pushes straight at the goal with all its strength, for bodies whose actions are forces along the axes of goal space:
///
/// ```text
/// a = (g − π(s)) ÷ max_k |g_k − π(s)_k|        π projects a state to goal space
/// ```
///
/// It knows no walls and does not brake. What a policy reaches beyond it, the policy has learned.
#[derive(Clone, Debug, PartialEq)]
pub struct StraightLine {
    space: GoalSpace,
}

impl StraightLine {
    /// Towards goals of this space.
    pub const fn new(space: GoalSpace) -> Self {
        Self { space }
    }
}

impl Actor for StraightLine {
    fn check(
        &self,
        observation: &ObservationSpec,
        goal_dims: usize,
        action: &ActionSpec,
    ) -> Result<(), PolicyError> {
        let takes = [self.space.observation_length(), self.space.dims()];
        check_inputs(takes, observation, goal_dims)?;
        check_outputs(self.space.dims(), action)
    }

    fn act(
        &self,
        seen: &Observation,
        goal: &[f32],
        _rng: &mut Rng,
        _scratch: &mut Vec<f32>,
        action: &mut [f32],
    ) {
        // `check` has refused images; without a state the action is NaN, which every world refuses.
        let Some(state) = seen.as_f32() else {
            action.fill(f32::NAN);
            return;
        };
        let here = self.space.project(state);
        let ways = goal.iter().zip(here.iter()).map(|(to, from)| to - from);
        let longest = ways.clone().map(f32::abs).fold(0.0, f32::max);
        for (value, way) in action.iter_mut().zip(ways) {
            *value = if longest > 0.0 { way / longest } else { 0.0 };
        }
    }
}
