//! Hops: which landmark was reached from which, how often, in how many steps. `witness.rs` finds them in trajectories.

use super::RoadmapError;
use super::index::NearestIndex;
use crate::distance::Metric;

/// A hop between the regions of two landmarks, as trajectories made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hop {
    /// The landmark that was left.
    pub from: u32,
    /// The landmark that was entered.
    pub to: u32,
    /// How many visits to `from` ended in it; 0 if no trajectory made it.
    pub count: u32,
    /// How often it was tried since and not made.
    pub failures: u32,
    /// Steps from leaving one region to entering the other, the sum over all of them …
    pub total_steps: u64,
    /// … and the fewest.
    pub fewest_steps: u32,
    /// Steps from landmark to landmark on the best trajectory: d(from, s_t) + (u − t) + d(s_u, to), the least over all
    /// states s_t in the region of `from` and s_u in that of `to`.
    pub between_steps: f32,
}

impl Hop {
    /// The mean over all times it was made; `None` if it never was.
    pub fn mean_steps(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_steps as f64 / f64::from(self.count))
    }

    /// Has it failed more often than it was made?
    pub const fn is_dropped(&self) -> bool {
        self.failures > self.count
    }

    pub(crate) const fn ends(&self) -> (u32, u32) {
        (self.from, self.to)
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.failures = self.failures.saturating_add(other.failures);
        self.total_steps = self.total_steps.saturating_add(other.total_steps);
        self.fewest_steps = self.fewest_steps.min(other.fewest_steps);
        self.between_steps = self.between_steps.min(other.between_steps);
    }
}

/// The cost of a hop in a route.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum HopCost {
    /// d(i, j) in steps; the mean of the trajectories that made it where d is 0 or not finite.
    #[default]
    Distance,
    /// Expected steps until it is made. With S successes in T steps, F failures of L steps each, and a prior that weighs as
    /// much as one success:
    ///
    /// ```text
    /// (g d(i, j) ÷ d̄ + T + F L) ÷ (1 + S)        d̄: the mean of d(i, j) over all hops
    /// ```
    Attempts {
        /// g: the mean cost of hops without attempts.
        untried_steps: f32,
        /// L: steps of a failure.
        failed_steps: f32,
    },
}

impl HopCost {
    /// The cost of a hop of this length d(i, j); `mean` is the mean length of all hops.
    fn of(self, hop: &Hop, distance: f64, mean: f64) -> f32 {
        let is_known = distance > 0.0 && distance.is_finite();
        match self {
            Self::Distance if is_known => distance as f32,
            Self::Distance => hop.mean_steps().unwrap_or(1.0) as f32,
            Self::Attempts {
                untried_steps,
                failed_steps,
            } => {
                let share = if is_known { distance / mean } else { 1.0 };
                let steps = hop.total_steps as f32 + hop.failures as f32 * failed_steps;
                (untried_steps * share as f32 + steps) / (1.0 + hop.count as f32)
            }
        }
    }
}

/// A way into a landmark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Incoming {
    pub(super) from: u32,
    /// By [`HopCost`]; infinite if it is not taken.
    pub(super) cost: f32,
    /// Steps on the best trajectory, likewise.
    pub(super) between: f32,
}

impl Incoming {
    /// Whether routes may take it.
    pub(super) const fn is_open(&self) -> bool {
        self.cost.is_finite()
    }

    const fn close(&mut self) {
        (self.cost, self.between) = (f32::INFINITY, f32::INFINITY);
    }
}

/// All hops, by their ends, and the ways into each landmark, which is how routes are searched.
#[derive(Clone, Debug)]
pub(super) struct Hops {
    all: Vec<Hop>,
    cost: HopCost,
    incoming: Vec<Incoming>,
    /// Where the ways into each landmark begin, and one more.
    first: Vec<usize>,
}

impl Hops {
    pub(super) fn none(landmarks: usize) -> Self {
        Self {
            all: Vec::new(),
            cost: HopCost::Distance,
            incoming: Vec::new(),
            first: vec![0; landmarks + 1],
        }
    }

