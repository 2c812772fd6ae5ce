//! A square room with a thin wall that leaves a gap on the right: Euclidean distance and shortest path differ.
//!
//! ```text
//! ┌───────────────┐ 3 m
//! │               │
//! │━━━━━━━━━━     │ 1.45…1.55 m, from the left to x = 2
//! │               │
//! └───────────────┘ 0
//! ```

use super::snapshot::{Status, check_numbers};
use super::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use crate::rng::Rng;
use rand::RngExt;

/// Side of the room.
const SIDE_M: f64 = 3.0;
/// The wall covers x below this …
const WALL_END_M: f64 = 2.0;
/// … and y strictly between these.
const WALL_M: (f64, f64) = (1.45, 1.55);
/// Substeps per step, so that no step jumps over the wall.
const SUBSTEPS: usize = 8;
/// Largest displacement of one step along each axis: less than the wall's thickness times the substeps.
const MAX_STEP_M: f32 = 0.75;

/// A walker whose action is its displacement. It observes its position relative to the centre of the room, starts uniformly
/// in the free space, and never terminates.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct URoom {
    place: Option<[f64; 2]>,
}

impl URoom {
    /// Whether a position is inside the room and outside the wall.
    pub fn is_free(place: [f64; 2]) -> bool {
        let inside = place.iter().all(|x| (0.0..=SIDE_M).contains(x));
        let in_wall = place[0] < WALL_END_M && place[1] > WALL_M.0 && place[1] < WALL_M.1;
        inside && !in_wall
    }

    fn observe(place: [f64; 2]) -> Observation {
        Observation::F32(place.iter().map(|x| (x - SIDE_M / 2.0) as f32).collect())
    }

    /// Moves in substeps; a component that would enter a wall is dropped for the rest of the step.
    fn moved(mut place: [f64; 2], action: &[f32]) -> [f64; 2] {
        let mut piece = [0, 1].map(|k| f64::from(action[k]) / SUBSTEPS as f64);
        for _ in 0..SUBSTEPS {
            for k in 0..2 {
                let mut next = place;
                next[k] += piece[k];
                if Self::is_free(next) {
                    place = next;
                } else {
                    piece[k] = 0.0;
                }
            }
        }
        place
    }
}

impl Environment for URoom {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(2)
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(2, MAX_STEP_M)
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        let mut place = [0.0, WALL_M.0 + 0.01];
        while !Self::is_free(place) {
            place = [0, 1].map(|_| SIDE_M * rng.random::<f64>());
        }
        self.place = Some(place);
        Self::observe(place)
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let action = self.action_spec().clip(action)?;
        let place = self.place.ok_or(StepError::AfterTerminal)?;
        let next = Self::moved(place, &action);
        self.place = Some(next);
        Ok(Successor::Continue(Self::observe(next)))
    }
}

impl Snapshot for URoom {
    /// The position, and whether an episode is running.
    fn save(&self) -> Vec<f64> {
        match self.place {
            Some([x, y]) => vec![x, y, Status::Running.to_number()],
            None => vec![0.0, 0.0, Status::Idle.to_number()],
        }
    }

    fn restore(&mut self, saved: &[f64]) -> Result<(), SnapshotError> {
        check_numbers(saved, 3)?;
        let (place, status) = ([saved[0], saved[1]], Status::from_number(saved[2])?);
        if !Self::is_free(place) {
            return Err(SnapshotError::OtherWorld);
        }
        self.place = match status {
            Status::Running => Some(place),
            Status::Idle => None,
        };
        Ok(())
    }
}
