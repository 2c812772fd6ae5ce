//! A learned distance whose goals say less than its states.

use super::{Distance, Learned};
use crate::goal::Proposals;

/// `d(s, lift(g))`: states as the network sees them, and goals made into such states. A place becomes the state of a body
/// at rest there; where goals are states already, nothing is added.
#[derive(Clone, Debug, PartialEq)]
pub struct Lifted {
    learned: Learned,
    goals: Proposals,
}

impl Lifted {
    /// Goals become states by `goals`.
    pub const fn new(learned: Learned, goals: Proposals) -> Self {
        Self { learned, goals }
    }

    /// The distance between states.
    pub const fn learned(&self) -> &Learned {
        &self.learned
    }
}

impl Distance for Lifted {
    fn between(&self, state: &[f32], goal: &[f32]) -> f64 {
        self.learned.between(state, &self.goals.goal(goal))
    }

    fn aim(&self, goal: &[f32]) -> Vec<f32> {
        self.learned.aim(&self.goals.goal(goal))
    }

    fn to_aim(&self, state: &[f32], aim: &[f32]) -> f64 {
        self.learned.to_aim(state, aim)
    }

    fn goal_dims(&self) -> Option<usize> {
        Some(self.goals.dims())
    }
}
