//! Reads logs, loads and saves distances, specs and run folders; no simulator, no terminal.
//!
//! | module | reads and writes |
//! |---|---|
//! | [`data`] | episodes in Parquet, npz and CSV, in bounded memory; Parquet out |
//! | [`model`] | `.isochrone` files: distances and checkpoints |
//! | [`policy`] | cloned policies for goals nearby |
//! | [`roadmap`] | `.roadmap` files: landmarks, hops and their distance |
//! | [`onnx`] | a distance for other programs |
//! | [`run_folder`], [`jsonl`], [`tensorboard`] | the output of a run: manifest, spec, checkpoint, records |
//! | [`path_kind`] | recognises models, data and run folders |
//! | [`run_spec`], [`presets`], [`settings`] | the spec of a run: TOML, presets by name, changed by `key=value` |
//! | [`output`] | atomic writes |
//!
//! Terminal, simulator and command line are in `isochrone-runs` and `isochrone-cli`.

pub mod agent;
pub mod data;
pub mod fingerprint;
pub mod held_out;
pub mod jsonl;
pub mod model;
pub mod onnx;
pub mod output;
pub mod path_kind;
pub mod policy;
pub mod presets;
pub mod roadmap;
pub mod run_folder;
pub mod run_spec;
pub mod settings;
pub mod tensorboard;

mod onnx_convolutions;
mod onnx_graph;
mod protobuf;
