//! Rescales the actions of any world to −1…1.

use super::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use crate::rng::Rng;

/// A world with rescaled actions, so that one initial standard deviation of a policy suits every world.
///
/// ```text
/// a ∈ [−1, 1]  →  low + (a + 1) (high − low) ÷ 2
/// ```
///
/// Actions outside are clipped first, which equals clipping them to the inner box afterwards. With an infinite bound the
/// world's first step returns an error.
#[derive(Clone, Debug)]
pub struct Normalised<E> {
    world: E,
    actions: ActionSpec,
    inner: ActionSpec,
    /// A buffer kept between steps to avoid allocations.
    scaled: Vec<f32>,
}

impl<E: Environment> Normalised<E> {
    /// The same world with actions of −1…1.
    pub fn new(world: E) -> Self {
        let inner = world.action_spec();
        Self {
            world,
            actions: ActionSpec::symmetric(inner.len(), 1.0),
            scaled: Vec::with_capacity(inner.len()),
            inner,
        }
    }

    /// The inner world.
    pub const fn world(&self) -> &E {
        &self.world
    }
}

impl<E: Environment> Environment for Normalised<E> {
    fn observation_spec(&self) -> ObservationSpec {
        self.world.observation_spec()
    }

    fn action_spec(&self) -> ActionSpec {
        self.actions.clone()
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        self.world.reset(rng)
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let legal = self.actions.legal(action)?;
        let bounds = self.inner.low.iter().zip(&self.inner.high);
        let scaled = legal
            .zip(bounds)
            .map(|(a, (low, high))| low + (a + 1.0) * (high - low) / 2.0);
        self.scaled.clear();
        self.scaled.extend(scaled);
        self.world.step(&self.scaled)
    }
}

impl<E: Snapshot> Snapshot for Normalised<E> {
    fn save(&self) -> Vec<f64> {
        self.world.save()
    }

    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError> {
        self.world.restore(state)
    }
}
