//! Sets of goals: for example, the last states of many successful episodes.

use super::{DistanceError, Learned, check_length};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The distance to the nearest of some goals:
///
/// ```text
/// d(s, G) = min_{g ∈ G} d(s, g)
/// ```
#[derive(Clone, Debug)]
pub struct GoalSet<'a> {
    distance: &'a Learned,
    /// Embedded goals, row by row.
    points: Cow<'a, [f32]>,
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
        Ok(Self {
            distance,
            points: Cow::Owned(points),
        })
    }

    /// Goals that are embedded already, row by row.
    pub const fn of_points(distance: &'a Learned, points: &'a [f32]) -> Self {
        Self {
            distance,
            points: Cow::Borrowed(points),
        }
    }

    /// The embedded goals, row by row.
    pub fn points(&self) -> &[f32] {
        &self.points
    }

    /// One embedded goal; empty if there is none of this index.
    pub fn point(&self, goal: usize) -> &[f32] {
        let width = self.distance.metric().outputs();
        let mut points = self.points.chunks_exact(width.max(1));
        points.nth(goal).unwrap_or_default()
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
        let point = self.distance.embed(state)?;
        Ok(self.nearest_to_point(&point, is_left_out))
    }

    /// The same for a state that is embedded already.
    pub fn nearest_to_point(
        &self,
        point: &[f32],
        is_left_out: impl Fn(usize) -> bool,
    ) -> Option<NearestGoal> {
        let metric = self.distance.metric();
        let goals = self
            .points
            .chunks_exact(metric.outputs().max(1))
            .enumerate();
        let mut best: Option<NearestGoal> = None;
        for (goal, target) in goals.filter(|(goal, _)| !is_left_out(*goal)) {
            let steps = metric.one_way(point, target);
            let order = best.map_or(Ordering::Less, |best| steps.total_cmp(&best.steps));
            if order == Ordering::Greater {
                continue;
            }
            let symmetric = metric.symmetric(point, target);
            let is_tie = order == Ordering::Equal;
            if is_tie && best.is_some_and(|best| symmetric.total_cmp(&best.symmetric).is_ge()) {
                continue;
            }
            best = Some(NearestGoal {
                goal,
                steps,
                symmetric,
            });
        }
        best
    }
}
