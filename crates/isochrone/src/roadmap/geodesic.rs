//! Fewest steps between any two states, along the map.

use super::Roadmap;
use super::index::shares;
use super::tree::cheapest;
use crate::distance::{Distance, DistanceError};

/// The fewest steps from one state to another that trajectories, put end to end, are known to take:
///
/// ```text
/// G(s, g) = min over landmarks a near s, b near g of   c·d(s, a) + V(a, b) + c·d(b, g)
/// V(a, b)   the cheapest sequence of hops, each at the cost of the best trajectory between its landmarks
/// c         the median over hops of that cost ÷ d: windows teach mean steps, which are more than the fewest
/// ```
///
/// Where the region of g is that of s or a hop away, c·d(s, g) itself is an answer as well. All of V is in memory: n²
/// numbers for n landmarks.
#[derive(Clone, Debug)]
pub struct Geodesic {
    map: Roadmap,
    /// V by its first landmark.
    between: Vec<f32>,
    local: f64,
}

impl Geodesic {
    /// All routes of a map, on so many threads.
    pub fn new(map: Roadmap, threads: usize) -> Self {
        let n = map.len();
        let goals: Vec<usize> = (0..n).collect();
        let to = |goal: &usize| cheapest(&map.hops, &[(*goal, 0.0)], None, |way| way.between).0;
        let work = |goals: &[usize]| goals.iter().map(to).collect::<Vec<_>>();
        let mut between = vec![f32::INFINITY; n * n];
        for (goal, steps) in shares(&goals, threads, work)
            .into_iter()
            .flatten()
            .enumerate()
        {
            for (from, steps) in steps.into_iter().enumerate() {
                between[from * n + goal] = steps;
            }
        }
        let local = local_scale(&map);
        Self {
            map,
            between,
            local,
        }
    }

    /// The map.
    pub const fn map(&self) -> &Roadmap {
        &self.map
    }
}

impl Distance for Geodesic {
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        let map = &self.map;
        let goal = map.distance.embed(goal)?;
        let last = map.last_legs(&goal, self.local);
        let to_goal = |landmark: usize| {
            let row = &self.between[landmark * map.len()..(landmark + 1) * map.len()];
            let through = last.iter().map(|(exit, steps)| row[*exit] + steps);
            through.fold(f32::INFINITY, f32::min)
        };
        map.fewest(state, &goal, self.local, to_goal)
    }
}

impl Roadmap {
    /// The fewest steps from each of these states to one goal, as [`Geodesic`] has them, by one search.
    pub fn fewest_steps(
        &self,
        states: impl IntoIterator<Item: AsRef<[f32]>>,
        goal: &[f32],
    ) -> Result<Vec<f64>, DistanceError> {
        let local = local_scale(self);
        let goal = self.distance.embed(goal)?;
        let last = self.last_legs(&goal, local);
        let (to_goal, _) = cheapest(&self.hops, &last, None, |way| way.between);
        let states = states.into_iter();
        states
            .map(|state| self.fewest(state.as_ref(), &goal, local, |landmark| to_goal[landmark]))
            .collect()
    }

    /// The landmarks near a goal's point, each with its steps to the goal.
    fn last_legs(&self, goal: &[f32], local: f64) -> Vec<(usize, f32)> {
        let metric = self.distance.metric();
        let leg = |landmark: usize| {
            let steps = local * metric.one_way(self.index.point(landmark), goal);
            (landmark, steps as f32)
        };
        self.exits(goal).into_iter().map(leg).collect()
    }

    /// The fewest steps from a state to a goal's point, given those from each landmark.
    fn fewest(
        &self,
        state: &[f32],
        goal: &[f32],
        local: f64,
        to_goal: impl Fn(usize) -> f32,
    ) -> Result<f64, DistanceError> {
        let metric = self.distance.metric();
        let point = self.distance.embed(state)?;
        let is_near = (self.hops).leads(self.index.nearest(&point), self.index.nearest(goal));
        let direct = if is_near {
            local * metric.one_way(&point, goal)
        } else {
            f64::INFINITY
        };
        let through = |landmark: usize| {
            let first = local * metric.one_way(&point, self.index.point(landmark));
            first + f64::from(to_goal(landmark))
        };
        let entries = self.entries(&point).into_iter();
        Ok(entries.map(through).fold(direct, f64::min))
    }
}

/// c: 1 if there is no hop to learn it from.
fn local_scale(map: &Roadmap) -> f64 {
    let metric = map.distance.metric();
    let ratio = |hop: &super::Hop| {
        let [from, to] = [hop.from, hop.to].map(|end| map.index.point(end as usize));
        f64::from(hop.between_steps) / metric.one_way(from, to)
    };
    let ratios = map.hops().iter().map(ratio);
    let mut ratios: Vec<f64> = ratios
        .filter(|ratio| ratio.is_finite() && *ratio > 0.0)
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
}
