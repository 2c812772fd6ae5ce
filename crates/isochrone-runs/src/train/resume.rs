//! Continues a training that was stopped.

use super::folder::{self, agreed_spec};
use super::run::TrainingRun;
use super::{checkpoint, learn, ranks};
use crate::cluster::Ranks;
use anyhow::{Result, bail};
use isochrone_files::run_folder::read_checkpoint;
use isochrone_files::run_spec::RunSpec;
use std::path::Path;

/// Continues the run in a folder, as rank 0; only `iterations` and `evaluate_every` may change.
pub fn resume(
    path: &Path,
    overrides: &[String],
    revision: Option<&str>,
    ranks: &Ranks,
    threads: usize,
) -> Result<()> {
    let folder = folder::open(path)?;
    let checkpoint = checkpoint::read(path)?;
    let spec = agreed_spec(path, checkpoint.as_ref().map(|c| &c.spec))?;
    let changed = spec.changed(overrides)?;
    let allowed = RunSpec {
        iterations: changed.iterations,
        evaluate_every: changed.evaluate_every,
        ..spec
    };
    if changed != allowed {
        bail!("only iterations and evaluate_every can be changed in the middle of a run");
    }
    let done = checkpoint
        .as_ref()
        .map_or(0, |c| c.state.counters.iteration);
    if changed.iterations < done {
        let asked = changed.iterations;
        bail!("iterations is {asked}, but {done} are done already");
    }
    let agent = TrainingRun::among(ranks, changed.clone(), threads)?;
    folder::record_resume(&folder, &changed, revision, ranks)?;
    ranks::lead(ranks, &changed, read_checkpoint(path)?)?;
    learn::learn(&folder, agent, checkpoint.as_ref(), threads)
}
