//! [`Comm`] over MPI.
//!
//! A sum in shard order, on R ranks with V/R shards each, n numbers long: rank r adds the r-th part of the numbers.
//!
//! ```text
//! exchange   my shards' numbers of part r to rank r            n V/R numbers out, n V/R in
//! add        ((p₀ + p₁) + …) + p_{V−1} of my part, in f64      n V/R additions
//! gather     every rank's part of the sums                      n numbers
//! ```
//!
//! Gathering all partials everywhere would bring n V numbers to every rank, and leave all n V additions to it.

use super::error::ClusterError;
use super::launcher::Launch;
use super::plugin::{Plugin, TooLong};
use super::traffic::{Meter, Traffic};
use super::watchdog::Watchdog;
use super::word::Word;
use crate::cli::{ClusterOptions, Reduction};
use isochrone::comm::{Comm, CommError};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// This process among those of its job.
pub(crate) struct Ranks {
    plugin: Plugin,
    reduction: Reduction,
    watchdog: Watchdog,
    meter: Meter,
    scratch: Mutex<Scratch>,
}

/// Buffers that are kept: getting large ones anew from the system takes longer than sending them.
#[derive(Debug, Default)]
struct Scratch {
    sent: Vec<u8>,
    got: Vec<u8>,
    sums: Vec<f64>,
}

impl Ranks {
    /// Starts MPI, and makes sure that it sees the job that was launched.
    pub(super) fn join(launch: Launch, options: &ClusterOptions) -> Result<Self, ClusterError> {
        let plugin = Plugin::start(options.mpi_plugin.as_deref(), launch.family)?;
        // The wrong library does not fail: it runs every process as rank 0 of 1.
        if plugin.ranks() != launch.ranks {
            let error = ClusterError::OtherLauncher {
                launched: launch.ranks,
                counted: plugin.ranks(),
                library: plugin.library(),
                launcher: launch.family,
                plugin: plugin.path().to_owned(),
            };
            plugin.finish();
            return Err(error);
        }
        // Sums of large networks would be written to memory that is new every time.
        isochrone::nn::keep_memory();
        let (abort, rank) = (plugin.abort(), plugin.rank());
        let patience = Duration::from_secs(options.patience_s.into());
        let watchdog = Watchdog::new(patience, move |seconds| {
            hang(rank, seconds);
            std::thread::spawn(leave_anyway);
            abort(crate::command::RESUME_ME.into());
        });
        Ok(Self {
            plugin,
            reduction: options.reduce,
            watchdog,
            meter: Meter::default(),
            scratch: Mutex::default(),
        })
    }

    /// What MPI calls itself.
    pub(crate) fn library(&self) -> String {
        self.plugin.library()
    }

    /// Nanoseconds of MPI's own sum, by a clock right around it.
    pub(crate) fn time_bare_sum(&self, mine: &[f64], total: &mut [f64]) -> u64 {
        self.plugin.time_sum(mine, total)
    }

    /// The same sum through everything that is ours.
    pub(crate) fn fast_sum(&self, mut mine: Vec<f64>) -> Result<Vec<f64>, CommError> {
        let total = &mut self.scratch().sums;
        total.resize(mine.len(), 0.0);
        self.call(8 * mine.len(), |plugin| plugin.sum(&mine, total))?;
        std::mem::swap(&mut mine, total);
        Ok(mine)
    }

    /// Ends the job on every rank, this process included.
    pub(super) fn end_job(&self, code: u8) {
        (self.plugin.abort())(code.into());
    }

    /// Ends MPI; nothing is said after it.
    pub(super) fn finish(&self) {
        self.plugin.finish();
    }

    pub(super) fn take_traffic(&self) -> Traffic {
        self.meter.take()
    }

    fn scratch(&self) -> MutexGuard<'_, Scratch> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One collective call, watched and counted.
    fn call<T>(
        &self,
        bytes: usize,
        call: impl FnOnce(&Plugin) -> Result<T, TooLong>,
    ) -> Result<T, CommError> {
        let (result, took) = self.watchdog.during(|| call(&self.plugin));
        self.meter.count(bytes, took);
        result.map_err(|TooLong| CommError::Aborted {
            rank: self.plugin.rank(),
            reason: format!("a message of {bytes} bytes is longer than MPI can count"),
        })
    }

    /// The part of n numbers that a rank adds up.
    fn part(&self, rank: usize, n: usize) -> Range<usize> {
        let ranks = self.plugin.ranks();
        n * rank / ranks..n * (rank + 1) / ranks
    }

