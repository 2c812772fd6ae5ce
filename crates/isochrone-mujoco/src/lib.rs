//! The paper's worlds on MuJoCo: bodies × arenas.
//!
//! A world is a body (`assets/point.xml`, `assets/ant.xml`) in an arena (`assets/arenas/*.txt`), composed into
//! one MuJoCo model. This is the only crate that links MuJoCo. It knows no goals, rewards or horizons, like
//! every [`isochrone::env::Environment`].

mod ant;
mod arena;
mod physics;
mod pixels;
mod point_mass;
pub mod render;

pub use ant::Ant;
pub use arena::{Arena, ArenaError, Extent};
pub use physics::{Integrator, WorldError};
pub use pixels::Pixels;
pub use point_mass::PointMass;
