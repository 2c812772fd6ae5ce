//! A task: reach a goal. The one place where a distance becomes a test of "reached".

use crate::distance::Distance;
use crate::goal::GoalSpace;

/// Reach a goal of `space` to within `radius` of `distance`.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// What goals are about.
    pub space: &'a GoalSpace,
    /// How far states are from goals.
    pub distance: &'a dyn Distance,
    /// The ε of the paper, in the distance's unit.
    pub radius: f64,
}

impl std::fmt::Debug for Task<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task")
            .field("space", self.space)
            .field("radius", &self.radius)
            .finish_non_exhaustive()
    }
}

impl Task<'_> {
    /// How far a state is from a goal: d(π(s), g).
    pub fn distance_to(&self, observation: &[f32], goal: &[f32]) -> f64 {
        self.distance
            .between(&self.space.project(observation), goal)
    }

    /// The same, of a goal by its [`Distance::aim`].
    pub(crate) fn distance_to_aim(&self, observation: &[f32], aim: &[f32]) -> f64 {
        self.distance.to_aim(&self.space.project(observation), aim)
    }

    /// The paper's indicator, r(s, g) = 1 if d(s, g) < ε: the ε-sphere without its border.
    pub fn is_within(&self, distance: f64) -> bool {
        distance < self.radius
    }
}
