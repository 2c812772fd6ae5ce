//! Which logged states become landmarks.

use crate::distance::{DistanceError, Learned};
use crate::rng::{Seed, Stream};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// How landmarks are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// Evenly at random over all states: as dense as the log.
    #[default]
    Random,
    /// Farthest-point sampling in the learned distance: as even as can be over what the log visits, outliers included.
    FarthestPoint,
}

/// States for farthest-point sampling to choose from, per landmark.
const CANDIDATES_PER_LANDMARK: usize = 20;

/// Chooses landmarks from states that go by: reservoir sampling (Vitter's algorithm R), then, if asked for, farthest
/// points among those.
#[derive(Debug)]
pub struct Landmarks {
    count: usize,
    selection: Selection,
    width: usize,
    kept: Vec<f32>,
    seen: u64,
    rng: crate::rng::Rng,
}

impl Landmarks {
    /// So many landmarks among states of `width` entries.
    pub fn new(count: usize, selection: Selection, width: usize, seed: Seed) -> Self {
        Self {
            count: count.max(1),
            selection,
            width: width.max(1),
            kept: Vec::new(),
            seen: 0,
            rng: seed.of(Stream::Landmarks),
        }
    }

    /// Another state.
    pub fn add(&mut self, state: &[f32]) {
        self.seen += 1;
        let room = match self.selection {
            Selection::Random => self.count,
            Selection::FarthestPoint => self.count.saturating_mul(CANDIDATES_PER_LANDMARK),
        };
        if self.kept.len() < room.saturating_mul(self.width) {
            self.kept.extend_from_slice(state);
            return;
        }
        let at = self.rng.random_range(0..self.seen);
        if at < room as u64 {
            let at = at as usize * self.width;
            self.kept[at..at + self.width].copy_from_slice(state);
        }
    }

    /// The landmarks, end to end. Equal states are one.
    pub fn choose(self, distance: &Learned) -> Result<Vec<f32>, DistanceError> {
        let mut rows: Vec<&[f32]> = self.kept.chunks(self.width).collect();
        if self.selection == Selection::FarthestPoint {
            rows = farthest(distance, &rows, self.count)?;
        }
        let bits = |row: &[f32]| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let mut seen = std::collections::BTreeSet::new();
        rows.retain(|row| seen.insert(bits(row)));
        Ok(rows.concat())
    }
}

/// Farthest-point sampling: the first row, then always the row whose nearest chosen one is farthest,
///
/// ```text
/// argmax_x min_{l chosen} ‖e(x) − e(l)‖
/// ```
fn farthest<'a>(
    distance: &Learned,
    rows: &[&'a [f32]],
    count: usize,
) -> Result<Vec<&'a [f32]>, DistanceError> {
    let norm = distance.metric().norm();
    let points = rows.iter().map(|row| distance.embed(row));
    let points: Vec<Vec<f32>> = points.collect::<Result<_, _>>()?;
    let mut apart = vec![f32::INFINITY; rows.len()];
    let mut chosen = Vec::new();
    let mut next = (!rows.is_empty()).then_some(0);
    while let Some(at) = next
        && chosen.len() < count
    {
        chosen.push(rows[at]);
        for (least, point) in apart.iter_mut().zip(&points) {
            *least = least.min(norm.apart(point, &points[at]));
        }
        let candidates = apart.iter().enumerate().filter(|a| *a.1 > 0.0);
        // Of equals the first.
        next = candidates
            .max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))
            .map(|(at, _)| at);
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    fn line(selection: Selection, seed: u64) -> Vec<f32> {
        let mut landmarks = Landmarks::new(10, selection, 1, Seed(seed));
        // Dense near 0, a few far away.
        for at in 0..5_000_u16 {
            landmarks.add(&[f32::from(at) / 5_000.0]);
        }
        for at in 1..=9_u16 {
            landmarks.add(&[f32::from(at)]);
        }
        let distance = Learned::euclidean(1, None, 1.0).unwrap();
        landmarks.choose(&distance).unwrap()
    }

    #[test]
    fn random_landmarks_are_as_dense_as_the_log() {
        let inside = |seed| {
            line(Selection::Random, seed)
                .iter()
                .filter(|x| **x < 1.0)
                .count()
        };
        assert!((0..20).map(inside).sum::<usize>() >= 195);
        assert_ne!(line(Selection::Random, 0), line(Selection::Random, 1));
        assert_eq!(line(Selection::Random, 3), line(Selection::Random, 3));
    }

    #[test]
    fn farthest_points_are_spread_evenly() {
        let mut chosen = Vec::new();
        for seed in 0..20 {
            let mut rows = line(Selection::FarthestPoint, seed);
            rows.sort_by(f32::total_cmp);
            let gaps = rows.windows(2).map(|pair| pair[1] - pair[0]);
            chosen.push(gaps.fold(f32::INFINITY, f32::min));
        }
        assert!(chosen.iter().all(|gap| *gap > 0.02), "{chosen:?}");
    }

    #[test]
    fn equal_states_are_one_landmark() {
        let mut landmarks = Landmarks::new(10, Selection::Random, 2, Seed(0));
        for _ in 0..100 {
            landmarks.add(&[1.0, 2.0]);
        }
        let distance = Learned::euclidean(2, None, 1.0).unwrap();
        assert_eq!(landmarks.choose(&distance).unwrap(), [1.0, 2.0]);
    }
}
