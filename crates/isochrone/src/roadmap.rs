//! Roadmaps: from a distance that is right nearby to a route.
//!
//! A distance learned from windows is right for states a few steps apart and wrong across a wall. A log says which states
//! were walked from which. A roadmap takes both:
//!
//! ```text
//! landmarks   some of the logged states, e(l) their points in the learned embedding
//! label       of a state s: the landmark with the nearest point, argmin_l ‖e(s) − e(l)‖_p
//! hop i → j   witnessed: some trajectory left the region of i and entered that of j within L steps
//! cost        of a hop: d(i, j) in steps, or what attempts to make it took ([`HopCost`])
//! route       the cheapest sequence of hops (Dijkstra), from the goal backwards for all starts at once
//! ```
//!
//! No hop is taken from the distance alone: pairs of states that never meet are not pushed apart in training, and one
//! hop through a wall ruins every plan that uses it (`docs/roadmaps.md`).

mod assess;
mod follower;
mod geodesic;
mod hops;
mod index;
mod landmarks;
mod next_landmarks;
mod route;
mod tree;
mod witness;

pub use assess::{
    Connectivity, HopStatistics, RouteBand, compare_routes, connectivity, hop_statistics,
};
pub use follower::{Follower, FollowerSpec, Waypoint};
pub use geodesic::Geodesic;
pub(crate) use hops::combine;
pub use hops::{Hop, HopCost};
pub use landmarks::{Landmarks, Selection};
pub use next_landmarks::NextLandmarks;
pub use route::{Leg, Route, RouteError};
pub use tree::GoalTree;
pub use witness::Region;

use crate::distance::{DistanceError, Learned};
use crate::pairs::Episodes;
use hops::Hops;
use index::NearestIndex;
use serde::{Deserialize, Serialize};
use witness::WitnessRule;

/// What counts as a hop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum HopRule {
    /// One that some trajectory made within so many steps.
    Witnessed {
        /// L: the most steps from leaving one region to entering the other.
        steps: usize,
    },
    /// Any between landmarks that the distance puts within so many steps of each other, seen or not: what most
    /// published planners do, for comparison.
    Learned {
        /// The longest hop.
        steps: f64,
    },
}

impl HopRule {
    /// The longest hop.
    pub const fn steps(self) -> f64 {
        match self {
            Self::Witnessed { steps } => steps as f64,
            Self::Learned { steps } => steps,
        }
    }
}

/// Why a roadmap cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RoadmapError {
    /// A state that the distance is not defined for.
    #[error(transparent)]
    State(#[from] DistanceError),
    /// Nothing to hop between.
    #[error("a roadmap needs at least 1 landmark; there are none")]
    NoLandmarks,
    /// More than an index of 32 bits can name.
    #[error("{landmarks} landmarks are more than the 4 billion that a roadmap can have")]
    TooMany {
        /// How many were given.
        landmarks: usize,
    },
    /// A hop that cannot be made.
    #[error("hops of {steps} steps cannot be made; they must be at least 1")]
    HopSteps {
        /// What was asked for.
        steps: f64,
    },
    /// Hops between landmarks that are not there, or twice the same, or of negative length: of a damaged file.
    #[error(
        "hop {hop} is not between two of the {landmarks} landmarks, out of order, or of negative length"
    )]
    Hop {
        /// Its place.
        hop: usize,
        /// Landmarks there are.
        landmarks: usize,
    },
}

/// Landmarks and the hops between them.
#[derive(Clone, Debug)]
pub struct Roadmap {
    distance: Learned,
    rule: HopRule,
    states: Vec<f32>,
    index: NearestIndex,
    hops: Hops,
}

