//! Several processes that share one run: `isochrone train --mpi` under `mpirun` or `srun`.
//!
//! ```text
//! mpirun -n 4 isochrone train … --mpi
//!   launcher   who started us, as one of how many
//!   plugin     MPI itself, opened now: the command is not linked to it
//!   ranks      `Comm` over it
//!   sums       those of ranks, in shard order or in MPI's
//!   watchdog   a rank that waits too long for another ends the job
//! ```
//!
//! Rank 0 leads: it reads and writes the run folder, and tells the others what the work is. Everybody does a share of
//! it. What ends on one rank ends on all, and goes on later from the last checkpoint, on any number of ranks.

mod error;
mod launcher;
mod plugin;
mod ranks;
mod sums;
mod traffic;
mod watchdog;
mod word;

pub use error::ClusterError;
pub use ranks::MpiRanks;
pub use sums::sum_own;
pub use traffic::Traffic;

use crate::arguments::{ClusterOptions, Reduction};
use crate::exit::{RESUME_ME, Stopped};
use anyhow::Result;
use isochrone::comm::{Comm, CommError, Single};
use isochrone::nn::NamedArray;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The processes of a run, as one of them sees the others. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Ranks {
    /// Nobody else.
    Single,
    /// Under MPI.
    Mpi(Arc<MpiRanks>),
}

impl Ranks {
    /// Whoever was launched with us; nobody without `--mpi`, and then nobody may have been.
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

    /// Who adds up.
    pub fn comm(&self) -> &dyn Comm {
        match self {
            Self::Single => &Single,
            Self::Mpi(ranks) => ranks.as_ref(),
        }
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.comm().size()
    }

    /// Does this process read, write and tell?
    pub fn leads(&self) -> bool {
        self.comm().rank() == 0
    }

    /// What the leader says, heard by all.
    pub fn hear(&self, from_the_leader: &[u8]) -> Result<Vec<u8>, CommError> {
        self.comm().broadcast_bytes(0, from_the_leader)
    }

    /// Did any of us say yes?
    pub fn any(&self, mine: Answer) -> Answer {
        let all = match self {
            Self::Single => return mine,
            Self::Mpi(ranks) => ranks.all_gather_bytes(&[mine as u8]),
        };
        // Who cannot hear the others is not to go on.
        let said = |all: Vec<Vec<u8>>| all.iter().any(|bytes| bytes != &[Answer::No as u8]);
        if all.map_or(true, said) {
            Answer::Yes
        } else {
            Answer::No
        }
    }

    /// Refuses to go on where ranks hold different numbers: their arithmetic differs, and with it their decisions soon.
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

    /// Traffic since the last call; `None` where there is nobody to talk to.
    pub fn traffic(&self) -> Option<Traffic> {
        match self {
            Self::Single => None,
            Self::Mpi(ranks) => Some(ranks.take_traffic()),
        }
    }

    /// What a manifest has to tell of sums whose last digits depend on who formed them; `None` where they do not.
    pub fn order_of_sums(&self) -> Option<String> {
        match self {
            Self::Mpi(ranks) if ranks.reduction() == Reduction::Fast => {
                Some(format!("MPI's on {} ranks", self.size()))
            }
            Self::Single | Self::Mpi(_) => None,
        }
    }

    /// A command: one of us leads, the others follow, and what ends on one ends on all.
    pub fn work(
        &self,
        lead: impl FnOnce() -> Result<()>,
        follow: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.ended(if self.leads() { lead() } else { follow() })
    }

    /// The last word of a command. An error that only this rank knows of ends the job for the others, too.
    pub fn ended(&self, result: Result<()>) -> Result<()> {
        let Self::Mpi(ranks) = self else {
            return result;
        };
        match result {
            Err(error) if !error.is::<Stopped>() => {
                crate::exit::complain(&error);
                ranks.end_job(exit_code(&error));
                Err(error)
            }
            result => {
                ranks.finish();
                // One sentence is enough for all.
                if self.leads() { result } else { Ok(()) }
            }
        }
    }
}

/// To a question that all are asked.
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
