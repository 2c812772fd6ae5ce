//! Random tails of episodes.

use crate::trajectory::End;

/// Random actions after the policy's part of an episode, unless the world has terminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// None.
    Off,
    /// Only after a success, in the first episodes of the batch.
    AfterSuccess {
        /// Steps per tail.
        tail_steps: usize,
        /// Only episodes with smaller numbers have a tail.
        episodes: u64,
    },
    /// After every episode that has not terminated, in the first episodes of the batch: without that limit, tails would be
    /// most of the work where episodes are short.
    FirstEpisodes {
        /// Steps per tail.
        tail_steps: usize,
        /// Only episodes with smaller numbers have a tail.
        episodes: u64,
    },
    /// The longest that applies to the episode, where several ask for tails.
    Longest {
        /// As [`Tail::FirstEpisodes`].
        always: [FirstTails; 2],
        /// As [`Tail::AfterSuccess`].
        after_success: FirstTails,
    },
}

/// Tails of the first episodes of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstTails {
    /// Steps per tail.
    pub tail_steps: usize,
    /// Only episodes with smaller numbers have a tail.
    pub episodes: u64,
}

impl FirstTails {
    const fn steps(self, episode: u64) -> usize {
        if episode < self.episodes {
            self.tail_steps
        } else {
            0
        }
    }

    fn steps_after_success(self, episode: u64, end: End) -> usize {
        if end == End::Reached {
            self.steps(episode)
        } else {
            0
        }
    }
}

impl Tail {
    /// Random steps after an episode whose policy ended so.
    pub(super) fn steps(self, episode: u64, end: End) -> usize {
        match self {
            Self::Off => 0,
            Self::AfterSuccess {
                tail_steps,
                episodes,
            } => {
                let tails = FirstTails {
                    tail_steps,
                    episodes,
                };
                tails.steps_after_success(episode, end)
            }
            Self::FirstEpisodes {
                tail_steps,
                episodes,
            } => {
                let tails = FirstTails {
                    tail_steps,
                    episodes,
                };
                tails.steps(episode)
            }
            Self::Longest {
                always,
                after_success,
            } => {
                let always = always.map(|tails| tails.steps(episode));
                let success = after_success.steps_after_success(episode, end);
                success.max(always[0]).max(always[1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tails() -> impl Strategy<Value = FirstTails> {
        (0_usize..5, 0_u64..5).prop_map(|(tail_steps, episodes)| FirstTails {
            tail_steps,
            episodes,
        })
    }

    fn one(tails: FirstTails) -> [Tail; 2] {
        let FirstTails {
            tail_steps,
            episodes,
        } = tails;
        let after_success = Tail::AfterSuccess {
            tail_steps,
            episodes,
        };
        let first = Tail::FirstEpisodes {
            tail_steps,
            episodes,
        };
        [first, after_success]
    }

    proptest! {
        /// Whoever asks for a tail gets it, and nobody makes it longer than somebody asked for.
        #[test]
        fn the_longest_tail_is_the_largest_of_all(
            a in tails(), b in tails(), c in tails(), episode in 0_u64..6, is_reached: bool,
        ) {
            let end = if is_reached { End::Reached } else { End::Horizon };
            let each = [one(a)[0], one(b)[0], one(c)[1]].map(|tail| tail.steps(episode, end));
            let longest = Tail::Longest { always: [a, b], after_success: c };
            prop_assert_eq!(Some(longest.steps(episode, end)), each.into_iter().max());
        }
    }
}
