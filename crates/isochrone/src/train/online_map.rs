//! The roadmap that grows while the policy learns.
//!
//! ```text
//! landmarks   archived goals, at least `spacing` × ε apart in the training's distance; the spacing grows when there are
//!             too many
//! hops        witnessed by policy paths and random tails
//! attempts    waypoints that were reached, and those that were not within their time; a hop with more failures than
//!             successes is not taken, whatever trajectories passed there
//! costs       steps until a hop is made, failures included, as attempts have shown ([`HopCost::Attempts`])
//! forgetting  all counts halve in every iteration: the policy of ten iterations ago is not the policy of today
//! ```
//!
//! A trajectory that passes at speed witnesses hops that a policy at rest, or in a corner of the region, cannot make. So both
//! are counted apart. Counts are integers and lengths are minima: hops of several ranks can be added in any order.

mod hop_codec;
mod planner_spec;
mod spaced_landmarks;

pub use planner_spec::{HopsFrom, PlannerSpec, WaypointRegion, WaypointSpec};

use super::spec::TrainingError;
use crate::comm::Workers;
use crate::distance::{DistanceError, Learned};
use crate::goal::{GoalSpace, Proposals};
use crate::nn::{NamedArray, NamedArrayError, find_rows, find_u64};
use crate::pairs::Episodes;
use crate::roadmap::{Hop, HopCost, HopRule, Region, Roadmap, combine};
use crate::trajectory::{End, Trajectories};
use hop_codec::{decoded_hops, encoded_hops, of_all_ranks};
use spaced_landmarks::SpacedLandmarks;
use std::hash::{DefaultHasher, Hasher};

/// Trajectories that are looked at together: the points of all would be larger than the replay.
const CHUNK_TRAJECTORIES: usize = 100;

/// How much the spacing grows when there are too many landmarks.
const GROWTH: f64 = 1.25;

const LANDMARKS: &str = "map.landmarks";
const HOPS: &str = "map.hops";
const ATTEMPTS: &str = "map.attempts";
const SPACING: &str = "map.spacing";

/// Landmarks and hops so far, and the roadmap of them in the current distance.
pub(super) struct OnlineMap {
    spec: WaypointSpec,
    /// Entries of a goal.
    dims: usize,
    /// Maps goals to states where both are the same.
    identity: Proposals,
    /// In multiples of ε.
    spacing: f64,
    /// The landmarks, as goals.
    goals: Vec<Vec<f32>>,
    /// Hops that trajectories witnessed, in the order of [`combine`].
    hops: Vec<Hop>,
    /// Hops that the policy was asked to make, likewise: `count` is how often it did.
    attempts: Vec<Hop>,
    /// `None` while there are no landmarks.
    map: Option<Roadmap>,
    /// That of the map; see [`OnlineMap::fingerprint`].
    fingerprint: Option<u64>,
}

impl OnlineMap {
    pub(super) fn new(spec: WaypointSpec, dims: usize) -> Self {
        Self {
            spec,
            dims,
            identity: Proposals::whole(dims),
            spacing: spec.spacing,
            goals: Vec::new(),
            hops: Vec::new(),
            attempts: Vec::new(),
            map: None,
            fingerprint: None,
        }
    }

    pub(super) const fn spec(&self) -> &WaypointSpec {
        &self.spec
    }

    /// Maps goals to states where both are the same.
    pub(super) const fn identity(&self) -> &Proposals {
        &self.identity
    }

    /// The roadmap and the goals of its landmarks, unless there are none yet.
    pub(super) fn get(&self) -> Option<(&Roadmap, &[Vec<f32>])> {
        self.map.as_ref().map(|map| (map, self.goals.as_slice()))
    }

    /// Tells roadmaps apart, by their landmarks and by where the distance puts the first; `None` while there is none.
    pub(super) const fn fingerprint(&self) -> Option<u64> {
        self.fingerprint
    }

    /// Adds the hops that these trajectories made, and the waypoints that they reached or missed, over all ranks. Routes know
    /// of them after the next [`OnlineMap::refresh`].
    pub(super) fn witness(
        &mut self,
        paths: &Trajectories,
        space: &GoalSpace,
        epsilon: f64,
        workers: &Workers<'_>,
    ) -> Result<(), TrainingError> {
        let Some(map) = &self.map else {
            return Ok(());
        };
        let region = self.region(epsilon);
        let (states, ranges) = states_of(paths, space);
        let episodes = Episodes::new(&states, space.dims(), ranges)?;
        let found = map.find_hops(&episodes, region, workers.threads)?;
        add(&mut self.hops, of_all_ranks(found, workers)?);
        let tried = combine(attempts(paths, self.spec.limit_steps).collect());
        add(&mut self.attempts, of_all_ranks(tried, workers)?);
        Ok(())
    }

