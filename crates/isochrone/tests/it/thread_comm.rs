//! Several workers in one process: what the laws of `Comm` are tested with.

use isochrone::comm::{Comm, CommError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One rank of an in-process group. Each runs on its own thread.
#[derive(Debug)]
pub(crate) struct ThreadComm {
    rank: usize,
    size: usize,
    meeting: Arc<Meeting>,
}

/// Shared memory of the ranks: one slot each, and a round counter.
#[derive(Debug)]
struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Contributions of the current round.
    slots: Vec<Option<Vec<u8>>>,
    /// The last complete round, kept until every rank has taken its copy.
    complete: Arc<Vec<Vec<u8>>>,
    round: u64,
    aborted: Option<CommError>,
}

impl ThreadComm {
    /// A group of `size` workers, in rank order.
    pub(crate) fn group(size: usize) -> Vec<Self> {
        let state = State {
            slots: vec![None; size],
            complete: Arc::default(),
            round: 0,
            aborted: None,
        };
        let meeting = Arc::new(Meeting {
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        (0..size)
            .map(|rank| Self {
                rank,
                size,
                meeting: Arc::clone(&meeting),
            })
            .collect()
    }

    /// A rank that panicked while it held the lock has left complete slots behind: continue reading them.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.meeting
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A rank that panics aborts the group, so that no other rank waits for it.
impl Drop for ThreadComm {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.abort("a worker panicked");
        }
    }
}

impl Comm for ThreadComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_gather_bytes(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        let mut state = self.lock();
        if let Some(error) = &state.aborted {
            return Err(error.clone());
        }
        state.slots[self.rank] = Some(mine.to_vec());
        let my_round = state.round;
        if state.slots.iter().all(Option::is_some) {
            let all = state.slots.iter_mut().filter_map(Option::take).collect();
            state.complete = Arc::new(all);
            state.round += 1;
            self.meeting.changed.notify_all();
        }
        while state.round == my_round {
            if let Some(error) = &state.aborted {
                return Err(error.clone());
            }
            state = self
                .meeting
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Ok(state.complete.as_ref().clone())
    }

    fn broadcast_bytes(&self, root: usize, mine: &[u8]) -> Result<Vec<u8>, CommError> {
        if root >= self.size {
            return Err(CommError::NoSuchRank {
                rank: root,
                ranks: self.size,
            });
        }
        let mine = if self.rank == root { mine } else { &[] };
        let mut all = self.all_gather_bytes(mine)?;
        Ok(all.swap_remove(root))
    }

    fn barrier(&self) -> Result<(), CommError> {
        self.all_gather_bytes(&[]).map(drop)
    }

    fn abort(&self, reason: &str) {
        let mut state = self.lock();
        state.aborted.get_or_insert(CommError::Aborted {
            rank: self.rank,
            reason: reason.to_owned(),
        });
        self.meeting.changed.notify_all();
    }
}