    /// Known hops; refused unless they are in order and between landmarks that are there.
    pub(super) fn of(
        all: Vec<Hop>,
        index: &NearestIndex,
        metric: &Metric,
    ) -> Result<Self, RoadmapError> {
        let landmarks = index.len();
        let is_landmark = |end: u32| (end as usize) < landmarks;
        for (hop, at) in all.iter().enumerate() {
            let follows = hop == 0 || all[hop - 1].ends() < at.ends();
            let is_hop = is_landmark(at.from) && is_landmark(at.to) && at.from != at.to;
            // Dijkstra's algorithm would not end with steps below zero.
            if !(follows && is_hop && at.between_steps >= 0.0) {
                return Err(RoadmapError::Hop { hop, landmarks });
            }
        }
        let mut hops = Self {
            all,
            ..Self::none(landmarks)
        };
        hops.connect(index, metric);
        Ok(hops)
    }

    /// All hops that the distance puts within so many steps.
    pub(super) fn within(index: &NearestIndex, metric: &Metric, steps: f64) -> Self {
        let mut all = Vec::new();
        for from in 0..index.len() {
            let point = index.point(from);
            for to in candidates(index, metric, point, steps) {
                let is_short = metric.one_way(point, index.point(to as usize)) <= steps;
                if to as usize != from && is_short {
                    all.push(Hop {
                        from: from as u32,
                        to,
                        count: 0,
                        failures: 0,
                        total_steps: 0,
                        fewest_steps: u32::MAX,
                        between_steps: f32::INFINITY,
                    });
                }
            }
        }
        let mut hops = Self {
            all,
            ..Self::none(index.len())
        };
        hops.connect(index, metric);
        hops
    }

    /// The same hops at other costs.
    pub(super) fn set_cost(&mut self, cost: HopCost, index: &NearestIndex, metric: &Metric) {
        self.cost = cost;
        self.connect(index, metric);
    }

    pub(super) const fn cost(&self) -> HopCost {
        self.cost
    }

    /// How many landmarks there are.
    pub(super) const fn landmarks(&self) -> usize {
        self.first.len() - 1
    }

    pub(super) fn all(&self) -> &[Hop] {
        &self.all
    }

    /// The ways into a landmark.
    pub(super) fn ways_to(&self, landmark: usize) -> &[Incoming] {
        &self.incoming[self.first[landmark]..self.first[landmark + 1]]
    }

    /// The hops out of a landmark.
    pub(super) fn out_of(&self, landmark: usize) -> &[Hop] {
        let from = landmark as u32;
        let start = self.all.partition_point(|hop| hop.from < from);
        let hops = &self.all[start..];
        &hops[..hops.partition_point(|hop| hop.from == from)]
    }

    /// The landmarks that hops which are taken lead to from one.
    pub(super) fn next_from(&self, landmark: usize) -> impl Iterator<Item = usize> {
        let next = self.out_of(landmark).iter().map(|hop| hop.to as usize);
        next.filter(move |to| self.leads(landmark, *to))
    }

    /// What is known of a hop.
    pub(super) fn get(&self, from: usize, to: usize) -> Option<&Hop> {
        let ends = (from as u32, to as u32);
        let at = self.all.binary_search_by_key(&ends, Hop::ends).ok()?;
        Some(&self.all[at])
    }

    /// Is this the same region, or one that a hop leads to?
    pub(super) fn leads(&self, from: usize, to: usize) -> bool {
        let ways = self.ways_to(to);
        let at = ways.binary_search_by_key(&(from as u32), |way| way.from);
        from == to || at.is_ok_and(|at| ways[at].is_open())
    }

    /// Adds what was found; both are in order.
    pub(super) fn merge(&mut self, found: Vec<Hop>, index: &NearestIndex, metric: &Metric) {
        let known = std::mem::take(&mut self.all);
        self.all = merged(known, found);
        self.connect(index, metric);
    }

    /// Room for more landmarks.
    pub(super) fn extend_to(&mut self, landmarks: usize) {
        let last = self.incoming.len();
        self.first.resize(landmarks + 1, last);
    }

