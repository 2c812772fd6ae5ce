//! Which goals are worth trying now: those that the policy reaches sometimes.
//!
//! | question | item |
//! |---|---|
//! | how hard is a goal? | [`Tallies`] → [`Labelled`], by [`Bounds`] |
//! | how do rollouts come by goals? | [`GoalList`], [`EachGoal`] |
//! | where do new goals come from? | [`GoalGan`], or [`GoalQueue`]: states seen after a success |
//! | which old ones are tried again? | [`Archive`] |
//!
//! Nothing here knows a trainer: goals go in and out as lists of numbers, every draw takes its stream as a parameter, and
//! what has a state says it as named arrays ([`Named`](crate::nn::Named)).

mod archive;
mod gan;
mod gan_spec;
mod goal_gan;
mod goal_list;
mod goal_queue;
mod labels;
mod rmsprop;

pub use archive::Archive;
pub use gan_spec::GanSpec;
pub use goal_gan::{GanReport, GoalGan};
pub use goal_list::{EachGoal, GoalList};
pub use goal_queue::{GoalQueue, QueueSpec};
pub use labels::{Bounds, Difficulty, Labelled, Tallies};

use crate::embedding::SpecError;

/// Why there are no goals, or none can be learned from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CurriculumError {
    /// A setting that cannot be.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Nothing to choose from.
    #[error("there are no goals")]
    NoGoals,
    /// Goals that are never tried.
    #[error("each goal is to be tried 0 times")]
    NoRollouts,
    /// A goal of another space.
    #[error("goal {goal} has {got} numbers where {expected} were expected")]
    Ragged {
        /// Which, from 0.
        goal: usize,
        /// Its numbers.
        got: usize,
        /// Numbers wanted.
        expected: usize,
    },
    /// A goal that is nowhere.
    #[error("number {entry} of goal {goal} is not finite")]
    NotFinite {
        /// Which, from 0.
        goal: usize,
        /// Which of its numbers, from 0.
        entry: usize,
    },
    /// Goals and labels that do not go together.
    #[error("{goals} goals have {labels} labels")]
    Labels {
        /// Goals given.
        goals: usize,
        /// Labels given.
        labels: usize,
    },
    /// A loss that is none.
    #[error(
        "the loss of the {network} is {loss} in iteration {iteration}; a smaller learning rate may help"
    )]
    Loss {
        /// Generator or discriminator.
        network: &'static str,
        /// Which iteration of this training, from 0.
        iteration: u64,
        /// What it is.
        loss: f32,
    },
    /// A parameter that is none.
    #[error("parameter `{name}` is not finite; a smaller learning rate may help")]
    Parameter {
        /// Which.
        name: String,
    },
}

/// Are these goals of `dims` finite numbers each?
fn check_goals(goals: &[Vec<f32>], dims: usize) -> Result<(), CurriculumError> {
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

/// Refuses a setting.
const fn refuse<T>(
    field: &'static str,
    value: f64,
    rule: &'static str,
) -> Result<T, CurriculumError> {
    Err(CurriculumError::Spec(SpecError { field, value, rule }))
}
