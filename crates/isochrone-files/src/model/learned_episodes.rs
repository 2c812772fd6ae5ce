//! Recognising the episodes that a distance has learned from, in whatever file or order they come back.

use crate::data::{Piece, PieceEnd};
use crate::fingerprint::digits;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Marks that are kept, the smallest: of more episodes a fair sample, the same in any order.
const KEPT: usize = 512;
/// Shorter episodes are not marked: two of them may be equal by chance.
const SHORTEST: u64 = 16;
/// Bytes of a mark: one of a million other episodes has a mark that is kept with a probability of 0.0005.
const MARK_BYTES: usize = 5;

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
        let mut kept = BTreeSet::new();
        let mut hash = Sha256::new();
        for piece in pieces {
            let piece = piece?;
            for number in piece.states.numbers().iter() {
                hash.update(number.to_le_bytes());
            }
            if piece.end == PieceEnd::Cut {
                continue;
            }
            let digest = hash.finalize_reset();
            if piece.first_step + piece.states.len() as u64 >= SHORTEST {
                kept.insert(digits(&digest[..MARK_BYTES]));
            }
            if kept.len() > KEPT {
                kept.pop_last();
            }
        }
        Ok(Self(kept))
    }

    /// Episodes in common. Of more than 512 a sample is compared, so there may be more.
    pub fn n_common(&self, others: &Self) -> usize {
        self.0.intersection(&others.0).count()
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

    #[test]
    fn short_episodes_are_not_marked_and_of_many_a_sample_is() {
        assert_eq!(marks(0, &[15, 15], 1000), EpisodeMarks::default());
        let many = marks(0, &[16; 2 * KEPT], 1000);
        let second_half = marks(16 * KEPT as u16, &[16; KEPT], 1000);
        let common = many.n_common(&second_half);
        assert!((KEPT / 4..KEPT).contains(&common), "{common}");
    }
}
