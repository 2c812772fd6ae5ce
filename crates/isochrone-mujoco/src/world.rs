//! A body in its arena, with its goal spaces and ranges.

use crate::ant::Ant;
use crate::arena::{Arena, Extent};
use crate::physics::Physics;
use crate::point_mass::PointMass;
use crate::render::Visible;
use isochrone::env::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use isochrone::goal::{GoalError, GoalRange, GoalSpace, Proposals};
use isochrone::rng::Rng;
use std::sync::Arc;

/// Free Ant's goals lie in a square of this half size round its start …
const FREE_RANGE_M: f64 = 5.0;
/// … and coverage is measured on a grid of this spacing.
const FREE_SPACING_M: f64 = 1.0;

/// One of the bodies. A clone has the same state and continues, to the bit, as the original would; they share only the
/// compiled model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum World {
    /// A sphere.
    PointMass(PointMass),
    /// An ant.
    Ant(Ant),
}

impl From<PointMass> for World {
    fn from(body: PointMass) -> Self {
        Self::PointMass(body)
    }
}

impl From<Ant> for World {
    fn from(body: Ant) -> Self {
        Self::Ant(body)
    }
}

impl World {
    /// The walls, if there are any.
    pub fn arena(&self) -> Option<&Arena> {
        match self {
            Self::PointMass(body) => Some(body.arena()),
            Self::Ant(body) => body.arena(),
        }
    }

    /// The force or torque of an action of 1, in newtons or newton metres.
    pub(crate) const fn strength(&self) -> f64 {
        match self {
            Self::PointMass(_) => PointMass::MAX_FORCE_N,
            Self::Ant(_) => Ant::MAX_TORQUE_N_M,
        }
    }

    /// The sphere's position; `None` for an ant.
    pub(crate) fn place_of_sphere_m(&self) -> Option<[f64; 2]> {
        match self {
            Self::PointMass(body) => Some(body.place_m()),
            Self::Ant(_) => None,
        }
    }

    /// The force that the floor exerts on a body at a place.
    pub(crate) fn push_at_n(&self, place_m: [f64; 2]) -> [f64; 2] {
        self.arena()
            .map_or([0.0; 2], |arena| arena.push_at_n(place_m))
    }

    pub(crate) const fn physics_mut(&mut self) -> &mut Physics {
        match self {
            Self::PointMass(body) => body.physics_mut(),
            Self::Ant(body) => body.physics_mut(),
        }
    }

    /// Positions, in full precision.
    pub fn qpos(&self) -> &[f64] {
        match self {
            Self::PointMass(body) => body.qpos(),
            Self::Ant(body) => body.qpos(),
        }
    }

    /// Velocities, in full precision.
    pub fn qvel(&self) -> &[f64] {
        match self {
            Self::PointMass(body) => body.qvel(),
            Self::Ant(body) => body.qvel(),
        }
    }

    /// The model as MuJoCo reads it.
    pub fn mjcf(&self) -> Arc<str> {
        self.model_xml()
    }

    /// Goals are positions: x and y of the sphere, or of the ant's centre of mass.
    pub fn xy_space(&self) -> Result<GoalSpace, GoalError> {
        GoalSpace::entries(&self.place_entries(), &self.observation_spec())
    }

    /// Goals are whole states.
    pub fn full_state_space(&self) -> Result<GoalSpace, GoalError> {
        GoalSpace::full_state(&self.observation_spec())
    }

    /// The whole state at a position: at rest, the ant standing.
    pub fn state_at(&self, place_m: [f32; 2]) -> Vec<f32> {
        match self {
            Self::PointMass(_) => vec![place_m[0], place_m[1], 0.0, 0.0],
            Self::Ant(_) => Ant::standing_at(place_m).to_vec(),
        }
    }

    /// The proposed entries of whole-state goals: all of a sphere's, and only the position of an ant's, because it can
    /// hold hardly any other pose.
    pub fn state_proposals(&self) -> Result<Proposals, GoalError> {
        match self {
            Self::PointMass(_) => Ok(Proposals::whole(PointMass::OBSERVATION)),
            Self::Ant(_) => self.standing_proposals(),
        }
    }

