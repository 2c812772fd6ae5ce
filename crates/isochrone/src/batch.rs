//! What an update learns from: the policy's steps of a batch, in shard order, in chunks.
//!
//! An episode belongs to the shard of its number, and a shard's rows are cut into chunks of at most
//! [`CHUNK_ROWS`]. Sums are formed chunk by chunk in f32 and added up in f64, shard by shard
//! ([`crate::comm`]), so what an update computes does not depend on who computed which shard.

use crate::comm::{CHUNK_ROWS, Comm, CommError, Shards};
use crate::policy::{InputRow, PolicyError};
use crate::trajectory::{End, Trajectories};

/// Rows that are summed together.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// What the policy saw, row by row.
    pub inputs: Vec<f32>,
    /// What it did, row by row.
    pub actions: Vec<f32>,
    /// Steps since the policy was given its goal.
    pub times: Vec<u32>,
}

impl Chunk {
    /// Rows.
    pub const fn rows(&self) -> usize {
        self.times.len()
    }
}

/// Steps towards one goal: a segment of an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// The policy's steps.
    pub steps: usize,
    /// How they ended.
    pub end: End,
    /// What the policy would have seen next.
    pub last_input: Vec<f32>,
}

/// One shard's rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shard {
    /// In the order of their episodes and steps.
    pub chunks: Vec<Chunk>,
    /// The segments of the episodes, in the same order.
    pub stretches: Vec<Stretch>,
}

impl Shard {
    /// Rows.
    pub fn rows(&self) -> usize {
        self.chunks.iter().map(Chunk::rows).sum()
    }
}

/// This rank's shards of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// In shard order.
    pub shards: Vec<Shard>,
    /// Rows of all ranks.
    pub total_rows: usize,
    /// Numbers in an input row.
    pub input_length: usize,
    /// Numbers in an action.
    pub action_length: usize,
}

impl Batch {
    /// The policy's steps of these episodes as rows of `inputs`; tails are left out. A rank may have no episode at all.
    pub fn of(
        trajectories: &Trajectories,
        inputs: &InputRow,
        comm: &dyn Comm,
        shards: Shards,
    ) -> Result<Self, BatchError> {
        let rows = trajectories.observations();
        let (values, width) = (rows.as_f32().ok_or(PolicyError::Image)?, rows.width());
        let owned = shards.share_of(comm)?;
        let mut batch = Self {
            shards: vec![Shard::default(); owned.len()],
            total_rows: 0,
            input_length: inputs.len(),
            action_length: trajectories.action_length(),
        };
        for episode in trajectories.episodes() {
            let shard = shards.of_episode(episode.number as usize) - owned.start;
            let rows = episode.policy_rows();
            let (first, actions) = (rows.start, episode.action_rows());
            let state = |row: usize| &values[row * width..(row + 1) * width];
            let shard = &mut batch.shards[shard];
            let mut begun = 0;
            for (goal, steps, end) in episode.policy_segments() {
                for step in 0..steps {
                    let chunk = shard.room();
                    inputs.extend(&mut chunk.inputs, state(first + begun + step), goal);
                    let action = trajectories.action(actions.start + begun + step);
                    chunk.actions.extend_from_slice(action);
                    chunk.times.push(step as u32);
                }
                begun += steps;
                let mut last_input = Vec::with_capacity(inputs.len());
                inputs.extend(&mut last_input, state(first + begun), goal);
                shard.stretches.push(Stretch {
                    steps,
                    end,
                    last_input,
                });
            }
        }
        let partials = batch.shards.iter().map(|shard| vec![shard.rows() as f64]);
        let partials: Vec<Vec<f64>> = partials.collect();
        batch.total_rows = comm.sum_shards_f64(&partials)?[0] as usize;
        Ok(batch)
    }
}

impl Shard {
    /// The chunk that the next row goes to.
    fn room(&mut self) -> &mut Chunk {
        let is_full = |chunk: &Chunk| chunk.rows() >= CHUNK_ROWS;
        if self.chunks.last().is_none_or(is_full) {
            self.chunks.push(Chunk {
                inputs: Vec::new(),
                actions: Vec::new(),
                times: Vec::new(),
            });
        }
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }
}

/// Why there is no batch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// Pictures.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// Another worker gave up.
    #[error(transparent)]
    Comm(#[from] CommError),
}

/// Works on every shard, on at most `threads` threads, and gives the results in shard order. Each shard is one thread's
/// from beginning to end, so the number of threads changes no result.
pub(crate) fn on_shards<S: Send, R: Send>(
    shards: &mut [S],
    threads: usize,
    work: impl Fn(&mut S) -> R + Sync,
) -> Vec<R> {
    let each = shards.len().div_ceil(threads.max(1)).max(1);
    if each >= shards.len() {
        return shards.iter_mut().map(work).collect();
    }
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = shards
            .chunks_mut(each)
            .map(|part| scope.spawn(move || part.iter_mut().map(work).collect::<Vec<R>>()))
            .collect();
        let results = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        results
            .flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
