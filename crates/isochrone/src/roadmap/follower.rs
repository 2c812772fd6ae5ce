//! Following a route with memory.

use super::tree::GoalTree;
use super::{Roadmap, RouteError};
use crate::distance::DistanceError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How a route is followed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FollowerSpec {
    /// How far ahead to aim, in steps along the route: about two hops. Nearer is slow, farther cuts corners.
    pub lookahead_steps: f64,
    /// A new waypoint is chosen after so many steps.
    pub waypoint_every_steps: usize,
    /// After so many waypoints without progress along the route, a new one is planned, without the landmark that was
    /// aimed at.
    pub patience_waypoints: usize,
}

/// Where to go next.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoint {
    /// The landmark to go to; `None` for the goal itself.
    pub landmark: Option<usize>,
    /// Steps from the state to here, by the distance, and on to the goal along the route; infinite where there is none, and
    /// the follower goes as near as routes lead.
    pub steps_to_goal: f64,
}

/// Follows routes: it keeps its route, moves along it only forwards, aims some steps of *route* ahead, and plans
/// anew when it makes no progress. A landmark that it could not come nearer to is avoided from then on, until there is no
/// other way: a policy that is stuck on a corner would be sent there again.
///
/// A follower without memory, which asks for the nearest landmark at each step, takes the one behind the wall sooner or
/// later.
#[derive(Clone, Debug)]
pub struct Follower {
    spec: FollowerSpec,
    tree: Option<GoalTree>,
    avoided: BTreeSet<usize>,
    /// Landmarks of the route; the goal follows the last.
    path: Vec<usize>,
    /// Steps along the route from its first landmark to each, and to the goal.
    along: Vec<f64>,
    /// The place on the route that was reached.
    at: usize,
    /// The landmark that was just reached: the follower is in its region, even where another one is nearer, maybe behind a wall.
    arrived: Option<usize>,
    target: usize,
    steps_taken: usize,
    waiting: usize,
    plans: usize,
}

impl Follower {
    /// At the beginning of an episode.
    pub const fn new(spec: FollowerSpec) -> Self {
        Self {
            spec,
            tree: None,
            avoided: BTreeSet::new(),
            path: Vec::new(),
            along: Vec::new(),
            at: 0,
            arrived: None,
            target: 0,
            steps_taken: 0,
            waiting: 0,
            plans: 0,
        }
    }

    /// How often a route was planned for this goal: 1 if all goes well.
    pub const fn plans(&self) -> usize {
        self.plans
    }

    /// The landmarks of the route that is being followed, and the place on it that was reached.
    pub fn path(&self) -> (&[usize], usize) {
        (&self.path, self.at)
    }

    /// Where to go next. Call it once per step.
    pub fn waypoint(
        &mut self,
        map: &Roadmap,
        state: &[f32],
        goal: &[f32],
    ) -> Result<Waypoint, DistanceError> {
        if self.tree.as_ref().is_none_or(|tree| tree.goal() != goal) {
            *self = Self::new(self.spec);
            self.tree = Some(map.tree_to(goal)?);
            self.plan(map, state)?;
            self.advance(map, state)?;
        } else if self
            .steps_taken
            .is_multiple_of(self.spec.waypoint_every_steps.max(1))
        {
            self.advance(map, state)?;
        }
        self.steps_taken += 1;
        Ok(Waypoint {
            landmark: self.path.get(self.target).copied(),
            steps_to_goal: self.steps_to_goal(map, state)?,
        })
    }

    /// Steps from a state to the place that is aimed at, and from there along the route.
    fn steps_to_goal(&self, map: &Roadmap, state: &[f32]) -> Result<f64, DistanceError> {
        let whole = self.along.last().copied().unwrap_or(f64::INFINITY);
        let Some(tree) = self.tree.as_ref().filter(|_| whole.is_finite()) else {
            return Ok(f64::INFINITY);
        };
        let landmark = self.path.get(self.target);
        let place = landmark.map_or(tree.point(), |landmark| map.index.point(*landmark));
        let point = map.distance.embed(state)?;
        let before = self.along.get(self.target).copied().unwrap_or(whole);
        Ok(map.distance.metric().one_way(&point, place) + whole - before)
    }

    /// The waypoint was reached: the follower is there, whatever place of the route is nearest.
    pub fn arrive(&mut self) {
        if self.target > self.at {
            (self.at, self.waiting) = (self.target, 0);
        }
        self.arrived = self.path.get(self.target).copied();
    }

