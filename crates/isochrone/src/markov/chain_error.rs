//! What a chain is refused for: facts, each with its place.

use super::chain::ROW_SUM_TOLERANCE;

/// Why a set of numbers is not an irreducible Markov chain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// Nothing was given.
    #[error("the chain has no states")]
    Empty,
    /// State numbers are 32-bit.
    #[error("{states} states are more than the {} that can be numbered", u32::MAX)]
    TooManyStates {
        /// Number of states given.
        states: usize,
    },
    /// A dense matrix with a row of another length.
    #[error("row {row} has {entries} entries, but there are {states} states")]
    NotSquare {
        /// The row.
        row: usize,
        /// Its length.
        entries: usize,
        /// Number of rows.
        states: usize,
    },
    /// A transition to or from a state that does not exist.
    #[error("the transition {from} → {to} names a state outside 0…{}", states - 1)]
    NoSuchState {
        /// Where it starts.
        from: usize,
        /// Where it ends.
        to: usize,
        /// Number of states.
        states: usize,
    },
    /// Negative, infinite or not a number.
    #[error("the transition {from} → {to} has probability {value}")]
    NotAProbability {
        /// Where it starts.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The offending value.
        value: f64,
    },
    /// Smaller than f64 holds with full precision.
    #[error("the transition {from} → {to} has probability {value:e}, too small to compute with")]
    TooSmall {
        /// Where it starts.
        from: usize,
        /// Where it ends.
        to: usize,
        /// The probability after its row was divided by its sum.
        value: f64,
    },
    /// Weights that cannot be divided by their sum.
    #[error("the weights out of state {state} sum to {sum}")]
    NoWeight {
        /// The state.
        state: usize,
        /// The sum.
        sum: f64,
    },
    /// A row that is not a distribution.
    #[error(
        "the probabilities out of state {row} sum to {sum}, not to 1 within {ROW_SUM_TOLERANCE:e}"
    )]
    NotStochastic {
        /// The row.
        row: usize,
        /// Its sum.
        sum: f64,
    },
    /// Not every state can be reached from every other.
    #[error("state {to} cannot be reached from state {from}")]
    NotIrreducible {
        /// From here …
        from: usize,
        /// … there is no way to here.
        to: usize,
    },
}
