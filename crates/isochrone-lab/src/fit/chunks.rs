//! One pass over the data as chunks of shuffled episodes.

use super::spec::FitSpec;
use crate::data::{Batch, DataError, DataSource, ShuffledStreams, StreamOptions};
use crate::held_out::HeldOut;
use anyhow::Result;
use isochrone::rng::Seed;
use std::num::NonZeroUsize;

/// Bytes in a megabyte.
const MEGABYTE: usize = 1 << 20;

/// How much is held while shuffling, and how it is divided.
pub(super) fn stream_options(spec: &FitSpec) -> StreamOptions {
    StreamOptions {
        streams: NonZeroUsize::new(spec.streams).unwrap_or(NonZeroUsize::MIN),
        budget_bytes: spec.shuffle_mb.saturating_mul(MEGABYTE),
        max_rows: None,
    }
}

/// The chunks of a pass, in its order.
pub(super) struct Chunks {
    streams: ShuffledStreams,
    held_out: HeldOut,
    rows: usize,
}

impl Chunks {
    pub(super) fn new(
        source: &DataSource,
        spec: &FitSpec,
        held_out: HeldOut,
        pass: u64,
    ) -> Result<Self, DataError> {
        let options = stream_options(spec);
        Ok(Self {
            streams: ShuffledStreams::new(source, options, Seed(spec.seed), pass)?,
            held_out,
            rows: spec.chunk_rows,
        })
    }

    /// The next chunk; `None` at the end of the data.
    pub(super) fn next(&mut self) -> Result<Option<Batch>, DataError> {
        let held_out = self.held_out;
        let mut pieces = (&mut self.streams).filter(|piece| match piece {
            Ok(piece) => !held_out.contains(piece.episode),
            Err(_) => true,
        });
        Batch::take(&mut pieces, self.rows)
    }
}
