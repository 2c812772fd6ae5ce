//! Waypoints in training: the roadmap beside the policy.

use super::online_map::OnlineMap;
use super::spec::TrainingError;
use super::{MapReport, Training};
use crate::comm::Workers;
use crate::rollout::{GoalTest, Waypoints};
use crate::trajectory::Trajectories;

impl Training {
    /// The waypoints of a rollout; `None` without a planner, or before there are landmarks.
    pub(super) fn waypoints(&self, goal_test: GoalTest) -> Option<Waypoints<'_>> {
        let planner = self.map.as_ref()?;
        let (map, goals) = planner.get()?;
        Some(Waypoints {
            map,
            goals,
            goal_state: self.distance.goal_state().unwrap_or(planner.identity()),
            task: self.task(),
            limit_steps: planner.spec().limit_steps,
            patience_waypoints: planner.spec().patience_waypoints,
            goal_test,
        })
    }

    /// The first landmarks, before the first iteration: states of the untrained policy.
    pub(super) fn begin_map(&mut self, states: &[Vec<f32>]) -> Result<(), TrainingError> {
        if self.map.is_some() {
            self.archive.add(states);
        }
        self.grow_map().map(|_| ())
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
        let witnessed = map.witness(paths, space, workers);
        witnessed.inspect_err(|error| workers.comm.abort(&error.to_string()))?;
        self.states_on_paths(paths, workers)
    }

    /// Plans in the current distance, with the hops that are known now.
    pub(super) fn refresh_map(&mut self) -> Result<(), TrainingError> {
        self.update_map(Vec::new())
    }

    /// Ends an iteration: makes archived goals landmarks, and forgets half of what is known about hops. Returns the numbers of
    /// the iteration.
    pub(super) fn grow_map(&mut self) -> Result<Option<MapReport>, TrainingError> {
        let report = self.map.as_ref().map(OnlineMap::report);
        if let Some(map) = &mut self.map {
            map.forget();
        }
        let proposals = &self.setup.proposals;
        let goals = self.archived().into_iter();
        let goals = goals.map(|goal| proposals.goal(&goal)).collect();
        self.update_map(goals)?;
        Ok(report)
    }

    fn update_map(&mut self, candidates: Vec<Vec<f32>>) -> Result<(), TrainingError> {
        let Some(map) = &mut self.map else {
            return Ok(());
        };
        let distance = self.distance.between_states(self.setup.space.dims())?;
        let (goal_state, radius) = (self.distance.goal_state(), self.epsilon.radius);
        map.update(distance, goal_state, candidates.into_iter(), radius)
    }
}
