//! Several ranks that share one run: `isochrone train --mpi` under `mpirun` or `srun`.
//!
//! ```text
//! mpirun -n 4 isochrone train … --mpi
//! launcher   detects mpirun or srun, and the number of processes
//! plugin     MPI itself, loaded at run time: the command is not linked to it
//!   ranks      `Comm` over it
//! sums       over ranks, in shard order or in MPI's
//!   watchdog   a rank that waits too long for another ends the job
//! ```
//!
//! Rank 0 reads and writes the run folder, and sends the spec to the others. Every rank does a share of the work. An error on
//! one rank aborts all ranks; the run resumes from the last checkpoint, on any number of ranks.

mod error;
mod launcher;
mod plugin;
mod ranks;
mod sums;
mod traffic;
mod watchdog;
mod word;

pub use error::ClusterError;
pub use launcher::Family;
pub use ranks::MpiRanks;
pub use sums::sum_own;
pub use traffic::Traffic;

use crate::arguments::{ClusterOptions, Reduction};
use crate::exit::{RESUME_ME, Stopped};
use anyhow::Result;
use isochrone::comm::{Comm, CommError, Single};
use isochrone::nn::NamedArray;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::Arc;

/// The plugin of this family, beside the command or in `lib/isochrone` above it.
pub fn plugin_file(family: Family) -> Result<PathBuf, ClusterError> {
    plugin::find(None, family)
}

/// The ranks of a run, seen from one of them. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Ranks {
    /// A single process.
    Single,
    /// Under MPI.
    Mpi(Arc<MpiRanks>),
}

impl Ranks {
    /// The launched ranks; a single process without `--mpi`, which is an error if several were launched.
    pub fn join(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let launch = launcher::launch();
        if options.mpi {
            let launch = launch.ok_or(ClusterError::NoLauncher)?;
            return Ok(Self::Mpi(Arc::new(MpiRanks::join(launch, options)?)));
        }
        match launch {
            Some(launch) if launch.ranks > 1 => Err(ClusterError::NotAsked {
                ranks: launch.ranks,
            }),
            _ => Ok(Self::Single),
        }
    }

    /// Communication between the ranks.
    pub fn comm(&self) -> &dyn Comm {
        match self {
            Self::Single => &Single,
            Self::Mpi(ranks) => ranks.as_ref(),
        }
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.comm().size()
    }

    /// Whether this is rank 0, which reads, writes and prints.
    pub fn leads(&self) -> bool {
        self.comm().rank() == 0
    }

    /// Broadcasts bytes of rank 0.
    pub fn hear(&self, from_the_leader: &[u8]) -> Result<Vec<u8>, CommError> {
        self.comm().broadcast_bytes(0, from_the_leader)
    }

    /// Whether any rank answered yes.
    pub fn any(&self, mine: Answer) -> Answer {
        let all = match self {
            Self::Single => return mine,
            Self::Mpi(ranks) => ranks.all_gather_bytes(&[mine as u8]),
        };
        // A rank that cannot communicate must stop.
        let said = |all: Vec<Vec<u8>>| all.iter().any(|bytes| bytes != &[Answer::No as u8]);
        if all.map_or(true, said) {
            Answer::Yes
        } else {
            Answer::No
        }
    }

    /// Returns an error if ranks hold different numbers: their arithmetic differs, and their decisions would diverge.
    pub fn compare(&self, arrays: &[NamedArray], counts: &[u64]) -> Result<(), ClusterError> {
        let mut hash = Sha256::new();
        counts.iter().for_each(|n| hash.update(n.to_le_bytes()));
        for array in arrays {
            hash.update(array.values.to_le_bytes());
        }
        let all = self.comm().all_gather_bytes(&hash.finalize())?;
        let differs = all.iter().position(|digest| *digest != all[0]);
        differs.map_or(Ok(()), |rank| Err(ClusterError::RanksDiffer { rank }))
    }

    /// Traffic since the last call; `None` on a single process.
    pub fn traffic(&self) -> Option<Traffic> {
        match self {
            Self::Single => None,
            Self::Mpi(ranks) => Some(ranks.take_traffic()),
        }
    }

    /// The note in a manifest about sums that depend on the number of ranks; `None` if they do not.
    pub fn order_of_sums(&self) -> Option<String> {
        match self {
            Self::Mpi(ranks) if ranks.reduction() == Reduction::Fast => {
                Some(format!("MPI's on {} ranks", self.size()))
            }
            Self::Single | Self::Mpi(_) => None,
        }
    }

    /// Runs a command: rank 0 leads, the others follow, and an error on one rank aborts all ranks.
    pub fn work(
        &self,
        lead: impl FnOnce() -> Result<()>,
        follow: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.ended(if self.leads() { lead() } else { follow() })
    }

    /// Ends a command. An error on this rank aborts the other ranks, too.
    pub fn ended(&self, result: Result<()>) -> Result<()> {
        let Self::Mpi(ranks) = self else {
            return result;
        };
        match result {
            Err(error) if !error.is::<Stopped>() => {
                crate::exit::complain(&format!("{error:#}"));
                ranks.end_job(exit_code(&error));
                Err(error)
            }
            result => {
                ranks.finish();
                // Only one rank prints the error.
                if self.leads() { result } else { Ok(()) }
            }
        }
    }
}

/// An answer to a question to all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Answer {
    /// No.
    No = 0,
    /// Yes.
    Yes = 1,
}

/// The exit code of a failed command.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Stopped>() {
        return RESUME_ME;
    }
    let cluster = error.downcast_ref::<ClusterError>();
    cluster.map_or(1, ClusterError::exit_code)
}
