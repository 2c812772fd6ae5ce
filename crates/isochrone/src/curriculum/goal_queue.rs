//! Goals by action noise: states that random actions led to after a success.

use super::{CurriculumError, refuse};
use crate::distance::{Distance, Euclidean};
use crate::nn::{Named, NamedError, find_rows};
use crate::rng::{Rng, choose};
use serde::{Deserialize, Serialize};

/// The queue's numbers; unless said otherwise, the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QueueSpec {
    /// Goals it holds.
    pub size: usize,
    /// Goals that are replaced in an iteration, at most.
    pub replaced_per_iteration: usize,
    /// Goals within this Euclidean distance are the same goal: the paper's threshold for states.
    pub tolerance: f64,
}

impl Default for QueueSpec {
    fn default() -> Self {
        Self {
            size: 500,
            replaced_per_iteration: 30,
            tolerance: 1e-4,
        }
    }
}

impl QueueSpec {
    /// Is it one that can be filled?
    pub fn check(&self) -> Result<(), CurriculumError> {
        if self.size == 0 {
            return refuse("size", 0.0, "at least 1");
        }
        if !(1..=self.size).contains(&self.replaced_per_iteration) {
            let replaced = self.replaced_per_iteration as f64;
            let rule = "at least 1 and at most the size";
            return refuse("replaced_per_iteration", replaced, rule);
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return refuse("tolerance", self.tolerance, "not negative");
        }
        Ok(())
    }
}

/// A queue of different goals, of which a part is replaced in each iteration, the oldest first. So goals follow what the
/// policy can do, and no place is a goal more often for being met more often.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalQueue {
    spec: QueueSpec,
    dims: usize,
    /// End to end, the oldest first.
    goals: Vec<f32>,
}

/// The name of its array.
const NAME: &str = "queue";

impl GoalQueue {
    /// An empty queue for goals of `dims` numbers. [`QueueSpec::check`] is the caller's; sizes of 0 are taken as 1.
    pub fn new(spec: QueueSpec, dims: usize) -> Self {
        let size = spec.size.max(1);
        Self {
            spec: QueueSpec { size, ..spec },
            dims: dims.max(1),
            goals: Vec::new(),
        }
    }

    /// Takes some of these candidates (states after a success on a goal of intermediate difficulty): a random subset of
    /// at most `replaced_per_iteration`, more while there is room for more, none within `tolerance` of one that is
    /// there. Those taken go to the end, and the oldest leave a full queue. Candidates of another space, and those that
    /// are not finite, are passed over. Returns how many were taken.
    pub fn offer(&mut self, candidates: &[Vec<f32>], rng: &mut Rng) -> usize {
        let room = self.spec.size.saturating_sub(self.len());
        let most = self.spec.replaced_per_iteration.max(room);
        let mut taken = 0;
        for place in choose(candidates.len(), candidates.len(), rng) {
            if taken == most {
                break;
            }
            taken += usize::from(self.take(&candidates[place]) == Taken::Yes);
        }
        taken
    }

    fn take(&mut self, goal: &[f32]) -> Taken {
        let is_goal = goal.len() == self.dims && goal.iter().all(|value| value.is_finite());
        if !is_goal || self.is_there(goal) {
            return Taken::No;
        }
        if self.len() == self.spec.size {
            self.goals.drain(..self.dims);
        }
        self.goals.extend_from_slice(goal);
        Taken::Yes
    }

    fn is_there(&self, goal: &[f32]) -> bool {
        let mut kept = self.goals.chunks_exact(self.dims);
        kept.any(|other| Euclidean.between(other, goal) <= self.spec.tolerance)
    }

    /// Goals in it.
    pub fn len(&self) -> usize {
        self.goals.len() / self.dims
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.goals.is_empty()
    }

    /// All of them, end to end, the oldest first.
    pub fn goals(&self) -> &[f32] {
        &self.goals
    }

    /// Some of them without repetition, each as likely as any other; all of them if there are no more.
    pub fn sample(&self, count: usize, rng: &mut Rng) -> Vec<Vec<f32>> {
        let goal = |place| self.goals[place * self.dims..(place + 1) * self.dims].to_vec();
        let chosen = choose(self.len(), count, rng);
        chosen.into_iter().map(goal).collect()
    }

    /// Everything it holds.
    pub fn save(&self) -> Named {
        Named {
            name: NAME.to_owned(),
            shape: [self.len(), self.dims],
            values: self.goals.clone(),
        }
    }

    /// Goes on where another left off; a queue that is longer than this one may be is refused.
    pub fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        let array = find_rows(arrays, NAME, self.dims)?;
        if array.shape[0] > self.spec.size {
            return Err(NamedError::Shape {
                name: NAME.to_owned(),
                got: array.shape,
                expected: [self.spec.size, self.dims],
            });
        }
        self.goals.clone_from(&array.values);
        Ok(())
    }
}

/// Was a candidate taken?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}
