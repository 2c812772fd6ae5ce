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

/// A state on the map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPosition {
    point: Vec<f32>,
    entries: Vec<usize>,
}

impl Geodesic {
    /// All routes of a map, on so many threads.
    pub fn new(map: Roadmap, threads: usize) -> Self {
        let n = map.len();
        let goals: Vec<usize> = (0..n).collect();
        let to = |goal: &usize| cheapest(&map.hops, &[(*goal, 0.0)], &[], |way| way.between).0;
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

    /// Finds the landmarks near a state.
    pub fn locate(&self, state: &[f32]) -> Result<MapPosition, DistanceError> {
        let point = self.map.distance.embed(state)?;
        let entries = self.map.entries(&point);
        Ok(MapPosition { point, entries })
    }

    /// The fewest steps from one position to another; infinite where no trajectory leads.
    pub fn steps(&self, from: &MapPosition, to: &MapPosition) -> f64 {
        let metric = self.map.distance.metric();
        let local = |from: &[f32], to: &[f32]| self.local * metric.one_way(from, to);
        let index = &self.map.index;
        let mut fewest = f64::INFINITY;
        if let ([a, ..], [b, ..]) = (from.entries.as_slice(), to.entries.as_slice())
            && self.map.hops.leads(*a, *b)
        {
            fewest = local(&from.point, &to.point);
        }
        for b in &to.entries {
            let last = local(index.point(*b), &to.point);
            for a in &from.entries {
                let first = local(&from.point, index.point(*a));
                let between = f64::from(self.between[a * self.map.len() + b]);
                fewest = fewest.min(first + between + last);
            }
        }
        fewest
    }
}

impl Roadmap {
    /// The fewest steps from each of these states to one goal, as [`Geodesic`] has them, by one search.
    pub fn fewest_steps(
        &self,
        states: impl IntoIterator<Item: AsRef<[f32]>>,
        goal: &[f32],
    ) -> Result<Vec<f64>, DistanceError> {
        let (metric, scale) = (self.distance.metric(), local_scale(self));
        let goal = self.distance.embed(goal)?;
        let exits = self.entries(&goal);
        let last = |landmark: &usize| {
            let steps = scale * metric.one_way(self.index.point(*landmark), &goal);
            (*landmark, steps as f32)
        };
        let last: Vec<_> = exits.iter().map(last).collect();
        let (to_goal, _) = cheapest(&self.hops, &last, &[], |way| way.between);
        let fewest = |state: &[f32]| {
            let point = self.distance.embed(state)?;
            let entries = self.entries(&point);
            let is_next = |exit: &usize| self.hops.leads(entries[0], *exit);
            let direct = exits.first().filter(|exit| is_next(exit));
            let direct = direct.map_or(f64::INFINITY, |_| scale * metric.one_way(&point, &goal));
            let through = |landmark: &usize| {
                let first = scale * metric.one_way(&point, self.index.point(*landmark));
                first + f64::from(to_goal[*landmark])
            };
            Ok(entries.iter().map(through).fold(direct, f64::min))
        };
        let states = states.into_iter();
        states.map(|state| fewest(state.as_ref())).collect()
    }
}

impl Distance for Geodesic {
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        Ok(self.steps(&self.locate(state)?, &self.locate(goal)?))
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
