//! Asks a distance that `isochrone fit` wrote: how far is every state of some logs from the last one?
//!
//! ```text
//! cargo run --release -p isochrone-files --example ask_a_distance -- MODEL.isochrone LOGS.parquet
//! ```
//!
//! Depends on `isochrone` and `isochrone-files` alone: no simulator, no command line.
#![expect(clippy::print_stdout, reason = "it is what the example does")]

use anyhow::{Context, Result};
use isochrone::distance::GoalSet;
use isochrone_files::data::DataSource;
use isochrone_files::model::DistanceModel;
use std::num::NonZeroUsize;
use std::path::Path;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, logs] = &arguments[..] else {
        anyhow::bail!("give a model and a file of logs");
    };
    let model = DistanceModel::read(Path::new(model))?;
    let logs = DataSource::open(std::slice::from_ref(logs), model.about.states.columns())?;
    model.check_width(&logs)?;
    let whole = NonZeroUsize::new(1_000_000).context("not zero")?;
    for episode in logs.pieces(whole) {
        let episode = episode?;
        let states = episode.states.as_f32().context("images are no states")?;
        let states: Vec<&[f32]> = states.chunks_exact(episode.states.width()).collect();
        let end = GoalSet::new(&model.distance, states[states.len() - 1])?;
        let first = end.nearest(states[0])?.context("there is a goal")?;
        println!(
            "episode {}: {:.1} steps from its start to its end, in {} frames",
            episode.episode,
            first.steps,
            states.len()
        );
    }
    Ok(())
}
