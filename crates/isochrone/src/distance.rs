//! Distances: how far a state is from a goal, both given in goal space.

mod feasible;
mod goal_lifted;
mod goal_set;
mod learned;

mod place;

pub use feasible::{Feasibility, FeasibleEuclidean};
pub use goal_lifted::GoalLifted;
pub use goal_set::{GoalSet, NearestGoal};
pub use learned::{Learned, Metric};
pub use place::PlaceDistance;

/// A state or goal that the distance is not defined for.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceError {
    /// Of another length.
    #[error("a {what} of {got} entries was given; this distance takes {expected}")]
    Length {
        /// `state` or `goal`.
        what: &'static str,
        /// Entries given.
        got: usize,
        /// Entries wanted.
        expected: usize,
    },
    /// Not the index of a row of a table.
    #[error("state {index} is not in the table: it has {states} states, numbered from 0")]
    NoSuchState {
        /// The index given.
        index: f32,
        /// States there are.
        states: usize,
    },
}

/// Refuses a state or goal of another length.
pub(crate) fn check_length(
    what: &'static str,
    got: usize,
    expected: usize,
) -> Result<(), DistanceError> {
    if got == expected {
        return Ok(());
    }
    Err(DistanceError::Length {
        what,
        got,
        expected,
    })
}

/// Is this the index of a row of a table of `states`?
pub(crate) fn is_row(index: f32, states: usize) -> bool {
    index >= 0.0 && index < states as f32 && index.fract() == 0.0
}

/// A distance from states to goals. It knows no policy, world or reward.
///
/// Every method refuses states and goals of the wrong length: two comparisons, beside a network or a sum over entries.
pub trait Distance: Send + Sync {
    /// d(state, goal), in the distance's own unit: metres for [`Euclidean`], steps for a learned one.
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError>;

    /// What can be worked out once for a goal that many states are compared with.
    fn embed_goal(&self, goal: &[f32]) -> Result<Vec<f32>, DistanceError> {
        Ok(goal.to_vec())
    }

    /// Numbers in a goal, where they are not those of a state.
    fn goal_dims(&self) -> Option<usize> {
        None
    }

    /// [`Distance::between`], to the bit, of a goal by its [`Distance::embed_goal`].
    fn to_embedded_goal(&self, state: &[f32], embedded: &[f32]) -> Result<f64, DistanceError> {
        self.between(state, embedded)
    }
}

/// The straight line, `‖s − g‖₂`: the paper's baseline, which knows nothing of walls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Euclidean;

impl Distance for Euclidean {
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        check_length("goal", goal.len(), state.len())?;
        let squares = state.iter().zip(goal).map(|(s, g)| {
            let apart = f64::from(*s) - f64::from(*g);
            apart * apart
        });
        Ok(squares.sum::<f64>().sqrt())
    }
}
