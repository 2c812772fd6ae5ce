//! What the ranks of a training tell each other before it begins.

use super::run::TrainingRun;
use super::{checkpoint, learn};
use crate::cluster::Ranks;
use anyhow::Result;
use isochrone_files::run_spec::RunSpec;
use isochrone_files::settings;
use std::path::Path;

/// Tells the other ranks what the work is, and where it stands.
pub(super) fn lead(ranks: &Ranks, spec: &RunSpec, checkpoint: Option<Vec<u8>>) -> Result<()> {
    ranks.hear(settings::write(spec)?.as_bytes())?;
    ranks.hear(&checkpoint.unwrap_or_default())?;
    Ok(())
}

/// Does what the leader says; nothing is read or written here.
pub fn follow(ranks: &Ranks, threads: usize) -> Result<()> {
    let spec = String::from_utf8(ranks.hear(&[])?)?;
    let agent = TrainingRun::among(ranks, RunSpec::parse(&spec)?, threads)?;
    let checkpoint = ranks.hear(&[])?;
    let leader = Path::new("what rank 0 sent");
    let checkpoint = (!checkpoint.is_empty()).then(|| checkpoint::of_bytes(&checkpoint, leader));
    learn::follow(agent, checkpoint.transpose()?.as_ref())
}
