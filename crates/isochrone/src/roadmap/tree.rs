//! The cheapest routes from everywhere to one goal.

use super::Roadmap;
use super::hops::{HopCost, Hops, Incoming};
use crate::distance::DistanceError;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Landmarks that may connect a state or a goal to the map: the nearest one alone may be across a wall.
const NEAR: usize = 3;

/// Beyond a hop, a landmark is as good as the nearest if it is at most so many times as far: the nearest of a goal in a
/// remote corner may be one that no trajectory enters.
const NOT_MUCH_FARTHER: f64 = 1.5;

/// A distance is a lower bound of the steps along hops, except for rounding; this share of it always is.
const JUST_BELOW: f32 = 0.9999;

/// Steps from every landmark to a goal, and the next landmark on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalTree {
    goal: Vec<f32>,
    point: Vec<f32>,
    /// Infinite where there is no way.
    steps: Vec<f32>,
    /// [`GOAL`] where the goal itself comes next.
    next: Vec<u32>,
}

/// What comes after the last landmark.
pub(super) const GOAL: u32 = u32::MAX;

impl GoalTree {
    /// The goal.
    pub fn goal(&self) -> &[f32] {
        &self.goal
    }

    /// Its point.
    pub(super) fn point(&self) -> &[f32] {
        &self.point
    }

    /// Steps from a landmark to the goal; infinite if there is no way.
    pub fn steps(&self, landmark: usize) -> f64 {
        f64::from(self.steps[landmark])
    }

    /// The next landmark on the way; `None` where the goal itself comes next, or nothing.
    pub fn next(&self, landmark: usize) -> Option<usize> {
        let next = self.next[landmark];
        (next != GOAL).then_some(next as usize)
    }
}

impl Roadmap {
    /// The cheapest routes from every landmark to a goal (Dijkstra's algorithm from the goal backwards):
    ///
    /// ```text
    /// V(l) = min( d(l, g) if l is near g,   min_{hops l → j} cost(l, j) + V(j) )
    /// ```
    ///
    /// Near g are the nearest landmark, and of the next two those within a hop or not much farther, if trajectories came
    /// from there.
    pub fn tree_to(&self, goal: &[f32]) -> Result<GoalTree, DistanceError> {
        self.search(goal, None, &BTreeSet::new())
    }

    /// The same without some landmarks.
    pub fn tree_avoiding(
        &self,
        goal: &[f32],
        avoided: &BTreeSet<usize>,
    ) -> Result<GoalTree, DistanceError> {
        self.search(goal, None, avoided)
    }

    /// The landmarks by which a state enters the map: the nearest, and of those about as near the ones that trajectories went
    /// to from its region; all of those about as near if no trajectory ever left it. Without that condition the first leg of a
    /// route could cross a gate against its direction.
    pub(super) fn entries(&self, point: &[f32]) -> Vec<usize> {
        let mut near = self.near(point);
        let Some(&nearest) = near.first() else {
            return near;
        };
        if self.hops.next_from(nearest).next().is_some() {
            near.retain(|landmark| self.hops.leads(nearest, *landmark));
        }
        near
    }

    /// The landmarks by which a goal is reached: the nearest, and of those about as near the ones that trajectories came from
    /// into its region; all of those about as near if no trajectory ever came into it.
    pub(super) fn exits(&self, point: &[f32]) -> Vec<usize> {
        let mut near = self.near(point);
        let Some(&nearest) = near.first() else {
            return near;
        };
        if self.hops.ways_to(nearest).iter().any(Incoming::is_open) {
            near.retain(|landmark| self.hops.leads(*landmark, nearest));
        }
        near
    }

    /// The nearest landmark, and of the next two those within a hop or not much farther than the nearest.
    fn near(&self, point: &[f32]) -> Vec<usize> {
        let metric = self.distance.metric();
        let mut most_steps = self.rule.steps();
        let mut near = Vec::with_capacity(NEAR);
        for (_, landmark) in self.index.nearest_some(point, NEAR) {
            let landmark = landmark as usize;
            let steps = metric.symmetric(point, self.index.point(landmark));
            if near.is_empty() {
                most_steps = most_steps.max(NOT_MUCH_FARTHER * steps);
                near.push(landmark);
            } else if steps <= most_steps {
                near.push(landmark);
            }
        }
        near
    }

