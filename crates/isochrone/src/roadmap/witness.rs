//! Hops as trajectories witness them: where each state belongs, and which regions come after which.
//!
//! The region of a landmark is the states that are nearest to it, or only those of them within a radius ([`Region`]).

use super::RoadmapError;
use super::hops::{Hop, merged};
use super::index::{NearestIndex, shares};
use crate::distance::Learned;
use crate::pairs::Episodes;
use std::collections::BTreeMap;
use std::ops::Range;

/// Which states belong to a landmark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// All that are nearer to it than to any other.
    Nearest,
    /// Of those, the ones that are less than so many steps from it. Where a wall is thinner than landmarks are apart, the nearest
    /// landmark may be behind it, and hops would be witnessed through the wall.
    Within {
        /// The radius, in units of the distance.
        radius: f32,
    },
}

impl Region {
    fn holds(self, to_landmark: f32) -> bool {
        match self {
            Self::Nearest => true,
            Self::Within { radius } => to_landmark < radius,
        }
    }
}

/// The hops of some trajectories, by their ends.
///
/// A visit to a landmark's region ends with its last state there. From that state on, each other region that is entered
/// within `most_steps` is one hop, counted once, with the steps until it is first entered. (Earlier states of a visit are
/// farther from everything that comes after: they would add no hop.) States outside all regions are passed over.
pub(super) fn hops(
    distance: &Learned,
    index: &NearestIndex,
    episodes: &Episodes<'_>,
    rule: WitnessRule,
    threads: usize,
) -> Result<Vec<Hop>, RoadmapError> {
    let work = |ranges: &[Range<usize>]| hops_of(distance, index, episodes, ranges, rule);
    let mut all = Vec::new();
    for share in shares(episodes.ranges(), threads, work) {
        all = merged(all, share?);
    }
    Ok(all)
}

fn hops_of(
    distance: &Learned,
    index: &NearestIndex,
    episodes: &Episodes<'_>,
    ranges: &[Range<usize>],
    rule: WitnessRule,
) -> Result<Vec<Hop>, RoadmapError> {
    let mut found = vec![BTreeMap::new(); index.len()];
    for rows in ranges {
        let visits = visits(distance, index, episodes.rows(rows.clone()), rule.region)?;
        departures(&visits, rule.most_steps, &mut found);
        shortest(&visits, rule.most_steps, &mut found);
    }
    Ok(found.into_iter().flat_map(BTreeMap::into_values).collect())
}

/// Which hops count: the longest, and between which regions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WitnessRule {
    pub(super) most_steps: usize,
    pub(super) region: Region,
}

/// A state of a trajectory: its region, and the steps from and to the region's landmark.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Visit {
    /// `None` outside all regions.
    region: Option<u32>,
    from_landmark: f32,
    to_landmark: f32,
}

fn visits(
    distance: &Learned,
    index: &NearestIndex,
    states: &[f32],
    region: Region,
) -> Result<Vec<Visit>, RoadmapError> {
    let metric = distance.metric();
    let visit = |state: &[f32]| {
        let point = distance.embed(state)?;
        let nearest = index.nearest(&point);
        let landmark = index.point(nearest);
        let to_landmark = metric.one_way(&point, landmark) as f32;
        Ok(Visit {
            region: region.holds(to_landmark).then_some(nearest as u32),
            from_landmark: metric.one_way(landmark, &point) as f32,
            to_landmark,
        })
    };
    states.chunks(distance.inputs()).map(visit).collect()
}

/// Hops by the region that was left, then by the one that was entered.
type Found = Vec<BTreeMap<u32, Hop>>;

/// Counts the hops of one trajectory.
fn departures(visits: &[Visit], most_steps: usize, found: &mut Found) {
    let mut entered = Vec::new();
    for (row, pair) in visits.windows(2).enumerate() {
        let Some(from) = pair[0].region else {
            continue;
        };
        if pair[1].region == Some(from) {
            continue;
        }
        entered.clear();
        let ahead = visits[row + 1..].iter().take(most_steps).zip(1_u32..);
        for (to, steps) in ahead.filter_map(|(visit, steps)| Some((visit.region?, steps))) {
            if to == from {
                // Back again: what comes after is seen from there.
                break;
            }
            if !entered.contains(&to) {
                entered.push(to);
                let hop = Hop {
                    from,
                    to,
                    count: 1,
                    failures: 0,
                    total_steps: u64::from(steps),
                    fewest_steps: steps,
                    between_steps: f32::INFINITY,
                };
                let known = found[from as usize].entry(to);
                known.and_modify(|known| known.add(&hop)).or_insert(hop);
            }
        }
    }
}