impl Roadmap {
    /// Landmarks without a hop; under [`HopRule::Learned`] with all of them.
    ///
    /// ```
    /// use isochrone::distance::Learned;
    /// use isochrone::pairs::Episodes;
    /// use isochrone::roadmap::{HopRule, Roadmap};
    ///
    /// // A walk from 0 to 9, one unit a step, and landmarks at every third state.
    /// let walk: Vec<f32> = (0..10).map(|t| t as f32).collect();
    /// let distance = Learned::euclidean(1, None, 1.0)?;
    /// let rule = HopRule::Witnessed { steps: 3 };
    /// let mut map = Roadmap::new(distance, vec![0.0, 3.0, 6.0, 9.0], rule)?;
    /// map.witness(&Episodes::new(&walk, 1, vec![0..10])?, 1)?;
    /// let route = map.route(&[0.0], &[9.0])?;
    /// assert_eq!(route.total_steps, 9.0);
    /// assert!(map.route(&[9.0], &[0.0]).is_err(), "no trajectory leads back");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(distance: Learned, states: Vec<f32>, rule: HopRule) -> Result<Self, RoadmapError> {
        check_rule(rule)?;
        let index = NearestIndex::of_states(&distance, &states)?;
        let mut map = Self {
            hops: Hops::none(index.len()),
            distance,
            rule,
            states,
            index,
        };
        if let HopRule::Learned { steps } = rule {
            map.hops = Hops::within(&map.index, map.distance.metric(), steps);
        }
        Ok(map)
    }

    /// The same with hops that are known already, in the order of [`Roadmap::hops`].
    pub fn with_hops(
        distance: Learned,
        states: Vec<f32>,
        rule: HopRule,
        hops: Vec<Hop>,
    ) -> Result<Self, RoadmapError> {
        check_rule(rule)?;
        let index = NearestIndex::of_states(&distance, &states)?;
        let hops = Hops::of(hops, &index, distance.metric())?;
        Ok(Self {
            distance,
            rule,
            states,
            index,
            hops,
        })
    }

    /// The same map with another cost of hops.
    #[must_use]
    pub fn with_cost(mut self, cost: HopCost) -> Self {
        let metric = self.distance.metric();
        self.hops.set_cost(cost, &self.index, metric);
        self
    }

    /// Adds the hops that these trajectories made, on so many threads. The result does not depend on their number.
    pub fn witness(&mut self, episodes: &Episodes<'_>, threads: usize) -> Result<(), RoadmapError> {
        let found = self.find_hops(episodes, Region::Nearest, threads)?;
        let metric = self.distance.metric();
        self.hops.merge(found, &self.index, metric);
        Ok(())
    }

    /// The hops that these trajectories made, by their ends, without adding them; none under [`HopRule::Learned`].
    pub fn find_hops(
        &self,
        episodes: &Episodes<'_>,
        region: Region,
        threads: usize,
    ) -> Result<Vec<Hop>, RoadmapError> {
        match self.rule {
            HopRule::Witnessed { steps: most_steps } => {
                let rule = WitnessRule { most_steps, region };
                witness::hops(&self.distance, &self.index, episodes, rule, threads)
            }
            HopRule::Learned { .. } => Ok(Vec::new()),
        }
    }

    /// Adds landmarks, with no hop yet.
    pub fn add_landmarks(&mut self, states: &[f32]) -> Result<(), RoadmapError> {
        let states = [self.states.as_slice(), states].concat();
        let index = NearestIndex::of_states(&self.distance, &states)?;
        self.hops.extend_to(index.len());
        (self.states, self.index) = (states, index);
        Ok(())
    }

    /// A hop was tried and not made. One whose failures outnumber its successes is dropped.
    pub fn fail(&mut self, from: usize, to: usize) {
        self.hops.fail(from, to);
    }

    /// The distance that regions and costs are measured in.
    pub const fn distance(&self) -> &Learned {
        &self.distance
    }

    /// What counts as a hop.
    pub const fn rule(&self) -> HopRule {
        self.rule
    }

    /// How many landmarks there are.
    pub const fn len(&self) -> usize {
        self.index.len()
    }

    /// Is there none? Never.
    pub const fn is_empty(&self) -> bool {
        self.index.len() == 0
    }

    /// The state of a landmark.
    pub fn landmark(&self, landmark: usize) -> &[f32] {
        let width = self.distance.inputs();
        &self.states[landmark * width..(landmark + 1) * width]
    }

    /// The states of all landmarks, end to end.
    pub fn states(&self) -> &[f32] {
        &self.states
    }

    /// All hops that are known, dropped ones too, by their ends.
    pub fn hops(&self) -> &[Hop] {
        self.hops.all()
    }

    /// The nearest landmark of a state, and the steps to it both ways halved.
    pub fn nearest(&self, state: &[f32]) -> Result<(usize, f64), DistanceError> {
        let point = self.distance.embed(state)?;
        let landmark = self.index.nearest(&point);
        let metric = self.distance.metric();
        Ok((
            landmark,
            metric.symmetric(&point, self.index.point(landmark)),
        ))
    }
}

fn check_rule(rule: HopRule) -> Result<(), RoadmapError> {
    let steps = rule.steps();
    if steps >= 1.0 && steps.is_finite() {
        return Ok(());
    }
    Err(RoadmapError::HopSteps { steps })
}
