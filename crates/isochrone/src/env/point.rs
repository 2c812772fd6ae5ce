//! A point mass in N dimensions: a double integrator without walls or simulator.

use super::snapshot::{Status, check_numbers};
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

/// A double integrator. It observes positions, then velocities, starts at rest at the origin, and never terminates.
///
/// ```text
/// v ← clip(v + a·dt, ±5)      x ← clip(x + v·dt, ±bound)
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    bounds_m: Vec<f64>,
    /// Positions, then velocities.
    state: Vec<f64>,
    status: Status,
}

impl Point {
    /// A point whose positions stay within `±bounds_m`, one bound per dimension.
    pub fn new(bounds_m: Vec<f64>) -> Self {
        Self {
            state: vec![0.0; 2 * bounds_m.len()],
            bounds_m,
            status: Status::Idle,
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
        self.state.fill(0.0);
        self.status = Status::Running;
        self.observe()
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let action = self.action_spec().clip(action)?;
        if self.status == Status::Idle {
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
    /// Positions, velocities, and whether an episode is running.
    fn save(&self) -> Vec<f64> {
        let mut saved = self.state.clone();
        saved.push(self.status.to_number());
        saved
    }

    fn restore(&mut self, saved: &[f64]) -> Result<(), SnapshotError> {
        let numbers = 2 * self.dims();
        check_numbers(saved, numbers + 1)?;
        let status = Status::from_number(saved[numbers])?;
        let within = |(x, bound): (&f64, &f64)| x.abs() <= *bound;
        let (positions, velocities) = saved[..numbers].split_at(self.dims());
        let is_state = positions.iter().zip(&self.bounds_m).all(within)
            && velocities.iter().all(|v| v.abs() <= MAX_SPEED_M_PER_S);
        if !is_state {
            return Err(SnapshotError::OtherWorld);
        }
        self.status = status;
        self.state = saved[..numbers].to_vec();
        Ok(())
    }
}
