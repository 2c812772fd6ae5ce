//! Where no body can be, nothing is reached.

use super::{Distance, DistanceError, Euclidean};
use std::sync::Arc;

/// Whether a goal can be.
pub type Feasibility = Arc<dyn Fn(&[f32]) -> bool + Send + Sync>;

/// The straight line to goals that can be, and infinity to those that cannot. The reference's baseline for Maze Ant
/// knows its walls in this way: a goal inside one is not reached by standing beside it.
#[derive(Clone)]
pub struct FeasibleEuclidean {
    is_feasible: Feasibility,
}

impl FeasibleEuclidean {
    /// Goals can be where this says so.
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