    /// Replaces the witnessed hops by those of these trajectories, given as the states of each end to end, in today's distance.
    pub(super) fn witness_again(
        &mut self,
        trajectories: &[&[f32]],
        epsilon: f64,
        threads: usize,
    ) -> Result<(), TrainingError> {
        let Some(map) = &self.map else {
            return Ok(());
        };
        let width = map.distance().inputs();
        let region = self.region(epsilon);
        let mut hops = Vec::new();
        for chunk in trajectories.chunks(CHUNK_TRAJECTORIES) {
            let states = chunk.concat();
            let mut rows = 0;
            let ranges = chunk.iter().map(|trajectory| {
                let first = rows;
                rows += trajectory.len() / width;
                first..rows
            });
            let episodes = Episodes::new(&states, width, ranges.collect())?;
            add(&mut hops, map.find_hops(&episodes, region, threads)?);
        }
        self.hops = hops;
        Ok(())
    }

    /// Which states belong to a landmark, where ε is so large.
    const fn region(&self, epsilon: f64) -> Region {
        match self.spec.region {
            WaypointRegion::Nearest => Region::Nearest,
            WaypointRegion::WithinEpsilon => Region::Within {
                radius: epsilon as f32,
            },
        }
    }

    /// Halves all counts.
    pub(super) fn forget(&mut self) {
        for hop in self.hops.iter_mut().chain(&mut self.attempts) {
            *hop = half(hop);
        }
        self.attempts.retain(|hop| hop.count + hop.failures > 0);
    }

    /// Makes goals landmarks, unless one is near; routes know of them after the next [`OnlineMap::refresh`].
    pub(super) fn grow(
        &mut self,
        distance: &Learned,
        goal_state: Option<&Proposals>,
        candidates: Vec<Vec<f32>>,
        epsilon: f64,
    ) -> Result<(), DistanceError> {
        let goal_state = goal_state.unwrap_or(&self.identity);
        let mut landmarks = SpacedLandmarks::new(distance, goal_state, self.spacing * epsilon);
        for goal in self.goals.drain(..) {
            landmarks.push(goal)?;
        }
        for goal in candidates {
            landmarks.add(goal)?;
        }
        while landmarks.goals.len() > self.spec.landmarks {
            self.spacing *= GROWTH;
            let new = landmarks.thinned(self.spacing * epsilon);
            self.hops = remapped(&self.hops, &new);
            self.attempts = remapped(&self.attempts, &new);
        }
        self.goals = landmarks.goals;
        Ok(())
    }

    /// Plans in this distance, with the landmarks and hops that are known now.
    pub(super) fn refresh(
        &mut self,
        distance: Learned,
        goal_state: Option<&Proposals>,
    ) -> Result<(), TrainingError> {
        if self.goals.is_empty() {
            return Ok(());
        }
        let goal_state = goal_state.unwrap_or(&self.identity);
        let states = self.goals.iter().flat_map(|goal| goal_state.goal(goal));
        let rule = HopRule::Witnessed {
            steps: self.spec.hop_steps,
        };
        let (states, hops) = (states.collect(), self.usable_hops());
        let map = Roadmap::with_hops(distance, states, rule, hops)?;
        self.fingerprint = Some(fingerprint(&map)?);
        self.map = Some(map.with_cost(self.cost()));
        Ok(())
    }

    /// The cost of a hop without attempts is the mean cost of all attempts so far, failures included. With a lower one, routes
    /// prefer hops without attempts: there are thousands, and most of them fail.
    fn cost(&self) -> HopCost {
        let failed_steps = self.spec.limit_steps as f32;
        let sum = |of: fn(&Hop) -> u64| self.attempts.iter().map(of).sum::<u64>() as f32;
        let made = sum(|hop| u64::from(hop.count)).max(1.0);
        let failed = sum(|hop| u64::from(hop.failures)) * failed_steps;
        let untried_steps = (sum(|hop| hop.total_steps) + failed) / made;
        HopCost::Attempts {
            untried_steps: untried_steps.max(1.0),
            failed_steps,
        }
    }

    /// Hops that routes may take: witnessed or made, and not missed more often than made. Their counts are those of attempts.
    fn usable_hops(&self) -> Vec<Hop> {
        let witnessed = self.hops.iter().map(|hop| Hop {
            count: 0,
            failures: 0,
            total_steps: 0,
            ..*hop
        });
        let is_witnessed = |hop: &&Hop| match self.spec.hops_from {
            HopsFrom::History => true,
            HopsFrom::Replay => {
                let found = self.hops.binary_search_by_key(&hop.ends(), Hop::ends);
                found.is_ok()
            }
        };
        let attempts = self.attempts.iter().filter(is_witnessed).copied();
        let mut hops = combine(witnessed.chain(attempts).collect());
        hops.retain(|hop| !hop.is_dropped());
        hops
    }

