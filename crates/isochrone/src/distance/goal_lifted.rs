//! A learned distance whose goals have fewer entries than its states.

use super::{Distance, DistanceError, Learned, check_length};
use crate::goal::Proposals;

/// `d(s, lift(g))`: states are network inputs, and goals are lifted to such states. A goal position becomes the state of a
/// body at rest there; if goals are whole states, the lift is the identity.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalLifted {
    learned: Learned,
    goals: Proposals,
}

impl GoalLifted {
    /// Goals are lifted to states by `goals`.
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

    fn between_pairs(&self, pairs: &[(&[f32], &[f32])]) -> Result<Vec<f64>, DistanceError> {
        let goals = pairs.iter().map(|(_, goal)| self.lift(goal));
        let goals: Vec<Vec<f32>> = goals.collect::<Result<_, _>>()?;
        let states = pairs.iter().map(|(state, _)| *state);
        let pairs: Vec<_> = states.zip(goals.iter().map(Vec::as_slice)).collect();
        self.learned.between_pairs(&pairs)
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
