//! A point in N dimensions, pushed about: no walls, no simulator, clean dynamics.

use super::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use crate::rng::Rng;

/// Seconds per step.
const DT_S: f64 = 0.02;
/// Largest acceleration along each axis.
const MAX_ACCELERATION: f32 = 2.0;
/// Largest speed along each axis.
const MAX_SPEED_M_PER_S: f64 = 5.0;

/// A double integrator. It sees positions, then velocities, starts at rest at the origin, and never ends.
///
/// ```text
/// v ← clip(v + a·dt, ±5)      x ← clip(x + v·dt, ±bound)
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    bounds_m: Vec<f64>,
    /// Positions, then velocities; empty before the first reset.
    state: Vec<f64>,
}

impl Point {
    /// A point whose positions stay within `±bounds_m`, one bound per dimension.
    pub fn new(bounds_m: Vec<f64>) -> Self {
        Self {
            bounds_m,
            state: Vec::new(),
        }
    }

    fn dims(&self) -> usize {
        self.bounds_m.len()
    }

    fn observe(&self) -> Observation {
        Observation::F32(self.state.iter().map(|x| *x as f32).collect())
    }
}

impl Environment for Point {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(2 * self.dims())
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(self.dims(), MAX_ACCELERATION)
    }

    fn reset(&mut self, _rng: &mut Rng) -> Observation {
        self.state = vec![0.0; 2 * self.dims()];
        self.observe()
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let action = self.action_spec().clip(action)?;
        if self.state.is_empty() && self.dims() > 0 {
            return Err(StepError::AfterTerminal);
        }
        let (positions, velocities) = self.state.split_at_mut(self.bounds_m.len());
        for (k, bound) in self.bounds_m.iter().enumerate() {
            let faster = velocities[k] + f64::from(action[k]) * DT_S;
            velocities[k] = faster.clamp(-MAX_SPEED_M_PER_S, MAX_SPEED_M_PER_S);
            positions[k] = (positions[k] + velocities[k] * DT_S).clamp(-bound, *bound);
        }
        Ok(Successor::Continue(self.observe()))
    }
}

impl Snapshot for Point {
    fn save(&self) -> Vec<f64> {
        self.state.clone()
    }

    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError> {
        let expected = 2 * self.dims();
        if state.len() != expected || state.iter().any(|x| !x.is_finite()) {
            let got = state.len();
            return Err(SnapshotError { got, expected });
        }
        self.state = state.to_vec();
        Ok(())
    }
}
