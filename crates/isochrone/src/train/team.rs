//! Who does the work.

use crate::comm::{Comm, Shards};

/// Who does the work.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    /// The ranks of the run.
    pub comm: &'a dyn Comm,
    /// The fixed cut of its work.
    pub shards: Shards,
    /// Threads of this rank for updates.
    pub threads: usize,
}

impl std::fmt::Debug for Team<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team")
            .field("rank", &self.comm.rank())
            .field("shards", &self.shards)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}
