//! Point Mass: a sphere pushed about a room.

use crate::arena::{Arena, Extent};
use crate::physics::{Integrator, Physics, WorldError, compose};
use crate::render::Visible;
use isochrone::env::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use isochrone::rng::Rng;
use std::sync::Arc;

const BODY: &str = include_str!("../assets/point.xml");

/// A sphere of 0.42 kg on two slides. It sees `x, y, vx, vy`, starts at rest at the origin, and never ends.
///
/// Walls push as boxes, and besides, a step that would leave the sphere's centre inside a wall puts it back to
/// where it was, with its velocity unchanged: the reference code's manual collision rule, kept because a fast
/// sphere would otherwise sink into a wall and be thrown out. A step across a wall between cells is put back, too:
/// no sphere gets through it, however fast.
///
/// Where the floor pushes, the force at the beginning of a step acts during the whole step.
///
/// A clone is in the same state, in the middle of an episode too.
#[derive(Clone, Debug)]
pub struct PointMass {
    physics: Physics,
    arena: Arena,
    actions: ActionSpec,
}

impl PointMass {
    /// Largest force along each axis.
    pub const MAX_FORCE_N: f64 = 2.0;
    /// Of the sphere.
    pub const RADIUS_M: f64 = 0.1;
    /// Numbers in an observation.
    pub const OBSERVATION: usize = 4;

    /// A point mass in an arena.
    pub fn new(arena: Arena) -> Result<Self, WorldError> {
        let physics = Physics::new(&Self::mjcf(&arena), vec![0.0; 2])?;
        Ok(Self {
            physics,
            arena,
            actions: ActionSpec::symmetric(2, 1.0),
        })
    }

    /// Where it is.
    pub const fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The model as MuJoCo reads it, for other programs to run.
    pub fn mjcf(arena: &Arena) -> String {
        compose(BODY, Some(arena), Integrator::Rk4)
    }

    /// Mass of the sphere.
    pub fn mass_kg(&self) -> f64 {
        self.physics.total_mass_kg()
    }

    /// Place in metres.
    pub fn qpos(&self) -> &[f64] {
        self.physics.qpos()
    }

    /// Velocity in metres per second.
    pub fn qvel(&self) -> &[f64] {
        self.physics.qvel()
    }

    pub(crate) const fn physics_mut(&mut self) -> &mut Physics {
        &mut self.physics
    }

    pub(crate) fn place_m(&self) -> [f64; 2] {
        let qpos = self.physics.qpos();
        [qpos[0], qpos[1]]
    }

    pub(crate) fn move_to(&mut self, place_m: [f64; 2]) -> Observation {
        self.physics.move_to(place_m);
        self.observe()
    }

    fn observe(&self) -> Observation {
        let state = self.physics.qpos().iter().chain(self.physics.qvel());
        Observation::F32(state.map(|x| *x as f32).collect())
    }
}

impl Environment for PointMass {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(Self::OBSERVATION)
    }

    fn action_spec(&self) -> ActionSpec {
        self.actions.clone()
    }

    fn reset(&mut self, _rng: &mut Rng) -> Observation {
        self.physics.reset();
        self.observe()
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let legal = self.actions.legal(action)?;
        let before = self.place_m();
        if self.arena.push_n().is_some() {
            self.physics.push(self.arena.push_at_n(before));
        }
        self.physics
            .step(legal.map(|a| Self::MAX_FORCE_N * f64::from(a)))?;
        if self.arena.forbids(before, self.place_m()) {
            self.physics.qpos_mut().copy_from_slice(&before);
        }
        Ok(Successor::Continue(self.observe()))
    }
}

impl Visible for PointMass {
    fn model_xml(&self) -> Arc<str> {
        self.physics.xml()
    }

    fn extent(&self) -> Extent {
        self.arena.outline()
    }

    fn pose(&self) -> &[f64] {
        self.physics.qpos()
    }
}

impl Snapshot for PointMass {
    fn save(&self) -> Vec<f64> {
        self.physics.save()
    }

    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError> {
        self.physics.restore(state)
    }
}
