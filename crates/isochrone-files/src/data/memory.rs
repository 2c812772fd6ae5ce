//! Episodes in memory, read like a file.

use super::block::{Block, OwnLabels, Places, Table, Values, block_rows};
use super::error::DataError;
use isochrone::env::ObservationSpec;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// As errors call it.
pub(super) const NAME: &str = "the data";

/// States end to end, and where episodes end.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    states: Vec<f32>,
    width: usize,
    /// The row after the last of each episode.
    ends: Vec<usize>,
}

impl Memory {
    /// Episodes of so many states each, one after the other; refused unless they use up all states. Episodes without a
    /// state are passed over.
    pub fn new(states: Vec<f32>, width: usize, lengths: &[usize]) -> Result<Self, DataError> {
        let mut ends = Vec::new();
        let mut rows = 0_usize;
        for &length in lengths.iter().filter(|length| **length > 0) {
            rows = rows.saturating_add(length);
            ends.push(rows);
        }
        if width == 0 || rows == 0 {
            return Err(DataError::Empty { file: NAME.into() });
        }
        if rows.checked_mul(width) != Some(states.len()) {
            return Err(DataError::Lengths {
                file: NAME.into(),
                left: "the states".to_owned(),
                left_rows: (states.len() / width) as u64,
                right: "the episodes".to_owned(),
                right_rows: rows as u64,
            });
        }
        Ok(Self {
            states,
            width,
            ends,
        })
    }

    /// What tells it from others: sixteen digits of the SHA-256 of all of it.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update((self.width as u64).to_le_bytes());
        for &end in &self.ends {
            hash.update((end as u64).to_le_bytes());
        }
        for state in self.states.chunks(self.width) {
            let bytes: Vec<u8> = state.iter().flat_map(|x| x.to_le_bytes()).collect();
            hash.update(&bytes);
        }
        crate::fingerprint::digits(&hash.finalize()[..8])
    }

    /// What a state is.
    pub(super) fn spec(&self) -> ObservationSpec {
        ObservationSpec::vector(self.width)
    }
}

/// A reader's place in it.
pub(super) struct MemoryTable {
    memory: Arc<Memory>,
    row: usize,
    /// The episode of the next row, as an index and as a name.
    episode: (usize, i64),
}

impl MemoryTable {
    pub(super) const fn new(memory: Arc<Memory>) -> Self {
        Self {
            memory,
            row: 0,
            episode: (0, 0),
        }
    }
}

impl Table for MemoryTable {
    fn next_block(&mut self) -> Result<Option<Block>, DataError> {
        let Memory {
            states,
            width,
            ends,
        } = self.memory.as_ref();
        let rows = states.len() / width;
        let first = self.row;
        let last = rows.min(first + block_rows(4 * width));
        if first == last {
            return Ok(None);
        }
        let mut episodes = Vec::with_capacity(last - first);
        for row in first..last {
            while ends[self.episode.0] <= row {
                self.episode = (self.episode.0 + 1, self.episode.1 + 1);
            }
            episodes.push(self.episode.1);
        }
        self.row = last;
        Ok(Some(Block {
            spec: self.memory.spec(),
            states: Values::F32(states[first * width..last * width].to_vec()),
            episodes,
            frames: None,
            indices: None,
            places: Places::From(first as u64),
        }))
    }

    fn column(&self, entry: usize) -> String {
        entry.to_string()
    }

    fn own_labels(&self) -> OwnLabels {
        OwnLabels::default()
    }
}
