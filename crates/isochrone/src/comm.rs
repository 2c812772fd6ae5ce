//! Communication between ranks: sums in an order that does not depend on the number of ranks.
//!
//! Work is cut into a fixed number of **shards** (64 unless the spec says otherwise): an episode belongs to shard
//! `episode mod V`. A rank owns consecutive shards and contributes one partial sum per shard; the total is formed in shard
//! order,
//!
//! ```text
//! total = ((p₀ + p₁) + p₂) + … + p_{V−1}        in f64, whoever computed p_s
//! ```
//!
//! so a run gives the same bytes on 1, 2, 4 or 64 ranks. Floating-point addition is not associative: a
//! plain all-reduce adds in an order that depends on the rank count, and its result differs in the last
//! bits.
//!
//! [`Single`] is the laptop; MPI comes as a plugin behind the same trait. Checked by
//! `comm::equal_bytes_for_any_number_of_workers`.

mod workers;

pub use workers::Workers;

/// Default number of shards. The number of ranks must divide it.
pub const DEFAULT_SHARDS: usize = 64;

/// Rows summed in f32 before they are added to a shard's f64 total. It changes the result.
pub const CHUNK_ROWS: usize = 1_000;

/// An error in the communication between ranks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommError {
    /// The shards cannot be divided evenly among the ranks.
    #[error(
        "{ranks} ranks cannot share {shards} shards evenly; use a rank count that divides {shards}"
    )]
    UnevenShards {
        /// Number of ranks.
        ranks: usize,
        /// Number of shards.
        shards: usize,
    },
    /// Partial sums of different lengths.
    #[error("shard {shard} handed in {got} numbers where {expected} were expected")]
    UnequalPartials {
        /// The rank that differs.
        shard: usize,
        /// Its length.
        got: usize,
        /// The length on this rank.
        expected: usize,
    },
    /// A rank does not exist.
    #[error("rank {rank} does not exist among {ranks}")]
    NoSuchRank {
        /// The rank asked for.
        rank: usize,
        /// Number of ranks.
        ranks: usize,
    },
    /// A rank aborted the run.
    #[error("rank {rank} aborted the run: {reason}")]
    Aborted {
        /// The rank that aborted.
        rank: usize,
        /// Its reason.
        reason: String,
    },
}

/// The ranks of one run, seen from one of them. All collective calls are made by every rank, in the same order.
pub trait Comm: Send + Sync {
    /// This rank's number, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Every rank's bytes, in rank order, on every rank.
    fn all_gather_bytes(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, CommError>;

    /// `root`'s bytes on every rank; what the others pass is ignored.
    fn broadcast_bytes(&self, root: usize, mine: &[u8]) -> Result<Vec<u8>, CommError>;

    /// Returns when every rank has called it.
    fn barrier(&self) -> Result<(), CommError>;

    /// Aborts the run on all ranks: pending and later calls on every other rank return [`CommError::Aborted`].
    fn abort(&self, reason: &str);

    /// The sum of all shards' partials, in shard order. `partials` holds this rank's shards, in order.
    fn sum_shards_f64(&self, partials: &[Vec<f64>]) -> Result<Vec<f64>, CommError> {
        let lengths: Vec<usize> = partials.iter().map(Vec::len).collect();
        let numbers = partials.iter().flatten();
        let mine: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
        sum_in_shard_order(self, &lengths, &mine, f64::from_le_bytes)
    }

    /// As [`Comm::sum_shards_f64`] for f32 partials: half the traffic, still accumulated in f64.
    fn sum_shards_f32(&self, partials: &[Vec<f32>]) -> Result<Vec<f64>, CommError> {
        let lengths: Vec<usize> = partials.iter().map(Vec::len).collect();
        let numbers = partials.iter().flatten();
        let mine: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
        sum_in_shard_order(self, &lengths, &mine, |word| {
            f64::from(f32::from_le_bytes(word))
        })
    }
}

/// Gathers partials of equal length and adds them. A different length on one rank would leave the others waiting, so it aborts
/// the run on every rank. Each message contains the length of its partials: two shards of three numbers have as many bytes as
/// three shards of two.
fn sum_in_shard_order<C: Comm + ?Sized, const BYTES: usize>(
    comm: &C,
    lengths: &[usize],
    mine: &[u8],
    number: impl Fn([u8; BYTES]) -> f64,
) -> Result<Vec<f64>, CommError> {
    let expected = lengths.first().copied().unwrap_or(0);
    let refuse = |shard, got| {
        let error = CommError::UnequalPartials {
            shard,
            got,
            expected,
        };
        comm.abort(&error.to_string());
        error
    };
    if let Some(at) = lengths.iter().position(|&length| length != expected) {
        return Err(refuse(comm.rank() * lengths.len() + at, lengths[at]));
    }
    let message = [&(expected as u64).to_le_bytes(), mine].concat();
    let mut total = vec![0.0; expected];
    for (rank, bytes) in comm.all_gather_bytes(&message)?.into_iter().enumerate() {
        let shard = rank * lengths.len();
        let (head, body) = bytes
            .split_first_chunk::<8>()
            .ok_or_else(|| refuse(shard, 0))?;
        let got = u64::from_le_bytes(*head) as usize;
        if got != expected || body.len() != mine.len() {
            return Err(refuse(shard, got));
        }
        for (at, word) in body.as_chunks::<BYTES>().0.iter().enumerate() {
            total[at % expected] += number(*word);
        }
    }
    Ok(total)
}

/// The fixed partition of a run's work into shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shards {
    count: usize,
}

