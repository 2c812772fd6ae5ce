//! Hops as trajectories witness them: where each state belongs, and which regions come after which.

use super::RoadmapError;
use super::hops::{Hop, merged};
use super::index::{NearestIndex, shares};
use crate::distance::Learned;
use crate::pairs::Episodes;
use std::collections::BTreeMap;
use std::ops::Range;

/// The hops of some trajectories, by their ends.
///
/// A visit to a landmark's region ends with its last state there. From that state on, each other region that is entered
/// within `most_steps` is one hop, counted once, with the steps until it is first entered. (Earlier states of a visit are
/// farther from everything that comes after: they would add no hop.)
pub(super) fn hops(
    distance: &Learned,
    index: &NearestIndex,
    episodes: &Episodes<'_>,
    most_steps: usize,
    threads: usize,
) -> Result<Vec<Hop>, RoadmapError> {
    let work = |ranges: &[Range<usize>]| hops_of(distance, index, episodes, ranges, most_steps);
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
    most_steps: usize,
) -> Result<Vec<Hop>, RoadmapError> {
    let mut found = vec![BTreeMap::new(); index.len()];
    for rows in ranges {
        let visits = visits(distance, index, episodes.rows(rows.clone()))?;
        departures(&visits, most_steps, &mut found);
        shortest(&visits, most_steps, &mut found);
    }
    Ok(found.into_iter().flat_map(BTreeMap::into_values).collect())
}

/// A state of a trajectory: its region, and the steps from and to the region's landmark.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Visit {
    region: u32,
    from_landmark: f32,
    to_landmark: f32,
}

fn visits(
    distance: &Learned,
    index: &NearestIndex,
    states: &[f32],
) -> Result<Vec<Visit>, RoadmapError> {
    let metric = distance.metric();
    let visit = |state: &[f32]| {
        let point = distance.embed(state)?;
        let region = index.nearest(&point);
        let landmark = index.point(region);
        Ok(Visit {
            region: region as u32,
            from_landmark: metric.one_way(landmark, &point) as f32,
            to_landmark: metric.one_way(&point, landmark) as f32,
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
        let from = pair[0].region;
        if from == pair[1].region {
            continue;
        }
        entered.clear();
        let ahead = visits[row + 1..].iter().take(most_steps).zip(1_u32..);
        for (visit, steps) in ahead {
            let to = visit.region;
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
        let ahead = visits[row + 1..].iter().take(most_steps).zip(1_u32..);
        let found = &mut found[start.region as usize];
        for (end, steps) in ahead.filter(|(end, _)| end.region != start.region) {
            if let Some(hop) = found.get_mut(&end.region) {
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

    fn on_landmarks(regions: &[u32]) -> Vec<Visit> {
        let visit = |region: &u32| Visit {
            region: *region,
            from_landmark: 0.0,
            to_landmark: 0.0,
        };
        regions.iter().map(visit).collect()
    }

    proptest! {
        /// The hops are those of the definition: every pair of regions at most L steps apart in the log, with the fewest
        /// steps between them.
        #[test]
        fn hops_are_all_pairs_within_reach(
            labels in prop::collection::vec(0_u32..5, 0..60),
            most_steps in 1_usize..8,
        ) {
            let mut wanted: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for from in 0..labels.len() {
                for steps in 1..=most_steps.min(labels.len() - 1 - from) {
                    if labels[from] != labels[from + steps] {
                        let fewest = wanted.entry((labels[from], labels[from + steps])).or_insert(u32::MAX);
                        *fewest = (*fewest).min(steps as u32);
                    }
                }
            }
            let visits = on_landmarks(&labels);
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
        departures(&on_landmarks(&[7, 7, 7, 2, 2, 7, 2, 3]), 3, &mut found);
        let found = found.iter().flat_map(BTreeMap::values);
        let counts: Vec<_> = found.map(|hop: &Hop| (hop.ends(), hop.count)).collect();
        assert_eq!(counts, [((2, 3), 1), ((2, 7), 1), ((7, 2), 2), ((7, 3), 1)]);
    }
}
