//! A task: reach a goal. The only place where a distance becomes a "reached" test.

use crate::distance::{Distance, DistanceError, check_length};
use crate::goal::GoalSpace;
use std::borrow::Cow;

/// Reach a goal of `space` to within `radius` of `distance`.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The goal space.
    pub space: &'a GoalSpace,
    /// The distance from states to goals.
    pub distance: &'a dyn Distance,
    /// ε of the paper, in the distance's unit.
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
    /// The distance from a state to a goal, d(s, g), over the entries of the state that goals have.
    pub fn distance_to(&self, observation: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        self.distance.between(&self.projected(observation)?, goal)
    }

    /// The same for many pairs of a state and a goal.
    pub fn distances_to(&self, pairs: &[(&[f32], &[f32])]) -> Result<Vec<f64>, DistanceError> {
        let states = pairs.iter().map(|(state, _)| self.projected(state));
        let states: Vec<Cow<'_, [f32]>> = states.collect::<Result<_, _>>()?;
        let goals = pairs.iter().map(|(_, goal)| *goal);
        let pairs: Vec<_> = states.iter().map(AsRef::as_ref).zip(goals).collect();
        self.distance.between_pairs(&pairs)
    }

    /// The same for a goal embedded by [`Distance::embed_goal`].
    pub(crate) fn distance_to_embedded(
        &self,
        observation: &[f32],
        embedded: &[f32],
    ) -> Result<f64, DistanceError> {
        let state = self.projected(observation)?;
        self.distance.to_embedded_goal(&state, embedded)
    }

    fn projected<'o>(&self, observation: &'o [f32]) -> Result<Cow<'o, [f32]>, DistanceError> {
        let (got, expected) = (observation.len(), self.space.observation_length());
        check_length("state", got, expected)?;
        Ok(self.space.project(observation))
    }

    /// The paper's indicator, r(s, g) = 1 if d(s, g) < ε: the open ε-ball.
    pub fn is_within(&self, distance: f64) -> bool {
        distance < self.radius
    }
}