    /// Whole states from positions as by [`World::state_at`]. Both position entries of an ant, torso and centre of mass,
    /// are set.
    pub fn standing_proposals(&self) -> Result<Proposals, GoalError> {
        let copies = match self {
            Self::PointMass(_) => vec![(0, 0), (1, 1)],
            Self::Ant(_) => {
                let [x, y] = Ant::COM_XY;
                vec![(x, 0), (y, 1), (0, 0), (1, 1)]
            }
        };
        Proposals::new(self.state_at([0.0, 0.0]), copies)
    }

    /// The position entries of an observation.
    pub const fn place_entries(&self) -> [usize; 2] {
        match self {
            Self::PointMass(_) => [0, 1],
            Self::Ant(_) => Ant::COM_XY,
        }
    }

    /// The range of goals: the box round the arena, including walls.
    pub fn goal_range(&self) -> Result<GoalRange, GoalError> {
        let free = Extent::square(2.0 * FREE_RANGE_M);
        let extent = self.arena().map_or(free, Arena::extent);
        let narrow = |numbers: [f64; 2], scale: f64| numbers.map(|x| (scale * x) as f32).to_vec();
        GoalRange::new(narrow(extent.centre_m(), 1.0), narrow(extent.size_m(), 0.5))
    }

    /// Half the width of the resting body along x and y.
    pub(crate) const fn half_width_m(&self) -> f64 {
        match self {
            Self::PointMass(_) => PointMass::RADIUS_M,
            Self::Ant(_) => Ant::HALF_WIDTH_M,
        }
    }

    /// Moves the body; nothing else changes.
    pub(crate) fn move_to(&mut self, place_m: [f64; 2]) -> Observation {
        match self {
            Self::PointMass(body) => body.move_to(place_m),
            Self::Ant(body) => body.move_to(place_m),
        }
    }

    /// Whether the body's centre can be there; true everywhere without walls.
    pub fn is_feasible(&self, place_m: [f64; 2]) -> bool {
        self.arena().is_none_or(|arena| arena.is_feasible(place_m))
    }

    /// The coverage goals.
    pub fn coverage_goals_m(&self) -> Vec<[f64; 2]> {
        match self.arena() {
            Some(arena) => arena.coverage_goals_m(),
            None => free_goals_m(),
        }
    }
}

/// The centres of the unit squares of the goal range, row by row.
fn free_goals_m() -> Vec<[f64; 2]> {
    let each = (2.0 * FREE_RANGE_M / FREE_SPACING_M) as usize;
    let middle = |k: usize| (k as f64 + 0.5) * FREE_SPACING_M - FREE_RANGE_M;
    (0..each * each)
        .map(|at| [middle(at % each), middle(at / each)])
        .collect()
}

impl Environment for World {
    fn observation_spec(&self) -> ObservationSpec {
        match self {
            Self::PointMass(body) => body.observation_spec(),
            Self::Ant(body) => body.observation_spec(),
        }
    }

    fn action_spec(&self) -> ActionSpec {
        match self {
            Self::PointMass(body) => body.action_spec(),
            Self::Ant(body) => body.action_spec(),
        }
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        match self {
            Self::PointMass(body) => body.reset(rng),
            Self::Ant(body) => body.reset(rng),
        }
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        match self {
            Self::PointMass(body) => body.step(action),
            Self::Ant(body) => body.step(action),
        }
    }
}

impl Visible for World {
    fn model_xml(&self) -> Arc<str> {
        match self {
            Self::PointMass(body) => body.model_xml(),
            Self::Ant(body) => body.model_xml(),
        }
    }

    fn extent(&self) -> Extent {
        match self {
            Self::PointMass(body) => body.extent(),
            Self::Ant(body) => body.extent(),
        }
    }

    fn pose(&self) -> &[f64] {
        self.qpos()
    }
}

impl Snapshot for World {
    fn save(&self) -> Vec<f64> {
        match self {
            Self::PointMass(body) => body.save(),
            Self::Ant(body) => body.save(),
        }
    }

    fn restore(&mut self, state: &[f64]) -> Result<(), SnapshotError> {
        match self {
            Self::PointMass(body) => body.restore(state),
            Self::Ant(body) => body.restore(state),
        }
    }
}
