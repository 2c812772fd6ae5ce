//! Waypoints: on the way to an episode's goal, the policy is given one landmark of a roadmap after the other.
//!
//! ```text
//! s₀ ──▶ landmark ──▶ landmark ──▶ … ──▶ goal
//!    segment     segment
//! ```
//!
//! A segment ends when its waypoint is reached or after a time limit; then the follower chooses the next waypoint. One that was
//! not reached is avoided from then on.

use crate::distance::DistanceError;
use crate::goal::{GoalError, Proposals};
use crate::roadmap::{Follower, FollowerSpec, Roadmap};
use crate::task::Task;
use crate::trajectory::{End, Segment};

/// When the episode's own goal is tested, while a waypoint is aimed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalTest {
    /// After every step: for evaluation.
    Always,
    /// Only while the goal itself is aimed at: one distance per step instead of two.
    WhenAimedAt,
}

/// A roadmap whose landmarks are goals that the policy can be given.
#[derive(Clone, Copy, Debug)]
pub struct Waypoints<'a> {
    /// The roadmap.
    pub map: &'a Roadmap,
    /// Its landmarks as goals, in their order.
    pub goals: &'a [Vec<f32>],
    /// Maps a goal to a state of the roadmap.
    pub goal_state: &'a Proposals,
    /// Whether a waypoint is reached. Its space is that of the roadmap's states.
    pub task: Task<'a>,
    /// The most steps towards one waypoint.
    pub limit_steps: usize,
    /// When the goal itself is tested.
    pub goal_test: GoalTest,
}

impl Waypoints<'_> {
    /// Checks all lengths once.
    pub(crate) fn check(&self, goal_dims: usize) -> Result<(), GoalError> {
        let lengths = [
            (self.goals.len(), self.map.len()),
            (self.goal_state.dims(), goal_dims),
            (self.goal_state.goal_dims(), self.task.space.dims()),
            (self.map.distance().inputs(), self.task.space.dims()),
        ];
        let of_goals = self.goals.iter().map(|goal| (goal.len(), goal_dims));
        for (got, expected) in lengths.into_iter().chain(of_goals) {
            if got != expected {
                return Err(GoalError::Length { got, expected });
            }
        }
        Ok(())
    }
}

/// What an episode aims at. All methods take the waypoints that it began with.
#[derive(Clone, Debug)]
pub(crate) struct Guide {
    follower: Follower,
    /// The episode's goal.
    goal: Vec<f32>,
    /// The same as a state of the roadmap.
    goal_state: Vec<f32>,
    /// The landmark where the segment began.
    from: usize,
    /// The landmark that is aimed at; `None` for the episode's goal.
    landmark: Option<usize>,
    /// That landmark, embedded for the task's distance.
    embedded: Vec<f32>,
    steps: usize,
}

impl Guide {
    /// At the beginning of an episode.
    pub(crate) fn begin(
        waypoints: &Waypoints<'_>,
        goal: &[f32],
        seen: &[f32],
    ) -> Result<Self, DistanceError> {
        let follower = FollowerSpec {
            // Aim at the next landmark of the route: costs have chosen how long the hop is.
            lookahead_steps: 0.0,
            waypoint_every_steps: 1,
            // Missed waypoints are reported by `Follower::miss` instead.
            patience_waypoints: usize::MAX,
        };
        let mut guide = Self {
            follower: Follower::new(follower),
            goal: goal.to_vec(),
            goal_state: waypoints.goal_state.goal(goal),
            from: 0,
            landmark: None,
            embedded: Vec::new(),
            steps: 0,
        };
        guide.aim(waypoints, seen, None)?;
        Ok(guide)
    }

    /// The goal that the policy is given: a waypoint, or the episode's own.
    pub(crate) fn goal<'g>(&'g self, waypoints: &Waypoints<'g>) -> &'g [f32] {
        match self.landmark {
            Some(landmark) => &waypoints.goals[landmark],
            None => &self.goal,
        }
    }

    /// Whether the episode's goal is tested now.
    pub(super) fn tests_goal(&self, waypoints: &Waypoints<'_>) -> bool {
        self.landmark.is_none() || waypoints.goal_test == GoalTest::Always
    }

    /// A step was made. Returns the segment that it ended, if it did, and aims at the next waypoint.
    pub(crate) fn advance(
        &mut self,
        waypoints: &Waypoints<'_>,
        seen: &[f32],
    ) -> Result<Option<Segment>, DistanceError> {
        self.steps += 1;
        let is_reached = match self.landmark {
            Some(_) => {
                let task = waypoints.task;
                task.is_within(task.distance_to_embedded(seen, &self.embedded)?)
            }
            None => false,
        };
        if !is_reached && self.steps < waypoints.limit_steps {
            return Ok(None);
        }
        let end = if is_reached {
            self.follower.arrive();
            End::Reached
        } else {
            let state = waypoints.task.space.project(seen);
            self.follower.miss(waypoints.map, &state)?;
            End::Horizon
        };
        let segment = self.segment(waypoints, end);
        let arrived = self.landmark.filter(|_| is_reached);
        self.aim(waypoints, seen, arrived)?;
        Ok(Some(segment))
    }

    /// The segment that the end of the episode cuts off, after one more step if `last_steps` is 1; `None` if it has no steps.
    pub(super) fn finish(
        &mut self,
        waypoints: &Waypoints<'_>,
        last_steps: usize,
        end: End,
    ) -> Option<Segment> {
        self.steps += last_steps;
        let end = match (end, self.landmark) {
            // The episode's goal was reached on the way to a waypoint.
            (End::Reached, Some(_)) => End::Horizon,
            (end, _) => end,
        };
        (self.steps > 0).then(|| self.segment(waypoints, end))
    }

    fn segment(&self, waypoints: &Waypoints<'_>, end: End) -> Segment {
        Segment {
            goal: self.goal(waypoints).to_vec(),
            steps: self.steps,
            end,
            hop: self
                .landmark
                .map(|landmark| (self.from as u32, landmark as u32)),
        }
    }

    /// Chooses the next waypoint, from the landmark that was just reached, or from the nearest one.
    fn aim(
        &mut self,
        waypoints: &Waypoints<'_>,
        seen: &[f32],
        arrived: Option<usize>,
    ) -> Result<(), DistanceError> {
        let Waypoints { map, task, .. } = waypoints;
        let state = task.space.project(seen);
        let waypoint = self.follower.waypoint(map, &state, &self.goal_state)?;
        self.from = match arrived {
            Some(landmark) => landmark,
            None => map.nearest(&state)?.0,
        };
        self.landmark = waypoint.landmark;
        self.steps = 0;
        if let Some(landmark) = self.landmark {
            self.embedded = task.distance.embed_goal(&waypoints.goals[landmark])?;
        }
        Ok(())
    }
}
