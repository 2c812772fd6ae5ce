//! Writes random walks to Parquet in bounded memory, for measuring how reading and fitting scale.
//!
//! ```bash
//! cargo run -p isochrone-cli --example make_walks -- 1000000 walks.parquet
//! ```

use anyhow::{Context, Result, bail};
use isochrone::rng::Seed;
use isochrone_files::data::synthetic::Walks;
use std::path::Path;

/// As many entries as an ant's state has in the common benchmarks.
const WIDTH: usize = 29;
const EPISODE_STEPS: u64 = 1_000;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [transitions, path] = &arguments[..] else {
        bail!("two arguments are needed: the number of transitions and the file to write");
    };
    let transitions = transitions.parse::<u64>();
    let walks = Walks {
        transitions: transitions.context("the number of transitions is not a whole number")?,
        episode_steps: EPISODE_STEPS,
        width: WIDTH,
        seed: Seed(0),
    };
    walks.write(Path::new(path))?;
    Ok(())
}
