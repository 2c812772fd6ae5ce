//! One integration binary: the command as a user meets it, what it refuses, what no input may do to its
//! parsers, and the rules the repository keeps.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod cloning;
mod collect;
pub(crate) mod data;
mod desk;
mod first_use;
mod fit;
mod fit_refusals;
mod fuzz;
mod golden_runs;
mod held_out;
mod logs;
mod machine;
mod model;
mod onnx;
mod paper_map;
mod reference;
mod refusals;
mod roadmaps;
mod scripts;
mod sweep;
mod tensorboard;
mod tidy;
mod train;
mod train_ends;
mod train_views;
mod trials;
mod worlds;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_isochrone");
