//! Labels of rows (`episode_index`, `frame_index`, `index`, file) as the source has them, so that tables can be joined with it.

use isochrone_files::data::{DataError, DataSource, Piece};
use std::path::{Path, PathBuf};

/// What a row is called in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowNumbers {
    pub(crate) episode: i64,
    pub(crate) frame: i64,
    pub(crate) index: i64,
}

/// The columns of [`RowNumbers`].
pub(crate) const COLUMNS: [&str; 3] = ["episode_index", "frame_index", "index"];

impl RowNumbers {
    /// As [`COLUMNS`].
    pub(crate) fn fields(self) -> [String; 3] {
        [self.episode, self.frame, self.index].map(|number| number.to_string())
    }
}

/// The states of a piece that was read with labels, as numbers, and what they are called; none of one that was read without.
pub(crate) fn rows<'a>(
    piece: &'a Piece,
    states: &'a [f32],
) -> impl Iterator<Item = (RowNumbers, &'a [f32])> {
    let states = states.chunks_exact(piece.states.width().max(1));
    let numbers = piece.labels.as_deref().into_iter().flat_map(|labels| {
        let each = (labels.first_frame..).zip(&labels.indices);
        each.map(|(frame, index)| RowNumbers {
            episode: labels.episode,
            frame,
            index: *index,
        })
    });
    numbers.zip(states)
}

/// A file by its place in reading order, as it was named.
pub(crate) fn file_name(files: &[PathBuf], place: u32) -> String {
    let file = files.get(place as usize).map(PathBuf::as_path);
    file.unwrap_or(Path::new("")).display().to_string()
}

/// What to say of columns that the source does not have; nothing if it has all.
pub(crate) fn counted(source: &DataSource) -> Result<String, DataError> {
    let counted = source.counted_labels()?;
    if counted.is_empty() {
        return Ok(String::new());
    }
    let lacks = counted.iter().map(|(name, files)| {
        let first = files
            .first()
            .map_or(Path::new(""), PathBuf::as_path)
            .display();
        match files.len() {
            0 | 1 => format!("no {name} in {first}"),
            n => format!("no {name} in {first} and {} more", n - 1),
        }
    });
    let lacks: Vec<String> = lacks.collect();
    Ok(format!(
        "{}: counted from 0, episodes and rows in each file, frames in each episode\n",
        lacks.join(", ")
    ))
}
