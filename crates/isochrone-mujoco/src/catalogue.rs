//! Worlds by name.

use crate::ant::Ant;
use crate::arena::Arena;
use crate::physics::{Integrator, WorldError};
use crate::point_mass::PointMass;
use crate::world::World;
use std::fmt;
use std::str::FromStr;

/// A world of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum WorldName {
    /// `point-mass`: the paper's Point Mass, in the figure-eight room.
    PointMass,
    /// `point-mass-spiral`: in the reference code's corridor.
    PointMassSpiral,
    /// `point-mass-u`: in Maze Ant's arena.
    PointMassU,
    /// `point-mass-room`: in an empty room.
    PointMassRoom,
    /// `point-mass-thin-spiral`: in a corridor between walls of 0.1 m.
    PointMassThinSpiral,
    /// `point-mass-one-way`: in a ring with a strip that can be crossed in one direction only.
    PointMassOneWay,
    /// `free-ant`: the paper's Free Ant.
    FreeAnt,
    /// `maze-ant`: the paper's Maze Ant, in the U.
    MazeAnt,
    /// `free-ant-fast`: Free Ant with the implicit integrator.
    FreeAntFast,
    /// `maze-ant-fast`: Maze Ant with the implicit integrator.
    MazeAntFast,
}

/// A name that is not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no world `{name}`; there are {}", all_names())]
pub struct UnknownWorld {
    /// The name.
    pub name: String,
}

fn all_names() -> String {
    let names = WorldName::ALL.map(WorldName::as_str);
    names.join(", ")
}

impl WorldName {
    /// The whole catalogue.
    pub const ALL: [Self; 10] = [
        Self::PointMass,
        Self::PointMassSpiral,
        Self::PointMassU,
        Self::PointMassRoom,
        Self::PointMassThinSpiral,
        Self::PointMassOneWay,
        Self::FreeAnt,
        Self::MazeAnt,
        Self::FreeAntFast,
        Self::MazeAntFast,
    ];

    /// As it is typed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PointMass => "point-mass",
            Self::PointMassSpiral => "point-mass-spiral",
            Self::PointMassU => "point-mass-u",
            Self::PointMassRoom => "point-mass-room",
            Self::PointMassThinSpiral => "point-mass-thin-spiral",
            Self::PointMassOneWay => "point-mass-one-way",
            Self::FreeAnt => "free-ant",
            Self::MazeAnt => "maze-ant",
            Self::FreeAntFast => "free-ant-fast",
            Self::MazeAntFast => "maze-ant-fast",
        }
    }

    /// What it is, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::PointMass => "a sphere in the paper's figure-eight room",
            Self::PointMassSpiral => {
                "a sphere in a rolled-up corridor, the reference code's layout"
            }
            Self::PointMassU => "a sphere in a U",
            Self::PointMassRoom => "a sphere in an empty room",
            Self::PointMassThinSpiral => "a sphere in a rolled-up corridor between thin walls",
            Self::PointMassOneWay => {
                "a sphere in a ring; a strip behind its start lets it through one way only"
            }
            Self::FreeAnt => "the paper's ant on an endless floor",
            Self::MazeAnt => "the paper's ant in a U",
            Self::FreeAntFast => "free-ant with an implicit integrator: faster, other trajectories",
            Self::MazeAntFast => "maze-ant with an implicit integrator: faster, other trajectories",
        }
    }

    /// Builds it.
    pub fn build(self) -> Result<World, WorldError> {
        let point = |text: &str| PointMass::new(arena(text)?).map(World::from);
        let maze = |integrator| Ant::in_arena(arena(Arena::U)?, integrator).map(World::from);
        match self {
            Self::PointMass => point(Arena::FIGURE_EIGHT),
            Self::PointMassSpiral => point(Arena::SPIRAL),
            Self::PointMassU => point(Arena::U),
            Self::PointMassRoom => point(Arena::ROOM),
            Self::PointMassThinSpiral => point(Arena::THIN_SPIRAL),
            Self::PointMassOneWay => point(Arena::ONE_WAY),
            Self::FreeAnt => Ant::free(Integrator::Rk4).map(World::from),
            Self::MazeAnt => maze(Integrator::Rk4),
            Self::FreeAntFast => Ant::free(Integrator::ImplicitFast).map(World::from),
            Self::MazeAntFast => maze(Integrator::ImplicitFast),
        }
    }
}

fn arena(text: &str) -> Result<Arena, WorldError> {
    Ok(text.parse()?)
}

impl fmt::Display for WorldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for WorldName {
    type Err = UnknownWorld;

    fn from_str(name: &str) -> Result<Self, UnknownWorld> {
        let found = Self::ALL.into_iter().find(|world| world.as_str() == name);
        found.ok_or_else(|| UnknownWorld {
            name: name.to_owned(),
        })
    }
}
