//! The random streams of a rollout's episodes.

use crate::rng::{Purpose, Rng, Seed};

/// What the episodes are for. Whatever the policy does not learn to act from has streams of its own: doing more or less
/// of it moves no training byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The policy learns from them.
    Train,
    /// Nobody learns from them.
    Evaluate,
    /// They say how hard goals are.
    Label,
    /// Their states are wanted: for a goal generator, for a distance.
    Gather,
}

/// Where the episodes of one rollout draw from. The same value gives the same episodes again: every rollout of a run
/// has an iteration or a phase of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// The run's.
    pub seed: Seed,
    /// The iteration's number.
    pub iteration: u64,
    /// What for.
    pub phase: Phase,
}

/// What an episode draws, each from its own stream: a tail moves no other draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draw {
    Reset,
    Act,
    Goal,
    Tail,
}

/// Streams per episode where all draws have one purpose: more than there are draws, so that another draw moves none.
const DRAWS: u64 = 16;

impl Streams {
    /// Only training has a purpose per draw; elsewhere an episode has several streams of one.
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
