//! The engine alone: what a rollout asked of the physics, asked again through `mj_step` and nothing else.
//!
//! This is what rollouts are measured against. The bare engine gets the rollout's own controls, begins and ends
//! episodes where the rollout did, and takes the same put-backs at walls and the same pushes of the floor as stored
//! numbers: it goes through the same states and contacts, so the difference in time is what everything else costs.

use crate::world::World;
use isochrone::env::{Environment, StepError};
use isochrone::rng::{Purpose, Seed};
use isochrone::trajectory::{Episode, Trajectories};

/// What one episode asked of the physics.
#[derive(Clone, Debug, PartialEq)]
pub struct Controls {
    /// Step by step, end to end.
    values: Vec<f64>,
    /// The steps after which the place was that of the step before, and that place.
    put_backs: Vec<(usize, [f64; 2])>,
    /// The steps before which the floor's push changed, and the new force.
    pushes: Vec<(usize, [f64; 2])>,
}

impl Controls {
    /// Steps after which the place was put back.
    pub const fn put_backs(&self) -> usize {
        self.put_backs.len()
    }
}

impl World {
    /// Goes through a recorded episode once more and notes what it asks of the physics.
    pub fn controls_of(
        &mut self,
        seen: &Trajectories,
        episode: &Episode,
    ) -> Result<Controls, StepError> {
        let (mut values, mut put_backs, mut pushes) = (Vec::new(), Vec::new(), Vec::new());
        let mut pushed_n = [0.0; 2];
        let actions = self.action_spec();
        // No world of this crate draws anything at a reset.
        self.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
        for (step, row) in episode.action_rows().enumerate() {
            let before = self.place_of_sphere_m();
            let push_n = before.map_or([0.0; 2], |place| self.push_at_n(place));
            if push_n.map(f64::to_bits) != pushed_n.map(f64::to_bits) {
                pushes.push((step, push_n));
                pushed_n = push_n;
            }
            let action = seen.action(row);
            values.extend(
                actions
                    .legal(action)?
                    .map(|a| self.strength() * f64::from(a)),
            );
            self.step(action)?;
            let after = self.place_of_sphere_m();
            put_backs.extend(after.filter(|_| after == before).map(|place| (step, place)));
        }
        Ok(Controls {
            values,
            put_backs,
            pushes,
        })
    }

    /// The same physics, bare.
    pub fn replay(&mut self, controls: &Controls) {
        let physics = self.physics_mut();
        physics.reset_bare();
        let mut put_backs = controls.put_backs.iter().peekable();
        let mut pushes = controls.pushes.iter().peekable();
        let width = physics.controls();
        for (step, values) in controls.values.chunks_exact(width).enumerate() {
            if let Some((_, force_n)) = pushes.next_if(|(at, _)| *at == step) {
                physics.push(*force_n);
            }
            physics.step_bare(values);
            if let Some((_, place)) = put_backs.next_if(|(at, _)| *at == step) {
                physics.qpos_mut()[..2].copy_from_slice(place);
            }
        }
    }
}
