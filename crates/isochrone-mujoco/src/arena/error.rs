//! Why a text is not an arena.

/// Why a text is not an arena.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// No lines.
    #[error("the arena is empty")]
    Empty,
    /// A setting that does not exist, or a value that it cannot have.
    #[error(
        "line {line}: {text:?} is not a setting; there are `wall_thickness_m = M`, above 0 and below 2, and `push_n = N`, above 0"
    )]
    Setting {
        /// Line, from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// A character with no meaning.
    #[error("line {line}, column {column}: {found:?} is not one of {expected}")]
    UnknownMark {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The character.
        found: char,
        /// What can be there.
        expected: &'static str,
    },
    /// A line of another length.
    #[error("line {line} has {marks} characters, the first line of the plan has {expected}")]
    Ragged {
        /// Line, from 1.
        line: usize,
        /// Its length.
        marks: usize,
        /// The first line's length.
        expected: usize,
    },
    /// A plan with walls between cells that does not begin and end with walls.
    #[error(
        "a plan with walls between cells has an odd number of lines and columns, at least 3: this one has {lines} and {columns}"
    )]
    Even {
        /// Lines of the plan.
        lines: usize,
        /// Its columns.
        columns: usize,
    },
    /// No start, or several.
    #[error("the arena has {found} starts `r`, it needs one")]
    Starts {
        /// How many.
        found: usize,
    },
    /// Cells that push without a force, or a force without such cells.
    #[error("the setting push_n and cells that push (`<`, `>`, `^`, `v`) need one another")]
    Push,
}
