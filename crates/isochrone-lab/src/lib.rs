//! The laboratory around the science: files, terminal, figures and records.
//!
//! `command.rs` parses and dispatches; every command is a module with one `run`.

pub use isochrone_files::{data, fingerprint, held_out, model, tensorboard};
pub(crate) use isochrone_files::{jsonl, run_folder, settings};

pub mod cli;
pub mod command;

pub mod edges;
pub mod world;

pub mod exact;
pub mod reproduce;
pub mod spectral;

pub mod assess;
pub mod collect;
pub mod distance;
pub mod embed;
pub mod export;
pub mod fit;
pub mod info;
pub mod nearest;

pub mod evaluate;
pub mod plot;
pub mod sweep;
pub mod train;

pub mod render;
pub mod worlds;

pub mod bench;

#[cfg(doctest)]
mod book;
mod bootstrap;
mod cluster;
pub mod figure;
mod floor;
pub mod goals_argument;
mod interval;
mod isochrones;
mod judge;
mod labels;
mod memory;
mod output;
mod picture;
pub mod progress;
mod recognise;
pub mod state_argument;
pub mod stop;
