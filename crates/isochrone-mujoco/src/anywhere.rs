//! A world with start positions drawn uniformly from the free floor.

use crate::arena::Arena;
use crate::world::World;
use isochrone::env::{ActionSpec, Environment, Observation, ObservationSpec, StepError, Successor};
use isochrone::goal::{GoalError, GoalRange};
use isochrone::rng::Rng;

/// Positions drawn before it falls back to the usual start. In the tightest arena one in eight is free.
const MOST_TRIES: usize = 10_000;

/// A world in which every episode begins at a random position, uniform over those where the body, at rest, touches no wall.
/// This is the paper's batch setting, which randomises starts so that trajectories cover the floor.
#[derive(Clone, Debug)]
pub struct Anywhere {
    world: World,
    places: GoalRange,
}

impl Anywhere {
    /// Start positions are drawn from the box that goals come from.
    pub fn new(world: World) -> Result<Self, GoalError> {
        let places = world.goal_range()?;
        Ok(Self { world, places })
    }

    /// The inner world.
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// Whether the whole body fits. Cells are wider than bodies, so for wall cells checking the corners is enough.
    pub fn has_room(&self, place_m: [f64; 2]) -> bool {
        let half = self.world.half_width_m();
        let corners = [[-half, -half], [-half, half], [half, -half], [half, half]];
        let mut thin_walls = self.world.arena().into_iter().flat_map(Arena::thin_walls);
        corners.iter().all(|c| {
            self.world
                .is_feasible([place_m[0] + c[0], place_m[1] + c[1]])
        }) && !thin_walls.any(|wall| wall.is_within(place_m, half))
    }

    fn draw(&self, rng: &mut Rng) -> Option<[f64; 2]> {
        let mut place = || {
            let drawn = self.places.sample(rng);
            [drawn[0], drawn[1]].map(f64::from)
        };
        (0..MOST_TRIES).map(|_| place()).find(|p| self.has_room(*p))
    }
}

impl Environment for Anywhere {
    fn observation_spec(&self) -> ObservationSpec {
        self.world.observation_spec()
    }

    fn action_spec(&self) -> ActionSpec {
        self.world.action_spec()
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        let start = self.world.reset(rng);
        match self.draw(rng) {
            Some(place_m) => self.world.move_to(place_m),
            None => start,
        }
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        self.world.step(action)
    }
}
