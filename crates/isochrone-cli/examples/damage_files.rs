//! Damages files of every kind that we read, many times, and counts how many are read, are refused, or cause a panic.
//! Roadmaps are also damaged with the checksum recomputed afterwards: then the reader must check the contents. Those that
//! are read are asked for a route.
//!
//! ```bash
//! cargo run -p isochrone-cli --example damage_files -- 10000000
//! cargo run -p isochrone-cli --example damage_files -- 1000000 roadmap "resealed roadmap"
//! ```
#![expect(clippy::print_stdout, reason = "its result")]

use anyhow::{Context, Result};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone_files::data::{Columns, DataError, DataSource, Piece};
use isochrone_files::fingerprint::digits;
use isochrone_files::model::DistanceModel;
use isochrone_files::roadmap::RoadmapFile;
use rand::RngExt;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Rows of a piece.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(3).expect("not zero");
const KINDS: [&str; 6] = ["parquet", "npz", "csv", "isochrone", "roadmap", RESEALED];
/// Roadmaps whose checksum is recomputed after the damage.
const RESEALED: &str = "resealed roadmap";
/// What stands before the checksum's digits.
const CHECKSUM: &[u8] = br#"\"checksum\":\""#;
const CHECKSUM_DIGITS: usize = 64;
const CSV: &str = "episode_index,frame_index,observation.state.0,observation.state.1\n\
    0,0,0.5,1e-3\n0,1,-2,3\n0,2,4,5\n1,0,6,7\n1,1,\"8\",9\n";

fn main() -> Result<()> {
    let count = std::env::args().nth(1);
    let count: u64 = count
        .context("how many files of each kind?")?
        .parse()
        .context("how many is a whole number")?;
    let folder = tempfile::tempdir()?;
    let mut results = Vec::new();
    let wanted: Vec<String> = std::env::args().skip(2).collect();
    let is_wanted = |kind: &str| wanted.is_empty() || wanted.iter().any(|name| name == kind);
    for (number, kind) in KINDS.into_iter().enumerate() {
        if !is_wanted(kind) {
            continue;
        }
        let whole = fixtures(kind)?;
        let file = folder.path().join(format!("a.{kind}"));
        let (mut read, mut refused, mut panicked) = (0_u64, 0_u64, 0_u64);
        let start = Instant::now();
        for case in 0..count {
            let mut rng = Seed(number as u64).stream(Purpose::Assess, 0, case);
            let mut bytes = whole[rng.random_range(0..whole.len())].clone();
            for _ in 0..rng.random_range(1..6) {
                damage(&mut bytes, &mut rng);
            }
            if kind == RESEALED {
                seal(&mut bytes);
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| try_to_read(kind, &file, &bytes)));
            match outcome {
                Ok(Ok(())) => read += 1,
                Ok(Err(())) => refused += 1,
                Err(_) => panicked += 1,
            }
        }
        results.push(json!({
            "kind": kind,
            "files": count,
            "read": read,
            "refused": refused,
            "panicked": panicked,
            "seconds": start.elapsed().as_secs_f64().round(),
        }));
    }
    println!("{}", serde_json::to_string_pretty(&results)?);
    Ok(())
}

/// Whole files of a kind.
fn fixtures(kind: &str) -> Result<Vec<Vec<u8>>> {
    if kind == "csv" {
        return Ok(vec![CSV.as_bytes().to_vec()]);
    }
    let kind = if kind == RESEALED { "roadmap" } else { kind };
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_whole = !path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("bad-"));
        if is_whole && path.extension().is_some_and(|ending| ending == kind) {
            paths.push(path);
        }
    }
    paths.sort();
    let files: Result<Vec<Vec<u8>>, _> = paths.iter().map(fs::read).collect();
    let files = files?;
    anyhow::ensure!(!files.is_empty(), "there is no whole {kind} file to damage");
    Ok(files)
}

/// Recomputes the checksum, if the file still has one.
fn seal(bytes: &mut [u8]) {
    let mark = bytes
        .windows(CHECKSUM.len())
        .position(|some| some == CHECKSUM);
    let place = mark.map(|at| at + CHECKSUM.len()..at + CHECKSUM.len() + CHECKSUM_DIGITS);
    let Some(place) = place.filter(|place| place.end <= bytes.len()) else {
        return;
    };
    bytes[place.clone()].fill(b'0');
    let digest = Sha256::digest(&*bytes);
    bytes[place].copy_from_slice(digits(&digest).as_bytes());
}

/// Flips a bit, sets a byte, cuts off, takes out or repeats a stretch.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.random_range(0..bytes.len());
    let stretch = at..bytes.len().min(at + rng.random_range(1..20));
    match rng.random_range(0..11) {
        0..4 => bytes[at] ^= 1 << rng.random_range(0..8),
        4..6 => bytes[at] = rng.random(),
        6..8 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][rng.random_range(0..5)],
        8 => bytes.truncate(at),
        9 => {
            bytes.drain(stretch);
        }
        _ => {
            let again = bytes[stretch].to_vec();
            bytes.splice(at..at, again);
        }
    }
}

fn try_to_read(kind: &str, file: &Path, bytes: &[u8]) -> Result<(), ()> {
    if kind == "isochrone" {
        return DistanceModel::of_bytes(bytes, file)
            .map(|_| ())
            .map_err(|_| ());
    }
    if kind == "roadmap" || kind == RESEALED {
        let map = RoadmapFile::of_bytes(bytes, file).map_err(|_| ())?.map;
        let zeros = vec![0.0; map.distance().inputs()];
        // A refusal is a valid answer.
        let _ = map.route(&zeros, map.landmark(map.len() - 1));
        return Ok(());
    }
    // A file that is written over is flushed to the disk at once; a new one is not.
    let _ = fs::remove_file(file);
    fs::write(file, bytes).map_err(|_| ())?;
    let name = file.display().to_string();
    let source = DataSource::open(&[name], Columns::default()).map_err(|_| ())?;
    let pieces: Result<Vec<Piece>, DataError> = source.pieces(PIECE_ROWS).collect();
    pieces.map(|_| ()).map_err(|_| ())
}
