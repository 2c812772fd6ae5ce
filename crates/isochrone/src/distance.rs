//! Distances: how far a state is from a goal, both given in goal space.

mod feasible;
mod learned;

pub use feasible::{Feasibility, FeasibleEuclidean};
pub use learned::{Learned, Metric};

/// A distance from states to goals. It knows no policy, world or reward.
pub trait Distance: Send + Sync {
    /// d(state, goal), in the distance's own unit: metres for [`Euclidean`], steps for a learned one.
    fn between(&self, state: &[f32], goal: &[f32]) -> f64;
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