    /// The waypoint was not reached: plans a route without it. If it was the goal itself, another way to it is tried.
    pub fn miss(&mut self, map: &Roadmap, state: &[f32]) -> Result<(), DistanceError> {
        let missed = self.path.get(self.target).or(self.path.last());
        self.avoid(missed.copied(), map, state)
    }

    /// Moves along the route to the nearest place that can be walked to from here, and aims ahead of it.
    ///
    /// Places that no trajectory went to from this region are not looked at: the one across a wall may be nearest.
    fn advance(&mut self, map: &Roadmap, state: &[f32]) -> Result<(), DistanceError> {
        let point = map.distance.embed(state)?;
        let Some(tree) = &self.tree else {
            return Ok(());
        };
        let arrived = self.arrived.take();
        let region = arrived.unwrap_or_else(|| map.index.nearest(&point));
        let goal_region = map.index.nearest(tree.point());
        let landmark = |at: usize| self.path.get(at).copied().unwrap_or(goal_region);
        let is_walked = |at: &usize| map.hops.leads(region, landmark(*at));
        let metric = map.distance.metric();
        let apart = |at: &usize| {
            let place = self
                .path
                .get(*at)
                .map(|landmark| map.index.point(*landmark));
            metric.one_way(&point, place.unwrap_or(tree.point()))
        };
        let last_near = match arrived {
            Some(_) => self.at,
            None => self.ahead(self.at),
        };
        let near = (self.at..=last_near).filter(is_walked);
        let nearest = near.min_by(|a, b| apart(a).total_cmp(&apart(b)));
        let at = nearest.unwrap_or(self.at);
        let last = self.ahead(at);
        let target = (at + 1..=last).rev().find(is_walked);
        let target = target.unwrap_or((at + 1).min(self.path.len()));
        self.waiting = if at > self.at { 0 } else { self.waiting + 1 };
        (self.at, self.target) = (at, target);
        if self.waiting >= self.spec.patience_waypoints.max(1) {
            let aimed_at = self.path.get(self.target).copied();
            return self.avoid(aimed_at, map, state);
        }
        Ok(())
    }

    /// Plans a route without this landmark; with all landmarks, if no route is left.
    fn avoid(
        &mut self,
        landmark: Option<usize>,
        map: &Roadmap,
        state: &[f32],
    ) -> Result<(), DistanceError> {
        let Some(goal) = self.tree.as_ref().map(|tree| tree.goal().to_vec()) else {
            return Ok(());
        };
        self.avoided.extend(landmark);
        self.tree = Some(map.tree_avoiding(&goal, &self.avoided)?);
        self.plan(map, state)?;
        if self.along.last() == Some(&f64::INFINITY) {
            self.avoided.clear();
            self.tree = Some(map.tree_to(&goal)?);
            self.plan(map, state)?;
        }
        Ok(())
    }

    /// The farthest place on the route within the lookahead of another, but at least the next one.
    fn ahead(&self, at: usize) -> usize {
        let Some(here) = self.along.get(at) else {
            return self.path.len();
        };
        let within = here + self.spec.lookahead_steps;
        let last = self.along.partition_point(|steps| *steps <= within);
        last.saturating_sub(1).max(at + 1).min(self.path.len())
    }

    /// Plans from here. Where no route leads to the goal, one leads to the nearest approach, and the goal is aimed at from
    /// there: of a thousand landmarks, one in a corner may be left by trajectories and entered by none.
    fn plan(&mut self, map: &Roadmap, state: &[f32]) -> Result<(), DistanceError> {
        let Some(tree) = &self.tree else {
            return Ok(());
        };
        (self.at, self.waiting, self.target) = (0, 0, 0);
        self.plans += 1;
        let (legs, approach) = match map.route_in(tree, state) {
            Ok(route) => (route.legs, None),
            Err(RouteError::State(error)) => return Err(error),
            Err(RouteError::Unconnected { nearest, .. }) => {
                let near = map.tree_avoiding(map.landmark(nearest), &self.avoided)?;
                let route = map.route_in(&near, state);
                (
                    route.map(|route| route.legs).unwrap_or_default(),
                    Some(nearest),
                )
            }
        };
        self.path = legs.iter().filter_map(|leg| leg.landmark).collect();
        // From the first place on the route, which is where it begins.
        let mut along = 0.0;
        self.along = vec![0.0];
        for leg in legs.iter().skip(1) {
            along += leg.steps;
            self.along.push(along);
        }
        if let Some(nearest) = approach {
            if self.path.last() == Some(&nearest) {
                self.along.pop();
            } else {
                self.path.push(nearest);
            }
            self.along.push(f64::INFINITY);
        }
        Ok(())
    }
}
