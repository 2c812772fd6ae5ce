//! Who looks on.

use super::{Team, TrainError};

/// What the loop is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Rolling out: physics and policy.
    Rollout,
    /// Advantages, the trust-region step, the baseline.
    Update,
    /// Learning the distance, the first samples for it included.
    Distance,
    /// Rolling out to label goals.
    Labels,
    /// Proposing goals and learning to.
    Goals,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Go on.
    On,
    /// Break off.
    Stop,
}

/// Somebody with a clock, and with a say.
pub trait Watch {
    /// A part begins, and the one before ends.
    fn begins(&mut self, part: Part);

    /// Asked after every policy update, after every epoch on the first samples, and between the rollouts that labels
    /// are made from: equally often on every rank, and all ranks must hear the same answer.
    fn goes_on(&mut self) -> Go;
}

/// Breaks off where whoever looks on says so.
pub(super) fn unless_stopped(watch: &mut dyn Watch) -> Result<(), TrainError> {
    match watch.goes_on() {
        Go::On => Ok(()),
        Go::Stop => Err(TrainError::Stopped),
    }
}

/// What one rank alone cannot go on after ends the run for all; a stop is heard by all anyway.
pub(super) fn give_up(error: &TrainError, team: &Team<'_>) {
    if !matches!(error, TrainError::Stopped) {
        team.comm.abort(&error.to_string());
    }
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Watch for Blind {
    fn begins(&mut self, _part: Part) {}

    fn goes_on(&mut self) -> Go {
        Go::On
    }
}
