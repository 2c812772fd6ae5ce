//! What a policy and its baseline see of a state and a goal.

use crate::goal::GoalSpace;
use serde::{Deserialize, Serialize};

/// Which numbers are the input of the policy and of the baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyInput {
    /// s and g, as in the paper.
    #[default]
    StateGoal,
    /// s and g in units of the goal range, and the difference g − π(s) in metres. Near a goal the right action depends mostly on
    /// the difference.
    StateGoalDifference,
}

/// Builds input rows.
///
/// ```text
/// [s, g]   or   [s ÷ w, g ÷ w, g − π(s)]        π projects a state to goal space
///
/// w_k = max(h_k, max_j h_j ÷ 100)   where h_k > 0, the half width of the goal range
/// w_k = 1                           where h_k = 0: the entry is not proposed, or its range is unknown
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InputRow {
    observation_length: usize,
    goal_dims: usize,
    difference: Option<Difference>,
}

/// The smallest width, as a share of the widest. An entry that hardly moved while the range was estimated, by rounding or
/// noise, would otherwise be multiplied by millions.
const LEAST_WIDTH: f32 = 0.01;

/// What rows with a difference need.
#[derive(Clone, Debug, PartialEq)]
struct Difference {
    space: GoalSpace,
    /// Factors of the entries of an observation and of a goal.
    state_scale: Vec<f32>,
    goal_scale: Vec<f32>,
}

impl InputRow {
    /// Rows for states of `observation_length` entries and goals of this space. `half_width` is that of the goals' range; a
    /// dimension without a width (0) keeps its unit.
    pub fn new(
        input: PolicyInput,
        observation_length: usize,
        goals: &GoalSpace,
        half_width: &[f32],
    ) -> Self {
        let difference = match input {
            PolicyInput::StateGoal => None,
            PolicyInput::StateGoalDifference => {
                Some(Difference::new(observation_length, goals, half_width))
            }
        };
        Self {
            observation_length,
            goal_dims: goals.dims(),
            difference,
        }
    }

    /// Rows of states and goals, without the difference.
    pub const fn plain(observation_length: usize, goal_dims: usize) -> Self {
        Self {
            observation_length,
            goal_dims,
            difference: None,
        }
    }

    /// Entries of an observation.
    pub const fn observation_length(&self) -> usize {
        self.observation_length
    }

    /// Entries of a goal.
    pub const fn goal_dims(&self) -> usize {
        self.goal_dims
    }

    /// Entries of a row.
    pub const fn len(&self) -> usize {
        let goals = match self.difference {
            Some(_) => 2,
            None => 1,
        };
        self.observation_length + goals * self.goal_dims
    }

    /// Whether rows have no entry.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a row is the state followed by the goal.
    pub const fn is_plain(&self) -> bool {
        self.difference.is_none()
    }

    /// Appends the row of a state and a goal.
    pub fn extend(&self, row: &mut Vec<f32>, state: &[f32], goal: &[f32]) {
        match &self.difference {
            // A policy asked about a state of the wrong length answers NaN; it does not panic here.
            Some(difference) if state.len() == self.observation_length => {
                difference.extend(row, state, goal);
            }
            _ => {
                row.extend_from_slice(state);
                row.extend_from_slice(goal);
            }
        }
    }
}

impl Difference {
    fn new(observation_length: usize, goals: &GoalSpace, half_width: &[f32]) -> Self {
        let least = LEAST_WIDTH * half_width.iter().copied().fold(0.0, f32::max);
        let factor = |width: &f32| {
            if *width > 0.0 {
                1.0 / width.max(least)
            } else {
                1.0
            }
        };
        let mut goal_scale: Vec<f32> = half_width.iter().map(factor).collect();
        goal_scale.resize(goals.dims(), 1.0);
        let mut state_scale = vec![1.0; observation_length];
        for (dim, entry) in goals.indices().into_iter().enumerate() {
            state_scale[entry] = goal_scale[dim];
        }
        Self {
            space: goals.clone(),
            state_scale,
            goal_scale,
        }
    }

    fn extend(&self, row: &mut Vec<f32>, state: &[f32], goal: &[f32]) {
        let scaled = |(value, factor): (&f32, &f32)| value * factor;
        row.extend(state.iter().zip(&self.state_scale).map(scaled));
        row.extend(goal.iter().zip(&self.goal_scale).map(scaled));
        let here = self.space.project(state);
        row.extend(goal.iter().zip(here.iter()).map(|(to, from)| to - from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::ObservationSpec;

    /// An entry that jitters has the unit of the widest one over 100; widths above that, and none at all, are what they are.
    #[test]
    fn an_entry_that_hardly_moves_is_not_blown_up() {
        let goals = GoalSpace::full_state(&ObservationSpec::vector(4)).unwrap();
        let widths = [100.0, 1e-6, 0.0, 4.0];
        let rows = InputRow::new(PolicyInput::StateGoalDifference, 4, &goals, &widths);
        let mut row = Vec::new();
        rows.extend(&mut row, &[100.0, 0.5, 3.0, 2.0], &[50.0, 0.25, 5.0, 4.0]);
        let expected = [
            1.0, 0.5, 3.0, 0.5, 0.5, 0.25, 5.0, 1.0, -50.0, -0.25, 2.0, 2.0,
        ];
        assert_eq!(row.len(), expected.len());
        for (found, expected) in row.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{row:?}");
        }
    }
}
