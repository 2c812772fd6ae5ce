//! One episode as a state machine: returns the next action, takes the next observation.

use super::streams::Draw;
use super::waypoints::{Guide, Waypoints};
use super::{Plan, RolloutError};
use crate::distance::DistanceError;
use crate::env::{ActionSpec, Observation, ObservationSpec, StepError, Successor};
use crate::goal::GoalError;
use crate::policy::{Actor, Uniform};
use crate::rng::Rng;
use crate::trajectory::{End, Trajectories};

/// The current phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Policy,
    Tail { left: usize },
    Over,
}

/// Whether there is another step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Goes,
    Over,
}

/// An episode between its reset and its end. The driver asks it for an action, steps the world, and passes the result back.
pub(super) struct Running<'p> {
    plan: &'p Plan<'p>,
    number: u64,
    goal: Vec<f32>,
    /// The goal, embedded for the task's distance.
    embedded_goal: Vec<f32>,
    seen: Observation,
    /// Aims at waypoints, if the plan has them.
    guide: Option<(Waypoints<'p>, Guide)>,
    part: Part,
    record: Trajectories,
    random: Uniform,
    act_rng: Rng,
    tail_rng: Rng,
    action: Vec<f32>,
    scratch: Vec<f32>,
}

impl<'p> Running<'p> {
    /// Begins an episode in the state after the world's reset.
    pub(super) fn begin(
        plan: &'p Plan<'p>,
        number: u64,
        seen: Observation,
        spec: &ObservationSpec,
        actions: &ActionSpec,
    ) -> Result<Self, RolloutError> {
        let goal = plan
            .goals
            .goal(number, &mut plan.streams.of(Draw::Goal, number));
        check_goal(plan, number, &goal)?;
        let mut record = Trajectories::new(spec, actions.len());
        let begun = record.begin(number, goal.clone(), &seen);
        begun.map_err(|source| RolloutError::Observation {
            episode: number,
            source,
        })?;
        let guide = match (plan.waypoints, seen.as_f32()) {
            (Some(waypoints), Some(seen)) => {
                Some((waypoints, Guide::begin(&waypoints, &goal, seen)?))
            }
            _ => None,
        };
        Ok(Self {
            plan,
            number,
            embedded_goal: match plan.task {
                Some(task) => task.distance.embed_goal(&goal)?,
                None => Vec::new(),
            },
            goal,
            seen,
            guide,
            part: Part::Policy,
            record,
            random: Uniform(actions.clone()),
            act_rng: plan.streams.of(Draw::Act, number),
            tail_rng: plan.streams.of(Draw::Tail, number),
            action: vec![0.0; actions.len()],
            scratch: Vec::new(),
        })
    }

    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The stream a world is reset with.
    pub(super) fn reset_rng(plan: &Plan<'_>, number: u64) -> Rng {
        plan.streams.of(Draw::Reset, number)
    }

    /// The next action.
    pub(super) fn act(&mut self) -> &[f32] {
        let (actor, rng): (&dyn Actor, &mut Rng) = match self.part {
            Part::Policy | Part::Over => (self.plan.actor, &mut self.act_rng),
            Part::Tail { .. } => (&self.random, &mut self.tail_rng),
        };
        let goal = match &self.guide {
            Some((waypoints, guide)) => guide.goal(waypoints),
            None => &self.goal,
        };
        actor.act(&self.seen, goal, rng, &mut self.scratch, &mut self.action);
        &self.action
    }

    /// Processes the result of a step.
    pub(super) fn advance(
        &mut self,
        answer: Result<Successor<Observation>, StepError>,
    ) -> Result<Progress, RolloutError> {
        self.part = match answer {
            Ok(successor) => self.record_step(successor)?,
            Err(StepError::Unstable { .. }) => self.break_off(),
            Err(source) => {
                let step = self.steps();
                let episode = self.number;
                return Err(RolloutError::Step {
                    episode,
                    step,
                    source,
                });
            }
        };
        Ok(match self.part {
            Part::Over => Progress::Over,
            Part::Policy | Part::Tail { .. } => Progress::Goes,
        })
    }

    /// The finished episode.
    pub(super) fn finish(self) -> Trajectories {
        self.record
    }

    fn steps(&self) -> usize {
        let last = self.record.episodes().last();
        last.map_or(0, |e| e.policy_steps + e.tail_steps)
    }

    /// NaN or infinity in the physics ends the episode with the state before.
    fn break_off(&mut self) -> Part {
        if let Some(episode) = self.record.last_mut() {
            episode.instabilities += 1;
        }
        if self.part == Part::Policy {
            self.end_policy(End::Unstable, 0);
        }
        Part::Over
    }

