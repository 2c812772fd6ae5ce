//! The landmark whose point is nearest to a state's, exactly.
//!
//! Landmarks are grouped round pivots. By the triangle inequality of the norm, with r(l) a landmark's distance from its
//! pivot c,
//!
//! ```text
//! ‖x − l‖ ≥ | ‖x − c‖ − r(l) |
//! ```
//!
//! so of each group only the landmarks with r within the best distance of ‖x − c‖ are looked at. Points of trajectories
//! lie near a surface of few dimensions whatever the embedding has, where this leaves a few hundred of 10⁵.

use super::RoadmapError;
use crate::distance::{Learned, Norm};

/// Points in groups, each ordered by its distance from the group's pivot.
#[derive(Clone, Debug)]
pub(super) struct NearestIndex {
    norm: Norm,
    width: usize,
    /// All points by landmark.
    points: Vec<f32>,
    /// The same, group by group.
    grouped: Vec<f32>,
    /// The landmark of each grouped point, and its distance from its pivot.
    members: Vec<(u32, f32)>,
    groups: Vec<Group>,
}

#[derive(Clone, Debug)]
struct Group {
    pivot: Vec<f32>,
    start: usize,
    end: usize,
}

/// f32 sums of a few dozen terms are right to far less than this share: nothing nearest is passed over.
const SLACK: f32 = 1e-4;

impl NearestIndex {
    /// Of these states, end to end.
    pub(super) fn of_states(distance: &Learned, states: &[f32]) -> Result<Self, RoadmapError> {
        let mut points = Vec::new();
        for state in states.chunks(distance.inputs()) {
            points.extend(distance.embed(state)?);
        }
        let width = distance.metric().outputs();
        let landmarks = points.len() / width.max(1);
        if landmarks == 0 {
            return Err(RoadmapError::NoLandmarks);
        }
        if u32::try_from(landmarks).is_err() {
            return Err(RoadmapError::TooMany { landmarks });
        }
        Ok(Self::of_points(distance.metric().norm(), width, points))
    }