    /// The sum in shard order, as the module's page says. Every part begins with the length of the partials: a rank with
    /// others would be noticed.
    pub(crate) fn exact_sum<W: Word>(&self, partials: &[Vec<W>]) -> Result<Vec<f64>, CommError> {
        let (ranks, each, rank) = (self.plugin.ranks(), partials.len(), self.plugin.rank());
        let n = partials.first().map_or(0, Vec::len);
        let refuse = |shard, got| {
            let error = CommError::UnequalPartials {
                shard,
                got,
                expected: n,
            };
            self.abort(&error.to_string());
            error
        };
        if let Some(at) = partials.iter().position(|p| p.len() != n) {
            return Err(refuse(rank * each + at, partials[at].len()));
        }
        let my_part = self.part(rank, n).len();
        let from = vec![(8 + W::BYTES * each * my_part) as u64; ranks];
        let Scratch { sent, got, sums } = &mut *self.scratch();
        let to = self.pack(partials, n, sent);
        got.resize(from.iter().sum::<u64>() as usize, 0);
        self.call(sent.len(), |plugin| plugin.exchange(sent, &to, got, &from))?;
        sums.clear();
        sums.resize(my_part, 0.0);
        for (rank, message) in got.chunks_exact(from[0] as usize).enumerate() {
            let (head, numbers) = message.split_at(8);
            let length = head
                .first_chunk()
                .map_or(0, |head| u64::from_le_bytes(*head));
            if length != n as u64 {
                return Err(refuse(rank * each, length as usize));
            }
            let partials = numbers.chunks_exact((W::BYTES * my_part).max(1));
            partials.for_each(|partial| W::add(partial, sums));
        }
        sent.clear();
        f64::push(sums, sent);
        let lengths = (0..ranks).map(|r| 8 * self.part(r, n).len() as u64);
        let lengths: Vec<u64> = lengths.collect();
        let all = self.call(sent.len(), |plugin| plugin.gather(sent, &lengths))?;
        let mut total = vec![0.0; n];
        f64::add(&all, &mut total);
        Ok(total)
    }

    /// To every rank the length of the partials and its part of each; how many bytes each of these is.
    fn pack<W: Word>(&self, partials: &[Vec<W>], n: usize, sent: &mut Vec<u8>) -> Vec<u64> {
        sent.clear();
        let pack_one = |rank| {
            let (part, before) = (self.part(rank, n), sent.len());
            sent.extend((n as u64).to_le_bytes());
            let parts = partials.iter().map(|partial| &partial[part.clone()]);
            parts.for_each(|part| W::push(part, sent));
            (sent.len() - before) as u64
        };
        (0..self.plugin.ranks()).map(pack_one).collect()
    }

    /// This rank's shards added up here, the ranks by MPI: fewer bytes, and the same result only for the same ranks.
    fn sum<W: Word>(&self, partials: &[Vec<W>]) -> Result<Vec<f64>, CommError> {
        match self.reduction {
            Reduction::Exact => self.exact_sum(partials),
            Reduction::Fast => {
                let mut mine = vec![0.0; partials.first().map_or(0, Vec::len)];
                for partial in partials {
                    let adds = mine.iter_mut().zip(partial);
                    adds.for_each(|(sum, x)| *sum += x.number());
                }
                self.fast_sum(mine)
            }
        }
    }
}

/// Told before the job ends: the launcher says only that it did.
#[expect(clippy::print_stderr, reason = "the process ends here")]
fn hang(rank: usize, seconds: u64) {
    eprintln!(
        "isochrone: rank {rank} has waited {seconds} s for the others, which is too long: a rank hangs. The job ends; the \
         last checkpoint is kept, and `isochrone resume` or `isochrone fit --resume` goes on with it"
    );
}

/// Not every MPI lets a job be ended while a thread waits in it; a process that leaves ends the job, too.
#[expect(clippy::exit, reason = "nothing else is left to try")]
fn leave_anyway() {
    std::thread::sleep(Duration::from_secs(10));
    std::process::exit(crate::command::RESUME_ME.into());
}

impl Comm for Ranks {
    fn rank(&self) -> usize {
        self.plugin.rank()
    }

    fn size(&self) -> usize {
        self.plugin.ranks()
    }

    fn all_gather_bytes(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        let lengths = self.call(8, |plugin| plugin.gather_number(mine.len() as u64))?;
        let all = self.call(mine.len(), |plugin| plugin.gather(mine, &lengths))?;
        let mut rest = all.as_slice();
        let parts = lengths.iter().map(|length| {
            let (part, after) = rest.split_at(*length as usize);
            rest = after;
            part.to_vec()
        });
        Ok(parts.collect())
    }

    fn broadcast_bytes(&self, root: usize, mine: &[u8]) -> Result<Vec<u8>, CommError> {
        let ranks = self.size();
        if root >= ranks {
            return Err(CommError::NoSuchRank { rank: root, ranks });
        }
        let lengths = self.call(8, |plugin| plugin.gather_number(mine.len() as u64))?;
        let mut bytes = mine.to_vec();
        bytes.resize(lengths[root] as usize, 0);
        if bytes.is_empty() {
            // Not everybody's MPI takes an empty message, and all know that it is one.
            return Ok(bytes);
        }
        self.call(bytes.len(), |plugin| plugin.broadcast(root, &mut bytes))?;
        Ok(bytes)
    }

    fn barrier(&self) -> Result<(), CommError> {
        self.call(0, |plugin| {
            plugin.barrier();
            Ok(())
        })
    }

    /// There is no other way to reach a rank that waits: the job ends.
    fn abort(&self, reason: &str) {
        crate::command::complain(&anyhow::anyhow!("rank {}: {reason}", self.rank()));
        self.end_job(1);
    }

    fn sum_shards_f64(&self, partials: &[Vec<f64>]) -> Result<Vec<f64>, CommError> {
        self.sum(partials)
    }

    fn sum_shards_f32(&self, partials: &[Vec<f32>]) -> Result<Vec<f64>, CommError> {
        self.sum(partials)
    }
}
