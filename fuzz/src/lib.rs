//! What the targets share: reading a data file whole, and checksums that are right again after the damage.

use isochrone_files::data::{Columns, DataError, DataSource, Piece};
use isochrone_files::fingerprint::digits;
use sha2::{Digest, Sha256};
use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Rows of a piece: few, so that episodes are cut.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(3).expect("not zero");
/// What stands before a checksum's digits.
const CHECKSUM: &[u8] = br#"\"checksum\":\""#;
const CHECKSUM_DIGITS: usize = 64;

/// A folder of this process, in memory where there is such a place.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let parent = if memory.is_dir() {
        memory
    } else {
        std::env::temp_dir()
    };
    let folder = parent.join(format!("isochrone-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the inputs");
    folder
});

/// Reads a data file to its end. Whatever comes out obeys the law of pieces: some rows, and every number finite.
pub fn read_data(ending: &str, bytes: &[u8]) {
    let path = FOLDER.join(format!("a.{ending}"));
    // A new file each time: one that is written over is flushed to the disk at once.
    let _ = fs::remove_file(&path);
    fs::write(&path, bytes).expect("room for an input");
    let source = DataSource::open(&[path.display().to_string()], Columns::default());
    let pieces = source.map(|source| source.pieces(PIECE_ROWS).collect());
    let pieces: Result<Vec<Piece>, DataError> = pieces.and_then(|pieces| pieces);
    match pieces {
        Ok(pieces) => assert!(!pieces.is_empty() && pieces.iter().all(is_lawful)),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
}

fn is_lawful(piece: &Piece) -> bool {
    let finite = |values: &[f32]| values.iter().all(|x| x.is_finite());
    (1..=PIECE_ROWS.get()).contains(&piece.states.len()) && piece.states.as_f32().is_none_or(finite)
}

/// The input with its checksum recomputed, if it still has one: otherwise no damage would get past it.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mark = bytes
        .windows(CHECKSUM.len())
        .position(|some| some == CHECKSUM);
    let place = mark.map(|at| at + CHECKSUM.len()..at + CHECKSUM.len() + CHECKSUM_DIGITS);
    if let Some(place) = place.filter(|place| place.end <= bytes.len()) {
        bytes[place.clone()].fill(b'0');
        let digest = Sha256::digest(&bytes);
        bytes[place].copy_from_slice(digits(&digest).as_bytes());
    }
    bytes
}
