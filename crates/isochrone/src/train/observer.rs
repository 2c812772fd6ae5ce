//! Progress events and early stopping.

use super::TrainingError;
use crate::comm::Workers;
use std::ops::ControlFlow;

/// A phase of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainPhase {
    /// Rollouts for the next policy update.
    Rollout,
    /// The policy update.
    Update,
    /// Learning the distance, also on the first samples.
    Distance,
    /// Rollouts that label goals.
    Labels,
    /// Proposing goals and training the generator.
    Goals,
}

/// Receives progress events and may stop training.
pub trait Observer {
    /// A phase begins; the one before has ended.
    fn phase_begins(&mut self, phase: TrainPhase);

    /// Called after every policy update, every few hundred gradient steps of SAC, after every epoch on the first samples, and
    /// between label rollouts; `Break` stops training. Every rank calls it equally often, and it must return the same on all ranks.
    fn poll(&mut self) -> ControlFlow<()>;
}

/// Ignores all events and never stops training.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn phase_begins(&mut self, _phase: TrainPhase) {}

    fn poll(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// [`TrainingError::Stopped`] if the observer returned `Break`.
pub(super) fn check_stop(observer: &mut dyn Observer) -> Result<(), TrainingError> {
    match observer.poll() {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(TrainingError::Stopped),
    }
}

/// Aborts all ranks after an error on one of them. A stop needs no abort: all ranks poll it together.
pub(super) fn abort_ranks(error: &TrainingError, workers: &Workers<'_>) {
    if !matches!(error, TrainingError::Stopped) {
        workers.comm.abort(&error.to_string());
    }
}
