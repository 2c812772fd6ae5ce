//! The cheapest routes from everywhere to one goal.

use super::Roadmap;
use crate::distance::DistanceError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Landmarks by which a goal is left and a state enters the map: the nearest one alone may be across a wall.
pub(super) const ENTRIES: usize = 3;

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
    /// V(l) = min( d(l, g) if l is one of the 3 nearest landmarks of g,   min_{hops l → j} cost(l, j) + V(j) )
    /// ```
    pub fn tree_to(&self, goal: &[f32]) -> Result<GoalTree, DistanceError> {
        self.search(goal, &[])
    }

    /// The same, but no farther than until all of these landmarks are known; all, if none are named.
    pub(super) fn search(&self, goal: &[f32], wanted: &[u32]) -> Result<GoalTree, DistanceError> {
        let point = self.distance.embed(goal)?;
        let mut steps = vec![f32::INFINITY; self.len()];
        let mut next = vec![GOAL; self.len()];
        let mut queue = BinaryHeap::new();
        for (_, landmark) in self.index.nearest_some(&point, ENTRIES) {
            let metric = self.distance.metric();
            let way = metric.one_way(self.index.point(landmark as usize), &point) as f32;
            if way.is_finite() {
                steps[landmark as usize] = way;
                queue.push(Reverse((Key::of(way), landmark)));
            }
        }
        let mut missing = wanted.to_vec();
        while let Some(Reverse((key, landmark))) = queue.pop() {
            let here = landmark as usize;
            if key != Key::of(steps[here]) {
                continue;
            }
            missing.retain(|wanted| *wanted != landmark);
            if missing.is_empty() && !wanted.is_empty() {
                break;
            }
            for way in self.hops.into_landmark(here) {
                let (from, through) = (way.from as usize, steps[here] + way.cost);
                if through < steps[from] {
                    (steps[from], next[from]) = (through, landmark);
                    queue.push(Reverse((Key::of(through), way.from)));
                }
            }
        }
        Ok(GoalTree {
            goal: goal.to_vec(),
            point,
            steps,
            next,
        })
    }
}

/// Steps, in order: the bits of floats that are not negative order as they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u32);

impl Key {
    const fn of(steps: f32) -> Self {
        Self(steps.to_bits())
    }
}
