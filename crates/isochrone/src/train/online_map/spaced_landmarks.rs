//! Landmarks at a minimum distance from each other.

use crate::distance::{DistanceError, Learned};
use crate::goal::Proposals;

/// Landmarks at a minimum distance.
pub(super) struct SpacedLandmarks<'a> {
    distance: &'a Learned,
    goal_state: &'a Proposals,
    least: f64,
    pub(super) goals: Vec<Vec<f32>>,
    points: Vec<Vec<f32>>,
}

impl<'a> SpacedLandmarks<'a> {
    pub(super) const fn new(distance: &'a Learned, goal_state: &'a Proposals, least: f64) -> Self {
        Self {
            distance,
            goal_state,
            least,
            goals: Vec::new(),
            points: Vec::new(),
        }
    }

    fn point(&self, goal: &[f32]) -> Result<Vec<f32>, DistanceError> {
        self.distance.embed(&self.goal_state.goal(goal))
    }

    fn is_near(&self, points: &[Vec<f32>], point: &[f32], least: f64) -> bool {
        let metric = self.distance.metric();
        let mut points = points.iter();
        points.any(|other| metric.symmetric(other, point) < least)
    }

    /// A landmark already.
    pub(super) fn push(&mut self, goal: Vec<f32>) -> Result<(), DistanceError> {
        self.points.push(self.point(&goal)?);
        self.goals.push(goal);
        Ok(())
    }

    /// A landmark, unless one is near.
    pub(super) fn add(&mut self, goal: Vec<f32>) -> Result<(), DistanceError> {
        let point = self.point(&goal)?;
        if !self.is_near(&self.points, &point, self.least) {
            self.points.push(point);
            self.goals.push(goal);
        }
        Ok(())
    }

    /// Keeps landmarks that are `least` apart, the older of two. Returns the new number of each landmark: its own, or that of
    /// the nearest one kept.
    pub(super) fn thinned(&mut self, least: f64) -> Vec<u32> {
        let (mut goals, mut points) = (Vec::new(), Vec::new());
        for (goal, point) in self.goals.iter().zip(&self.points) {
            if !self.is_near(&points, point, least) {
                goals.push(goal.clone());
                points.push(point.clone());
            }
        }
        let metric = self.distance.metric();
        let nearest = |point: &Vec<f32>| {
            let apart = points.iter().map(|kept| metric.symmetric(kept, point));
            let nearest = apart.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            nearest.map_or(0, |(at, _)| at as u32)
        };
        let kept = self.points.iter().map(nearest).collect();
        (self.goals, self.points, self.least) = (goals, points, least);
        kept
    }
}
