//! The next waypoints between the states and goals of an update.

use crate::distance::DistanceError;
use crate::goal::GoalError;
use crate::roadmap::NextLandmarks;
use crate::rollout::Waypoints;

/// The next landmark on the cheapest route between the regions of a state and of a goal.
///
/// The planner also considers the two next landmarks at both ends, and avoids missed ones; that is left out for speed.
#[derive(Clone, Debug)]
pub(super) struct PlannedWaypoints<'a> {
    waypoints: Waypoints<'a>,
    next: NextLandmarks,
}

impl<'a> PlannedWaypoints<'a> {
    /// `None` while no hop is known.
    pub(super) fn new(
        waypoints: Waypoints<'a>,
        goal_length: usize,
    ) -> Result<Option<Self>, GoalError> {
        waypoints.check(goal_length)?;
        let has_hops = !waypoints.map.hops().is_empty();
        Ok(has_hops.then(|| Self {
            next: waypoints.map.next_landmarks(),
            waypoints,
        }))
    }

    /// The next waypoint from each state to its goal; `None` where the goal is in the same region or one hop away, or no route
    /// leads there.
    pub(super) fn between(
        &self,
        pairs: &[(&[f32], &[f32])],
    ) -> Result<Vec<Option<&'a [f32]>>, DistanceError> {
        let Waypoints {
            map,
            goals,
            goal_state,
            task,
            ..
        } = self.waypoints;
        let states = pairs.iter().map(|(state, _)| task.space.project(state));
        let states: Vec<_> = states.collect();
        let from = map.regions(&states.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
        let ends = pairs.iter().map(|(_, goal)| goal_state.goal(goal));
        let ends: Vec<Vec<f32>> = ends.collect();
        let to = map.regions(&ends.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let next = from.into_iter().zip(to).map(|(from, to)| {
            let next = self.next.between(from, to).filter(|next| *next != to);
            next.map(|landmark| goals[landmark].as_slice())
        });
        Ok(next.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{Euclidean, Learned};
    use crate::env::ObservationSpec;
    use crate::goal::{GoalSpace, Proposals};
    use crate::pairs::Episodes;
    use crate::roadmap::{HopRule, Roadmap};
    use crate::rollout::GoalTest;
    use crate::task::Task;

    /// A walk from 0 to 9, one way only; landmarks at every third state.
    #[test]
    fn waypoints_are_for_goals_of_two_hops_and_more() {
        let walk: Vec<f32> = (0_u8..10).map(f32::from).collect();
        let distance = Learned::euclidean(1, None, 1.0).unwrap();
        let rule = HopRule::Witnessed { steps: 3 };
        let mut map = Roadmap::new(distance, vec![0.0, 3.0, 6.0, 9.0], rule).unwrap();
        map.witness(
            &Episodes::new(&walk, 1, std::iter::once(0..10).collect()).unwrap(),
            1,
        )
        .unwrap();
        let space = GoalSpace::entries(&[0], &ObservationSpec::vector(2)).unwrap();
        let goals = [0.0, 3.0, 6.0, 9.0].map(|goal| vec![goal]);
        let waypoints = Waypoints {
            map: &map,
            goals: &goals,
            goal_state: &Proposals::whole(1),
            task: Task {
                space: &space,
                distance: &Euclidean,
                radius: 0.5,
            },
            limit_steps: 5,
            goal_test: GoalTest::WhenAimedAt,
        };
        assert!(PlannedWaypoints::new(waypoints, 2).is_err());
        let planned = PlannedWaypoints::new(waypoints, 1).unwrap().unwrap();
        let waypoint = |state: f32, goal: f32| {
            let waypoints = planned.between(&[(&[state, 7.0], &[goal])]).unwrap();
            waypoints[0].map(|waypoint| waypoint[0])
        };
        assert_eq!(waypoint(0.4, 9.0), Some(3.0));
        assert_eq!(waypoint(0.4, 5.5), Some(3.0));
        assert_eq!(waypoint(2.6, 8.5), Some(6.0));
        // One hop away, in the same region, and backwards.
        for (state, goal) in [(0.4, 2.6), (0.4, 1.0), (9.0, 0.0)] {
            assert_eq!(waypoint(state, goal), None, "{state} to {goal}");
        }
    }
}
