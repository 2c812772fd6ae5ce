//! Trainings beside each other, or for callers without a terminal: no line is shown.

use super::checkpoint::{self, Checkpoint};
use super::folder::{self, Manifest, agreed_spec};
use super::run::TrainingRun;
use super::{iterations_done, learn};
use crate::cluster::Ranks;
use crate::stop::StopFlag;
use anyhow::{Result, bail};
use isochrone_files::run_folder::MANIFEST;
use isochrone_files::run_spec::RunSpec;
use std::path::Path;

/// A training: begun, gone on with if its folder is there already, and left alone if it is
/// done.
pub fn run_to_end(
    path: &Path,
    spec: &RunSpec,
    threads: usize,
    made_from: &str,
    revision: Option<&str>,
    stop: &StopFlag,
    on_iteration: &(dyn Fn(u64) + Sync),
) -> Result<()> {
    if iterations_done(path)?.is_some_and(|done| done >= spec.iterations) {
        let end = agreed(path, spec)?;
        if !end.is_some_and(|end| learn::is_unseen(&end, spec.iterations)) {
            return Ok(());
        }
    }
    let agent = TrainingRun::new(spec.clone(), threads)?;
    // Looked at under the lock: another process may have gone on with it, or ended it, in between.
    let folder = folder::take(path)?;
    if !path.join(MANIFEST).is_file() {
        let manifest = Manifest::new(spec, made_from, revision)?;
        folder::begin(&folder, &manifest, spec)?;
        return learn::learn_quietly(&folder, agent, None, threads, stop, on_iteration);
    }
    let checkpoint = agreed(path, spec)?;
    folder::record_resume(&folder, spec, revision, &Ranks::Single)?;
    learn::learn_quietly(
        &folder,
        agent,
        checkpoint.as_ref(),
        threads,
        stop,
        on_iteration,
    )
}

/// Where a run stands that was begun with the same settings, but for its length.
fn agreed(path: &Path, spec: &RunSpec) -> Result<Option<Checkpoint>> {
    let checkpoint = checkpoint::read(path)?;
    let known = agreed_spec(path, checkpoint.as_ref().map(|c| &c.spec))?;
    let lengthened = RunSpec {
        iterations: spec.iterations,
        evaluate_every: spec.evaluate_every,
        ..known
    };
    if lengthened != *spec {
        bail!("this folder holds a training with other settings; name another place");
    }
    Ok(checkpoint)
}
