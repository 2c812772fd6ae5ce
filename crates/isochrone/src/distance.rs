//! Distances: how far a state is from a goal, both given in goal space.

mod feasible;
mod goal_set;
mod learned;
mod lifted;
mod place;

pub use feasible::{Feasibility, FeasibleEuclidean};
pub use goal_set::{GoalSet, NearestGoal};
pub use learned::{Learned, Metric};
pub use lifted::Lifted;
pub use place::PlaceDistance;

/// A distance from states to goals. It knows no policy, world or reward.
pub trait Distance: Send + Sync {
    /// d(state, goal), in the distance's own unit: metres for [`Euclidean`], steps for a learned one.
    fn between(&self, state: &[f32], goal: &[f32]) -> f64;

    /// What can be worked out once for a goal that many states are compared with.
    fn aim(&self, goal: &[f32]) -> Vec<f32> {
        goal.to_vec()
    }

    /// Numbers in a goal, where they are not those of a state.
    fn goal_dims(&self) -> Option<usize> {
        None
    }

    /// [`Distance::between`], to the bit, of a goal by its [`Distance::aim`].
    fn to_aim(&self, state: &[f32], aim: &[f32]) -> f64 {
        self.between(state, aim)
    }
}

/// The straight line, `‖s − g‖₂`: the paper's baseline, which knows nothing of walls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Euclidean;

impl Distance for Euclidean {
    fn between(&self, state: &[f32], goal: &[f32]) -> f64 {
        let squares = state.iter().zip(goal).map(|(s, g)| {
            let apart = f64::from(*s) - f64::from(*g);
            apart * apart
        });
        squares.sum::<f64>().sqrt()
    }
}
