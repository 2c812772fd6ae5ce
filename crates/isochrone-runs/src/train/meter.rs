//! Measures the time of the physics by sampling.

use isochrone::env::{ActionSpec, Environment, Observation, ObservationSpec, StepError, Successor};
use isochrone::rng::Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// One step in this many is timed, as a sample of all: reading a clock twice costs a noticeable part of a small world's step.
/// A prime, so that no period of a world coincides with the sampled steps.
const EVERY: u32 = 17;

/// Nanoseconds inside the worlds of all threads together.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    /// So far.
    pub fn seconds(&self) -> f64 {
        1e-9 * self.0.load(Ordering::Relaxed) as f64
    }
}

/// A world whose steps are timed.
#[derive(Clone, Debug)]
pub(super) struct Timed<E> {
    world: E,
    meter: Meter,
    untimed: u32,
}

impl<E> Timed<E> {
    pub(super) const fn new(world: E, meter: Meter) -> Self {
        Self {
            world,
            meter,
            untimed: 0,
        }
    }
}

impl<E: Environment> Environment for Timed<E> {
    fn observation_spec(&self) -> ObservationSpec {
        self.world.observation_spec()
    }

    fn action_spec(&self) -> ActionSpec {
        self.world.action_spec()
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        self.world.reset(rng)
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        if self.untimed > 0 {
            self.untimed -= 1;
            return self.world.step(action);
        }
        self.untimed = EVERY - 1;
        let start = Instant::now();
        let answer = self.world.step(action);
        let nanoseconds = u64::from(EVERY) * start.elapsed().as_nanos() as u64;
        self.meter.0.fetch_add(nanoseconds, Ordering::Relaxed);
        answer
    }
}
