//! A world whose actions are −1…1, whatever its own box is.

use super::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use crate::rng::Rng;

/// Another world behind actions of one size, so that one policy's first standard deviation suits every world.
///
/// ```text
/// a ∈ [−1, 1]  →  low + (a + 1) (high − low) ÷ 2
/// ```
///
/// Actions outside are clipped first, which is the same as clipping them to the inner box afterwards. A box without an
/// end has no middle: its world refuses the first step.
#[derive(Clone, Debug)]
pub struct Normalised<E> {
    world: E,
    actions: ActionSpec,
    inner: ActionSpec,
    /// Kept from step to step so that nothing is allocated.
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

    /// The world itself.
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
