//! [`Comm`] over MPI: this process among those of its job.

use super::error::ClusterError;
use super::launcher::Launch;
use super::plugin::{Plugin, TooLong};
use super::traffic::{Meter, Traffic};
use super::watchdog::Watchdog;
use crate::arguments::{ClusterOptions, Reduction};
use isochrone::comm::{Comm, CommError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// This process among those of its job.
pub struct MpiRanks {
    plugin: Plugin,
    reduction: Reduction,
    watchdog: Watchdog,
    meter: Meter,
    scratch: Mutex<Scratch>,
}

/// Buffers that are kept: getting large ones anew from the system takes longer than sending them.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) sent: Vec<u8>,
    pub(super) got: Vec<u8>,
    pub(super) sums: Vec<f64>,
}

impl std::fmt::Debug for MpiRanks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MpiRanks")
            .field("rank", &self.plugin.rank())
            .field("ranks", &self.plugin.ranks())
            .finish_non_exhaustive()
    }
}

impl MpiRanks {
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
            abort(crate::exit::RESUME_ME.into());
        });
        Ok(Self {
            plugin,
            reduction: options.reduce,
            watchdog,
            meter: Meter::default(),
            scratch: Mutex::default(),
        })
    }

    /// How sums are formed.
    pub(super) const fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// What MPI calls itself.
    pub fn library(&self) -> String {
        self.plugin.library()
    }

    /// Nanoseconds of MPI's own sum, by a clock right around it.
    pub fn time_bare_sum(&self, mine: &[f64], total: &mut [f64]) -> u64 {
        self.plugin.time_sum(mine, total)
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

    pub(super) fn scratch(&self) -> MutexGuard<'_, Scratch> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One collective call, under the watchdog and counted as traffic.
    pub(super) fn call<T>(
        &self,
        bytes: usize,
        call: impl FnOnce(&Plugin) -> Result<T, TooLong>,
    ) -> Result<T, CommError> {
        let (result, took) = self.watchdog.during(|| call(&self.plugin));
        self.meter.count(bytes, took);
        result.map_err(|TooLong| CommError::Aborted {
            rank: self.plugin.rank(),
            reason: format!(
                "{bytes} bytes from this rank, with those from the others, are more than MPI can count in a message \
                 (2,147,483,647); in a fit, a smaller chunk_rows makes them fewer"
            ),
        })
    }
}

/// ProgressSink before the job ends: the launcher says only that it did.
#[expect(clippy::print_stderr, reason = "the process ends here")]
fn hang(rank: usize, seconds: u64) {
    eprintln!(
        "isochrone: rank {rank} has waited {seconds} s for the others, which is too long: a rank hangs. The job ends; the \
         last checkpoint is kept, and `isochrone resume` or `isochrone fit --resume` resumes it"
    );
}

/// Not every MPI lets a job be ended while a thread waits in it; a process that leaves ends the job, too.
#[expect(clippy::exit, reason = "nothing else is left to try")]
fn leave_anyway() {
    std::thread::sleep(Duration::from_secs(10));
    std::process::exit(crate::exit::RESUME_ME.into());
}

impl Comm for MpiRanks {
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
        crate::exit::complain(&format!("rank {}: {reason}", self.rank()));
        self.end_job(1);
    }

    fn sum_shards_f64(&self, partials: &[Vec<f64>]) -> Result<Vec<f64>, CommError> {
        self.sum(partials)
    }

    fn sum_shards_f32(&self, partials: &[Vec<f32>]) -> Result<Vec<f64>, CommError> {
        self.sum(partials)
    }
}
