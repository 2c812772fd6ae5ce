//! Curriculum: goals of intermediate difficulty, which the policy reaches sometimes.
//!
//! | question | item |
//! |---|---|
//! | how hard is a goal? | [`Tallies`] or [`PooledLabels`] → [`Labelled`], by [`Bounds`] |
//! | which goals do rollouts get? | [`GoalList`], [`EachGoal`] |
//! | where do new goals come from? | [`goal_generator`](crate::goal_generator) |
//! | which old ones are repeated? | [`Archive`] |
//! | which are not tried? | [`GoalFilter`] |
//!
//! Goals are lists of numbers. Every random draw takes its stream as a parameter.

mod archive;
mod goal_filter;
mod goal_list;
mod labels;
mod pooled_labels;

pub use archive::Archive;
pub use goal_filter::GoalFilter;
pub use goal_list::{EachGoal, GoalList};
pub(crate) use labels::intermediate;
pub use labels::{Bounds, Difficulty, Labelled, Tallies};
pub use pooled_labels::{PooledLabelSpec, PooledLabels};

use crate::distance_spec::SpecError;

/// Why goals cannot be proposed, labelled or learned from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CurriculumError {
    /// A setting out of range.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An empty list of goals.
    #[error("there are no goals")]
    NoGoals,
    /// Zero rollouts per goal.
    #[error("the number of rollouts per goal is 0; it must be at least 1")]
    NoRollouts,
    /// A goal of the wrong length.
    #[error("goal {goal} has {got} numbers where {expected} were expected")]
    Ragged {
        /// Index of the goal, from 0.
        goal: usize,
        /// Its length.
        got: usize,
        /// Length expected.
        expected: usize,
    },
    /// A goal with NaN or infinity.
    #[error("number {entry} of goal {goal} is not finite")]
    NotFinite {
        /// Index of the goal, from 0.
        goal: usize,
        /// Index of the entry, from 0.
        entry: usize,
    },
    /// Different numbers of goals and labels.
    #[error("{goals} goals have {labels} labels")]
    Labels {
        /// Goals given.
        goals: usize,
        /// Labels given.
        labels: usize,
    },
    /// A loss that is NaN or infinite.
    #[error(
        "the loss of the {network} is {loss} in iteration {iteration}; a smaller learning rate may help"
    )]
    Loss {
        /// Generator or discriminator.
        network: &'static str,
        /// Iteration of this training, from 0.
        iteration: u64,
        /// Its value.
        loss: f32,
    },
    /// A parameter that is NaN or infinite.
    #[error("parameter `{name}` is not finite; a smaller learning rate may help")]
    Parameter {
        /// Name of the parameter.
        name: String,
    },
}

/// Checks that every goal has `dims` finite numbers.
pub(crate) fn check_goals(goals: &[Vec<f32>], dims: usize) -> Result<(), CurriculumError> {
    for (number, goal) in goals.iter().enumerate() {
        if goal.len() != dims {
            return Err(CurriculumError::Ragged {
                goal: number,
                got: goal.len(),
                expected: dims,
            });
        }
        if let Some(entry) = goal.iter().position(|value| !value.is_finite()) {
            let goal = number;
            return Err(CurriculumError::NotFinite { goal, entry });
        }
    }
    Ok(())
}

/// An error about a setting.
pub(crate) const fn refuse<T>(
    field: &'static str,
    value: f64,
    rule: &'static str,
) -> Result<T, CurriculumError> {
    Err(CurriculumError::Spec(SpecError { field, value, rule }))
}
