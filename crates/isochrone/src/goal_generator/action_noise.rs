//! Goals by action noise (§4.3 of the paper): states reached by random actions after a success.

use super::{Feedback, GanReport, GoalGenerator, GoalQueue, ProposalDistance, TailState};
use crate::curriculum::{CurriculumError, intermediate, refuse};
use crate::distance::DistanceError;
use crate::goal::GoalRange;
use crate::nn::{NamedArray, NamedArrayError};
use crate::rng::Rng;
use serde::{Deserialize, Serialize};

/// Settings of [`ActionNoise`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionNoiseSpec {
    /// Goals in the queue.
    pub size: usize,
    /// Goals replaced per iteration, at most.
    pub replaced: usize,
    /// Goals within this Euclidean distance count as one: the paper's threshold for states.
    pub tolerance: f64,
    /// Random actions after a success.
    pub tail_steps: usize,
}

impl ActionNoiseSpec {
    /// The paper's queue, with this many random actions after a success.
    pub const fn paper(tail_steps: usize) -> Self {
        Self {
            size: 500,
            replaced: 30,
            tolerance: 1e-4,
            tail_steps,
        }
    }

    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), CurriculumError> {
        if self.size == 0 {
            return refuse("size", 0.0, "at least 1");
        }
        if !(1..=self.size).contains(&self.replaced) {
            let rule = "at least 1 and at most the size";
            return refuse("replaced", self.replaced as f64, rule);
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return refuse("tolerance", self.tolerance, "not negative");
        }
        if self.tail_steps == 0 {
            return refuse("tail_steps", 0.0, "at least 1");
        }
        Ok(())
    }
}

/// Proposes goals from a queue of states reached after successes on intermediate goals.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionNoise {
    queue: GoalQueue,
    range: GoalRange,
    tail_steps: usize,
}

impl ActionNoise {
    /// An empty queue. Until a state enters it, goals are drawn uniformly from `range`.
    pub fn new(spec: ActionNoiseSpec, range: &GoalRange) -> Result<Self, CurriculumError> {
        spec.check()?;
        Ok(Self {
            queue: GoalQueue::new(spec, range.centre().len()),
            range: range.clone(),
            tail_steps: spec.tail_steps,
        })
    }
}

impl GoalGenerator for ActionNoise {
    fn propose(
        &self,
        count: usize,
        _distance: &dyn ProposalDistance,
        rng: &mut Rng,
    ) -> Result<Vec<Vec<f32>>, DistanceError> {
        if self.queue.is_empty() {
            return Ok((0..count).map(|_| self.range.sample(rng)).collect());
        }
        Ok(self.queue.sample(count, rng))
    }

    fn begin(&mut self, states: &[Vec<f32>], rng: &mut Rng) -> Result<(), CurriculumError> {
        self.queue.offer(states, rng);
        Ok(())
    }

    fn learn(
        &mut self,
        feedback: &Feedback<'_>,
        rng: &mut Rng,
    ) -> Result<Option<GanReport>, CurriculumError> {
        let goals = intermediate(feedback.labelled);
        let follows_one = |tail: &&TailState| goals.contains(&tail.goal);
        let states = feedback.tails.iter().filter(follows_one);
        let states: Vec<Vec<f32>> = states.map(|tail| tail.state.clone()).collect();
        self.queue.offer(&states, rng);
        Ok(None)
    }

    fn tail_steps(&self) -> usize {
        self.tail_steps
    }

    fn save(&self) -> Vec<NamedArray> {
        vec![self.queue.save()]
    }

    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        self.queue.restore(arrays)
    }
}
