//! The cheapest routes from everywhere to one goal.

use super::Roadmap;
use super::hops::{Hops, Incoming};
use crate::distance::DistanceError;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Landmarks by which states enter the map and reach goals: the nearest one alone may be across a wall.
const ENTRIES: usize = 3;

/// Beyond a hop, a landmark is as good as the nearest if it is at most so many times as far: the nearest of a goal in a
/// remote corner may be one that no trajectory enters.
const NOT_MUCH_FARTHER: f64 = 1.5;

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
    /// Near g are the nearest landmark, and of the next two those within a hop or not much farther.
    pub fn tree_to(&self, goal: &[f32]) -> Result<GoalTree, DistanceError> {
        self.search(goal, &[], &BTreeSet::new())
    }

    /// The same without some landmarks.
    pub fn tree_avoiding(
        &self,
        goal: &[f32],
        avoided: &BTreeSet<usize>,
    ) -> Result<GoalTree, DistanceError> {
        self.search(goal, &[], avoided)
    }

    /// The landmarks that a point is connected to: the nearest, and of the next two those within a hop or not much farther
    /// than the nearest.
    pub(super) fn entries(&self, point: &[f32]) -> Vec<usize> {
        let metric = self.distance.metric();
        let mut most_steps = self.rule.steps();
        let mut entries = Vec::with_capacity(ENTRIES);
        for (_, landmark) in self.index.nearest_some(point, ENTRIES) {
            let landmark = landmark as usize;
            let steps = metric.symmetric(point, self.index.point(landmark));
            if entries.is_empty() {
                most_steps = most_steps.max(NOT_MUCH_FARTHER * steps);
                entries.push(landmark);
            } else if steps <= most_steps {
                entries.push(landmark);
            }
        }
        entries
    }

    /// The same, but no farther than until all of these landmarks are known; all, if none are named.
    pub(super) fn search(
        &self,
        goal: &[f32],
        wanted: &[usize],
        avoided: &BTreeSet<usize>,
    ) -> Result<GoalTree, DistanceError> {
        let point = self.distance.embed(goal)?;
        let metric = self.distance.metric();
        let last = |landmark: usize| {
            let steps = metric.one_way(self.index.point(landmark), &point) as f32;
            (landmark, steps)
        };
        let entries = self.entries(&point).into_iter();
        let entries = entries.filter(|landmark| !avoided.contains(landmark));
        let last: Vec<_> = entries.map(last).collect();
        let cost = |way: &Incoming| {
            if avoided.contains(&(way.from as usize)) {
                f32::INFINITY
            } else {
                way.cost
            }
        };
        let (steps, next) = cheapest(&self.hops, &last, wanted, cost);
        Ok(GoalTree {
            goal: goal.to_vec(),
            point,
            steps,
            next,
        })
    }
}

/// Dijkstra's algorithm backwards from the last landmarks, each with its steps to the goal: steps from every landmark,
/// and the next one on the way. It ends when all of the wanted landmarks are known; with all, if none are named.
pub(super) fn cheapest(
    hops: &Hops,
    last: &[(usize, f32)],
    wanted: &[usize],
    cost: impl Fn(&Incoming) -> f32,
) -> (Vec<f32>, Vec<u32>) {
    let mut steps = vec![f32::INFINITY; hops.landmarks()];
    let mut next = vec![GOAL; steps.len()];
    let mut queue = BinaryHeap::new();
    for (landmark, way) in last.iter().filter(|(_, way)| way.is_finite()) {
        steps[*landmark] = *way;
        queue.push(Reverse((Key::of(*way), *landmark as u32)));
    }
    let mut missing = wanted.to_vec();
    while let Some(Reverse((key, landmark))) = queue.pop() {
        let here = landmark as usize;
        if key != Key::of(steps[here]) {
            continue;
        }
        missing.retain(|wanted| *wanted != here);
        if missing.is_empty() && !wanted.is_empty() {
            break;
        }
        for way in hops.ways_to(here) {
            let (from, through) = (way.from as usize, steps[here] + cost(way));
            if through < steps[from] {
                (steps[from], next[from]) = (through, landmark);
                queue.push(Reverse((Key::of(through), way.from)));
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
