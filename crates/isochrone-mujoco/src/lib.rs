//! The paper's worlds on MuJoCo: bodies × arenas.
//!
//! A world is a body (`assets/point.xml`, `assets/ant.xml`) in an arena (`assets/arenas/*.txt`), composed into
//! one MuJoCo model; [`WorldName`] lists those with a name. This is the only crate that links MuJoCo. Its dynamics
//! have no goals, rewards or horizons, like those of every [`isochrone::env::Environment`]; [`World`] adds goal spaces,
//! goal ranges and coverage goals.
#![deny(unsafe_code)]

mod ant;
mod anywhere;
mod arena;
mod bare;
mod catalogue;
pub mod log;
mod physics;
mod pixels;
mod point_mass;
pub mod render;
mod state_renderer;
mod world;

pub use ant::Ant;
pub use anywhere::Anywhere;
pub use arena::{Arena, ArenaError, Extent, WallBox};
pub use bare::Controls;
pub use catalogue::{UnknownWorld, WorldName};
pub use physics::{Integrator, WorldError};
pub use pixels::Pixels;
pub use point_mass::PointMass;
pub use state_renderer::StateRenderer;
pub use world::World;

/// The version of the engine that was loaded.
pub fn engine_version() -> String {
    mujoco_rs::mujoco_version().to_owned()
}
