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
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
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

/// Every random stream that a run, a fit or an assessment draws from by name: the one place where (purpose, iteration,
/// number) are chosen. The streams of episodes are those of [`Streams`](crate::rollout::Streams). The numbers are part
/// of every recorded result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stream {
    /// The first weights of the policy; of a distance that is fitted alone.
    PolicyWeights,
    /// The first weights of a value network.
    ValueWeights,
    /// The first weights of the goal generator.
    GeneratorWeights,
    /// The first weights of the generator's discriminator.
    DiscriminatorWeights,
    /// The first weights of a distance that is learned beside a policy.
    PredictorWeights,
    /// The training samples of one part of the trajectories.
    Samples {
        /// Its number.
        epoch: u64,
        /// The part's.
        part: u64,
    },
    /// The order in which an epoch of a fit learns from the samples of all parts.
    SampleOrder {
        /// Its number.
        epoch: u64,
    },
    /// The same of a distance that is learned beside a policy. It has the numbers of [`Stream::DataOrder`]: no run has both.
    PredictorSampleOrder {
        /// Its number.
        epoch: u64,
    },
    /// The order of stored episodes within one stream of a data set.
    DataOrder {
        /// The pass over the data.
        pass: u64,
        /// The data set's stream.
        stream: u64,
    },
    /// Whether an episode is kept aside.
    HeldOut {
        /// Its number.
        episode: u64,
    },
    /// The goals that a fit keeps for bootstrapped targets.
    KeptGoals,
    /// The steps that a fit measures.
    KeptSteps,
    /// The states that a fit looks at for outliers.
    KeptStates,
    /// Which pieces of an episode kept aside are watched.
    AssessPieces {
        /// The piece.
        piece: u64,
    },
    /// Which pairs calibrate a distance.
    AssessPairs,
    /// Which triples test the triangle inequality on data.
    AssessTriples,
    /// Which states test one-way times.
    AssessOneWay,
    /// Which pairs count times below zero.
    AssessBelowZero,
    /// Which pairs are compared within episodes.
    AssessWithin,
    /// Which pairs count distances of zero.
    AssessZeros,
}

impl Stream {
    /// Purpose, iteration and number.
    const fn place(self) -> (Purpose, u64, u64) {
        match self {
            Self::PolicyWeights => (Purpose::Weights, 0, 0),
            Self::ValueWeights => (Purpose::Weights, 0, 1),
            Self::GeneratorWeights => (Purpose::Weights, 0, 2),
            Self::DiscriminatorWeights => (Purpose::Weights, 0, 3),
            Self::PredictorWeights => (Purpose::Weights, 0, 4),
            Self::Samples { epoch, part } => (Purpose::Pairs, epoch, part),
            // Behind the streams of all parts.
            Self::SampleOrder { epoch } => (Purpose::Pairs, epoch, u64::MAX),
            Self::PredictorSampleOrder { epoch } => (Purpose::Shuffle, epoch, 0),
            Self::DataOrder { pass, stream } => (Purpose::Shuffle, pass, stream),
            Self::HeldOut { episode } => (Purpose::Keep, 0, episode),
            Self::KeptGoals => (Purpose::Keep, 1, 0),
            Self::KeptSteps => (Purpose::Keep, 2, 0),
            Self::KeptStates => (Purpose::Keep, 3, 0),
            Self::AssessPieces { piece } => (Purpose::Assess, u64::MAX, piece),
            Self::AssessPairs => (Purpose::Assess, u64::MAX - 1, 0),
            Self::AssessTriples => (Purpose::Assess, u64::MAX - 2, 0),
            Self::AssessOneWay => (Purpose::Assess, u64::MAX - 3, 0),
            Self::AssessBelowZero => (Purpose::Assess, u64::MAX - 4, 0),
            Self::AssessWithin => (Purpose::Assess, u64::MAX - 5, 0),
            Self::AssessZeros => (Purpose::Assess, u64::MAX - 6, 0),
        }
    }
}

impl Seed {
    /// The random numbers of a named stream.
    pub fn of(self, stream: Stream) -> Rng {
        let (purpose, iteration, number) = stream.place();
        self.stream(purpose, iteration, number)
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

    /// No two streams of a run are one, whatever their numbers are. A fit orders stored episodes, a training does not.
    #[test]
    fn named_streams_are_unique() {
        let numbers = [0, 1, 2, 63, 64, 1 << 32, (1 << 32) + 1];
        let (mut of_fit, mut of_training) = (Vec::new(), Vec::new());
        for number in numbers {
            of_training.push(Stream::PredictorSampleOrder { epoch: number });
            for stream in numbers {
                let pass = number;
                of_fit.push(Stream::DataOrder { pass, stream });
            }
        }
        for own in [of_fit, of_training] {
            assert_unique(&[own, shared(&numbers)].concat());
        }
    }

    fn shared(numbers: &[u64]) -> Vec<Stream> {
        let mut all = vec![
            Stream::PolicyWeights,
            Stream::ValueWeights,
            Stream::GeneratorWeights,
            Stream::DiscriminatorWeights,
            Stream::PredictorWeights,
            Stream::KeptGoals,
            Stream::KeptSteps,
            Stream::KeptStates,
            Stream::AssessPairs,
            Stream::AssessTriples,
            Stream::AssessOneWay,
            Stream::AssessBelowZero,
            Stream::AssessWithin,
            Stream::AssessZeros,
        ];
        // A fit numbers its epochs by pass and chunk.
        for &number in numbers {
            all.push(Stream::SampleOrder { epoch: number });
            all.push(Stream::HeldOut { episode: number });
            all.push(Stream::AssessPieces { piece: number });
            for &part in numbers {
                let epoch = number;
                all.push(Stream::Samples { epoch, part });
            }
        }
        all
    }

    fn assert_unique(all: &[Stream]) {
        for (at, a) in all.iter().enumerate() {
            for b in &all[..at] {
                let (p, i, n) = a.place();
                let (q, j, m) = b.place();
                assert!((p as u64, i, n) != (q as u64, j, m), "{a:?} is {b:?}");
            }
        }
    }

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