/// Finds the best of all stretches between two landmarks, for hops that are known.
fn shortest(visits: &[Visit], most_steps: usize, found: &mut Found) {
    for (row, start) in visits.iter().enumerate() {
        let Some(from) = start.region else {
            continue;
        };
        let ahead = visits[row + 1..].iter().take(most_steps).zip(1_u32..);
        let found = &mut found[from as usize];
        for (end, steps) in ahead {
            let to = end.region.filter(|to| *to != from);
            if let Some(hop) = to.and_then(|to| found.get_mut(&to)) {
                let steps = start.from_landmark + steps as f32 + end.to_landmark;
                hop.between_steps = hop.between_steps.min(steps);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn on_landmarks(regions: impl IntoIterator<Item = Option<u32>>) -> Vec<Visit> {
        let visit = |region| Visit {
            region,
            from_landmark: 0.0,
            to_landmark: 0.0,
        };
        regions.into_iter().map(visit).collect()
    }

    proptest! {
        /// The hops are those of the definition: every pair of regions at most L steps apart in the log, with the fewest
        /// steps between them. States outside all regions take steps and belong to no hop.
        #[test]
        fn hops_are_all_pairs_within_reach(
            labels in prop::collection::vec(prop::option::weighted(0.8, 0_u32..5), 0..60),
            most_steps in 1_usize..8,
        ) {
            let mut wanted: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for from in 0..labels.len() {
                for steps in 1..=most_steps.min(labels.len() - 1 - from) {
                    if let (Some(i), Some(j)) = (labels[from], labels[from + steps]) && i != j {
                        let fewest = wanted.entry((i, j)).or_insert(u32::MAX);
                        *fewest = (*fewest).min(steps as u32);
                    }
                }
            }
            let visits = on_landmarks(labels);
            let mut found = vec![BTreeMap::new(); 5];
            departures(&visits, most_steps, &mut found);
            shortest(&visits, most_steps, &mut found);
            let found: Vec<Hop> = found.into_iter().flat_map(BTreeMap::into_values).collect();
            let fewest = found.iter().map(|hop| (hop.ends(), hop.fewest_steps)).collect();
            prop_assert_eq!(wanted, fewest);
            // On the landmarks themselves nothing is added at the ends.
            prop_assert!(found.iter().all(|hop| (hop.between_steps - hop.fewest_steps as f32).abs() < 1e-6));
        }
    }

    #[test]
    fn a_visit_counts_once() {
        let mut found = vec![BTreeMap::new(); 8];
        let regions = [7, 7, 7, 2, 2, 7, 2, 3].map(Some);
        departures(&on_landmarks(regions), 3, &mut found);
        let found = found.iter().flat_map(BTreeMap::values);
        let counts: Vec<_> = found.map(|hop: &Hop| (hop.ends(), hop.count)).collect();
        assert_eq!(counts, [((2, 3), 1), ((2, 7), 1), ((7, 2), 2), ((7, 3), 1)]);
    }

    /// A walk along a wall, with a landmark on the wall's other side: its states are nearest to that landmark for a while, and
    /// only a radius keeps it from witnessing a hop through the wall.
    #[test]
    fn a_landmark_behind_a_wall_is_not_entered() {
        let landmarks = vec![0.0, 0.0, 2.0, 0.6, 4.0, 0.0];
        let walk: Vec<f32> = (0..=40).flat_map(|t| [0.1 * t as f32, 0.0]).collect();
        let distance = Learned::euclidean(2, None, 1.0).unwrap();
        let index = NearestIndex::of_states(&distance, &landmarks).unwrap();
        let episodes = Episodes::new(&walk, 2, std::iter::once(0..41).collect()).unwrap();
        let ends = |region, most_steps| {
            let rule = WitnessRule { most_steps, region };
            let found = hops(&distance, &index, &episodes, rule, 1).unwrap();
            found.iter().map(Hop::ends).collect::<Vec<_>>()
        };
        assert_eq!(ends(Region::Nearest, 20), [(0, 1), (0, 2), (1, 2)]);
        let within = Region::Within { radius: 0.5 };
        assert_eq!(ends(within, 20), []);
        assert_eq!(ends(within, 40), [(0, 2)]);
    }
}
