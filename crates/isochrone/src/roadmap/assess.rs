//! How well a roadmap hangs together, and whether its routes are as long as trajectories were.

use super::{Roadmap, RouteError};
use crate::distance::DistanceError;
use crate::pairs::Episodes;
use crate::rng::{Seed, Stream};
use rand::RngExt;
use serde::Serialize;

/// Which share of the landmarks can be reached from each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Connectivity {
    /// Of all landmarks, the share in the largest strongly connected component: routes lead from each of them to each.
    pub largest_share: f64,
    /// Strongly connected components.
    pub components: usize,
    /// Landmarks that no hop leads to or from.
    pub isolated: usize,
}

/// Tarjan's strongly connected components of all hops that routes take.
pub fn connectivity(map: &Roadmap) -> Connectivity {
    let sizes = Components::of(map).sizes;
    let n = map.len();
    let mut has_hop = vec![false; n];
    for from in 0..n {
        for to in map.hops.next_from(from) {
            (has_hop[from], has_hop[to]) = (true, true);
        }
    }
    let largest = sizes.iter().copied().max().unwrap_or(0);
    Connectivity {
        largest_share: largest as f64 / n.max(1) as f64,
        components: sizes.len(),
        isolated: has_hop.iter().filter(|has| !**has).count(),
    }
}

/// The hops of a map in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HopStatistics {
    /// Hops that routes take.
    pub hops: usize,
    /// Of those, hops that one trajectory made once.
    pub seen_once: usize,
    /// The most hops from one landmark.
    pub most_from_one: usize,
    /// The median and the largest of their steps by the distance.
    pub median_steps: f64,
    /// See `median_steps`.
    pub largest_steps: f64,
    /// The largest gap: of all landmarks the farthest, in steps, from its nearest neighbour that a hop leads to.
    pub largest_gap_steps: f64,
}

/// Statistics of all hops that routes take.
pub fn hop_statistics(map: &Roadmap) -> HopStatistics {
    let metric = map.distance.metric();
    let (mut steps, mut seen_once, mut most_from_one, mut gap) = (Vec::new(), 0, 0, 0.0_f64);
    for from in 0..map.len() {
        let first = steps.len();
        for to in map.hops.next_from(from) {
            steps.push(metric.one_way(map.index.point(from), map.index.point(to)));
            let is_rare = map.hops.get(from, to).is_some_and(|hop| hop.count == 1);
            seen_once += usize::from(is_rare);
        }
        let own = &steps[first..];
        most_from_one = most_from_one.max(own.len());
        let nearest = own.iter().copied().fold(f64::INFINITY, f64::min);
        if nearest.is_finite() {
            gap = gap.max(nearest);
        }
    }
    steps.sort_unstable_by(f64::total_cmp);
    HopStatistics {
        hops: steps.len(),
        seen_once,
        most_from_one,
        median_steps: steps.get(steps.len() / 2).copied().unwrap_or(0.0),
        largest_steps: steps.last().copied().unwrap_or(0.0),
        largest_gap_steps: gap,
    }
}

/// Routes between states of one trajectory that lie so many steps apart in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RouteBand {
    /// The fewest steps apart …
    pub from_steps: usize,
    /// … and the most.
    pub to_steps: usize,
    /// Pairs of states.
    pub pairs: usize,
    /// Of those, pairs without a route.
    pub unconnected: usize,
    /// The mean of the steps between them in the trajectory, of pairs with a route …
    pub mean_observed_steps: f64,
    /// … and along the route.
    pub mean_route_steps: f64,
}

