//! Whole episodes of logs, embedded.

use crate::progress::Observer;
use anyhow::Result;
use isochrone_files::data::{DataSource, Piece, PieceEnd, RowLabels};
use isochrone_files::model::DistanceModel;
use std::num::NonZeroUsize;
use std::thread;

/// Rows read at a time.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");
/// Rows that are embedded together, for each core.
const BATCH_ROWS: usize = 20_000;

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

    fn add(&mut self, piece: &Piece) {
        self.states.extend_from_slice(&piece.states.numbers());
        match &piece.labels {
            Some(labels) => self.labels.indices.extend_from_slice(&labels.indices),
            None => {
                let first = self.labels.indices.len().cast_signed() as i64;
                let rows = piece.states.len();
                self.labels.indices.extend((first..).take(rows));
            }
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
    let mut batch: Vec<ReadEpisode> = Vec::new();
    let mut rows = 0;
    let mut open: Option<ReadEpisode> = None;
    let mut flush = |batch: &mut Vec<ReadEpisode>| -> Result<()> {
        for (episode, found) in by_all_cores(model, std::mem::take(batch), threads, &work)? {
            visit(episode, found)?;
        }
        Ok(())
    };
    for piece in source.pieces(PIECE_ROWS) {
        observer.check()?;
        let piece = piece?;
        rows += piece.states.len();
        let mut episode = open.take().unwrap_or_else(|| ReadEpisode::begin(&piece));
        episode.add(&piece);
        match piece.end {
            PieceEnd::Cut => open = Some(episode),
            PieceEnd::Episode => batch.push(episode),
        }
        if open.is_none() && rows >= BATCH_ROWS * threads {
            flush(&mut batch)?;
            rows = 0;
        }
    }
    batch.extend(open);
    flush(&mut batch)
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
