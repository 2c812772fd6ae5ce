//! Trajectories in files: what is read, what is refused, in which order it comes, and what is written.

pub(crate) mod damage;
mod reading;
mod refusals;
mod streams;
mod writing;

use isochrone_files::data::{Columns, DataSource, Piece, PieceEnd};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// A file made by `tests/data/make_fixtures.py`.
fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn rows(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

fn open(files: &[PathBuf], columns: &Columns) -> Result<DataSource, String> {
    let patterns: Vec<String> = files
        .iter()
        .map(|f| f.to_str().unwrap().to_owned())
        .collect();
    DataSource::open(&patterns, columns.clone()).map_err(|error| error.to_string())
}

/// Everything in a file, or the refusal.
fn read(file: &Path, columns: &Columns, max_rows: usize) -> Result<Vec<Piece>, String> {
    let source = open(&[file.to_owned()], columns)?;
    let pieces: Result<Vec<Piece>, _> = source.pieces(rows(max_rows)).collect();
    pieces.map_err(|error| error.to_string())
}

fn states(piece: &Piece) -> &[f32] {
    piece.states.as_f32().unwrap()
}

/// Episodes as they were before any cut.
fn whole(pieces: &[Piece]) -> Vec<Vec<f32>> {
    let mut episodes: Vec<Vec<f32>> = Vec::new();
    for piece in pieces {
        if piece.first_step == 0 {
            episodes.push(Vec::new());
        }
        let last = episodes.last_mut().unwrap();
        assert_eq!(last.len(), piece.first_step as usize * piece.states.width());
        last.extend(states(piece));
    }
    episodes
}

/// The numbers of pieces and episodes are their places in file order, and cuts are where the rule says.
fn check_numbers(pieces: &[Piece], max_rows: usize) {
    let (mut episode, mut step) = (0, 0);
    for (number, piece) in pieces.iter().enumerate() {
        assert_eq!(piece.number, number as u64);
        assert_eq!((piece.episode, piece.first_step), (episode, step));
        match piece.end {
            PieceEnd::Cut => {
                assert_eq!(piece.states.len(), max_rows);
                step += max_rows as u64;
            }
            PieceEnd::Episode => {
                assert!((1..=max_rows).contains(&piece.states.len()));
                (episode, step) = (episode + 1, 0);
            }
        }
    }
    assert_eq!(step, 0, "the last episode has no end");
}
