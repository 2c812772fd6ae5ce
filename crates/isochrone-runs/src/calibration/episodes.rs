//! Held-out episodes for evaluation, as many as fit in memory.

use crate::progress::Observer;
use anyhow::Result;
use isochrone::pairs::{Episodes, EpisodesError};
use isochrone::rng::{Seed, Stream};
use isochrone_files::data::{DataSource, Piece, PieceEnd};
use rand::RngExt;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;

/// Numbers kept in memory at most: 256 MB.
const MOST_NUMBERS: usize = 1 << 26;
/// And states, however small.
const MOST_ROWS: usize = 1 << 22;
/// Rows of one piece: longer episodes are kept in pieces, all of which are measured against the end of their episode.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// Episodes in memory: a uniform sample if they do not all fit.
#[derive(Clone, Debug)]
pub struct ObservedEpisodes {
    states: Vec<f32>,
    width: usize,
    ranges: Vec<Range<usize>>,
    /// What else is known of the piece in each range.
    pieces: Vec<KeptPiece>,
    /// The ends of episodes in several pieces, if any of these is kept.
    ends: BTreeMap<usize, (Vec<f32>, u64)>,
    /// Pieces that did not fit.
    pub n_left_out: usize,
    /// Each piece has a number drawn for it; those below this are kept.
    limit: f64,
}

/// An episode, or a piece of a long one.
#[derive(Clone, Copy, Debug)]
struct KeptPiece {
    episode: usize,
    /// Steps of the episode before its first state.
    first_step: u64,
    end: PieceEnd,
    drawn: f64,
}

/// The end of an episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpisodeEnd<'a> {
    /// The last state.
    pub state: &'a [f32],
    /// Its step, from 0 at the first state.
    pub step: u64,
}

impl ObservedEpisodes {
    /// An empty list, for states of this width.
    pub const fn new(width: usize) -> Self {
        Self {
            states: Vec::new(),
            width,
            ranges: Vec::new(),
            pieces: Vec::new(),
            ends: BTreeMap::new(),
            n_left_out: 0,
            limit: 1.0,
        }
    }

    /// Adds the selected episodes of a source. The observer may stop it.
    pub fn gather(
        &mut self,
        source: &DataSource,
        is_wanted: impl Fn(u64) -> bool,
        observer: &dyn Observer,
    ) -> Result<()> {
        self.gather_pieces(source, PIECE_ROWS, is_wanted, observer)
    }

    fn gather_pieces(
        &mut self,
        source: &DataSource,
        piece_rows: NonZeroUsize,
        is_wanted: impl Fn(u64) -> bool,
        observer: &dyn Observer,
    ) -> Result<()> {
        let before = self.pieces.iter().map(|piece| piece.episode + 1).max();
        let before = before.unwrap_or(0);
        for piece in source.pieces(piece_rows) {
            observer.check()?;
            let piece = piece?;
            if !is_wanted(piece.episode) {
                continue;
            }
            let mut rng = Seed(before as u64).of(Stream::AssessPieces {
                piece: piece.number,
            });
            let kept = KeptPiece {
                episode: before + piece.episode as usize,
                first_step: piece.first_step,
                end: piece.end,
                drawn: rng.random(),
            };
            if kept.drawn < self.limit {
                self.keep(kept, &piece.states.numbers());
            } else {
                self.n_left_out += 1;
            }
            self.keep_end(kept.episode, &piece);
        }
        Ok(())
    }

    /// Keeps a piece, and fewer others if there is no room.
    fn keep(&mut self, piece: KeptPiece, states: &[f32]) {
        let first = self.n_states();
        self.states.extend_from_slice(states);
        self.ranges.push(first..self.n_states());
        self.pieces.push(piece);
        while self.is_full() && self.ranges.len() > 1 {
            self.halve();
        }
    }

    /// Keeps the end of an episode in several pieces: this is the last one, and others are kept.
    fn keep_end(&mut self, episode: usize, last: &Piece) {
        let is_cut = last.first_step > 0 && last.end == PieceEnd::Episode;
        let is_kept = self.pieces.last().is_some_and(|p| p.episode == episode);
        if !(is_cut && is_kept) {
            return;
        }
        let states = last.states.numbers();
        if let Some(state) = states.chunks_exact(self.width.max(1)).next_back() {
            let step = last.first_step + last.states.len() as u64 - 1;
            self.ends.insert(episode, (state.to_vec(), step));
        }
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
        for (range, piece) in self.ranges.iter().zip(&self.pieces) {
            if piece.drawn >= self.limit {
                kept.n_left_out += 1;
                continue;
            }
            let first = kept.n_states();
            let numbers = range.start * self.width..range.end * self.width;
            kept.states.extend_from_slice(&self.states[numbers]);
            kept.ranges.push(first..kept.n_states());
            kept.pieces.push(*piece);
            if let Some((episode, end)) = self.ends.remove_entry(&piece.episode) {
                kept.ends.insert(episode, end);
            }
        }
        *self = kept;
    }

