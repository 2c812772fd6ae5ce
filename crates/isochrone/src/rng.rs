//! One root seed, and from it one stream of random numbers per (purpose, iteration, episode).
//!
//! A stream belongs to a piece of work, never to a thread or a rank, so the numbers drawn do not depend
//! on who does the work. Evaluation has a purpose of its own: evaluating more often moves no training
//! stream.
//!
//! The generator is ChaCha8, whose output is specified; `StdRng`'s may change with any release. The
//! 256-bit key is `seed ‖ purpose ‖ iteration ‖ "isochron"` and the 64-bit stream number is the episode.
//! Different (seed, purpose, iteration, episode) therefore means a different (key, stream): streams
//! cannot collide, and none has to be skipped to reach another.

use rand::{RngExt, SeedableRng};

/// The generator used everywhere. Draw with [`rand::RngExt`].
pub type Rng = rand::rngs::ChaCha8Rng;

/// What random numbers are drawn for. The numbers are part of every recorded result: append, never
/// renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Where an episode starts.
    Reset = 0,
    /// Which action is taken.
    Act = 1,
    /// Which pairs of states are compared.
    Pairs = 2,
    /// Which goals are proposed.
    Goals = 3,
    /// Everything an evaluation draws.
    Evaluate = 4,
    /// The first weights of a network.
    Weights = 5,
    /// The starting block of an eigenvalue iteration.
    Eigen = 6,
    /// The starting configuration of an iterative embedding.
    Configuration = 7,
    /// Random bases of eigenspaces, for what depends on one.
    Bases = 8,
    /// Random actions after the policy's part of an episode.
    Tails = 9,
    /// Which pairs, triples and relabellings a distance is judged by.
    Assess = 10,
    /// In which order stored episodes are met.
    Shuffle = 11,
    /// Which episodes and states of a data set are kept aside.
    Keep = 12,
    /// Everything drawn while goals are tried to learn how hard they are.
    Label = 13,
    /// Everything drawn while states are gathered from a policy that nobody learns to act from.
    Gather = 14,
}

/// The root of all randomness in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of one piece of work.
    ///
    /// ```
    /// use isochrone::rng::{Purpose, Seed};
    /// use rand::RngExt;
    ///
    /// let draw = |episode| -> u64 { Seed(7).stream(Purpose::Act, 0, episode).random() };
    /// assert_eq!(draw(3), draw(3));
    /// assert_ne!(draw(3), draw(4));
    /// ```
    pub fn stream(self, purpose: Purpose, iteration: u64, episode: u64) -> Rng {
        let words = [
            self.0,
            purpose as u64,
            iteration,
            u64::from_le_bytes(*b"isochron"),
        ];
        let mut key = [0_u8; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let mut rng = Rng::from_seed(key);
        rng.set_stream(episode);
        rng
    }
}

/// `n` of the numbers `0…of−1` without repetition, or all of them: the beginning of a shuffle.
pub(crate) fn choose(of: usize, n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..of).collect();
    let n = n.min(of);
    for at in 0..n {
        numbers.swap(at, rng.random_range(at..of));
    }
    numbers.truncate(n);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These words are in every recorded run. If they change, no published number can be repeated.
    #[test]
    fn the_first_words_never_change() {
        let mut rng = Seed(42).stream(Purpose::Reset, 1, 2);
        let words: [u64; 3] = std::array::from_fn(|_| rng.random());
        assert_eq!(words, GOLDEN);
    }

    const GOLDEN: [u64; 3] = [
        8_746_309_357_961_921_199,
        9_290_577_538_159_988_617,
        14_114_501_618_370_495_067,
    ];

    #[test]
    fn each_coordinate_selects_another_stream() {
        let first = |seed, purpose, iteration, episode| -> u64 {
            Seed(seed).stream(purpose, iteration, episode).random()
        };
        let draws = [
            first(0, Purpose::Reset, 0, 0),
            first(1, Purpose::Reset, 0, 0),
            first(0, Purpose::Act, 0, 0),
            first(0, Purpose::Reset, 1, 0),
            first(0, Purpose::Reset, 0, 1),
        ];
        for (i, a) in draws.iter().enumerate() {
            for b in &draws[..i] {
                assert_ne!(a, b);
            }
        }
    }
}
