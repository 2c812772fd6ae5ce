//! The next landmark on the cheapest routes between all regions, for many questions at once.

use super::Roadmap;
use super::tree::{GOAL, cheapest};
use crate::distance::DistanceError;

/// Where to go next, from every region to every region.
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

    /// A walk from 0 to 9 with landmarks at every third state: one way only.
    #[test]
    fn next_landmarks_are_those_of_the_goal_trees() {
        let walk: Vec<f32> = (0_u8..10).map(f32::from).collect();
        let distance = Learned::euclidean(1, None, 1.0).unwrap();
        let rule = HopRule::Witnessed { steps: 3 };
        let mut map = Roadmap::new(distance, vec![0.0, 3.0, 6.0, 9.0], rule).unwrap();
        map.witness(&Episodes::new(&walk, 1, vec![0..10]).unwrap(), 1)
            .unwrap();
        let next = map.next_landmarks();
        for to in 0..map.len() {
            let tree = map.tree_to(map.landmark(to)).unwrap();
            for from in 0..map.len() {
                let expected = if from < to { Some(from + 1) } else { None };
                assert_eq!(next.between(from, to), expected, "{from} to {to}");
                assert!(from >= to || tree.next(from).is_none_or(|next| Some(next) == expected));
            }
        }
        let regions = map.regions(&[&[0.4], &[4.4], &[8.0]]).unwrap();
        assert_eq!(regions, [0, 1, 3]);
    }
}
