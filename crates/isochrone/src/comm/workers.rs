//! The ranks and threads that share a run.

use super::{Comm, Shards};

/// The ranks and threads that share a run, as one rank sees them.
#[derive(Clone, Copy)]
pub struct Workers<'a> {
    /// Communication between the ranks.
    pub comm: &'a dyn Comm,
    /// The fixed partition of the work. It is part of every result.
    pub shards: Shards,
    /// Threads of this rank for updates.
    pub threads: usize,
}

impl std::fmt::Debug for Workers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers")
            .field("rank", &self.comm.rank())
            .field("shards", &self.shards)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}
