//! Episodes in a shuffled order, in bounded memory.
//!
//! Pieces are dealt to V streams like cards: piece `n` goes to stream `n mod V` (as episode `e` belongs to shard
//! `e mod V`; where nothing is cut the numbers are equal). Each stream keeps some of its pieces in a buffer and
//! gives away one of them at a time, chosen by its own random stream (`Shuffle`, epoch, stream); slot `k` of an
//! epoch is filled from stream `k mod V`. So the order depends on the data, the seed, the epoch, V and the memory
//! allowed, and on nothing else: not on threads.
//!
//! ```text
//! file order   p₀ p₁ … p_{V−1} │ p_V …        a round: one piece for each stream
//!               ↓  ↓      ↓
//!             ┌──┐┌──┐  ┌──┐
//!             │  ││  │  │  │   buffers, always equally many pieces in each
//!             └──┘└──┘  └──┘
//!               ↓  ↓      ↓
//! slots        k₀ k₁ … k_{V−1} │ k_V …        a round: one piece from each stream
//! ```
//!
//! Reading and giving go by whole rounds, so no stream can run ahead of another and fill the memory: however
//! long or short the episodes are, another round is read only while its largest possible size still fits. How
//! many rounds that is depends on the lengths of all pieces, which every rank of a cluster can know from the
//! episode column alone.
//!
//! A buffer that holds everything shuffles perfectly within each stream; a smaller one moves a piece by about as
//! many rounds as it holds.

use super::episodes::{DataSource, EpisodeReader};
use super::error::DataError;
use super::piece::Piece;
use isochrone::comm::DEFAULT_SHARDS;
use isochrone::env::{Dtype, ObservationSpec};
use isochrone::rng::{Rng, Seed, Stream};
use rand::RngExt;
use std::num::NonZeroUsize;

/// Rows of a piece at most, unless asked for otherwise: long enough for any window of steps in use.
const MAX_ROWS: usize = 10_000;
/// Rounds that fit at least, where the rows of a piece may be chosen to make it so.
const LEAST_ROUNDS: usize = 8;

/// How much is held, and how it is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamOptions {
    /// V; part of every recorded result.
    pub streams: NonZeroUsize,
    /// What all buffers may take together.
    pub budget_bytes: usize,
    /// Where long episodes are cut. `None` for 10,000 rows, fewer if eight rounds of such pieces would not fit.
    pub max_rows: Option<NonZeroUsize>,
}

impl Default for StreamOptions {
    /// 64 streams in half a gigabyte.
    fn default() -> Self {
        Self {
            streams: NonZeroUsize::new(DEFAULT_SHARDS).unwrap_or(NonZeroUsize::MIN),
            budget_bytes: 1 << 29,
            max_rows: None,
        }
    }
}

impl StreamOptions {
    /// Where episodes of such states are cut.
    pub fn max_rows(&self, spec: &ObservationSpec) -> NonZeroUsize {
        self.max_rows.unwrap_or_else(|| {
            let share = self.budget_bytes / (LEAST_ROUNDS * self.streams.get());
            let states = share.saturating_sub(Piece::OVERHEAD_BYTES);
            let rows = states / row_bytes(spec).max(1);
            NonZeroUsize::new(rows.clamp(2, MAX_ROWS)).unwrap_or(NonZeroUsize::MIN)
        })
    }
}

fn row_bytes(spec: &ObservationSpec) -> usize {
    match spec.dtype {
        Dtype::F32 => 4 * spec.len(),
        Dtype::U8 => spec.len(),
    }
}

/// One epoch: every piece once, in an order of the epoch's own. After an error there is nothing more.
#[derive(Debug)]
pub struct ShuffledStreams {
    reader: EpisodeReader,
    buffers: Vec<Vec<Piece>>,
    rngs: Vec<Rng>,
    next_stream: usize,
    held_bytes: usize,
    peak_bytes: usize,
    budget_bytes: usize,
    /// What a round takes at most.
    round_bytes: usize,
    input: Input,
}

#[derive(Debug, PartialEq, Eq)]
enum Input {
    Open,
    Ended,
}

impl ShuffledStreams {
    /// Begins an epoch. Refused if not even one round is sure to fit.
    pub fn new(
        source: &DataSource,
        options: StreamOptions,
        seed: Seed,
        epoch: u64,
    ) -> Result<Self, DataError> {
        let streams = options.streams.get();
        let max_rows = options.max_rows(source.spec());
        let piece_bytes = max_rows.get().saturating_mul(row_bytes(source.spec()));
        let piece_bytes = piece_bytes.saturating_add(Piece::OVERHEAD_BYTES);
        let round_bytes = streams.saturating_mul(piece_bytes);
        if round_bytes > options.budget_bytes {
            return Err(DataError::Budget {
                streams,
                piece_bytes,
                budget_bytes: options.budget_bytes,
            });
        }
        let rng = |stream| {
            seed.of(Stream::DataOrder {
                pass: epoch,
                stream,
            })
        };
        Ok(Self {
            reader: source.pieces(max_rows),
            buffers: vec![Vec::new(); streams],
            rngs: (0..streams as u64).map(rng).collect(),
            next_stream: 0,
            held_bytes: 0,
            peak_bytes: 0,
            budget_bytes: options.budget_bytes,
            round_bytes,
            input: Input::Open,
        })
    }

    /// What the buffers held when they held most.
    pub const fn peak_bytes(&self) -> usize {
        self.peak_bytes
    }

    /// Reads rounds while another one is sure to fit.
    fn fill(&mut self) -> Result<(), DataError> {
        while self.input == Input::Open && self.held_bytes + self.round_bytes <= self.budget_bytes {
            for buffer in &mut self.buffers {
                let Some(piece) = self.reader.next().transpose()? else {
                    self.input = Input::Ended;
                    break;
                };
                self.held_bytes += piece.bytes();
                buffer.push(piece);
            }
            self.peak_bytes = self.peak_bytes.max(self.held_bytes);
        }
        Ok(())
    }

    fn next_piece(&mut self) -> Result<Option<Piece>, DataError> {
        if self.next_stream == 0 {
            self.fill()?;
        }
        let buffer = &mut self.buffers[self.next_stream];
        if buffer.is_empty() {
            // Buffers are equally long until the data end, and then the first ones are longer by one: no later stream has any.
            return Ok(None);
        }
        let chosen = self.rngs[self.next_stream].random_range(0..buffer.len());
        let piece = buffer.swap_remove(chosen);
        self.held_bytes -= piece.bytes();
        self.next_stream = (self.next_stream + 1) % self.buffers.len();
        Ok(Some(piece))
    }
}

impl Iterator for ShuffledStreams {
    type Item = Result<Piece, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let piece = self.next_piece();
        if piece.is_err() {
            self.input = Input::Ended;
            self.next_stream = 0;
            self.buffers.iter_mut().for_each(Vec::clear);
        }
        piece.transpose()
    }
}