    /// Number of episodes.
    pub fn n_episodes(&self) -> usize {
        self.whole_episodes().count()
    }

    /// The places in [`ObservedEpisodes::ranges`] of the pieces of each episode.
    pub fn whole_episodes(&self) -> impl Iterator<Item = Range<usize>> {
        let mut first = 0;
        let episodes = self.pieces.chunk_by(|a, b| a.episode == b.episode);
        episodes.map(move |pieces| {
            let places = first..first + pieces.len();
            first = places.end;
            places
        })
    }

    /// The episode of each state.
    pub fn episode_of(&self) -> Vec<usize> {
        let each = self.ranges.iter().zip(&self.pieces);
        each.flat_map(|(range, piece)| std::iter::repeat_n(piece.episode, range.len()))
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

    /// The rows of each episode, or of each kept piece of a long one.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// The step of a row of the piece at this place, from 0 at the beginning of its episode.
    pub fn step(&self, place: usize, row: usize) -> u64 {
        self.pieces[place].first_step + (row - self.ranges[place].start) as u64
    }

    /// The end of the episode of the piece at this place, whether or not its last piece is kept.
    pub fn episode_end(&self, place: usize) -> Option<EpisodeEnd<'_>> {
        let piece = &self.pieces[place];
        if let Some((state, step)) = self.ends.get(&piece.episode) {
            return Some(EpisodeEnd { state, step: *step });
        }
        // A whole episode has its end in itself.
        let last = self.ranges[place].clone().last()?;
        (piece.end == PieceEnd::Episode).then(|| EpisodeEnd {
            state: self.state(last),
            step: self.step(place, last),
        })
    }

    /// Steps of each episode.
    pub fn lengths(&self) -> Vec<f64> {
        let ends = self
            .whole_episodes()
            .filter_map(|places| self.episode_end(places.start));
        ends.map(|end| end.step as f64).collect()
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

#[cfg(test)]
mod tests {
    use super::super::{error_to_go, to_go::steps_to_go, within_episodes};
    use super::*;
    use crate::euclidean::euclidean;
    use crate::fit::Given;
    use crate::progress::NoObserver;
    use isochrone_files::data::Memory;
    use std::sync::Arc;

    /// All pieces of so many rows whose draw is below the limit.
    fn gathered(memory: &Arc<Memory>, piece_rows: usize, limit: f64) -> ObservedEpisodes {
        let source = DataSource::of_memory(Arc::clone(memory));
        let mut observed = ObservedEpisodes {
            limit,
            ..ObservedEpisodes::new(1)
        };
        let rows = NonZeroUsize::new(piece_rows).unwrap();
        observed
            .gather_pieces(&source, rows, |_| true, &NoObserver)
            .unwrap();
        observed
    }

    #[test]
    fn every_kept_piece_knows_the_end_of_its_episode() {
        let lengths = [95, 7, 40, 30];
        // A state is its row.
        let states = (0..172_u16).map(f32::from).collect();
        let memory = Arc::new(Memory::new(states, 1, &lengths).unwrap());
        for limit in [1.0, 0.5] {
            let observed = gathered(&memory, 10, limit);
            assert_eq!(observed.n_left_out > 0, limit < 1.0);
            for place in observed.whole_episodes().flatten() {
                let end = observed.episode_end(place).unwrap();
                let row = observed.ranges()[place].start;
                let [state, last] = [observed.state(row), end.state].map(|state| state[0] as u64);
                assert!([94, 101, 141, 171].contains(&last), "{last}");
                assert_eq!(last - state, end.step - observed.step(place, row));
            }
        }
        let lengths: Vec<u64> = gathered(&memory, 10, 1.0)
            .lengths()
            .iter()
            .map(|steps| *steps as u64)
            .collect();
        assert_eq!(lengths, [94, 6, 39, 29]);
    }

    /// Ways of different lengths, each with a rest at its end.
    #[test]
    fn cuts_change_nothing_that_is_measured_to_the_end_of_an_episode() {
        let way = |episode: u16| (0..70).map(move |step: u16| f32::from(step.min(30 + episode)));
        let states = (0..8).flat_map(way).collect();
        let memory = Arc::new(Memory::new(states, 1, &[70; 8]).unwrap());
        let model = euclidean(&Given::Memory(Arc::clone(&memory)), 20).unwrap();
        let measured = |piece_rows: usize| {
            let observed = gathered(&memory, piece_rows, 1.0);
            let within = within_episodes(&model, &observed, Seed(0), &NoObserver).unwrap();
            let curve = steps_to_go(&model, &observed, &NoObserver).unwrap();
            let error = error_to_go(&model, &observed, &NoObserver).unwrap();
            (within.at_rest, within.progress, curve, error)
        };
        let (whole, cut) = (measured(100), measured(9));
        assert_eq!(cut, whole);
        assert_eq!(whole.1.unwrap().episodes, 8);
        assert!(whole.0 > 0.3, "{}", whole.0);
    }
}