    fn record_step(&mut self, successor: Successor<Observation>) -> Result<Part, RolloutError> {
        let (world, seen) = match successor {
            Successor::Continue(seen) => (World::GoesOn, seen),
            Successor::Terminal(seen) => (World::Ended, seen),
            Successor::Truncated(seen) => (World::StoppedItself, seen),
        };
        let pushed = self.record.push_step(&self.action, &seen);
        pushed.map_err(|source| RolloutError::Observation {
            episode: self.number,
            source,
        })?;
        self.seen = seen;
        if let (World::Ended, Some(episode)) = (world, self.record.last_mut()) {
            episode.is_terminal = true;
        }
        Ok(match self.part {
            Part::Policy => self.after_policy_step(world)?,
            Part::Tail { left } => self.after_tail_step(left, world),
            Part::Over => Part::Over,
        })
    }

    /// Reaching the goal takes precedence, also on the last permitted step and in a fall.
    fn after_policy_step(&mut self, world: World) -> Result<Part, RolloutError> {
        let distance = match &self.guide {
            Some((waypoints, guide)) if !guide.tests_goal(waypoints) => None,
            _ => self.distance_to_goal()?,
        };
        if distance.is_some_and(f64::is_nan) {
            let (episode, step) = (self.number, self.steps());
            return Err(RolloutError::Distance { episode, step });
        }
        let is_reached = distance.is_some_and(|d| self.plan.task.is_some_and(|t| t.is_within(d)));
        let Some(episode) = self.record.last_mut() else {
            return Ok(Part::Over);
        };
        episode.policy_steps += 1;
        episode.closest = episode.closest.min(distance.unwrap_or(f64::INFINITY));
        let is_last = episode.policy_steps >= self.plan.horizon_steps;
        let end = match world {
            _ if is_reached => End::Reached,
            World::Ended => End::Terminal,
            World::StoppedItself => End::Truncated,
            World::GoesOn if is_last => End::Horizon,
            World::GoesOn => {
                self.advance_guide()?;
                return Ok(Part::Policy);
            }
        };
        self.end_policy(end, 1);
        Ok(match world {
            World::GoesOn => self.tail_after(end),
            World::Ended | World::StoppedItself => Part::Over,
        })
    }

    /// The next waypoint, if this one is reached or took too long.
    fn advance_guide(&mut self) -> Result<(), RolloutError> {
        let (Some((waypoints, guide)), Some(seen)) = (&mut self.guide, self.seen.as_f32()) else {
            return Ok(());
        };
        let segment = guide.advance(waypoints, seen)?;
        if let Some(episode) = self.record.last_mut() {
            episode.segments.extend(segment);
        }
        Ok(())
    }

    /// The policy's part ends, after `last_steps` that its last segment does not know of.
    fn end_policy(&mut self, end: End, last_steps: usize) {
        let guide = self.guide.as_mut();
        let segment = guide.and_then(|(waypoints, guide)| guide.finish(waypoints, last_steps, end));
        if let Some(episode) = self.record.last_mut() {
            episode.end = end;
            episode.segments.extend(segment);
        }
    }

    fn distance_to_goal(&self) -> Result<Option<f64>, DistanceError> {
        let (Some(task), Some(seen)) = (self.plan.task, self.seen.as_f32()) else {
            return Ok(None);
        };
        task.distance_to_embedded(seen, &self.embedded_goal)
            .map(Some)
    }

    fn tail_after(&self, end: End) -> Part {
        match self.plan.tail.steps(self.number, end) {
            0 => Part::Over,
            left => Part::Tail { left },
        }
    }

    fn after_tail_step(&mut self, left: usize, world: World) -> Part {
        if let Some(episode) = self.record.last_mut() {
            episode.tail_steps += 1;
        }
        if left > 1 && world == World::GoesOn {
            Part::Tail { left: left - 1 }
        } else {
            Part::Over
        }
    }
}

/// Checks a goal's length and finiteness.
fn check_goal(plan: &Plan<'_>, episode: u64, goal: &[f32]) -> Result<(), RolloutError> {
    let (got, expected) = (goal.len(), plan.goals.dims());
    if got != expected {
        return Err(GoalError::Length { got, expected }.into());
    }
    match goal.iter().position(|value| !value.is_finite()) {
        Some(entry) => Err(RolloutError::GoalNotFinite { episode, entry }),
        None => Ok(()),
    }
}

/// The outcome of a step besides the observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum World {
    GoesOn,
    Ended,
    StoppedItself,
}
