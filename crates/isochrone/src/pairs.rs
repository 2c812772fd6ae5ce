//! Trajectories → training pairs.
//!
//! A pair is a state, a later state of the same trajectory, and the number of steps until the later one is reached for the
//! first time (the paper's Eq. (5)):
//!
//! ```text
//! (s_t, s_{t₂}, t′ − t),   t′ = min{ u > t : ‖s_u − s_{t₂}‖₂ ≤ r }
//! ```
//!
//! Pairs are *forward* and stay within one trajectory; symmetry comes from the norm that is fitted to them. The [`Target`]
//! sets the radius r: nearly zero for the paper's windows, the size of a goal for first passages. The paper does not say
//! how t and t₂ are drawn: [`Sampler`] has three interpretations, which converge to different numbers
//! (`markov::window_target`).

mod clip;
mod episodes;
mod hit;
mod reservoir;
mod sample;

pub use crate::markov::Sampler;
pub use clip::Clip;
pub(crate) use clip::clip_pairs;
pub use episodes::{Episodes, EpisodesError};
pub(crate) use hit::FirstEntries;
pub use hit::first_hit;
pub use reservoir::Reservoir;
pub use sample::{Pair, PairSource};

use serde::{Deserialize, Serialize};

/// Two states nearer than this count as one: the paper's tolerance.
pub const SAME_STATE: f32 = 1e-4;

/// The regression target of a distance. They are different quantities: do not confuse them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Target {
    /// The paper's: the mean time until the later state itself is reached, **given that it is reached within the window**.
    /// Longer trajectories are cut into windows.
    Window {
        /// The largest lag. A window of T steps has T + 1 states.
        steps: usize,
    },
    /// The window's, and what it leaves open: a later state of a trajectory that was not met within a window counts as **at
    /// least** a window away. Without them the regression says nothing about places on both sides of a wall, and a network may
    /// put them on top of each other.
    SeparatedWindow {
        /// The largest lag, and the least distance of the others.
        steps: usize,
        /// Pairs beyond the window for each pair within, at most 1.
        far_share: f32,
    },
    /// The mean time until a ball round the later state is entered, given that it is entered within the
    /// trajectory.
    FirstPassage {
        /// Radius of the ball, in the units of the states.
        radius: f32,
    },
    /// The mean time until a ball round **any** goal is entered, however long that takes. Where the window ends first, the
    /// distance's own estimate from the last state is added.
    Bootstrapped {
        /// Radius of the ball, in the units of the states.
        radius: f32,
        /// The largest observed lag; longer trajectories are cut into windows.
        steps: usize,
    },
    /// The fewest steps between **any** two states: along the map's shortest routes
    /// ([`Geodesic`](crate::roadmap::Geodesic)), or in the trajectory itself where that is shorter.
    Geodesic {
        /// The largest lag of pairs from one trajectory, which teach what is near.
        steps: usize,
    },
}

impl Target {
    /// The distance within which two states count as one.
    pub const fn radius(self) -> f32 {
        match self {
            Self::Window { .. } | Self::SeparatedWindow { .. } | Self::Geodesic { .. } => {
                SAME_STATE
            }
            Self::FirstPassage { radius } | Self::Bootstrapped { radius, .. } => radius,
        }
    }

    /// The window length in steps; `None` if trajectories are not cut.
    pub const fn window_steps(self) -> Option<usize> {
        match self {
            Self::Window { steps }
            | Self::SeparatedWindow { steps, .. }
            | Self::Bootstrapped { steps, .. }
            | Self::Geodesic { steps } => Some(steps),
            Self::FirstPassage { .. } => None,
        }
    }
}
