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
/// The ant has fallen or jumped when its torso's height leaves this range.
const TORSO_HEIGHT_M: std::ops::RangeInclusive<f64> = 0.3..=1.0;

/// Side of the floor that pictures of a free ant show: its goals lie within 5 m, and it needs room round them.
const FREE_SIDE_M: f64 = 12.0;

/// A four-legged walker. It sees 41 numbers: positions (15), velocities (14), the torso's rotation matrix (9)
/// and the centre of mass of the whole ant (3), and ends when its torso is too low or too high.
/// A clone is in the same state, in the middle of an episode too.
#[derive(Clone, Debug)]
pub struct Ant {
    physics: Physics,
    actions: ActionSpec,
    arena: Option<Arena>,
}

impl Ant {
    /// Largest torque of each motor.
    pub const MAX_TORQUE_N_M: f64 = 150.0;
    /// How far its feet reach along x and y when it stands.
    pub const HALF_WIDTH_M: f64 = 0.75;
    /// Numbers in an observation.
    pub const OBSERVATION: usize = 41;
    /// Upright, feet just touching the floor: place, orientation, then hip and ankle of each leg.
    pub const START_QPOS: [f64; 15] = [
        0.0, 0.0, 0.55, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, -1.0, 0.0, 1.0,
    ];

    /// Entries of an observation that say where it is: x and y of the centre of mass.
    pub const COM_XY: [usize; 2] = [38, 39];
    /// Height of its centre of mass at the start, as the engine computes it from the masses of all limbs.
    const START_COM_M: f32 = 0.479_355_3;

    /// An ant on an endless floor: the paper's Free Ant.
    pub fn free(integrator: Integrator) -> Result<Self, WorldError> {
        Self::new(None, integrator)
    }

    /// An ant in an arena; in the U it is the paper's Maze Ant.
    pub fn in_arena(arena: Arena, integrator: Integrator) -> Result<Self, WorldError> {
        Self::new(Some(arena), integrator)
    }

    fn new(arena: Option<Arena>, integrator: Integrator) -> Result<Self, WorldError> {
        let xml = Self::mjcf(arena.as_ref(), integrator);
        Ok(Self {
            physics: Physics::new(&xml, Self::START_QPOS.to_vec())?,
            actions: ActionSpec::symmetric(8, 1.0),
            arena,
        })
    }

    /// Where it is, if there are walls.
    pub const fn arena(&self) -> Option<&Arena> {
        self.arena.as_ref()
    }

    /// The paper's stabilised goal: the start's pose, at rest, at another place. A state as it was seen would ask
    /// for its joints and velocities too, and most such states cannot be held.
    pub fn standing_at(place_m: [f32; 2]) -> [f32; Self::OBSERVATION] {
        let [x, y] = place_m;
        let mut state = [0.0; Self::OBSERVATION];
        for (entry, start) in state.iter_mut().zip(Self::START_QPOS) {
            *entry = start as f32;
        }
        state[..2].copy_from_slice(&place_m);
        // The identity, row by row, between velocities and the centre of mass.
        for diagonal in [29, 33, 37] {
            state[diagonal] = 1.0;
        }
        state[38..].copy_from_slice(&[x, y, Self::START_COM_M]);
        state
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

    pub(crate) const fn physics_mut(&mut self) -> &mut Physics {
        &mut self.physics
    }

    pub(crate) fn move_to(&mut self, place_m: [f64; 2]) -> Observation {
        self.physics.move_to(place_m);
        self.observe()
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
        self.actions.clone()
    }

    fn reset(&mut self, _rng: &mut Rng) -> Observation {
        self.physics.reset();
        self.observe()
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let legal = self.actions.legal(action)?;
        let torques = legal.map(|a| Self::MAX_TORQUE_N_M * f64::from(a));
        self.physics.step(torques)?;
        // The rotation and the centre of mass are shown.
        self.physics.refresh();
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
        let free = Extent::square(FREE_SIDE_M);
        self.arena.as_ref().map_or(free, Arena::outline)
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
