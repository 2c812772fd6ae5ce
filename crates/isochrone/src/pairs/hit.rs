//! First hits: the first time that a trajectory reaches a state.

use super::Episodes;
use std::ops::Range;

/// The first row among `rows` whose state is within `radius` of `goal`:
///
/// ```text
/// min{ u : ‖s_u − g‖₂ ≤ r }
/// ```
///
/// Skips a row as soon as one entry alone exceeds the radius, in practice usually the first.
pub fn first_hit(
    episodes: &Episodes<'_>,
    rows: Range<usize>,
    goal: &[f32],
    radius: f32,
) -> Option<usize> {
    let limit = radius * radius;
    let is_hit = |row: &usize| {
        let mut left = limit;
        episodes.state(*row).iter().zip(goal).all(|(s, g)| {
            left -= (s - g) * (s - g);
            left >= 0.0
        })
    };
    rows.into_iter().find(is_hit)
}

/// The same for many queries: compares the states' first entries, stored contiguously, a block at a time.
#[derive(Clone, Debug)]
pub(crate) struct FirstEntries {
    entries: Vec<f32>,
}

/// Rows compared at a time.
const BLOCK: usize = 64;

impl FirstEntries {
    pub(crate) fn of(episodes: &Episodes<'_>) -> Self {
        let rows = episodes.ranges().iter().map(|range| range.end).max();
        let mut entries = vec![0.0; rows.unwrap_or(0)];
        // Only the rows of these trajectories: others belong to other parts.
        for row in episodes.ranges().iter().flat_map(Clone::clone) {
            entries[row] = episodes.state(row)[0];
        }
        Self { entries }
    }

    /// [`first_hit`] on the same episodes.
    pub(crate) fn first_hit(
        &self,
        episodes: &Episodes<'_>,
        rows: Range<usize>,
        goal: &[f32],
        radius: f32,
    ) -> Option<usize> {
        self.search(episodes, rows, goal, goal[0], radius)
    }

    /// The same for a goal that is a state of these episodes: its first entry is already stored.
    pub(crate) fn first_hit_of(
        &self,
        episodes: &Episodes<'_>,
        rows: Range<usize>,
        goal: usize,
        radius: f32,
    ) -> Option<usize> {
        let entry = self.entries[goal];
        self.search(episodes, rows, episodes.state(goal), entry, radius)
    }

    fn search(
        &self,
        episodes: &Episodes<'_>,
        rows: Range<usize>,
        goal: &[f32],
        entry: f32,
        radius: f32,
    ) -> Option<usize> {
        let (limit, mut start) = (radius * radius, rows.start);
        for block in self.entries[rows].chunks(BLOCK) {
            let end = start + block.len();
            // No early exit: without a branch the compiler vectorises the loop.
            let mut is_near = false;
            for e in block {
                is_near |= (e - entry) * (e - entry) <= limit;
            }
            if is_near {
                let hit = first_hit(episodes, start..end, goal, radius);
                if hit.is_some() {
                    return hit;
                }
            }
            start = end;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use rand::RngExt;

    #[test]
    fn both_ways_find_the_same() {
        let mut rng = Seed(5).stream(Purpose::Pairs, 0, 0);
        // Few distinct values, so that first entries often agree and whole states sometimes do.
        let states: Vec<f32> = (0..3 * 700)
            .map(|_| rng.random_range(0..9) as f32)
            .collect();
        let episodes = Episodes::new(&states, 3, vec![0..300, 300..700]).unwrap();
        let entries = FirstEntries::of(&episodes);
        let mut hits = 0;
        for _ in 0..2_000 {
            let start = rng.random_range(0..700);
            let rows = start..rng.random_range(start..=700);
            let place = rng.random_range(0..700);
            let goal = episodes.state(place);
            let radius = [0.0, 1e-4, 1.0, 1.5][rng.random_range(0..4)];
            let expected = first_hit(&episodes, rows.clone(), goal, radius);
            let found = entries.first_hit(&episodes, rows.clone(), goal, radius);
            assert_eq!(found, expected);
            let found = entries.first_hit_of(&episodes, rows, place, radius);
            assert_eq!(found, expected);
            hits += usize::from(found.is_some());
        }
        assert!((200..1_800).contains(&hits), "{hits}");
    }
}
