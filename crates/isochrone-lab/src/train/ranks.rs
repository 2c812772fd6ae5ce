//! What the ranks of a training tell each other before it begins.

use super::agent::Agent;
use super::{RunSpec, checkpoint, learn};
use crate::cluster::Crew;
use crate::settings;
use anyhow::Result;
use std::path::Path;

/// Tells the other ranks what the work is, and where it stands.
pub(super) fn lead(crew: &Crew, spec: &RunSpec, checkpoint: Option<Vec<u8>>) -> Result<()> {
    crew.hear(settings::write(spec)?.as_bytes())?;
    crew.hear(&checkpoint.unwrap_or_default())?;
    Ok(())
}

/// Does what the leader says; nothing is read or written here.
pub(super) fn follow(crew: &Crew, threads: usize) -> Result<()> {
    let spec = String::from_utf8(crew.hear(&[])?)?;
    let agent = Agent::among(crew, toml::from_str(&spec)?, threads)?;
    let checkpoint = crew.hear(&[])?;
    let leader = Path::new("what rank 0 sent");
    let checkpoint = (!checkpoint.is_empty()).then(|| checkpoint::of_bytes(&checkpoint, leader));
    learn::follow(agent, checkpoint.transpose()?.as_ref())
}
