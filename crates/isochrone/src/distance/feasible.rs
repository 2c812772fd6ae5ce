//! The Euclidean distance, restricted to feasible goals.

use super::{Distance, DistanceError, Euclidean};
use std::sync::Arc;

/// Returns whether a goal is feasible.
pub type Feasibility = Arc<dyn Fn(&[f32]) -> bool + Send + Sync>;

/// The Euclidean distance to feasible goals, and infinity to the others. The reference's baseline for Maze Ant uses it: a
/// goal inside a wall is not reached by standing beside the wall.
#[derive(Clone)]
pub struct FeasibleEuclidean {
    is_feasible: Feasibility,
}

impl FeasibleEuclidean {
    /// With this feasibility test.
    pub fn new(is_feasible: Feasibility) -> Self {
        Self { is_feasible }
    }
}

impl std::fmt::Debug for FeasibleEuclidean {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FeasibleEuclidean").finish_non_exhaustive()
    }
}

impl Distance for FeasibleEuclidean {
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        let straight = Euclidean.between(state, goal)?;
        Ok(if (self.is_feasible)(goal) {
            straight
        } else {
            f64::INFINITY
        })
    }
}
