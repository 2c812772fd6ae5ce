//! A queue of distinct goals, of which each iteration replaces a part.

use super::ActionNoiseSpec;
use crate::distance::{Distance, Euclidean};
use crate::nn::{NamedArray, NamedArrayError, find_rows};
use crate::rng::{Rng, choose};

/// A queue of distinct goals, of which each iteration replaces a part, the oldest first. So goals follow what the policy
/// can reach, and frequent visits to a position do not make it a more frequent goal.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalQueue {
    spec: ActionNoiseSpec,
    dims: usize,
    /// Row by row, the oldest first.
    goals: Vec<f32>,
}

/// The name of its array.
const NAME: &str = "queue";

impl GoalQueue {
    /// An empty queue for goals of `dims` numbers. Its settings must have passed
    /// [`ActionNoiseSpec::check`]; a size of 0 counts as 1.
    pub fn new(spec: ActionNoiseSpec, dims: usize) -> Self {
        let size = spec.size.max(1);
        Self {
            spec: ActionNoiseSpec { size, ..spec },
            dims: dims.max(1),
            goals: Vec::new(),
        }
    }

    /// Adds a random subset of the candidates at the end: at most `replaced`, or more while the queue is not full, and none
    /// within `tolerance` of a goal in the queue. The oldest goals leave a full queue. Candidates of another length, or with
    /// NaN or infinity, are ignored. Returns the number added.
    pub fn offer(&mut self, candidates: &[Vec<f32>], rng: &mut Rng) -> usize {
        let room = self.spec.size.saturating_sub(self.len());
        let most = self.spec.replaced.max(room);
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
        kept.any(|other| {
            let apart = Euclidean.between(other, goal);
            apart.is_ok_and(|apart| apart <= self.spec.tolerance)
        })
    }

    /// Number of goals.
    pub fn len(&self) -> usize {
        self.goals.len() / self.dims
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.goals.is_empty()
    }

    /// All goals, row by row, the oldest first.
    pub fn goals(&self) -> &[f32] {
        &self.goals
    }

    /// `count` goals without repetition, drawn uniformly; all of them if there are fewer.
    pub fn sample(&self, count: usize, rng: &mut Rng) -> Vec<Vec<f32>> {
        let goal = |place| self.goals[place * self.dims..(place + 1) * self.dims].to_vec();
        let chosen = choose(self.len(), count, rng);
        chosen.into_iter().map(goal).collect()
    }

    /// All goals, as a named array.
    pub fn save(&self) -> NamedArray {
        NamedArray::f32(NAME, [self.len(), self.dims], self.goals.clone())
    }

    /// Restores a saved queue; an error if it has more than `size` goals.
    pub fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let goals = find_rows(arrays, NAME, self.dims)?;
        let got = goals.len().checked_div(self.dims).unwrap_or(0);
        if got > self.spec.size {
            return Err(NamedArrayError::Shape {
                name: NAME.to_owned(),
                got: vec![got, self.dims],
                expected: vec![self.spec.size, self.dims],
            });
        }
        self.goals = goals.to_vec();
        Ok(())
    }
}

/// Was a candidate taken?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}