    /// Where one route begins, as the search needs it.
    pub(super) fn start<'a>(&'a self, point: &'a [f32]) -> Start<'a> {
        let metric = self.distance.metric();
        let steps_to =
            move |landmark: usize| metric.one_way(point, self.index.point(landmark)) as f32;
        let is_distance = self.hops.cost() == HopCost::Distance;
        let has_bound = is_distance && metric.has_triangle_inequality();
        Start {
            entries: self
                .entries(point)
                .into_iter()
                .map(|landmark| (landmark, steps_to(landmark)))
                .collect(),
            least_steps: Box::new(move |landmark| {
                if has_bound {
                    JUST_BELOW * steps_to(landmark)
                } else {
                    0.0
                }
            }),
        }
    }

    /// The cheapest routes from every landmark, or as many of them as the best one from a start needs.
    pub(super) fn search(
        &self,
        goal: &[f32],
        start: Option<&Start<'_>>,
        avoided: &BTreeSet<usize>,
    ) -> Result<GoalTree, DistanceError> {
        let point = self.distance.embed(goal)?;
        let metric = self.distance.metric();
        let last = |landmark: usize| {
            let steps = metric.one_way(self.index.point(landmark), &point) as f32;
            (landmark, steps)
        };
        let exits = self.exits(&point).into_iter();
        let exits = exits.filter(|landmark| !avoided.contains(landmark));
        let last: Vec<_> = exits.map(last).collect();
        let cost = |way: &Incoming| {
            if avoided.contains(&(way.from as usize)) {
                f32::INFINITY
            } else {
                way.cost
            }
        };
        let (steps, next) = cheapest(&self.hops, &last, start, cost);
        Ok(GoalTree {
            goal: goal.to_vec(),
            point,
            steps,
            next,
        })
    }
}

/// Where one route begins.
pub(super) struct Start<'a> {
    /// Landmarks by which it enters the map, with the steps to each.
    entries: Vec<(usize, f32)>,
    /// Steps from it to each landmark, or fewer.
    least_steps: Box<dyn Fn(usize) -> f32 + 'a>,
}

impl Start<'_> {
    fn steps_to_entry(&self, landmark: usize) -> Option<f32> {
        let entry = self.entries.iter().find(|(entry, _)| *entry == landmark);
        entry.map(|(_, steps)| *steps)
    }
}

/// Dijkstra's algorithm backwards from the last landmarks, each with its steps to the goal: steps from every landmark,
/// and the next one on the way.
///
/// With a start it is A*: landmarks are taken in the order of V(l) + h(l), where h(l) is at most the steps from the start
/// to l, and it ends when no other route can be cheaper. Costs of hops are distances that satisfy the triangle inequality, so
/// the distance from the start is such an h.
pub(super) fn cheapest(
    hops: &Hops,
    last: &[(usize, f32)],
    start: Option<&Start<'_>>,
    cost: impl Fn(&Incoming) -> f32,
) -> (Vec<f32>, Vec<u32>) {
    let mut steps = vec![f32::INFINITY; hops.landmarks()];
    let mut next = vec![GOAL; steps.len()];
    let mut queue = BinaryHeap::new();
    let entry = |landmark: usize, steps: f32| {
        let ahead = start.map_or(0.0, |start| (start.least_steps)(landmark));
        Reverse((Key::of(steps + ahead), Key::of(steps), landmark as u32))
    };
    for (landmark, way) in last.iter().filter(|(_, way)| way.is_finite()) {
        steps[*landmark] = *way;
        queue.push(entry(*landmark, *way));
    }
    let mut best = f32::INFINITY;
    while let Some(Reverse((total, key, landmark))) = queue.pop() {
        let here = landmark as usize;
        if total > Key::of(best) {
            break;
        }
        if key != Key::of(steps[here]) {
            continue;
        }
        if let Some(entry) = start.and_then(|start| start.steps_to_entry(here)) {
            best = best.min(steps[here] + entry);
        }
        for way in hops.ways_to(here) {
            let (from, through) = (way.from as usize, steps[here] + cost(way));
            if through < steps[from] {
                (steps[from], next[from]) = (through, landmark);
                queue.push(entry(from, through));
            }
        }
    }
    (steps, next)
}

/// Steps, in order: the bits of floats that are not negative order as they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u32);

impl Key {
    const fn of(steps: f32) -> Self {
        Self(steps.to_bits())
    }
}
