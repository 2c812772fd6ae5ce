//! Goals as a set: the ends of many episodes, all places where a task counts as done.

use super::{DistanceError, Learned, check_length};

/// The distance to the nearest of some goals:
///
/// ```text
/// d(s, G) = min_{g ∈ G} d(s, g)
/// ```
#[derive(Clone, Debug)]
pub struct GoalSet<'a> {
    distance: &'a Learned,
    /// The goals' points, end to end.
    points: Vec<f32>,
}

/// The nearest goal of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestGoal {
    /// Its place in the set, from 0.
    pub goal: usize,
    /// Steps to it.
    pub steps: f64,
    /// The part of them that is the same both ways: it orders what is zero steps away.
    pub symmetric: f64,
}

impl<'a> GoalSet<'a> {
    /// Goals end to end, each as long as a state.
    pub fn new(distance: &'a Learned, goals: &[f32]) -> Result<Self, DistanceError> {
        let mut points = Vec::new();
        for goal in goals.chunks(distance.inputs()) {
            check_length("goal", goal.len(), distance.inputs())?;
            points.extend(distance.embed(goal)?);
        }
        Ok(Self { distance, points })
    }

    /// How many goals there are.
    pub fn len(&self) -> usize {
        self.points.len() / self.distance.metric().outputs().max(1)
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The nearest goal of a state, of equals the first; `None` if there is no goal. A distance that is NaN is never
    /// the nearest, unless all are.
    pub fn nearest(&self, state: &[f32]) -> Result<Option<NearestGoal>, DistanceError> {
        self.nearest_but(state, |_| false)
    }

    /// The same, with some goals left out by their places.
    pub fn nearest_but(
        &self,
        state: &[f32],
        is_left_out: impl Fn(usize) -> bool,
    ) -> Result<Option<NearestGoal>, DistanceError> {
        let metric = self.distance.metric();
        let point = self.distance.embed(state)?;
        let goals = self.points.chunks_exact(metric.outputs()).enumerate();
        let goals = goals.filter(|(goal, _)| !is_left_out(*goal));
        let found = goals.map(|(goal, target)| NearestGoal {
            goal,
            steps: metric.one_way(&point, target),
            symmetric: metric.symmetric(&point, target),
        });
        Ok(found.min_by(|a, b| {
            let by_norm = a.symmetric.total_cmp(&b.symmetric);
            a.steps.total_cmp(&b.steps).then(by_norm)
        }))
    }
}
