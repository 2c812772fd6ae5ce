//! The worlds of the paper: their numbers, the conformance list, and the engine itself as a witness.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod anywhere;
mod goldens;
mod one_way;
mod pixels;
mod process;
mod python;
mod reference;
mod render;
mod rollout;
mod roster;
mod snapshot;
mod straight;
mod thin_spiral;
mod unstable;
mod worlds;
