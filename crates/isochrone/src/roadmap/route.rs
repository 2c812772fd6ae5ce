//! A route: which landmarks to pass, and what is known of each hop.

use super::Roadmap;
use super::tree::GoalTree;
use crate::distance::DistanceError;
use std::collections::BTreeSet;

/// One stretch of a route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// The landmark it leads to; `None` for the goal.
    pub landmark: Option<usize>,
    /// Its steps by the distance.
    pub steps: f64,
    /// How often trajectories made it; `None` for the first and last leg, which are no hops between landmarks.
    pub seen: Option<u32>,
}

/// A way from a state to a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// From the state to the first landmark, from landmark to landmark, to the goal.
    pub legs: Vec<Leg>,
    /// The sum over them.
    pub total_steps: f64,
}

impl Route {
    /// The longest leg.
    pub fn largest_leg_steps(&self) -> f64 {
        self.legs.iter().map(|leg| leg.steps).fold(0.0, f64::max)
    }

    /// The hop that the fewest trajectories made.
    pub fn rarest_hop(&self) -> Option<u32> {
        self.legs.iter().filter_map(|leg| leg.seen).min()
    }
}

/// Why there is no route.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RouteError {
    /// A state that the distance is not defined for.
    #[error(transparent)]
    State(#[from] DistanceError),
    /// No sequence of hops.
    #[error(
        "no trajectory leads from the region of landmark {from} to that of landmark {to}; the nearest approach is landmark \
         {nearest}, {steps:.0} steps from the goal by the distance"
    )]
    Unconnected {
        /// The landmark nearest to the state.
        from: usize,
        /// The landmark nearest to the goal.
        to: usize,
        /// Of all landmarks that can be reached, the one nearest to the goal.
        nearest: usize,
        /// Its steps to the goal.
        steps: f64,
    },
}

impl Roadmap {
    /// The cheapest route from a state to a goal.
    pub fn route(&self, state: &[f32], goal: &[f32]) -> Result<Route, RouteError> {
        let point = self.distance.embed(state)?;
        let tree = self.search(goal, Some(&self.start(&point)), &BTreeSet::new())?;
        self.route_in(&tree, state)
    }

    /// The same in a tree that is known.
    pub fn route_in(&self, tree: &GoalTree, state: &[f32]) -> Result<Route, RouteError> {
        let point = self.distance.embed(state)?;
        let metric = self.distance.metric();
        let entries = self.entries(&point);
        let into = |landmark: &usize| {
            let steps = metric.one_way(&point, self.index.point(*landmark));
            (*landmark, steps, steps + tree.steps(*landmark))
        };
        let entry = entries
            .iter()
            .map(into)
            .min_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(&b.0)));
        let straight = metric.one_way(&point, tree.point());
        let goal_region = self.index.nearest(tree.point());
        // Within one region there is nothing to hop between.
        let is_here = entries.first() == Some(&goal_region);
        let leg = |landmark, steps, seen| Leg {
            landmark,
            steps,
            seen,
        };
        let legs = match entry {
            Some((_, _, total)) if is_here && straight <= total => {
                vec![leg(None, straight, None)]
            }
            Some((landmark, steps, total)) if total.is_finite() => self.legs(tree, landmark, steps),
            _ => return Err(self.unconnected(tree, &point, goal_region)),
        };
        Ok(Route {
            total_steps: legs.iter().map(|leg| leg.steps).sum(),
            legs,
        })
    }

    fn legs(&self, tree: &GoalTree, entry: usize, entry_steps: f64) -> Vec<Leg> {
        let metric = self.distance.metric();
        let mut legs = vec![Leg {
            landmark: Some(entry),
            steps: entry_steps,
            seen: None,
        }];
        let mut here = entry;
        while let Some(next) = tree.next(here) {
            legs.push(Leg {
                landmark: Some(next),
                steps: tree.steps(here) - tree.steps(next),
                seen: self.hops.get(here, next).map(|hop| hop.count),
            });
            here = next;
        }
        legs.push(Leg {
            landmark: None,
            steps: metric.one_way(self.index.point(here), tree.point()),
            seen: None,
        });
        legs
    }

    /// What can be said where there is no way.
    fn unconnected(&self, tree: &GoalTree, point: &[f32], goal_region: usize) -> RouteError {
        let from = self.index.nearest(point);
        let metric = self.distance.metric();
        let reached = self.reached_from(from);
        let steps = |landmark: &usize| metric.one_way(self.index.point(*landmark), tree.point());
        let nearest = reached
            .into_iter()
            .min_by(|a, b| steps(a).total_cmp(&steps(b)));
        let nearest = nearest.unwrap_or(from);
        RouteError::Unconnected {
            from,
            to: goal_region,
            nearest,
            steps: steps(&nearest),
        }
    }

    /// All landmarks that hops lead to from one, itself included, in the order of their numbers.
    fn reached_from(&self, from: usize) -> Vec<usize> {
        let mut is_reached = vec![false; self.len()];
        is_reached[from] = true;
        let mut left = vec![from];
        while let Some(here) = left.pop() {
            for to in self.hops.next_from(here) {
                if !std::mem::replace(&mut is_reached[to], true) {
                    left.push(to);
                }
            }
        }
        (0..self.len()).filter(|at| is_reached[*at]).collect()
    }
}