impl Shards {
    /// A partition into `count` shards for `ranks` ranks; an error unless each rank gets equally many.
    pub fn new(count: usize, ranks: usize) -> Result<Self, CommError> {
        if ranks == 0 || count == 0 || !count.is_multiple_of(ranks) {
            return Err(CommError::UnevenShards {
                ranks,
                shards: count,
            });
        }
        Ok(Self { count })
    }

    /// The shard of an episode.
    pub const fn of_episode(self, episode: usize) -> usize {
        episode % self.count
    }

    /// The largest number of episodes in a shard, if there are this many in all.
    pub const fn most_episodes(self, episodes: usize) -> usize {
        episodes.div_ceil(self.count)
    }

    /// The shards of a rank; an error unless all ranks own equally many: the partition may be for another number of ranks.
    pub fn share_of<C: Comm + ?Sized>(self, comm: &C) -> Result<std::ops::Range<usize>, CommError> {
        Self::new(self.count, comm.size()).map(|shards| shards.owned_by(comm))
    }

    /// The shards a rank owns: consecutive, so that rank order is shard order.
    pub fn owned_by<C: Comm + ?Sized>(self, comm: &C) -> std::ops::Range<usize> {
        let each = self.count / comm.size();
        comm.rank() * each..(comm.rank() + 1) * each
    }
}

/// A run on a single process: every sum is already complete.
#[derive(Clone, Copy, Debug, Default)]
pub struct Single;

impl Comm for Single {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn all_gather_bytes(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        Ok(vec![mine.to_vec()])
    }

    fn broadcast_bytes(&self, root: usize, mine: &[u8]) -> Result<Vec<u8>, CommError> {
        if root == 0 {
            Ok(mine.to_vec())
        } else {
            Err(CommError::NoSuchRank {
                rank: root,
                ranks: 1,
            })
        }
    }

    fn barrier(&self) -> Result<(), CommError> {
        Ok(())
    }

    /// The same sum in the same order, without a copy as bytes.
    fn sum_shards_f64(&self, partials: &[Vec<f64>]) -> Result<Vec<f64>, CommError> {
        add_all(partials, |x| *x)
    }

    fn sum_shards_f32(&self, partials: &[Vec<f32>]) -> Result<Vec<f64>, CommError> {
        add_all(partials, |x| f64::from(*x))
    }

    /// No other rank is waiting: the caller reports its own error.
    fn abort(&self, _reason: &str) {}
}

/// All shards' partials, in order.
fn add_all<T>(partials: &[Vec<T>], number: impl Fn(&T) -> f64) -> Result<Vec<f64>, CommError> {
    let expected = partials.first().map_or(0, Vec::len);
    let mut total = vec![0.0; expected];
    for (shard, partial) in partials.iter().enumerate() {
        if partial.len() != expected {
            return Err(CommError::UnequalPartials {
                shard,
                got: partial.len(),
                expected,
            });
        }
        let each = total.iter_mut().zip(partial);
        each.for_each(|(sum, x)| *sum += number(x));
    }
    Ok(total)
}
