//! Environments: dynamics, and nothing else.
//!
//! An [`Environment`] knows neither goals nor rewards nor horizons: those belong to the task and the rollout,
//! so that one body in one arena serves every experiment. It draws random numbers only in
//! [`Environment::reset`], from the stream of the episode that begins there, and so cannot re-seed itself.
//!
//! The native worlds here have known answers and need no simulator: [`grid::Grid`] walks a maze whose exact
//! times `markov` computes, [`point::Point`] is a double integrator in any dimension, and
//! [`u_room::URoom`] is a continuous room with a wall. [`normalised::Normalised`] is any of them with actions of −1…1.

pub mod conformance;
pub mod grid;
pub mod normalised;
pub mod point;
pub mod snapshot;
pub mod u_room;

pub use snapshot::{Snapshot, SnapshotError};

use crate::rng::Rng;

/// What an observation consists of. Pixels stay bytes wherever they are stored.
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
    /// What its entries are.
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

    /// Does an observation of this shape hold nothing?
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

    /// Number of entries: those that have both bounds.
    pub fn len(&self) -> usize {
        self.low.len().min(self.high.len())
    }

    /// Is there nothing to choose?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The action as the dynamics may use it: refused if it has the wrong length or is not finite, moved
    /// to the nearest legal value otherwise.
    pub fn clip(&self, action: &[f32]) -> Result<Vec<f32>, StepError> {
        self.legal(action).map(Iterator::collect)
    }

    /// As [`ActionSpec::clip`], entry by entry. Bounds that are none (NaN) do not bind, and where low is above high
    /// the latter holds: environments of others may say such things, and a box must not end the process.
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

/// What is seen.
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

    /// Is there nothing to see?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What its entries are.
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

/// Where a step led, and whether there is a next one.
///
/// There is deliberately no `is_done`: whoever asks must say which question is meant. The three arms all
/// carry what was seen, because a distance is learned from last states too.
#[derive(Clone, Debug, PartialEq)]
pub enum Successor<O> {
    /// The episode goes on.
    Continue(O),
    /// The dynamics end here: no value continues from this state.
    Terminal(O),
    /// Somebody outside stopped the clock: the state's value goes on. Our own worlds never say this.
    Truncated(O),
}

impl<O> Successor<O> {
    /// The state arrived at, whichever way.
    pub const fn observation(&self) -> &O {
        match self {
            Self::Continue(o) | Self::Terminal(o) | Self::Truncated(o) => o,
        }
    }
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The wrong number of entries.
    #[error("the action has {got} entries, the world takes {expected}")]
    ActionLength {
        /// Entries given.
        got: usize,
        /// Entries wanted.
        expected: usize,
    },
    /// NaN or infinite.
    #[error("entry {entry} of the action is {value}")]
    NonFiniteAction {
        /// Which entry.
        entry: usize,
        /// Its value.
        value: f32,
    },
    /// The episode is over, or none has begun.
    #[error("the episode is over; reset before the next step")]
    AfterTerminal,
    /// The simulation left the numbers. The episode ends with the state before; the process goes on.
    #[error("the physics left the finite numbers: {what}")]
    Unstable {
        /// Which quantity.
        what: String,
    },
    /// What the step led to, or the reset before it, could not be seen. The episode is over, and ends with the last
    /// state that was.
    #[error("the world could not be seen: {reason}")]
    Unseen {
        /// Why.
        reason: String,
    },
}

/// A world with dynamics.
///
/// `step` is refused after [`Successor::Terminal`] until the next `reset`, and only then: an episode that the
/// rollout cut short can go on, which is how random tails are run.
pub trait Environment {
    /// What is seen.
    fn observation_spec(&self) -> ObservationSpec;

    /// What can be done.
    fn action_spec(&self) -> ActionSpec;

    /// Begins an episode; everything random about it is drawn here.
    fn reset(&mut self, rng: &mut Rng) -> Observation;

    /// One action. Actions outside the box are clipped to it.
    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError>;
}
