//! The Euclidean distance between positions, ignoring all other entries.

use super::{Distance, DistanceError, check_length};

/// `‖s − g‖₂` over the position entries: the evaluation distance when goals are whole states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceDistance {
    entries: Vec<usize>,
}

impl PlaceDistance {
    /// Over these entries of goal space.
    pub const fn new(entries: Vec<usize>) -> Self {
        Self { entries }
    }
}

impl Distance for PlaceDistance {
    fn between(&self, state: &[f32], goal: &[f32]) -> Result<f64, DistanceError> {
        let longest = self
            .entries
            .iter()
            .map(|entry| entry + 1)
            .max()
            .unwrap_or(0);
        check_length("goal", goal.len(), state.len())?;
        check_length("state", state.len(), state.len().max(longest))?;
        let squares = self.entries.iter().map(|&entry| {
            let apart = f64::from(state[entry]) - f64::from(goal[entry]);
            apart * apart
        });
        Ok(squares.sum::<f64>().sqrt())
    }
}
