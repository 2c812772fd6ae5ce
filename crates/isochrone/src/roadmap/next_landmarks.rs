//! The next landmark on the cheapest routes between all regions, for many lookups.

use super::Roadmap;
use super::tree::{GOAL, cheapest};
use crate::distance::DistanceError;

/// The next landmark for every pair of regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextLandmarks {
    landmarks: usize,
    /// Row by row of regions to go to.
    next: Vec<u32>,
}

impl NextLandmarks {
    /// The next landmark from the region of one to another; `None` where they are the same, or no route leads there.
    pub fn between(&self, from: usize, to: usize) -> Option<usize> {
        let next = self.next[to * self.landmarks + from];
        (next != GOAL).then_some(next as usize)
    }
}

impl Roadmap {
    /// The next landmarks of the cheapest routes between all landmarks: Dijkstra's algorithm once for each.
    pub fn next_landmarks(&self) -> NextLandmarks {
        let landmarks = self.len();
        let mut next = Vec::with_capacity(landmarks * landmarks);
        for to in 0..landmarks {
            let (_, row) = cheapest(&self.hops, &[(to, 0.0)], None, |way| way.cost);
            next.extend(row);
        }
        NextLandmarks { landmarks, next }
    }

    /// The nearest landmarks of many states. The last digits of their points may differ from those of [`Roadmap::nearest`].
    pub(crate) fn regions(&self, states: &[&[f32]]) -> Result<Vec<usize>, DistanceError> {
        let points = self.distance.embed_rows(states)?;
        let width = self.distance.metric().outputs().max(1);
        let nearest = points.chunks_exact(width);
        Ok(nearest.map(|point| self.index.nearest(point)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::HopRule;
    use super::*;
    use crate::distance::Learned;
    use crate::pairs::Episodes;

    /// Two ways from 0 to 9: by 3 and 6, and by a detour at 20; there is no way back.
    #[test]
    fn next_landmarks_are_on_the_cheapest_routes() {
        let walks = [0.0, 3.0, 6.0, 9.0, 0.0, 20.0, 9.0];
        let distance = Learned::euclidean(1, None, 1.0).unwrap();
        let rule = HopRule::Witnessed { steps: 1 };
        let mut map = Roadmap::new(distance, vec![0.0, 3.0, 6.0, 9.0, 20.0], rule).unwrap();
        map.witness(&Episodes::new(&walks, 1, vec![0..4, 4..7]).unwrap(), 1)
            .unwrap();
        let next = map.next_landmarks();
        let from_0 = [None, Some(1), Some(1), Some(1), Some(4)];
        assert_eq!([0, 1, 2, 3, 4].map(|to| next.between(0, to)), from_0);
        let to_9 = [Some(1), Some(2), Some(3), None, Some(3)];
        assert_eq!([0, 1, 2, 3, 4].map(|from| next.between(from, 3)), to_9);
        assert_eq!(next.between(3, 0), None);
        let regions = map.regions(&[&[0.4], &[4.4], &[8.0], &[17.0]]).unwrap();
        assert_eq!(regions, [0, 1, 3, 4]);
    }
}
