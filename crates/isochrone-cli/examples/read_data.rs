//! Reads data files as `fit` does, and says how fast and in how much memory.
//!
//! ```bash
//! cargo run -p isochrone-cli --example read_data -- in-order walks.parquet
//! cargo run -p isochrone-cli --example read_data -- shuffled walks.parquet
//! ```
#![expect(clippy::print_stdout, reason = "its result")]

use anyhow::{Result, bail};
use isochrone::rng::Seed;
use isochrone_files::data::{
    Columns, DataError, DataSource, Piece, ShuffledStreams, StreamOptions,
};
use std::time::Instant;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((order, patterns)) = arguments.split_first() else {
        bail!("the order (in-order or shuffled) and the files are needed");
    };
    let started = Instant::now();
    let source = DataSource::open(patterns, Columns::default())?;
    let options = StreamOptions::default();
    let (pieces, rows, sum) = match order.as_str() {
        "in-order" => count(source.pieces(options.max_rows(source.spec())))?,
        "shuffled" => count(ShuffledStreams::new(&source, options, Seed(0), 0)?)?,
        _ => bail!("{order:?} is neither in-order nor shuffled"),
    };
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{rows} rows in {pieces} pieces, {seconds:.2} s, {:.0} rows/s, peak {} MB, mean entry {:.6}",
        rows as f64 / seconds,
        peak_megabytes().unwrap_or_default(),
        sum / (rows as f64 * source.spec().len() as f64)
    );
    Ok(())
}

fn count(pieces: impl Iterator<Item = Result<Piece, DataError>>) -> Result<(u64, u64, f64)> {
    let (mut number, mut rows, mut sum) = (0, 0, 0.0);
    for piece in pieces {
        let piece = piece?;
        let states = piece.states.as_f32().unwrap_or_default();
        sum += f64::from(states.iter().sum::<f32>());
        number += 1;
        rows += piece.states.len() as u64;
    }
    Ok((number, rows, sum))
}

/// The most memory this process has had, where the system tells (Linux).
fn peak_megabytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1_024)
}
