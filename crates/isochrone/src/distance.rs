//! Distances: how far a state is from a goal, both given in goal space.

mod feasible;
mod goal_lifted;
mod goal_set;
mod learned;
mod norm;
mod place;

pub use feasible::{Feasibility, FeasibleEuclidean};
pub use goal_lifted::GoalLifted;
pub use goal_set::{GoalSet, NearestGoal};
pub use learned::{Learned, Metric, euclidean_arrays};
pub use norm::Norm;
pub use place::PlaceDistance;

/// A state or goal for which the distance is not defined.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceError {
    /// Wrong length.
    #[error("a {what} of {got} entries was given; this distance takes {expected}")]
    Length {
        /// `state` or `goal`.
        what: &'static str,
        /// Entries given.
        got: usize,
        /// Entries expected.
        expected: usize,
    },
    /// Not the index of a row of a table.
    #[error("state {index} is not in the table: it has {states} states, numbered from 0")]
    NoSuchState {
        /// The index given.
        index: f32,
        /// Number of states.
        states: usize,
    },
}

/// Returns an error for a state or goal of another length.
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

/// Whether this is the index of a row of a table of `states`.
pub(crate) fn is_row(index: f32, states: usize) -> bool {
    index >= 0.0 && index < states as f32 && index.fract() == 0.0
}

/// A distance from states to goals. It does not depend on a policy, a world or a reward.
///
/// Every method returns an error for states and goals of the wrong length.
pub trait Distance: Send + Sync {
    /// d(state, goal), in the distance's own unit: metres for [`Euclidean`], steps for a learned one.
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError>;

    /// [`Distance::between`] of many pairs of a state and a goal; the last digits may differ.
    fn between_pairs(&self, pairs: &[(&[f32], &[f32])]) -> Result<Vec<f64>, DistanceError> {
        let pairs = pairs.iter();
        pairs
            .map(|(state, goal)| self.between(state, goal))
            .collect()
    }

    /// Precomputes what depends on the goal alone, for comparison with many states.
    fn embed_goal(&self, goal: &[f32]) -> Result<Vec<f32>, DistanceError> {
        Ok(goal.to_vec())
    }

    /// Entries of a goal, if they differ from those of a state.
    fn goal_dims(&self) -> Option<usize> {
        None
    }

    /// [`Distance::between`], to the bit, for a goal embedded by [`Distance::embed_goal`].
    fn to_embedded_goal(&self, state: &[f32], embedded: &[f32]) -> Result<f64, DistanceError> {
        self.between(state, embedded)
    }
}

/// The Euclidean distance, `‖s − g‖₂`: the paper's baseline, which ignores walls.
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
