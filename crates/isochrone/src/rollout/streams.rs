//! The random streams of a rollout's episodes.

use crate::rng::{Purpose, Rng, Seed};

/// The purpose of a rollout's episodes. Every purpose other than training has its own streams, so doing more or less of it
/// changes no training byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Training rollouts: the policy learns from them.
    Train,
    /// Evaluation.
    Evaluate,
    /// Labels of goals.
    Label,
    /// Visited states: for a goal generator, for a distance.
    Gather,
}

/// The random streams of a rollout. The same value gives the same episodes: every rollout of a run has its own iteration or
/// phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Seed of the run.
    pub seed: Seed,
    /// Number of the iteration.
    pub iteration: u64,
    /// The purpose.
    pub phase: Phase,
}

/// The draws of an episode, each with its own stream: a tail changes no other draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draw {
    Reset,
    Act,
    Goal,
    Tail,
}

/// Streams per episode if all draws share a purpose: more than there are draws, so that a new draw changes no other.
const DRAWS: u64 = 16;

impl Streams {
    /// Only training has a purpose per draw; elsewhere an episode has several streams of one purpose.
    pub(super) fn of(self, draw: Draw, episode: u64) -> Rng {
        let several = DRAWS * episode + draw as u64;
        let (purpose, stream) = match self.phase {
            Phase::Train => (draw.purpose(), episode),
            Phase::Evaluate => (Purpose::Evaluate, several),
            Phase::Label => (Purpose::Label, several),
            Phase::Gather => (Purpose::Gather, several),
        };
        self.seed.stream(purpose, self.iteration, stream)
    }
}

impl Draw {
    const fn purpose(self) -> Purpose {
        match self {
            Self::Reset => Purpose::Reset,
            Self::Act => Purpose::Act,
            Self::Goal => Purpose::Goals,
            Self::Tail => Purpose::Tails,
        }
    }
}
