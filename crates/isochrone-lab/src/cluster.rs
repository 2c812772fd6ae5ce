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

pub(crate) use error::ClusterError;
pub(crate) use ranks::Ranks;
pub(crate) use sums::sum_own;
pub(crate) use traffic::Traffic;

use crate::cli::{ClusterOptions, Reduction};
use anyhow::Result;
use isochrone::comm::{Comm, CommError, Single};
use isochrone::nn::Named;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use word::Word;

/// The processes of a run, as one of them sees the others. Cheap to clone.
#[derive(Clone)]
pub(crate) enum Crew {
    /// Nobody else.
    Alone,
    /// Under MPI.
    Ranks(Arc<Ranks>),
}

impl Crew {
    /// Whoever was launched with us; nobody without `--mpi`, and then nobody may have been.
    pub(crate) fn join(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let launch = launcher::launch();
        if options.mpi {
            let launch = launch.ok_or(ClusterError::NoLauncher)?;
            return Ok(Self::Ranks(Arc::new(Ranks::join(launch, options)?)));
        }
        match launch {
            Some(launch) if launch.ranks > 1 => Err(ClusterError::NotAsked {
                ranks: launch.ranks,
            }),
            _ => Ok(Self::Alone),
        }
    }

    /// Who adds up.
    pub(crate) fn comm(&self) -> &dyn Comm {
        match self {
            Self::Alone => &Single,
            Self::Ranks(ranks) => ranks.as_ref(),
        }
    }

    /// How many there are.
    pub(crate) fn size(&self) -> usize {
        self.comm().size()
    }

    /// Does this process read, write and tell?
    pub(crate) fn leads(&self) -> bool {
        self.comm().rank() == 0
    }

    /// What the leader says, heard by all.
    pub(crate) fn hear(&self, from_the_leader: &[u8]) -> Result<Vec<u8>, CommError> {
        self.comm().broadcast_bytes(0, from_the_leader)
    }

    /// Did any of us say yes?
    pub(crate) fn any(&self, mine: Answer) -> Answer {
        let all = match self {
            Self::Alone => return mine,
            Self::Ranks(ranks) => ranks.all_gather_bytes(&[mine as u8]),
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
    pub(crate) fn compare(&self, arrays: &[Named], counts: &[u64]) -> Result<(), ClusterError> {
        let mut hash = Sha256::new();
        counts.iter().for_each(|n| hash.update(n.to_le_bytes()));
        for array in arrays {
            let mut bytes = Vec::new();
            f32::push(&array.values, &mut bytes);
            hash.update(&bytes);
        }
        let all = self.comm().all_gather_bytes(&hash.finalize())?;
        let differs = all.iter().position(|digest| *digest != all[0]);
        differs.map_or(Ok(()), |rank| Err(ClusterError::RanksDiffer { rank }))
    }

    /// Traffic since the last call; `None` where there is nobody to talk to.
    pub(crate) fn traffic(&self) -> Option<Traffic> {
        match self {
            Self::Alone => None,
            Self::Ranks(ranks) => Some(ranks.take_traffic()),
        }
    }

    /// What a manifest has to tell of sums whose last digits depend on who formed them; `None` where they do not.
    pub(crate) fn order_of_sums(&self) -> Option<String> {
        match self {
            Self::Ranks(ranks) if ranks.reduction() == Reduction::Fast => {
                Some(format!("MPI's on {} ranks", self.size()))
            }
            Self::Alone | Self::Ranks(_) => None,
        }
    }

    /// A command: one of us leads, the others follow, and what ends on one ends on all.
    pub(crate) fn work(
        &self,
        lead: impl FnOnce() -> Result<()>,
        follow: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.ended(if self.leads() { lead() } else { follow() })
    }

    /// The last word of a command. An error that only this rank knows of ends the job for the others, too.
    pub(crate) fn ended(&self, result: Result<()>) -> Result<()> {
        let Self::Ranks(ranks) = self else {
            return result;
        };
        match result {
            Err(error) if !error.is::<crate::stop::Stopped>() => {
                crate::command::complain(&error);
                ranks.end_job(crate::command::exit_code(&error));
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
pub(crate) enum Answer {
    No = 0,
    Yes = 1,
}