    pub(super) fn report(&self) -> MapReport {
        let dropped = self.attempts.iter().filter(|hop| hop.is_dropped());
        MapReport {
            landmarks: self.goals.len(),
            hops: self.map.as_ref().map_or(0, |map| map.hops().len()),
            dropped_hops: dropped.count(),
        }
    }

    pub(super) fn save(&self) -> Vec<NamedArray> {
        let landmarks = [self.goals.len(), self.dims];
        vec![
            NamedArray::f32(LANDMARKS, landmarks, self.goals.concat()),
            NamedArray::u64(HOPS, encoded_hops(&self.hops)),
            NamedArray::u64(ATTEMPTS, encoded_hops(&self.attempts)),
            NamedArray::u64(SPACING, [self.spacing.to_bits()]),
        ]
    }

    /// Restores landmarks and hops; call [`OnlineMap::refresh`] with the restored distance next.
    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let rows = find_rows(arrays, LANDMARKS, self.dims)?;
        self.goals = rows.chunks_exact(self.dims).map(<[f32]>::to_vec).collect();
        self.hops = decoded_hops(arrays, HOPS, self.goals.len())?;
        self.attempts = decoded_hops(arrays, ATTEMPTS, self.goals.len())?;
        let [spacing] = find_u64(arrays, SPACING)?;
        self.spacing = f64::from_bits(spacing);
        (self.map, self.fingerprint) = (None, None);
        Ok(())
    }
}

fn fingerprint(map: &Roadmap) -> Result<u64, DistanceError> {
    let point = map.distance().embed(map.landmark(0))?;
    let mut hasher = DefaultHasher::new();
    for number in map.states().iter().chain(&point) {
        hasher.write_u32(number.to_bits());
    }
    Ok(hasher.finish())
}

/// Adds hops to others.
fn add(known: &mut Vec<Hop>, new: Vec<Hop>) {
    *known = combine(std::mem::take(known).into_iter().chain(new).collect());
}

/// Numbers of the roadmap after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapReport {
    /// Landmarks.
    pub landmarks: usize,
    /// Hops that routes may take.
    pub hops: usize,
    /// Hops that failed more often than they were made.
    pub dropped_hops: usize,
}

/// Hops between landmarks under their new numbers.
fn remapped(hops: &[Hop], new: &[u32]) -> Vec<Hop> {
    let moved = hops.iter().map(|hop| Hop {
        from: new[hop.from as usize],
        to: new[hop.to as usize],
        ..*hop
    });
    combine(moved.filter(|hop| hop.from != hop.to).collect())
}

/// The states of whole episodes, tails included, and the rows of each.
fn states_of(paths: &Trajectories, space: &GoalSpace) -> (Vec<f32>, Vec<std::ops::Range<usize>>) {
    let (mut states, mut ranges) = (Vec::new(), Vec::new());
    let mut rows = 0;
    for episode in paths.episodes() {
        let first = rows;
        for row in episode.rows() {
            if let Some(observation) = paths.observations().row_f32(row) {
                states.extend_from_slice(&space.project(observation));
                rows += 1;
            }
        }
        ranges.push(first..rows);
    }
    (states, ranges)
}

/// Waypoints that were reached, and those that took `limit_steps`, as hops. A segment that the end of its episode cut off is
/// neither.
fn attempts(paths: &Trajectories, limit_steps: usize) -> impl Iterator<Item = Hop> {
    let segments = paths.episodes().iter().flat_map(|e| &e.segments);
    segments.filter_map(move |segment| {
        let (from, to) = segment.hop.filter(|(from, to)| from != to)?;
        let [count, failures] = match segment.end {
            End::Reached => [1, 0],
            End::Horizon if segment.steps >= limit_steps => [0, 1],
            _ => return None,
        };
        let steps = segment.steps as u32;
        Some(Hop {
            from,
            to,
            count,
            failures,
            total_steps: u64::from(count * steps),
            fewest_steps: if count > 0 { steps } else { u32::MAX },
            between_steps: f32::INFINITY,
        })
    })
}

/// Half of the counts, rounded so that a hop that was witnessed or made stays one, with the same mean.
fn half(hop: &Hop) -> Hop {
    let count = hop.count.div_ceil(2);
    let mean = hop.mean_steps().unwrap_or(0.0);
    Hop {
        count,
        failures: hop.failures / 2,
        total_steps: (mean * f64::from(count)).round() as u64,
        ..*hop
    }
}
