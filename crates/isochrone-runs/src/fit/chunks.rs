//! One pass over the data as chunks of shuffled episodes.

use super::spec::FitSpec;
use super::target_name::TargetName;
use anyhow::Result;
use isochrone::env::ObservationSpec;
use isochrone::rng::Seed;
use isochrone_files::data::{Batch, DataError, DataSource, ShuffledStreams, StreamOptions};
use isochrone_files::held_out::HeldOut;
use std::num::NonZeroUsize;

/// Numbers in a chunk at most: its pairs take twice as much again.
const MOST_NUMBERS: usize = 1 << 25;

/// Bytes in a megabyte.
const MEGABYTE: usize = 1 << 20;

/// How much is held while shuffling, and how it is divided. Pieces are long enough for a window: a shorter one would
/// teach shorter times than the spec says.
pub(super) fn stream_options(spec: &FitSpec, states: &ObservationSpec) -> StreamOptions {
    let options = StreamOptions {
        streams: NonZeroUsize::new(spec.streams).unwrap_or(NonZeroUsize::MIN),
        budget_bytes: spec.shuffle_mb.saturating_mul(MEGABYTE),
        max_rows: None,
    };
    let window = match spec.target_name() {
        TargetName::Window | TargetName::Bootstrapped | TargetName::Geodesic => {
            spec.window_steps.map_or(0, |steps| steps.saturating_add(1))
        }
        TargetName::FirstPassage | TargetName::GraphDrawing => 0,
    };
    let max_rows = options.max_rows(states).get().max(window);
    StreamOptions {
        max_rows: NonZeroUsize::new(max_rows),
        ..options
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
        let options = stream_options(spec, source.spec());
        Ok(Self {
            streams: ShuffledStreams::new(source, options, Seed(spec.seed), pass)?,
            held_out,
            rows: (spec.chunk_rows).min(MOST_NUMBERS / source.spec().len().max(1)),
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
