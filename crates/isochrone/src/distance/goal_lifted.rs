//! A learned distance whose goals say less than its states.

use super::{Distance, DistanceError, Learned, check_length};
use crate::goal::Proposals;

/// `d(s, lift(g))`: states as the network sees them, and goals made into such states. A place becomes the state of a body
/// at rest there; where goals are states already, nothing is added.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalLifted {
    learned: Learned,
    goals: Proposals,
}

impl GoalLifted {
    /// Goals become states by `goals`.
    pub const fn new(learned: Learned, goals: Proposals) -> Self {
        Self { learned, goals }
    }

    /// The distance between states.
    pub const fn learned(&self) -> &Learned {
        &self.learned
    }
}

impl GoalLifted {
    fn lift(&self, goal: &[f32]) -> Result<Vec<f32>, DistanceError> {
        check_length("goal", goal.len(), self.goals.dims())?;
        Ok(self.goals.goal(goal))
    }
}

impl Distance for GoalLifted {
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        self.learned.between(state, &self.lift(goal)?)
    }

    fn embed_goal(&self, goal: &[f32]) -> Result<Vec<f32>, DistanceError> {
        self.learned.embed(&self.lift(goal)?)
    }

    fn to_embedded_goal(&self, state: &[f32], embedded: &[f32]) -> Result<f64, DistanceError> {
        self.learned.to_embedded_goal(state, embedded)
    }

    fn goal_dims(&self) -> Option<usize> {
        Some(self.goals.dims())
    }
}
