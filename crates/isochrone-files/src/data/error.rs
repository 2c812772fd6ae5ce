//! Errors of data files, with file and position.

use crate::settings::meant;
use std::fmt;
use std::path::PathBuf;

/// A place in a table. Rows are counted from 0, as NumPy and pandas count them; lines of text from 1, as
/// editors do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A row of an array or a table.
    Row(u64),
    /// A line of a text file.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(row) => write!(f, "row {row}"),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// States.
    State,
    /// Actions.
    Action,
    /// Numbers or ends of episodes.
    Episode,
}

/// An error in one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// No pattern at all.
    #[error("no data file is named")]
    NoFiles,
    /// A pattern that finds nothing.
    #[error("{pattern:?} matches no file")]
    NoMatch {
        /// As given.
        pattern: String,
    },
    /// An invalid pattern.
    #[error("{pattern:?} is not a pattern: {reason}")]
    BadPattern {
        /// As given.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// A folder where a file should be.
    #[error("{} is a folder{}", .file.display(), .pattern.as_ref().map_or(" without data files; name a folder that has some".to_owned(), |pattern| format!("; name the files in it: {pattern}")))]
    Folder {
        /// Which.
        file: PathBuf,
        /// A pattern that finds data files in it.
        pattern: Option<String>,
    },
    /// The same file twice would count its episodes twice.
    #[error("{} is named twice", .file.display())]
    Twice {
        /// Which.
        file: PathBuf,
    },
    /// An unknown file extension.
    #[error("{} ends in none of .parquet, .npz, .csv", .file.display())]
    UnknownEnding {
        /// Which.
        file: PathBuf,
    },
    /// An I/O error.
    #[error("cannot read {}: {source}", .file.display())]
    Unreadable {
        /// Which.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An I/O error.
    #[error("cannot write {}: {reason}", .file.display())]
    Unwritable {
        /// Which.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// A damaged or truncated file, or one of another format than its extension says.
    #[error("{} is not a whole {format} file: {reason}", .file.display())]
    Broken {
        /// Which.
        file: PathBuf,
        /// `Parquet`, `npz` or `CSV`.
        format: &'static str,
        /// What the reader says, in one line.
        reason: String,
    },
    /// No rows.
    #[error("{} holds no rows", .file.display())]
    Empty {
        /// Which.
        file: PathBuf,
    },
    /// An unknown column.
    #[error("{} has no column {wanted:?}; {}", .file.display(), meant_or_listed(.wanted, .found))]
    NoColumn {
        /// Which file.
        file: PathBuf,
        /// Name given.
        wanted: String,
        /// What it should have held.
        role: Role,
        /// Names in the file.
        found: Vec<String>,
    },
    /// A duplicate column, in a table or in the arguments.
    #[error("{}: column {column:?} appears or is requested twice", .file.display())]
    TwoColumns {
        /// Which file.
        file: PathBuf,
        /// The name.
        column: String,
    },
    /// A column of another type.
    #[error("{}, column {column:?} holds {found} where {wanted} are needed", .file.display())]
    WrongType {
        /// Which file.
        file: PathBuf,
        /// Its name.
        column: String,
        /// What they are.
        found: String,
        /// What they should be.
        wanted: &'static str,
    },
    /// A missing value.
    #[error("{}, {place}, column {column:?}: there is no value", .file.display())]
    Null {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// Its name.
        column: String,
    },
    /// Text that is not a number.
    #[error("{}, {place}, column {column:?}: {found:?} is not a {wanted}", .file.display())]
    NotANumber {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// Its name.
        column: String,
        /// As written.
        found: String,
        /// `number` or `whole number`.
        wanted: &'static str,
    },
    /// NaN, infinite, or beyond what 32 bits hold.
    #[error("{}, {place}, column {column:?}: the value is {value}, not a finite 32-bit float", .file.display())]
    NotFinite {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// Its name, with the entry where it has several.
        column: String,
        /// As a 32-bit float.
        value: f32,
    },
    /// An episode-end mark that is neither 0 nor 1.
    #[error("{}, {place}, column {column:?}: the value is {value}, but only 0 and 1 mark last states", .file.display())]
    NotAMark {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// Its name.
        column: String,
        /// The value.
        value: f64,
    },
    /// A state of another length than the first one's.
    #[error("{}, {place}, column {column:?}: the state has {got} entries, those before it {expected}", .file.display())]
    Ragged {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// Its name.
        column: String,
        /// Entries.
        got: usize,
        /// Entries of the first.
        expected: usize,
    },
    /// An image that is not a PNG file, or of another shape than the first one.
    #[error("{}, {place}, column {column:?}: the image cannot be used: {reason}", .file.display())]
    BadImage {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// Its name.
        column: String,
        /// Why not.
        reason: String,
    },
    /// A line with too few or too many fields.
    #[error("{}, {place} has {got} fields, the header {expected}", .file.display())]
    Fields {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// Fields.
        got: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// States of another shape or type than in the first file.
    #[error("{}: its states are {found}, those of {} are {expected}", .file.display(), .first.display())]
    Misfit {
        /// Which file.
        file: PathBuf,
        /// Its states.
        found: String,
        /// The first file.
        first: PathBuf,
        /// Its states.
        expected: String,
    },
    /// Arrays of one file with different numbers of rows.
    #[error("{}: {left:?} has {left_rows} rows, {right:?} has {right_rows}", .file.display())]
    Lengths {
        /// Which file.
        file: PathBuf,
        /// One name.
        left: String,
        /// Its rows.
        left_rows: u64,
        /// Another name.
        right: String,
        /// Its rows.
        right_rows: u64,
    },
    /// An episode after a later one: unsorted or interleaved.
    #[error("{}, {place}: episode {episode} comes after episode {before}; sort the rows by episode, then by time", .file.display())]
    Order {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// This row's.
        episode: i64,
        /// The row's before.
        before: i64,
    },
    /// A frame that does not follow the one before it.
    #[error("{}, {place}: frame {frame} follows frame {before} in episode {episode}; rows are missing or out of order", .file.display())]
    Frame {
        /// Which file.
        file: PathBuf,
        /// Where.
        place: Place,
        /// Its episode.
        episode: i64,
        /// This row's.
        frame: i64,
        /// The row's before.
        before: i64,
    },
    /// Shuffle buffers too small for one piece per stream.
    #[error("{streams} streams with pieces of up to {piece_bytes} bytes need {} bytes of memory, {budget_bytes} are allowed; allow more, or cut episodes shorter", *.streams as u128 * *.piece_bytes as u128)]
    Budget {
        /// Number of streams.
        streams: usize,
        /// Largest piece.
        piece_bytes: usize,
        /// What there is.
        budget_bytes: usize,
    },
}

/// The names that were probably meant, else all there are.
fn meant_or_listed(wanted: &str, names: &[String]) -> String {
    // Short names are all alike.
    let is_long = |name: &&str| name.len() >= 3;
    let known: Vec<&str> = names.iter().map(String::as_str).filter(is_long).collect();
    match &meant(wanted, &known)[..] {
        [] => format!("it has {}", listed(names)),
        meant => {
            let meant: Vec<String> = meant.iter().map(|name| format!("{name:?}")).collect();
            format!(
                "did you mean {}? It has {}",
                meant.join(" or "),
                listed(names)
            )
        }
    }
}

/// A list of names for a message; long lists are shortened.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("{name:?}"))
        .collect();
    let more = names.len().saturating_sub(SHOWN);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    shown.join(", ") + &rest
}

/// A reader's message as one line.
pub fn one_line(message: impl fmt::Display) -> String {
    let text = message.to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
