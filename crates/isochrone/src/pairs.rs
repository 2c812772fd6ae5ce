//! Trajectories → training pairs.
//!
//! A pair is a state, a later state of the same trajectory, and how many steps it took to meet the later one for
//! the first time (the paper's Eq. (5)):
//!
//! ```text
//! (s_t, s_{t₂}, t′ − t),   t′ = min{ u > t : ‖s_u − s_{t₂}‖₂ ≤ r }
//! ```
//!
//! Pairs are *forward* and stay within one trajectory; symmetry comes from the norm that is fitted to them. The
//! radius r is what the [`Target`] says: next to nothing for the paper's windows, the size of a goal for first
//! passages. How t and t₂ are drawn the paper does not say: [`Sampler`] has the three readings, which converge to
//! different numbers (`markov::window_target`).

mod episodes;
mod hit;
mod reservoir;
mod sample;

pub use crate::markov::Sampler;
pub use episodes::{Episodes, EpisodesError};
pub(crate) use hit::FirstEntries;
pub use hit::first_hit;
pub use reservoir::Reservoir;
pub use sample::{Pair, PairSource};

use serde::{Deserialize, Serialize};

/// Two states closer than this are one: the paper's tolerance.
pub const SAME_STATE: f32 = 1e-4;

/// What a distance is fitted to. These are different quantities: never call one by another's name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Target {
    /// The paper's: the mean time until the later state itself is met, **given that it is met within the
    /// window**. Longer trajectories are cut into windows.
    Window {
        /// Longest lag. A window of T steps is T + 1 states.
        steps: usize,
    },
    /// The mean time until a ball round the later state is entered, given that it is entered within the
    /// trajectory.
    FirstPassage {
        /// Radius of the ball, in the units of the states.
        radius: f32,
    },
    /// The mean time until a ball round **any** goal is entered, however long that takes: what the window cuts off
    /// is filled in by the distance's own estimate from the last state.
    Bootstrapped {
        /// Radius of the ball, in the units of the states.
        radius: f32,
        /// Longest observed lag; longer trajectories are cut into windows.
        steps: usize,
    },
}

impl Target {
    /// When are two states one?
    pub const fn radius(self) -> f32 {
        match self {
            Self::Window { .. } => SAME_STATE,
            Self::FirstPassage { radius } | Self::Bootstrapped { radius, .. } => radius,
        }
    }

    /// Where are long trajectories cut?
    pub const fn window_steps(self) -> Option<usize> {
        match self {
            Self::Window { steps } | Self::Bootstrapped { steps, .. } => Some(steps),
            Self::FirstPassage { .. } => None,
        }
    }
}
