//! Random streams: from one root seed, one stream per (purpose, iteration, episode).
//!
//! A stream belongs to a piece of work, never to a thread or a rank, so random numbers do not depend on the number of
//! workers. Evaluation has its own purpose: evaluating more often changes no training stream.
//!
//! The generator is ChaCha8, whose output is specified; `StdRng`'s may change with any release. The
//! 256-bit key is `seed ‖ purpose ‖ iteration ‖ "isochron"` and the 64-bit stream number is the episode.
//! Different (seed, purpose, iteration, episode) therefore means a different (key, stream): streams
//! cannot collide, and none has to be skipped to reach another.

use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

/// The generator used everywhere. Draw with [`rand::RngExt`].
pub type Rng = rand::rngs::ChaCha8Rng;

/// The purpose of random numbers. These values are part of every recorded result: append, never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Start states of episodes.
    Reset = 0,
    /// Actions.
    Act = 1,
    /// Training pairs.
    Pairs = 2,
    /// Proposed goals.
    Goals = 3,
    /// All draws of an evaluation.
    Evaluate = 4,
    /// Initial weights of a network.
    Weights = 5,
    /// The starting block of an eigenvalue iteration.
    Eigen = 6,
    /// The starting configuration of an iterative embedding.
    Configuration = 7,
    /// Random bases of eigenspaces, for what depends on one.
    Bases = 8,
    /// Random tails after the policy's part of an episode.
    Tails = 9,
    /// Pairs, triples and permutations for the assessment of a distance.
    Assess = 10,
    /// The order of stored episodes.
    Shuffle = 11,
    /// Held-out episodes and states of a data set.
    Keep = 12,
    /// All draws of rollouts that label goals.
    Label = 13,
    /// All draws of rollouts that only collect states.
    Gather = 14,
    /// Trajectories that a distance learns from again.
    Replay = 15,
    /// Updates of an off-policy learner: which transitions, which actions.
    OffPolicy = 16,
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

/// Every named random stream of a run, a fit or an assessment: the one place where (purpose, iteration, number) are chosen.
/// The streams of episodes are those of [`Streams`](crate::rollout::Streams). The numbers are part of every recorded result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stream {
    /// The initial weights of the policy, or of a distance that is fitted alone.
    PolicyWeights,
    /// The initial weights of a value network.
    ValueWeights,
    /// The initial weights of a second one.
    SecondValueWeights,
    /// The initial weights of the goal generator.
    GeneratorWeights,
    /// The initial weights of the generator's discriminator.
    DiscriminatorWeights,
    /// The initial weights of a distance that is learned beside a policy.
    PredictorWeights,
    /// The training samples of one part of the trajectories.
    Samples {
        /// Number of the epoch.
        epoch: u64,
        /// Number of the part.
        part: u64,
    },
    /// The order of the samples of all parts in an epoch of a fit.
    SampleOrder {
        /// Its number.
        epoch: u64,
    },
    /// The same for a distance that is learned beside a policy. It has the numbers of [`Stream::DataOrder`]: no run has both.
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
    /// Whether an episode is held out.
    HeldOut {
        /// Its number.
        episode: u64,
    },
    /// The goals of bootstrapped targets in a fit.
    KeptGoals,
    /// The steps whose lengths a fit measures.
    KeptSteps,
    /// The states in which a fit looks for outliers.
    KeptStates,
    /// Which states become landmarks of a roadmap.
    Landmarks,
    /// The key of a trajectory that a distance learns from again.
    ReplayKey {
        /// Number of the epoch.
        epoch: u64,
        /// Number of the trajectory in it.
        trajectory: u64,
    },
    /// Which of them an epoch learns from.
    ReplayDraw {
        /// Number of the epoch.
        epoch: u64,
    },
    /// An update of an off-policy learner.
    OffPolicyUpdate {
        /// Its number.
        update: u64,
    },
    /// Which pieces of held-out episodes are used.
    AssessPieces {
        /// The piece.
        piece: u64,
    },
    /// Pairs for calibration.
    AssessPairs,
    /// Triples for the triangle inequality on data.
    AssessTriples,
    /// States for the one-way test.
    AssessOneWay,
    /// Pairs that count negative times.
    AssessBelowZero,
    /// Pairs within episodes.
    AssessWithin,
    /// Pairs that count distances of zero.
    AssessZeros,
    /// Pairs whose routes are compared with trajectories.
    AssessRoutes,
    /// Ends and states that episodes are compared with.
    UsualEpisodes,
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
            Self::SecondValueWeights => (Purpose::Weights, 0, 5),
            Self::Samples { epoch, part } => (Purpose::Pairs, epoch, part),
            // After the streams of all parts.
            Self::SampleOrder { epoch } => (Purpose::Pairs, epoch, u64::MAX),
            Self::PredictorSampleOrder { epoch } => (Purpose::Shuffle, epoch, 0),
            Self::DataOrder { pass, stream } => (Purpose::Shuffle, pass, stream),
            Self::HeldOut { episode } => (Purpose::Keep, 0, episode),
            Self::KeptGoals => (Purpose::Keep, 1, 0),
            Self::KeptSteps => (Purpose::Keep, 2, 0),
            Self::KeptStates => (Purpose::Keep, 3, 0),
            Self::Landmarks => (Purpose::Keep, 4, 0),
            Self::ReplayKey { epoch, trajectory } => (Purpose::Replay, epoch, trajectory),
            Self::ReplayDraw { epoch } => (Purpose::Replay, epoch, u64::MAX),
            Self::OffPolicyUpdate { update } => (Purpose::OffPolicy, update, 0),
            Self::AssessPieces { piece } => (Purpose::Assess, u64::MAX, piece),
            Self::AssessPairs => (Purpose::Assess, u64::MAX - 1, 0),
            Self::AssessTriples => (Purpose::Assess, u64::MAX - 2, 0),
            Self::AssessOneWay => (Purpose::Assess, u64::MAX - 3, 0),
            Self::AssessBelowZero => (Purpose::Assess, u64::MAX - 4, 0),
            Self::AssessWithin => (Purpose::Assess, u64::MAX - 5, 0),
            Self::AssessZeros => (Purpose::Assess, u64::MAX - 6, 0),
            Self::AssessRoutes => (Purpose::Assess, u64::MAX - 7, 0),
            Self::UsualEpisodes => (Purpose::Assess, u64::MAX - 8, 0),
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

/// `n` of the numbers `0…of−1` without repetition, or all of them: a partial shuffle.
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
            Stream::SecondValueWeights,
            Stream::KeptGoals,
            Stream::KeptSteps,
            Stream::KeptStates,
            Stream::Landmarks,
            Stream::AssessPairs,
            Stream::AssessTriples,
            Stream::AssessOneWay,
            Stream::AssessBelowZero,
            Stream::AssessWithin,
            Stream::AssessZeros,
            Stream::AssessRoutes,
            Stream::UsualEpisodes,
        ];
        // A fit numbers its epochs by pass and chunk.
        for &number in numbers {
            all.push(Stream::SampleOrder { epoch: number });
            all.push(Stream::HeldOut { episode: number });
            all.push(Stream::AssessPieces { piece: number });
            all.push(Stream::ReplayDraw { epoch: number });
            all.push(Stream::OffPolicyUpdate { update: number });
            for &part in numbers {
                let epoch = number;
                all.push(Stream::Samples { epoch, part });
                let trajectory = part;
                all.push(Stream::ReplayKey { epoch, trajectory });
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
