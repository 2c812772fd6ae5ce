//! Waypoints in training: the roadmap beside the policy.

use super::spec::TrainingError;
use super::{HopsFrom, OnlineDistance, OnlineMap, Training};
use crate::comm::Workers;
use crate::distance::DistanceError;
use crate::policy::PolicyError;
use crate::rollout::{GoalTest, Guide, RolloutError, Waypoints};
use crate::task::Task;
use crate::trajectory::Trajectories;

/// The pursuit of a goal by waypoints, outside training: passed on from step to step of an episode.
#[derive(Clone, Debug)]
pub struct Pursuit {
    goal: Vec<f32>,
    waypoint: Vec<f32>,
    /// `None` without a planner.
    guide: Option<Guide>,
    followed: Followed,
}

/// The roadmap that a pursuit follows: another training may be in the same iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Followed {
    iteration: u64,
    /// `None` without a roadmap.
    map: Option<u64>,
}

impl Pursuit {
    /// The goal that is pursued.
    pub fn goal(&self) -> &[f32] {
        &self.goal
    }

    /// The goal that the policy is to be given now: a waypoint, or the goal itself.
    pub fn waypoint(&self) -> &[f32] {
        &self.waypoint
    }
}

/// The waypoints of a rollout; `None` without a planner, or before there are landmarks.
pub(super) fn waypoints_of<'a>(
    map: Option<&'a OnlineMap>,
    distance: &'a OnlineDistance,
    task: Task<'a>,
    goal_test: GoalTest,
) -> Option<Waypoints<'a>> {
    let planner = map?;
    let (map, goals) = planner.get()?;
    Some(Waypoints {
        map,
        goals,
        goal_state: distance.goal_state().unwrap_or(planner.identity()),
        task,
        limit_steps: planner.spec().limit_steps,
        goal_test,
    })
}

impl Training {
    /// The waypoints of a rollout; `None` without a planner, or before there are landmarks.
    pub(super) fn waypoints(&self, goal_test: GoalTest) -> Option<Waypoints<'_>> {
        waypoints_of(self.map.as_ref(), &self.distance, self.task(), goal_test)
    }

    /// Begins to pursue a goal from here. Without a planner its waypoint is the goal.
    pub fn pursue(&self, seen: &[f32], goal: &[f32]) -> Result<Pursuit, TrainingError> {
        self.check_lengths(seen, goal)?;
        let waypoints = self.waypoints(GoalTest::WhenAimedAt);
        let guide = waypoints.map(|waypoints| {
            let guide = Guide::begin(&waypoints, goal, seen)?;
            Ok((guide.goal(&waypoints).to_vec(), guide))
        });
        let guide: Result<Option<_>, DistanceError> = guide.transpose();
        let guide = guide.map_err(RolloutError::from)?;
        let (waypoint, guide) = match guide {
            Some((waypoint, guide)) => (waypoint, Some(guide)),
            None => (goal.to_vec(), None),
        };
        Ok(Pursuit {
            goal: goal.to_vec(),
            waypoint,
            guide,
            followed: self.followed(),
        })
    }

    fn followed(&self) -> Followed {
        Followed {
            iteration: self.counters.iteration,
            map: self.map.as_ref().and_then(OnlineMap::fingerprint),
        }
    }

    /// The pursuit after a step that led here. If the policy has learned since it began, or another one began it, it begins
    /// anew.
    pub fn advance(&self, pursuit: &mut Pursuit, seen: &[f32]) -> Result<(), TrainingError> {
        if pursuit.followed != self.followed() {
            *pursuit = self.pursue(seen, &pursuit.goal)?;
            return Ok(());
        }
        self.check_lengths(seen, &pursuit.goal)?;
        let waypoints = self.waypoints(GoalTest::WhenAimedAt);
        if let (Some(waypoints), Some(guide)) = (waypoints, &mut pursuit.guide) {
            let advanced = guide.advance(&waypoints, seen);
            advanced.map_err(RolloutError::from)?;
            pursuit.waypoint = guide.goal(&waypoints).to_vec();
        }
        Ok(())
    }

    fn check_lengths(&self, seen: &[f32], goal: &[f32]) -> Result<(), RolloutError> {
        let expected = [self.setup.observation.len(), self.setup.space.dims()];
        if [seen.len(), goal.len()] == expected {
            return Ok(());
        }
        Err(RolloutError::Policy(PolicyError::Inputs {
            takes: expected.iter().sum(),
            observation: seen.len(),
            goal: goal.len(),
        }))
    }

    /// The first landmarks, before the first iteration: states of the untrained policy.
    pub(super) fn begin_map(
        &mut self,
        states: &[Vec<f32>],
        threads: usize,
    ) -> Result<(), TrainingError> {
        if self.map.is_some() {
            self.archive.add(states);
        }
        self.grow_map(threads)
    }

    /// Adds the hops of these rollouts to the roadmap. Returns states on their paths and tails, as proposals: with a planner
    /// they go everywhere that the policy can go. Without one there is nothing to do.
    pub(super) fn witness(
        &mut self,
        paths: &Trajectories,
        workers: &Workers<'_>,
    ) -> Result<Vec<Vec<f32>>, TrainingError> {
        let Some(map) = &mut self.map else {
            return Ok(Vec::new());
        };
        let space = self.distance.input_space(&self.setup.space);
        let witnessed = map.witness(paths, space, self.epsilon.radius, workers);
        witnessed.inspect_err(|error| workers.comm.abort(&error.to_string()))?;
        self.states_on_paths(paths, workers)
    }

    /// Plans in the current distance, with the hops that are known now.
    pub(super) fn refresh_map(&mut self) -> Result<(), TrainingError> {
        let Some(map) = &mut self.map else {
            return Ok(());
        };
        let distance = self.distance.between_states(self.setup.space.dims())?;
        map.refresh(distance, self.distance.goal_state())
    }

    /// Begins an iteration: makes archived goals landmarks, and forgets half of what is known about hops. Not at its end: new hops
    /// have not been tried yet, and an evaluation, which learns nothing from its failures, would take them again and again.
    pub(super) fn grow_map(&mut self, threads: usize) -> Result<(), TrainingError> {
        let proposals = &self.setup.proposals;
        let goals = self.archived().into_iter();
        let goals = goals.map(|goal| proposals.goal(&goal)).collect();
        let Some(map) = &mut self.map else {
            return Ok(());
        };
        map.forget();
        let distance = self.distance.between_states(self.setup.space.dims())?;
        let goal_state = self.distance.goal_state();
        map.grow(&distance, goal_state, goals, self.epsilon.radius)?;
        map.refresh(distance.clone(), goal_state)?;
        if map.spec().hops_from == HopsFrom::Replay
            && let Some(predictor) = self.distance.predictor()
        {
            let kept: Vec<&[f32]> = predictor.kept_trajectories().collect();
            map.witness_again(&kept, self.epsilon.radius, threads)?;
            map.refresh(distance, goal_state)?;
        }
        Ok(())
    }
}