/// Compares routes with trajectories: at most so many pairs per band of lags 1–10, 11–100, 101–1,000, …
///
/// A route is the shortest way and a trajectory is any, so routes are shorter where trajectories wander. Of trajectories
/// that go straight to their goals, both are equal if the map is good.
pub fn compare_routes(
    map: &Roadmap,
    episodes: &Episodes<'_>,
    pairs_per_band: usize,
    seed: Seed,
) -> Result<Vec<RouteBand>, DistanceError> {
    let longest = episodes.ranges().iter().map(ExactSizeIterator::len).max();
    let longest = longest.unwrap_or(0).saturating_sub(1);
    let mut rng = seed.of(Stream::AssessRoutes);
    let (mut bands, mut from_steps) = (Vec::new(), 1);
    while from_steps <= longest {
        let to_steps = (10 * (from_steps - 1).max(1)).min(longest);
        let is_long = |rows: &&std::ops::Range<usize>| rows.len() > from_steps;
        let long: Vec<_> = episodes.ranges().iter().filter(is_long).collect();
        let mut band = RouteBand {
            from_steps,
            to_steps,
            pairs: 0,
            unconnected: 0,
            mean_observed_steps: 0.0,
            mean_route_steps: 0.0,
        };
        for _ in 0..pairs_per_band {
            let rows = long[rng.random_range(0..long.len())];
            let lag = rng.random_range(from_steps..=to_steps.min(rows.len() - 1));
            let row = rng.random_range(rows.start..rows.end - lag);
            band.add(map, lag, episodes.state(row), episodes.state(row + lag))?;
        }
        bands.push(band.averaged());
        from_steps = to_steps + 1;
    }
    Ok(bands)
}

impl RouteBand {
    fn add(
        &mut self,
        map: &Roadmap,
        lag: usize,
        state: &[f32],
        goal: &[f32],
    ) -> Result<(), DistanceError> {
        self.pairs += 1;
        match map.route(state, goal) {
            Ok(route) => {
                self.mean_observed_steps += lag as f64;
                self.mean_route_steps += route.total_steps;
            }
            Err(RouteError::State(error)) => return Err(error),
            Err(RouteError::Unconnected { .. }) => self.unconnected += 1,
        }
        Ok(())
    }

    fn averaged(mut self) -> Self {
        let routes = (self.pairs - self.unconnected).max(1) as f64;
        self.mean_observed_steps /= routes;
        self.mean_route_steps /= routes;
        self
    }
}

struct Components {
    order: Vec<usize>,
    low: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    met: usize,
    sizes: Vec<usize>,
}

/// Not met yet.
const UNMET: usize = usize::MAX;

impl Components {
    fn of(map: &Roadmap) -> Self {
        let n = map.len();
        let mut found = Self {
            order: vec![UNMET; n],
            low: vec![UNMET; n],
            is_open: vec![false; n],
            open: Vec::new(),
            met: 0,
            sizes: Vec::new(),
        };
        for root in 0..n {
            if found.order[root] == UNMET {
                found.visit(map, root);
            }
        }
        found
    }

    /// Depth first without recursion: a corridor of 10⁵ landmarks would overflow the stack.
    fn visit(&mut self, map: &Roadmap, root: usize) {
        let mut path = vec![(root, 0)];
        self.meet(root);
        while let Some((here, next)) = path.pop() {
            let hops = map.hops.out_of(here);
            let Some(hop) = hops.get(next) else {
                self.close(here);
                if let Some((before, _)) = path.last() {
                    self.low[*before] = self.low[*before].min(self.low[here]);
                }
                continue;
            };
            path.push((here, next + 1));
            let to = hop.to as usize;
            if !map.hops.leads(here, to) {
            } else if self.order[to] == UNMET {
                self.meet(to);
                path.push((to, 0));
            } else if self.is_open[to] {
                self.low[here] = self.low[here].min(self.order[to]);
            }
        }
    }

    fn meet(&mut self, landmark: usize) {
        (self.order[landmark], self.low[landmark]) = (self.met, self.met);
        self.met += 1;
        self.is_open[landmark] = true;
        self.open.push(landmark);
    }

    /// All that was met since a component's first landmark is the component.
    fn close(&mut self, landmark: usize) {
        if self.low[landmark] != self.order[landmark] {
            return;
        }
        let mut size = 0;
        while let Some(member) = self.open.pop() {
            self.is_open[member] = false;
            size += 1;
            if member == landmark {
                break;
            }
        }
        self.sizes.push(size);
    }
}
