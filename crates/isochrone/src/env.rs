//! Environments: dynamics only.
//!
//! An [`Environment`] has no goals, rewards or horizons: those belong to the task and the rollout, so that one body in one
//! arena serves every experiment. It draws random numbers only in [`Environment::reset`], from the stream of the episode
//! that begins there, and cannot re-seed itself.
//!
//! The native worlds here have known answers and need no simulator: [`grid::Grid`] walks a maze whose exact times `markov`
//! computes, [`point::Point`] is a double integrator in any dimension, and [`u_room::URoom`] is a continuous room with a
//! wall. [`normalised::Normalised`] rescales the actions of any world to −1…1.

pub mod conformance;
pub mod grid;
pub mod normalised;
pub mod point;
pub mod snapshot;
pub mod u_room;

pub use snapshot::{Snapshot, SnapshotError};

use crate::rng::Rng;

/// The type of an observation's entries. Pixels stay bytes wherever they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// 32-bit floats.
    F32,
    /// Bytes, 0…255.
    U8,
}

/// The shape of an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservationSpec {
    /// One number for a vector; height, width, channels for an image.
    pub shape: Vec<usize>,
    /// Type of the entries.
    pub dtype: Dtype,
}

impl ObservationSpec {
    /// A vector of floats.
    pub fn vector(length: usize) -> Self {
        Self {
            shape: vec![length],
            dtype: Dtype::F32,
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether an observation of this shape is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The box of legal actions.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSpec {
    /// Smallest value of each entry.
    pub low: Vec<f32>,
    /// Largest value of each entry.
    pub high: Vec<f32>,
}

impl ActionSpec {
    /// `length` entries in `−bound…bound`.
    pub fn symmetric(length: usize, bound: f32) -> Self {
        Self {
            low: vec![-bound; length],
            high: vec![bound; length],
        }
    }

    /// Number of entries that have both bounds.
    pub fn len(&self) -> usize {
        self.low.len().min(self.high.len())
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An action as shares of the box, −1 to 1, clipped to it; 0 where the box has no width.
    pub(crate) fn shares(&self, action: &[f32]) -> impl Iterator<Item = f32> {
        let bounds = self.low.iter().zip(&self.high);
        action.iter().zip(bounds).map(|(value, (low, high))| {
            let half_width = 0.5 * (high - low);
            if half_width > 0.0 {
                ((value - 0.5 * (low + high)) / half_width).clamp(-1.0, 1.0)
            } else {
                0.0
            }
        })
    }

    /// Clips an action to the box; an error if it has the wrong length or is not finite.
    pub fn clip(&self, action: &[f32]) -> Result<Vec<f32>, StepError> {
        self.legal(action).map(Iterator::collect)
    }

    /// As [`ActionSpec::clip`], entry by entry. NaN bounds are ignored, and if low exceeds high, high wins: a wrong box of a
    /// third-party environment must not end the process.
    pub fn legal<'a>(
        &'a self,
        action: &'a [f32],
    ) -> Result<impl Iterator<Item = f32> + use<'a>, StepError> {
        if action.len() != self.len() {
            return Err(StepError::ActionLength {
                got: action.len(),
                expected: self.len(),
            });
        }
        if let Some(entry) = action.iter().position(|value| !value.is_finite()) {
            let value = action[entry];
            return Err(StepError::NonFiniteAction { entry, value });
        }
        let bounds = self.low.iter().zip(&self.high);
        let each = action.iter().zip(bounds);
        // Not `clamp`, which panics on such bounds.
        Ok(each.map(|(value, (low, high))| value.max(*low).min(*high)))
    }
}

/// An observation.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// A vector.
    F32(Vec<f32>),
    /// An image, row by row.
    U8(Vec<u8>),
}

impl Observation {
    /// Number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::U8(values) => values.len(),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Type of its entries.
    pub fn dtype(&self) -> Dtype {
        match self {
            Self::F32(_) => Dtype::F32,
            Self::U8(_) => Dtype::U8,
        }
    }

    /// The floats of a vector observation; `None` for an image.
    pub fn as_f32(&self) -> Option<&[f32]> {
        match self {
            Self::F32(values) => Some(values),
            Self::U8(_) => None,
        }
    }
}

/// The result of a step.
///
/// There is deliberately no `is_done`: callers must distinguish termination from truncation. All three variants carry the
/// observation, because a distance also learns from last states.
#[derive(Clone, Debug, PartialEq)]
pub enum Successor<O> {
    /// The episode continues.
    Continue(O),
    /// Terminated: the value after this state is 0.
    Terminal(O),
    /// Truncated from outside: the value after this state is not 0. The built-in worlds never return this.
    Truncated(O),
}

impl<O> Successor<O> {
    /// The observation, for any variant.
    pub const fn observation(&self) -> &O {
        match self {
            Self::Continue(o) | Self::Terminal(o) | Self::Truncated(o) => o,
        }
    }
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The wrong number of entries.
    #[error("the action has {got} entries, the world takes {expected}")]
    ActionLength {
        /// Entries given.
        got: usize,
        /// Entries expected.
        expected: usize,
    },
    /// An action with NaN or infinity.
    #[error("entry {entry} of the action is {value}")]
    NonFiniteAction {
        /// Index of the entry.
        entry: usize,
        /// Its value.
        value: f32,
    },
    /// The episode is over, or none has begun.
    #[error("the episode is over; reset before the next step")]
    AfterTerminal,
    /// NaN or infinity in the simulation. The episode ends with the state before.
    #[error("the physics left the finite numbers: {what}")]
    Unstable {
        /// Name of the quantity.
        what: String,
    },
    /// The observation of this step, or of the reset before it, could not be made. The episode ends with the last observation
    /// that succeeded.
    #[error("the world could not be seen: {reason}")]
    Unseen {
        /// The reason.
        reason: String,
    },
}

/// A world: dynamics with observations and actions.
///
/// `step` returns an error after [`Successor::Terminal`] until the next `reset`, and only then: an episode that the rollout
/// truncates can continue, which is how random tails are run.
pub trait Environment {
    /// Shape of observations.
    fn observation_spec(&self) -> ObservationSpec;

    /// Bounds of actions.
    fn action_spec(&self) -> ActionSpec;

    /// Begins an episode; all randomness of the episode is drawn here.
    fn reset(&mut self, rng: &mut Rng) -> Observation;

    /// Takes one action. Actions outside the box are clipped.
    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError>;
}
