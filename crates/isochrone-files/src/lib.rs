//! Trajectories and distances in files: what a program needs that reads logs, or loads a distance and asks it.
//!
//! | module | reads and writes |
//! |---|---|
//! | [`data`] | episodes in Parquet, npz and CSV, in bounded memory; Parquet out |
//! | [`model`] | `.isochrone` files: distances and checkpoints |
//! | [`onnx`] | a distance for programs that know nothing of us |
//! | [`run_folder`], [`jsonl`], [`tensorboard`] | what a run leaves behind: manifest, spec, checkpoint, records |
//! | [`path_kind`] | tells models, data and run folders apart |
//! | [`run_spec`], [`presets`], [`settings`] | the spec of a run: TOML, presets by name, changed by `key=value` |
//! | [`output`] | files written whole or not at all |
//!
//! No terminal, no simulator and no command line: those are the `isochrone` command's.

pub mod agent;
pub mod data;
pub mod fingerprint;
pub mod held_out;
pub mod jsonl;
pub mod model;
pub mod onnx;
pub mod output;
pub mod path_kind;
pub mod presets;
pub mod run_folder;
pub mod run_spec;
pub mod settings;
pub mod tensorboard;

mod onnx_graph;
mod protobuf;
