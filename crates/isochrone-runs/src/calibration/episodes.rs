//! Held-out episodes for evaluation, as many as fit in memory.

use crate::progress::Observer;
use anyhow::Result;
use isochrone::pairs::{Episodes, EpisodesError};
use isochrone::rng::{Seed, Stream};
use isochrone_files::data::{DataSource, PieceEnd};
use rand::RngExt;
use std::num::NonZeroUsize;
use std::ops::Range;

/// Numbers kept in memory at most: 256 MB.
const MOST_NUMBERS: usize = 1 << 26;
/// And states, however small.
const MOST_ROWS: usize = 1 << 22;
/// Rows of one piece: longer episodes are evaluated in pieces.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// Episodes in memory: a uniform sample if they do not all fit.
#[derive(Clone, Debug)]
pub struct ObservedEpisodes {
    states: Vec<f32>,
    width: usize,
    ranges: Vec<Range<usize>>,
    /// The episode of each range: long ones are in pieces.
    episodes: Vec<usize>,
    /// How each range ends.
    ends: Vec<PieceEnd>,
    /// Pieces that did not fit.
    pub n_left_out: usize,
    /// Each piece has a number drawn for it; those below this are kept.
    limit: f64,
    drawn: Vec<f64>,
}

impl ObservedEpisodes {
    /// An empty list, for states of this width.
    pub const fn new(width: usize) -> Self {
        Self {
            states: Vec::new(),
            width,
            ranges: Vec::new(),
            episodes: Vec::new(),
            ends: Vec::new(),
            n_left_out: 0,
            limit: 1.0,
            drawn: Vec::new(),
        }
    }

    /// Adds the selected episodes of a source. The observer may stop it.
    pub fn gather(
        &mut self,
        source: &DataSource,
        is_wanted: impl Fn(u64) -> bool,
        observer: &dyn Observer,
    ) -> Result<()> {
        let before = self.episodes.iter().max().map_or(0, |last| last + 1);
        for piece in source.pieces(PIECE_ROWS) {
            observer.check()?;
            let piece = piece?;
            if !is_wanted(piece.episode) {
                continue;
            }
            let mut rng = Seed(before as u64).of(Stream::AssessPieces {
                piece: piece.number,
            });
            let drawn: f64 = rng.random();
            if drawn >= self.limit {
                self.n_left_out += 1;
                continue;
            }
            let first = self.n_states();
            self.states.extend_from_slice(&piece.states.numbers());
            self.ranges.push(first..self.n_states());
            self.episodes.push(before + piece.episode as usize);
            self.ends.push(piece.end);
            self.drawn.push(drawn);
            while self.is_full() && self.ranges.len() > 1 {
                self.halve();
            }
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.states.len() > MOST_NUMBERS || self.n_states() > MOST_ROWS
    }

    /// Keeps the half with the smaller numbers.
    fn halve(&mut self) {
        self.limit /= 2.0;
        let mut kept = Self {
            limit: self.limit,
            n_left_out: self.n_left_out,
            ..Self::new(self.width)
        };
        for (place, range) in self.ranges.iter().enumerate() {
            if self.drawn[place] >= self.limit {
                kept.n_left_out += 1;
                continue;
            }
            let first = kept.n_states();
            let numbers = range.start * self.width..range.end * self.width;
            kept.states.extend_from_slice(&self.states[numbers]);
            kept.ranges.push(first..kept.n_states());
            kept.episodes.push(self.episodes[place]);
            kept.ends.push(self.ends[place]);
            kept.drawn.push(self.drawn[place]);
        }
        *self = kept;
    }

    /// Number of episodes.
    pub fn n_episodes(&self) -> usize {
        self.episodes.chunk_by(|a, b| a == b).count()
    }

    /// The episode of each state.
    pub fn episode_of(&self) -> Vec<usize> {
        let each = self.ranges.iter().zip(&self.episodes);
        each.flat_map(|(range, &episode)| std::iter::repeat_n(episode, range.len()))
            .collect()
    }

    /// As pairs are drawn from them.
    pub fn episodes(&self) -> Result<Episodes<'_>, EpisodesError> {
        Episodes::new(&self.states, self.width, self.ranges.clone())
    }

    /// All states, row by row.
    pub fn states(&self) -> &[f32] {
        &self.states
    }

    /// Entries of a state.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The rows of each episode.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// How each of those ends: with its episode, or where a long one was cut.
    pub fn ends(&self) -> &[PieceEnd] {
        &self.ends
    }

    /// Steps of each episode.
    pub fn lengths(&self) -> Vec<f64> {
        let rows: Vec<(usize, usize)> = (self.episodes.iter().copied())
            .zip(self.ranges.iter().map(ExactSizeIterator::len))
            .collect();
        let episodes = rows.chunk_by(|a, b| a.0 == b.0);
        let steps = |pieces: &[(usize, usize)]| pieces.iter().map(|p| p.1).sum::<usize>();
        episodes
            .map(|pieces| steps(pieces).saturating_sub(1) as f64)
            .collect()
    }

    /// One state.
    pub fn state(&self, row: usize) -> &[f32] {
        &self.states[row * self.width..(row + 1) * self.width]
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.states.len().checked_div(self.width).unwrap_or(0)
    }
}
