//! Damaged files are refused in one line, and nothing panics.
//!
//! CI runs a hundred thousand cases of each; ten million are a recorded run of `examples/damage_files.rs`.

use super::fixture;
use crate::desk::Desk;
use isochrone_files::data::{Columns, DataError, DataSource, Piece};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::cell::RefCell;
use std::fs;
use std::num::NonZeroUsize;

/// One change to a file.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Flip(Index, u8),
    Set(Index, u8),
    Cut(Index),
    Remove(Index, u8),
    Repeat(Index, u8),
}

pub(crate) fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = any::<Index>;
    let change = prop_oneof![
        4 => (at(), 0..8_u8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        4 => (at(), prop_oneof![any::<u8>(), select(&[0, 1, 0x7f, 0x80, 0xff][..])])
            .prop_map(|(at, byte)| Change::Set(at, byte)),
        1 => at().prop_map(Change::Cut),
        1 => (at(), 1..20_u8).prop_map(|(at, length)| Change::Remove(at, length)),
        1 => (at(), 1..20_u8).prop_map(|(at, length)| Change::Repeat(at, length)),
    ];
    vec(change, 1..6)
}

pub(crate) fn damage(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let span = |at: &Index, length: u8| {
        let at = at.index(bytes.len());
        at..bytes.len().min(at + usize::from(length))
    };
    match change {
        Change::Flip(at, bit) => {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        Change::Set(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Change::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Change::Remove(at, length) => {
            bytes.drain(span(at, *length));
        }
        Change::Repeat(at, length) => {
            let span = span(at, *length);
            let again = bytes[span.clone()].to_vec();
            bytes.splice(span.start..span.start, again);
        }
    }
}

const CSV: &str = "episode_index,frame_index,observation.state.0,observation.state.1\n\
    0,0,0.5,1e-3\n0,1,-2,3\n0,2,4,5\n1,0,6,7\n1,1,\"8\",9\n";

thread_local! {
    /// One folder for all cases: they come one after another.
    static DESK: RefCell<Desk> = RefCell::new(Desk::new());
}

/// Reads all of it; whatever comes out is lawful.
fn check(name: &str, mut bytes: Vec<u8>, changes: &[Change]) -> Result<(), TestCaseError> {
    changes.iter().for_each(|change| damage(&mut bytes, change));
    DESK.with_borrow(|desk| {
        // A file that is written over is flushed to the disk at once; a new one is not.
        let _ = fs::remove_file(desk.path(name));
        desk.put(name, bytes);
        let path = desk.path(name).to_str().unwrap().to_owned();
        let source = DataSource::open(&[path], Columns::default());
        let max_rows = NonZeroUsize::new(3).unwrap();
        let pieces = source.map(|source| source.pieces(max_rows).collect());
        let pieces: Result<Vec<Piece>, DataError> = pieces.and_then(|pieces| pieces);
        match pieces {
            Ok(pieces) => {
                let is_lawful = |piece: &Piece| {
                    let states = &piece.states;
                    let finite = |values: &[f32]| values.iter().all(|x| x.is_finite());
                    (1..=3).contains(&states.len()) && states.as_f32().is_none_or(finite)
                };
                prop_assert!(!pieces.is_empty() && pieces.iter().all(is_lawful));
            }
            Err(error) => {
                let words = error.to_string();
                let lines = words.lines().count();
                prop_assert!(lines == 1 && words.contains(name), "{:?}", words);
            }
        }
        Ok(())
    })
}

/// A hundred thousand, unless told otherwise.
pub(crate) fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked = asked.and_then(|count| count.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(100_000))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn parquet(
        name in select(&["fixed-f32-snappy", "fixed-f64-zstd", "list-f32-lz4", "list-f32-gzip-v2",
            "list-f32-plain", "row-groups", "byte-stream-split", "small-integers", "scalars", "pixels-u8"][..]),
        changes in changes(),
    ) {
        check("a.parquet", fs::read(fixture(&format!("{name}.parquet"))).unwrap(), &changes)?;
    }

    #[test]
    fn npz(
        name in select(&["f32", "f64", "big-endian", "i16", "pixels"][..]),
        changes in changes(),
    ) {
        check("a.npz", fs::read(fixture(&format!("ogbench-{name}.npz"))).unwrap(), &changes)?;
    }

    #[test]
    fn text(changes in changes()) {
        check("a.csv", CSV.as_bytes().to_vec(), &changes)?;
    }
}
