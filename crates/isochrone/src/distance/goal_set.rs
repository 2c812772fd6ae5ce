//! Sets of goals: for example, the last states of many successful episodes.

use super::{DistanceError, Learned, check_length};

/// The distance to the nearest of some goals:
///
/// ```text
/// d(s, G) = min_{g ∈ G} d(s, g)
/// ```
#[derive(Clone, Debug)]
pub struct GoalSet<'a> {
    distance: &'a Learned,
    /// Embedded goals, row by row.
    points: Vec<f32>,
}

/// The nearest goal of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestGoal {
    /// Its index in the set, from 0.
    pub goal: usize,
    /// Steps to it.
    pub steps: f64,
    /// The symmetric part of these steps: breaks ties between goals at zero steps.
    pub symmetric: f64,
}

impl<'a> GoalSet<'a> {
    /// Goals row by row, each as long as a state.
    pub fn new(distance: &'a Learned, goals: &[f32]) -> Result<Self, DistanceError> {
        let mut points = Vec::new();
        for goal in goals.chunks(distance.inputs()) {
            check_length("goal", goal.len(), distance.inputs())?;
            points.extend(distance.embed(goal)?);
        }
        Ok(Self { distance, points })
    }

    /// Number of goals.
    pub fn len(&self) -> usize {
        self.points.len() / self.distance.metric().outputs().max(1)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The nearest goal of a state, the first of equals; `None` if there is no goal. A NaN distance is never the nearest,
    /// unless all are NaN.
    pub fn nearest(&self, state: &[f32]) -> Result<Option<NearestGoal>, DistanceError> {
        self.nearest_but(state, |_| false)
    }

    /// The same, without some goals, given by their indices.
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
