//! States that can be kept: saved as numbers, restored here or elsewhere.

/// Saving and restoring the whole state of the dynamics. Apart from [`Environment`](super::Environment), because
/// environments that come from Python lack it.
pub trait Snapshot {
    /// Everything the next steps depend on, and whether there may be one: equally many numbers at all times.
    fn save(&self) -> Vec<f64>;

    /// Goes on from a saved state; refused if it is not one of this world's, which then stays as it was.
    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError>;
}

/// A state that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Too few numbers, or too many.
    #[error("a state of {got} numbers was given, this world's has {expected}")]
    Length {
        /// Numbers given.
        got: usize,
        /// Numbers wanted.
        expected: usize,
    },
    /// NaN or infinite.
    #[error("entry {entry} of the state is not finite")]
    NonFinite {
        /// Which entry.
        entry: usize,
    },
    /// As many numbers as this world's, and not a state of it.
    #[error("the state is not one of this world's: it was saved in another, or changed since")]
    OtherWorld,
}

/// Is the state as long as it should be, and finite?
pub fn check_numbers(state: &[f64], expected: usize) -> Result<(), SnapshotError> {
    let got = state.len();
    if got != expected {
        return Err(SnapshotError::Length { got, expected });
    }
    match state.iter().position(|x| !x.is_finite()) {
        Some(entry) => Err(SnapshotError::NonFinite { entry }),
        None => Ok(()),
    }
}

/// Whether there is an episode to step: the part of a state that no physics know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// None has begun, or the last one is over.
    Idle,
    /// The next step may come.
    Running,
}

impl Status {
    /// As a saved state has it.
    pub const fn to_number(self) -> f64 {
        match self {
            Self::Idle => 0.0,
            Self::Running => 1.0,
        }
    }

    /// Back from a saved state.
    pub fn from_number(number: f64) -> Result<Self, SnapshotError> {
        [Self::Idle, Self::Running]
            .into_iter()
            .find(|status| status.to_number().to_bits() == number.to_bits())
            .ok_or(SnapshotError::OtherWorld)
    }
}
