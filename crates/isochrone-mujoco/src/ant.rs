//! Ant: a torso on four legs with two joints each.

use crate::arena::{Arena, Extent};
use crate::physics::{Integrator, Physics, WorldError, compose};
use crate::render::Visible;
use isochrone::env::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use isochrone::rng::Rng;
use std::sync::Arc;

const BODY: &str = include_str!("../assets/ant.xml");
/// The torso: the first body after the world.
const TORSO: usize = 1;
/// Largest torque of each motor.
const MAX_TORQUE_N_M: f64 = 150.0;
/// The ant has fallen or jumped when its torso's height leaves this range.
const TORSO_HEIGHT_M: std::ops::RangeInclusive<f64> = 0.3..=1.0;

/// Side of the floor that pictures of a free ant show: its goals lie within 5 m, and it needs room round them.
const FREE_SIDE_M: f64 = 12.0;

/// A four-legged walker. It sees 41 numbers: positions (15), velocities (14), the torso's rotation matrix (9)
/// and the centre of mass of the whole ant (3), and ends when its torso is too low or too high.
#[derive(Clone, Debug)]
pub struct Ant {
    physics: Physics,
    extent: Extent,
}

impl Ant {
    /// Numbers in an observation.
    pub const OBSERVATION: usize = 41;
    /// Upright, feet just touching the floor: place, orientation, then hip and ankle of each leg.
    pub const START_QPOS: [f64; 15] = [
        0.0, 0.0, 0.55, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0,
    ];

    /// An ant on an endless floor: the paper's Free Ant.
    pub fn free(integrator: Integrator) -> Result<Self, WorldError> {
        Self::of_model(&Self::mjcf(None, integrator), Extent::square(FREE_SIDE_M))
    }

    /// An ant in an arena; in the U it is the paper's Maze Ant.
    pub fn in_arena(arena: &Arena, integrator: Integrator) -> Result<Self, WorldError> {
        Self::of_model(&Self::mjcf(Some(arena), integrator), arena.extent())
    }

    /// The model as MuJoCo reads it, for other programs to run.
    pub fn mjcf(arena: Option<&Arena>, integrator: Integrator) -> String {
        compose(BODY, arena, integrator)
    }

    /// Mass of the whole ant.
    pub fn mass_kg(&self) -> f64 {
        self.physics.total_mass_kg()
    }

    /// Positions: place and orientation of the torso, then the joints.
    pub fn qpos(&self) -> &[f64] {
        self.physics.qpos()
    }

    /// Velocities, in the order of the degrees of freedom.
    pub fn qvel(&self) -> &[f64] {
        self.physics.qvel()
    }

    fn of_model(xml: &str, extent: Extent) -> Result<Self, WorldError> {
        Ok(Self {
            physics: Physics::new(xml, Self::START_QPOS.to_vec())?,
            extent,
        })
    }

    fn observe(&self) -> Observation {
        let rotation = self.physics.rotation(TORSO);
        let com = self.physics.subtree_com_m(TORSO);
        let joints = self.physics.qpos().iter().chain(self.physics.qvel());
        let all = joints.chain(&rotation).chain(&com);
        Observation::F32(all.map(|x| *x as f32).collect())
    }
}

impl Environment for Ant {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(Self::OBSERVATION)
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(8, 1.0)
    }

    fn reset(&mut self, _rng: &mut Rng) -> Observation {
        self.physics.reset();
        self.observe()
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let action = self.action_spec().clip(action)?;
        let torque = |a: &f32| MAX_TORQUE_N_M * f64::from(*a);
        let torques: Vec<f64> = action.iter().map(torque).collect();
        self.physics.step(&torques)?;
        let seen = self.observe();
        if TORSO_HEIGHT_M.contains(&self.physics.qpos()[2]) {
            Ok(Successor::Continue(seen))
        } else {
            self.physics.end_episode();
            Ok(Successor::Terminal(seen))
        }
    }
}

impl Visible for Ant {
    fn model_xml(&self) -> Arc<str> {
        self.physics.xml()
    }

    fn extent(&self) -> Extent {
        self.extent
    }

    fn pose(&self) -> &[f64] {
        self.physics.qpos()
    }
}

impl Snapshot for Ant {
    fn save(&self) -> Vec<f64> {
        self.physics.save()
    }

    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError> {
        self.physics.restore(state)
    }
}
