//! Trainings beside each other, or for callers without a terminal: no line is shown.

use super::agent::Agent;
use super::folder::{self, Manifest, agreed_spec};
use super::spec::RunSpec;
use super::{checkpoint, learn};
use crate::run_folder::MANIFEST;
use crate::stop::StopSign;
use anyhow::{Result, bail};
use std::path::Path;

/// A training: begun, gone on with if its folder is there already, and left alone if it is
/// done.
pub(crate) fn run_to_end(
    path: &Path,
    spec: &RunSpec,
    threads: usize,
    made_from: &str,
    revision: Option<&str>,
    stop: &StopSign,
    told: &(dyn Fn(u64) + Sync),
) -> Result<()> {
    if !path.join(MANIFEST).is_file() {
        let agent = Agent::new(spec.clone(), threads)?;
        let manifest = Manifest::new(spec, made_from, revision)?;
        let folder = folder::create(path, &manifest, spec)?;
        return learn::learn_quietly(&folder, agent, None, threads, stop, told);
    }
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
    let done = checkpoint
        .as_ref()
        .map_or(0, |c| c.state.counters.iteration);
    if done >= spec.iterations {
        return Ok(());
    }
    let folder = folder::open(path)?;
    let agent = Agent::new(spec.clone(), threads)?;
    folder::go_on(&folder, spec, revision)?;
    learn::learn_quietly(&folder, agent, checkpoint.as_ref(), threads, stop, told)
}
