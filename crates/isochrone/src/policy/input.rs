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
/// [s, g]   or   [s ÷ w, g ÷ w, g − π(s)]        π projects a state to goal space, w are the half widths of the goal range
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InputRow {
    observation_length: usize,
    goal_dims: usize,
    difference: Option<Difference>,
}

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
    /// dimension without a width keeps its unit.
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
        let factor = |width: &f32| if *width > 0.0 { 1.0 / width } else { 1.0 };
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