    pub(super) fn fail(&mut self, from: usize, to: usize) {
        let ends = (from as u32, to as u32);
        let Ok(at) = self.all.binary_search_by_key(&ends, Hop::ends) else {
            return;
        };
        self.all[at].failures = self.all[at].failures.saturating_add(1);
        if self.all[at].is_dropped() {
            let into = &mut self.incoming[self.first[to]..self.first[to + 1]];
            let dropped = into.iter_mut().find(|way| way.from == ends.0);
            dropped.into_iter().for_each(Incoming::close);
        }
    }

    /// Works out the ways into each landmark.
    fn connect(&mut self, index: &NearestIndex, metric: &Metric) {
        let mut first = vec![0; index.len() + 1];
        for hop in &self.all {
            first[hop.to as usize + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let unset = Incoming {
            from: 0,
            cost: f32::INFINITY,
            between: f32::INFINITY,
        };
        self.incoming = vec![unset; self.all.len()];
        let distance = |hop: &Hop| {
            let [from, to] = [hop.from, hop.to].map(|end| index.point(end as usize));
            metric.one_way(from, to)
        };
        let mean = match self.cost {
            HopCost::Distance => 1.0,
            HopCost::Attempts { .. } => {
                let finite = self.all.iter().map(distance).filter(|d| d.is_finite());
                let (sum, n) = finite.fold((0.0, 0_u32), |(sum, n), d| (sum + d, n + 1));
                sum / f64::from(n.max(1))
            }
        };
        for hop in &self.all {
            let at = &mut next[hop.to as usize];
            let cost = self.cost.of(hop, distance(hop), mean);
            self.incoming[*at] = incoming(hop, cost);
            *at += 1;
        }
        self.first = first;
    }
}

/// The landmarks that can be within so many steps of a point, in order. The norm is the mean of both directions: where these
/// differ, few steps one way may be a large norm, and all landmarks can be.
fn candidates(index: &NearestIndex, metric: &Metric, point: &[f32], steps: f64) -> Vec<u32> {
    if !metric.is_symmetric() {
        return (0..index.len() as u32).collect();
    }
    let mut near = index.within(point, metric.norm_of_steps(steps));
    near.sort_unstable();
    near
}

/// A hop as routes see it. One that failed too often is not taken.
const fn incoming(hop: &Hop, cost: f32) -> Incoming {
    let between = if hop.count > 0 {
        hop.between_steps
    } else {
        cost
    };
    let from = hop.from;
    let mut way = Incoming {
        from,
        cost,
        between,
    };
    if hop.is_dropped() {
        way.close();
    }
    way
}

/// Hops in the order of their ends, those of the same ends as one.
pub(crate) fn combine(mut hops: Vec<Hop>) -> Vec<Hop> {
    hops.sort_by_key(Hop::ends);
    let mut all: Vec<Hop> = Vec::with_capacity(hops.len());
    hops.into_iter().for_each(|hop| append(&mut all, hop));
    all
}

/// Adds a hop at the end of a list in order: to the last one, if it has the same ends.
fn append(all: &mut Vec<Hop>, hop: Hop) {
    match all.last_mut() {
        Some(last) if last.ends() == hop.ends() => last.add(&hop),
        _ => all.push(hop),
    }
}

/// Two lists in order as one.
pub(super) fn merged(known: Vec<Hop>, found: Vec<Hop>) -> Vec<Hop> {
    if known.is_empty() {
        return found;
    }
    let mut all: Vec<Hop> = Vec::with_capacity(known.len().max(found.len()));
    let (mut known, mut found) = (known.into_iter().peekable(), found.into_iter().peekable());
    loop {
        let hop = match (known.peek(), found.peek()) {
            (Some(a), Some(b)) if b.ends() < a.ends() => found.next(),
            (Some(_), _) => known.next(),
            (None, _) => found.next(),
        };
        let Some(hop) = hop else {
            return all;
        };
        append(&mut all, hop);
    }
}
