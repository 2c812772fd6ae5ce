//! Pieces end to end, as pairs of states are drawn from them.

use super::error::DataError;
use super::piece::{Piece, PieceEnd};
use std::ops::Range;

/// Whole pieces in the order they came: what `isochrone::pairs::Episodes` is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// All states.
    pub states: Vec<f32>,
    /// Entries of a state.
    pub width: usize,
    /// The rows of each piece.
    pub ranges: Vec<Range<usize>>,
    /// How each piece ends.
    pub ends: Vec<PieceEnd>,
    /// The number of each piece in file order.
    pub numbers: Vec<u64>,
}

impl Batch {
    /// Takes pieces until there are `rows` states or no more pieces; `None` if there was none to begin with. At
    /// most one piece more than asked for is in memory.
    pub fn take(
        pieces: &mut impl Iterator<Item = Result<Piece, DataError>>,
        rows: usize,
    ) -> Result<Option<Self>, DataError> {
        let mut batch = Self::default();
        let mut next = 0;
        while next < rows.max(1) {
            let Some(piece) = pieces.next().transpose()? else {
                break;
            };
            batch.states.extend_from_slice(&piece.states.numbers());
            batch.width = piece.states.width();
            batch.ranges.push(next..next + piece.states.len());
            batch.ends.push(piece.end);
            batch.numbers.push(piece.number);
            next += piece.states.len();
        }
        Ok((next > 0).then_some(batch))
    }
}
