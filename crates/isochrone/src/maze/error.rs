//! Errors of mazes, each with its position.

use super::Cell;
use crate::markov::ChainError;

/// Why a text is not a maze, or a maze not a chain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MazeError {
    /// No lines.
    #[error("the maze is empty")]
    Empty,
    /// No floor.
    #[error("the maze has no floor: all {cells} cells are wall")]
    NoFloor {
        /// Number of cells.
        cells: usize,
    },
    /// A character with no meaning.
    #[error("line {line}, column {column}: {found:?} is neither wall `#` nor floor `.`")]
    UnknownCell {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// A line of another length.
    #[error("line {line} has {cells} cells, line 1 has {expected}")]
    Ragged {
        /// Line, from 1.
        line: usize,
        /// Its length.
        cells: usize,
        /// The first line's length.
        expected: usize,
    },
    /// A cell outside the maze, or a wall.
    #[error("cell ({column}, {row}) is {what}")]
    NotFloor {
        /// Column, from 0 at the left.
        column: usize,
        /// Row, from 0 at the top.
        row: usize,
        /// Wall, or outside.
        what: &'static str,
    },
    /// A state's number that is too large.
    #[error("the states are numbered 0…{}, there is no {state}", states - 1)]
    NoSuchState {
        /// The number.
        state: usize,
        /// Number of states.
        states: usize,
    },
    /// Part of the floor is unreachable.
    #[error("cell {to} cannot be reached from cell {from}")]
    CutOff {
        /// From this cell …
        from: Cell,
        /// … this one cannot be reached.
        to: Cell,
    },
    /// A cell with no legal move.
    #[error(
        "cell {cell} has no legal move to divide its probability among; use the wall rule `stay`"
    )]
    NoMove {
        /// The cell.
        cell: Cell,
    },
    /// Move probabilities that are not a distribution.
    #[error(
        "the move probabilities north {north}, south {south}, east {east}, west {west} must be at least 0 and sum to 1"
    )]
    BadMoves {
        /// Up.
        north: f64,
        /// Down.
        south: f64,
        /// Right.
        east: f64,
        /// Left.
        west: f64,
    },
    /// Any other error of chains.
    #[error(transparent)]
    Chain(ChainError),
}
