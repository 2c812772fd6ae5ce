//! `isochrone resume`: a training that was stopped goes on.

use super::agent::Agent;
use super::folder::{self, agreed_spec};
use super::{RunSpec, checkpoint, learn, ranks, tell, threads};
use crate::cli::ResumeOptions;
use crate::cluster::Crew;
use crate::run_folder::read_checkpoint;
use crate::settings;
use anyhow::{Result, bail};

/// Runs `isochrone resume`.
pub fn run(options: &ResumeOptions) -> Result<()> {
    let crew = Crew::join(&options.cluster)?;
    let threads = threads(options.threads);
    crew.work(
        || go_on(options, &crew, threads),
        || ranks::follow(&crew, threads),
    )
}

/// A run that was begun.
fn go_on(options: &ResumeOptions, crew: &Crew, threads: usize) -> Result<()> {
    let path = &options.run;
    let folder = folder::open(path)?;
    let checkpoint = checkpoint::read(path)?;
    let spec = agreed_spec(path, checkpoint.as_ref().map(|c| &c.spec))?;
    let changed = settings::change(&spec, &options.set)?;
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
    let agent = Agent::among(crew, changed.clone(), threads)?;
    folder::go_on(&folder, &changed, options.revision.as_deref(), crew)?;
    ranks::lead(crew, &changed, read_checkpoint(path)?)?;
    learn::learn(&folder, agent, checkpoint.as_ref(), threads)?;
    tell(path)
}
