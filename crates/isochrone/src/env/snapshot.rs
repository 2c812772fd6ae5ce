//! Snapshots: the whole state of a world as numbers, to restore here or elsewhere.

/// Saves and restores the whole state of the dynamics. Separate from [`Environment`](super::Environment), because Python
/// environments do not support it.
pub trait Snapshot {
    /// The complete state, and whether an episode is running; the length is constant.
    fn save(&self) -> Vec<f64>;

    /// Restores a snapshot; an error if it is not one of this world, which then stays unchanged.
    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError>;
}

/// A snapshot that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Wrong length.
    #[error("a state of {got} numbers was given, this world's has {expected}")]
    Length {
        /// Numbers given.
        got: usize,
        /// Numbers expected.
        expected: usize,
    },
    /// NaN or infinite.
    #[error("entry {entry} of the state is not finite")]
    NonFinite {
        /// Index of the entry.
        entry: usize,
    },
    /// Right length, but a snapshot of another world.
    #[error("the state is not one of this world's: it was saved in another, or changed since")]
    OtherWorld,
}

/// Checks length and finiteness.
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

/// Whether an episode is running: the part of a snapshot that is not physics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No episode: none has begun, or the last one is over.
    Idle,
    /// An episode is running.
    Running,
}

impl Status {
    /// As a number of a snapshot.
    pub const fn to_number(self) -> f64 {
        match self {
            Self::Idle => 0.0,
            Self::Running => 1.0,
        }
    }

    /// From a number of a snapshot.
    pub fn from_number(number: f64) -> Result<Self, SnapshotError> {
        [Self::Idle, Self::Running]
            .into_iter()
            .find(|status| status.to_number().to_bits() == number.to_bits())
            .ok_or(SnapshotError::OtherWorld)
    }
}
