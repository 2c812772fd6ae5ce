//! Whole episodes of logs, embedded.

use crate::progress::Observer;
use anyhow::Result;
use isochrone_files::data::{DataSource, Piece, PieceEnd, RowLabels};
use isochrone_files::model::DistanceModel;
use std::num::NonZeroUsize;
use std::thread;

/// Rows read at a time, at most.
const PIECE_ROWS: usize = 10_000;
/// Rows that are embedded together, for each core, at most.
const BATCH_ROWS: usize = 20_000;
/// Their numbers, at most: 16 MB. A single episode may have more.
const BATCH_NUMBERS: usize = 1 << 22;

/// An episode as embedded points.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedEpisode {
    /// Its number in reading order, over all files.
    pub number: u64,
    /// Its file, in reading order.
    pub file: u32,
    /// What its file calls it and its rows.
    pub labels: RowLabels,
    /// Its states, row by row.
    pub states: Vec<f32>,
    /// The point of each, row by row.
    pub points: Vec<f32>,
}

/// An episode as it is read.
struct ReadEpisode {
    number: u64,
    file: u32,
    labels: RowLabels,
    states: Vec<f32>,
}

impl ReadEpisode {
    fn begin(piece: &Piece) -> Self {
        let labels = piece.labels.as_deref().cloned();
        // Arrays in memory have no labels: episodes and frames are counted.
        let counted = || RowLabels {
            episode: piece.episode.cast_signed(),
            first_frame: 0,
            indices: Vec::new(),
        };
        let mut labels = labels.unwrap_or_else(counted);
        labels.indices = Vec::new();
        Self {
            number: piece.episode,
            file: piece.file,
            labels,
            states: Vec::new(),
        }
    }

    /// Adds a piece; rows are counted from `first_row` if the source has no numbers for them.
    fn add(&mut self, piece: &Piece, first_row: i64) {
        self.states.extend_from_slice(&piece.states.numbers());
        let indices = &mut self.labels.indices;
        match &piece.labels {
            Some(labels) => indices.extend_from_slice(&labels.indices),
            None => indices.extend((first_row..).take(piece.states.len())),
        }
    }

    fn embed(self, model: &DistanceModel) -> Result<EmbeddedEpisode> {
        let rows = self.states.chunks_exact(model.distance.inputs().max(1));
        let points: Vec<Vec<f32>> = rows
            .map(|state| model.distance.embed(state))
            .collect::<Result<_, _>>()?;
        Ok(EmbeddedEpisode {
            number: self.number,
            file: self.file,
            labels: self.labels,
            points: points.concat(),
            states: self.states,
        })
    }
}

/// Embeds every episode and works on it, by all cores; `visit` gets the results in reading order. The observer may stop it.
pub(super) fn each_episode<T: Send>(
    model: &DistanceModel,
    source: &DataSource,
    observer: &dyn Observer,
    work: impl Fn(&EmbeddedEpisode) -> T + Sync,
    mut visit: impl FnMut(EmbeddedEpisode, T) -> Result<()>,
) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let width = source.spec().len();
    let batch_rows = rows_at_a_time(BATCH_ROWS, width).get() * threads;
    let mut batch: Vec<ReadEpisode> = Vec::new();
    let mut rows = 0;
    let (mut file, mut first_row) = (0, 0);
    let mut open: Option<ReadEpisode> = None;
    let mut flush = |batch: &mut Vec<ReadEpisode>| -> Result<()> {
        for (episode, found) in by_all_cores(model, std::mem::take(batch), threads, &work)? {
            visit(episode, found)?;
        }
        Ok(())
    };
    for piece in source.pieces(rows_at_a_time(PIECE_ROWS, width)) {
        observer.check()?;
        let piece = piece?;
        if piece.file != file {
            (file, first_row) = (piece.file, 0);
        }
        rows += piece.states.len();
        let mut episode = open.take().unwrap_or_else(|| ReadEpisode::begin(&piece));
        episode.add(&piece, first_row);
        first_row += piece.states.len().cast_signed() as i64;
        match piece.end {
            PieceEnd::Cut => open = Some(episode),
            PieceEnd::Episode => batch.push(episode),
        }
        if open.is_none() && rows >= batch_rows {
            flush(&mut batch)?;
            rows = 0;
        }
    }
    batch.extend(open);
    flush(&mut batch)
}

/// So many rows, or as many states of this width as may be held.
fn rows_at_a_time(rows: usize, width: usize) -> NonZeroUsize {
    let rows = rows.min(BATCH_NUMBERS / width.max(1));
    NonZeroUsize::new(rows).unwrap_or(NonZeroUsize::MIN)
}

fn by_all_cores<T: Send>(
    model: &DistanceModel,
    mut batch: Vec<ReadEpisode>,
    threads: usize,
    work: &(impl Fn(&EmbeddedEpisode) -> T + Sync),
) -> Result<Vec<(EmbeddedEpisode, T)>> {
    let one = |episode: ReadEpisode| -> Result<(EmbeddedEpisode, T)> {
        let episode = episode.embed(model)?;
        let found = work(&episode);
        Ok((episode, found))
    };
    let share = batch.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let mut workers = Vec::new();
        while !batch.is_empty() {
            let rest = batch.split_off(share.min(batch.len()));
            let own = std::mem::replace(&mut batch, rest);
            workers.push(scope.spawn(move || own.into_iter().map(one).collect::<Result<Vec<_>>>()));
        }
        let mut all = Vec::new();
        for worker in workers {
            // A thread of ours has nothing to panic about; if it does, so do we.
            let found = worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            all.extend(found?);
        }
        Ok(all)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::euclidean::euclidean;
    use crate::fit::Given;
    use crate::progress::NoObserver;
    use isochrone_files::data::Memory;
    use std::sync::Arc;

    #[test]
    fn rows_of_arrays_are_counted_over_all_episodes() {
        let states = (0..50_u16).map(f32::from).collect();
        let memory = Arc::new(Memory::new(states, 1, &[20, 30]).unwrap());
        let given = Given::Memory(memory);
        let model = euclidean(&given, 5).unwrap();
        let (mut episodes, mut indices) = (Vec::new(), Vec::new());
        let visit = |episode: EmbeddedEpisode, ()| {
            episodes.push((episode.labels.episode, episode.labels.first_frame));
            indices.extend(episode.labels.indices);
            Ok(())
        };
        let source = given.open_labelled().unwrap();
        each_episode(&model, &source, &NoObserver, |_| (), visit).unwrap();
        assert_eq!(episodes, [(0, 0), (1, 0)]);
        assert_eq!(indices, (0..50).collect::<Vec<i64>>());
    }

    #[test]
    fn wide_states_take_no_more_memory_than_narrow_ones() {
        assert_eq!(rows_at_a_time(BATCH_ROWS, 200).get(), BATCH_ROWS);
        for width in [0, 1, 1_000, 84 * 84 * 3, 10_000_000] {
            let rows = rows_at_a_time(BATCH_ROWS, width).get();
            assert!(
                rows == 1 || rows * width <= BATCH_NUMBERS,
                "{width}: {rows}"
            );
        }
    }
}