    fn of_points(norm: Norm, width: usize, points: Vec<f32>) -> Self {
        let n = points.len() / width;
        let n_groups = (n as f64).sqrt().ceil() as usize;
        let point = |at: usize| &points[at * width..(at + 1) * width];
        // Landmarks are in random order or spread evenly, so every so-manieth is as good a pivot as any.
        let mut pivots: Vec<Vec<f32>> = Vec::with_capacity(n_groups);
        for at in (0..n).step_by(n.div_ceil(n_groups)) {
            pivots.push(point(at).to_vec());
        }
        let mut members: Vec<(usize, u32, f32)> = Vec::with_capacity(n);
        for landmark in 0..n {
            let apart = pivots
                .iter()
                .map(|pivot| norm.apart(pivot, point(landmark)));
            let nearest = apart.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            let (group, apart) = nearest.unwrap_or((0, f32::NAN));
            members.push((group, landmark as u32, apart));
        }
        members.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.total_cmp(&b.2)).then(a.1.cmp(&b.1)));
        let mut start = 0;
        let mut groups = Vec::with_capacity(pivots.len());
        for (group, pivot) in pivots.into_iter().enumerate() {
            let end = start + members[start..].partition_point(|member| member.0 == group);
            groups.push(Group { pivot, start, end });
            start = end;
        }
        let grouped = members.iter().flat_map(|member| point(member.1 as usize));
        Self {
            norm,
            width,
            grouped: grouped.copied().collect(),
            members: members.into_iter().map(|(_, l, r)| (l, r)).collect(),
            groups,
            points,
        }
    }

    /// How many landmarks there are.
    pub(super) const fn len(&self) -> usize {
        self.members.len()
    }

    /// The point of a landmark.
    pub(super) fn point(&self, landmark: usize) -> &[f32] {
        &self.points[landmark * self.width..(landmark + 1) * self.width]
    }

    /// The landmark whose point is nearest; of equals the first.
    pub(super) fn nearest(&self, point: &[f32]) -> usize {
        let nearest = self.nearest_some(point, 1);
        nearest.first().map_or(0, |found| found.1 as usize)
    }

    /// The `k` nearest, nearest first; fewer if there are fewer.
    pub(super) fn nearest_some(&self, point: &[f32], k: usize) -> Vec<(f32, u32)> {
        let k = k.clamp(1, self.len());
        let mut order: Vec<(f32, usize)> = Vec::with_capacity(self.groups.len());
        for (at, group) in self.groups.iter().enumerate() {
            order.push((self.norm.apart(point, &group.pivot), at));
        }
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Vec<(f32, u32)> = Vec::with_capacity(k + 1);
        for (apart, at) in order {
            let worst = best.get(k - 1).map_or(f32::INFINITY, |last| last.0);
            for number in self.candidates(&self.groups[at], apart, worst) {
                let member = &self.grouped[number * self.width..(number + 1) * self.width];
                insert(
                    &mut best,
                    k,
                    (self.norm.apart(point, member), self.members[number].0),
                );
            }
        }
        best
    }

    /// All landmarks within a norm of a point, in no order.
    pub(super) fn within(&self, point: &[f32], norm: f32) -> Vec<u32> {
        let mut found = Vec::new();
        for group in &self.groups {
            let apart = self.norm.apart(point, &group.pivot);
            for number in self.candidates(group, apart, norm) {
                let member = &self.grouped[number * self.width..(number + 1) * self.width];
                if self.norm.apart(point, member) <= norm {
                    found.push(self.members[number].0);
                }
            }
        }
        found
    }

    /// The members of a group that can be within `norm` of a point that is `apart` from its pivot.
    fn candidates(&self, group: &Group, apart: f32, norm: f32) -> std::ops::Range<usize> {
        let slack = SLACK * (apart + norm);
        let members = &self.members[group.start..group.end];
        // A NaN is no reason to leave anything out.
        let first = members.partition_point(|m| m.1 < apart - norm - slack);
        let high = apart + norm + slack;
        let last = if high.is_nan() {
            members.len()
        } else {
            members.partition_point(|m| m.1 <= high)
        };
        group.start + first..group.start + last.max(first)
    }
}

/// Keeps the `k` smallest, of equals the lower landmark.
fn insert(best: &mut Vec<(f32, u32)>, k: usize, found: (f32, u32)) {
    let at = best.partition_point(|b| b.0.total_cmp(&found.0).then(b.1.cmp(&found.1)).is_lt());
    if at < k {
        best.insert(at, found);
        best.truncate(k);
    }
}

/// Work on equal shares of a list, one per thread; the results in the order of the list.
pub(super) fn shares<T: Sync, R: Send>(
    list: &[T],
    threads: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let share = list.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        let work = &work;
        let start = |share| scope.spawn(move || work(share));
        let handles: Vec<_> = list.chunks(share).map(start).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, R>| {
            let result = handle.join();
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        handles.into_iter().map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Exact: the same landmarks as by looking at all of them.
        #[test]
        fn the_index_finds_what_a_full_search_finds(
            entries in prop::collection::vec(-5_i8..5, 3..600),
            query in prop::array::uniform3(-6.0_f32..6.0),
            p in prop::sample::select(vec![1.0_f64, 2.0, 3.5]),
            k in 1_usize..6,
        ) {
            // Whole numbers: many equal distances.
            let n = entries.len() / 3;
            let points: Vec<f32> = entries[..3 * n].iter().map(|x| f32::from(*x)).collect();
            let norm = Norm::new(3, p);
            let index = NearestIndex::of_points(norm, 3, points.clone());
            let mut all: Vec<(f32, u32)> = points.chunks(3).zip(0..)
                .map(|(point, at)| (norm.apart(&query, point), at)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            prop_assert_eq!(index.nearest_some(&query, k), all[..k.min(n)].to_vec());
            let mut near = index.within(&query, 4.0);
            near.sort_unstable();
            let mut wanted: Vec<u32> = all.iter().filter(|a| a.0 <= 4.0).map(|a| a.1).collect();
            wanted.sort_unstable();
            prop_assert_eq!(near, wanted);
        }
    }
}
