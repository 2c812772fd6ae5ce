//! Recognising the episodes that a distance has learned from, in whatever file or order they come back.

use crate::data::{Piece, PieceEnd};
use crate::fingerprint::digits;
use crate::held_out::HeldOut;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Marks that are kept, the smallest: of more episodes a fair sample, the same in any order.
const KEPT: usize = 512;
/// Shorter episodes are not marked: two of them may be equal by chance.
const SHORTEST: u64 = 16;
/// Bytes of a mark: one of a million other episodes has a mark that is kept with a probability of 0.0005.
const MARK_BYTES: usize = 5;
/// Numbers that are hashed at a time: one by one takes several times as long.
const HASHED_NUMBERS: usize = 1 << 12;

/// Marks of whole episodes: the first digits of the SHA-256 of all their states, as numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct EpisodeMarks(BTreeSet<String>);

impl From<String> for EpisodeMarks {
    fn from(text: String) -> Self {
        Self(text.split_whitespace().map(str::to_owned).collect())
    }
}

impl From<EpisodeMarks> for String {
    fn from(marks: EpisodeMarks) -> Self {
        let marks: Vec<Self> = marks.0.into_iter().collect();
        marks.join(" ")
    }
}

impl EpisodeMarks {
    /// Of episodes in pieces, in file order.
    pub fn of<E>(pieces: impl IntoIterator<Item = Result<Piece, E>>) -> Result<Self, E> {
        let mut marks = Self::default();
        let mut hash = EpisodeHash::default();
        for piece in pieces {
            if let Some(digest) = hash.add(&piece?) {
                marks.keep(digest);
            }
        }
        Ok(marks)
    }

    fn keep(&mut self, digest: u64) {
        self.0.insert(digits(&digest.to_be_bytes()[..MARK_BYTES]));
        if self.0.len() > KEPT {
            self.0.pop_last();
        }
    }

    /// Episodes in common. Of more than 512 a sample is compared, so there may be more.
    pub fn n_common(&self, others: &Self) -> usize {
        self.0.intersection(&others.0).count()
    }
}

/// Hashes episodes in pieces, in file order.
#[derive(Clone, Debug, Default)]
struct EpisodeHash(Sha256);

impl EpisodeHash {
    /// Adds a piece. At the end of an episode that is long enough to be marked: the first eight bytes of its SHA-256.
    fn add(&mut self, piece: &Piece) -> Option<u64> {
        for numbers in piece.states.numbers().chunks(HASHED_NUMBERS) {
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            self.0.update(&bytes);
        }
        if piece.end == PieceEnd::Cut {
            return None;
        }
        let digest = self.0.finalize_reset();
        let first = digest.iter().take(size_of::<u64>());
        let first = first.fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        (piece.first_step + piece.states.len() as u64 >= SHORTEST).then_some(first)
    }
}

/// Finds held-out episodes that are copies of episodes learned from: a file that is given twice, under two names, is held out
/// in one and learned from in the other. Takes eight bytes for each episode.
#[derive(Clone, Debug)]
pub struct CopyFinder {
    held_out: HeldOut,
    hash: EpisodeHash,
    learned: BTreeSet<u64>,
    /// The number and the digest of each held-out episode.
    unseen: Vec<(u64, u64)>,
}

impl CopyFinder {
    /// Before the first piece.
    pub fn new(held_out: HeldOut) -> Self {
        Self {
            held_out,
            hash: EpisodeHash::default(),
            learned: BTreeSet::new(),
            unseen: Vec::new(),
        }
    }

    /// Adds a piece; pieces come in file order.
    pub fn add(&mut self, piece: &Piece) {
        let Some(digest) = self.hash.add(piece) else {
            return;
        };
        if self.held_out.contains(piece.episode) {
            self.unseen.push((piece.episode, digest));
        } else {
            self.learned.insert(digest);
        }
    }

    /// The numbers of the held-out episodes that were learned from under another number.
    pub fn copies(&self) -> BTreeSet<u64> {
        let copies = self.unseen.iter();
        let copies = copies.filter(|(_, digest)| self.learned.contains(digest));
        copies.map(|(episode, _)| *episode).collect()
    }

    /// Marks of the episodes learned from.
    pub fn marks(&self) -> EpisodeMarks {
        let mut marks = EpisodeMarks::default();
        self.learned.iter().for_each(|digest| marks.keep(*digest));
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DataSource, Memory};
    use std::num::NonZeroUsize;
    use std::sync::Arc;

    /// Episodes of so many states, the first of which begins with this number.
    fn marks(first: u16, lengths: &[usize], max_rows: usize) -> EpisodeMarks {
        let rows: usize = lengths.iter().sum();
        let states = (0..rows).map(|row| f32::from(first) + row as f32).collect();
        let source = DataSource::of_memory(Arc::new(Memory::new(states, 1, lengths).unwrap()));
        EpisodeMarks::of(source.pieces(NonZeroUsize::new(max_rows).unwrap())).unwrap()
    }

    #[test]
    fn an_episode_is_known_wherever_it_is_cut_and_whatever_stands_before_it() {
        let three = marks(0, &[20, 30, 40], 1000);
        assert_eq!(three, marks(0, &[20, 30, 40], 7));
        assert_eq!(marks(20, &[30], 4).n_common(&three), 1);
        assert_eq!(marks(20, &[29], 4).n_common(&three), 0);
        let text = String::from(three.clone());
        assert_eq!(EpisodeMarks::from(text), three);
    }

    /// Forty episodes, given twice; the last one is too short to be told from others.
    #[test]
    fn a_held_out_episode_that_is_also_learned_from_is_a_copy() {
        let mut lengths = [20; 40];
        lengths[39] = 15;
        let rows: usize = lengths.iter().sum();
        let states: Vec<f32> = (0..2 * rows).map(|row| (row % rows) as f32).collect();
        let twice = [lengths, lengths].concat();
        let source = DataSource::of_memory(Arc::new(Memory::new(states, 1, &twice).unwrap()));
        let held_out = HeldOut {
            seed: 1,
            share: 0.3,
            also: None,
            never: None,
        };
        let pieces = || {
            source
                .pieces(NonZeroUsize::new(7).unwrap())
                .map(Result::unwrap)
        };
        let mut finder = CopyFinder::new(held_out);
        pieces().for_each(|piece| finder.add(&piece));
        let other = |episode: u64| (episode + 40) % 80;
        let is_copy = |episode: &u64| {
            held_out.contains(*episode) && !held_out.contains(other(*episode)) && episode % 40 != 39
        };
        let wanted: BTreeSet<u64> = (0..80).filter(is_copy).collect();
        assert!(wanted.len() > 5, "{wanted:?}");
        assert_eq!(finder.copies(), wanted);
        let learned = pieces().filter(|piece| !held_out.contains(piece.episode));
        let learned = EpisodeMarks::of(learned.map(Ok::<_, ()>)).unwrap();
        assert_eq!(finder.marks(), learned);
    }

    #[test]
    fn short_episodes_are_not_marked_and_of_many_a_sample_is() {
        assert_eq!(marks(0, &[15, 15], 1000), EpisodeMarks::default());
        let many = marks(0, &[16; 2 * KEPT], 1000);
        let second_half = marks(16 * KEPT as u16, &[16; KEPT], 1000);
        let common = many.n_common(&second_half);
        assert!((KEPT / 4..KEPT).contains(&common), "{common}");
    }
}
