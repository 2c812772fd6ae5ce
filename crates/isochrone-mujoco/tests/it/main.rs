//! The worlds of the paper: their numbers, and the conformance list.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod reference;
mod render;
mod worlds;
