//! The laboratory around the science: files, terminal, figures and records.
//!
//! `main.rs` parses and dispatches; every command is a module with one `run`.
#![forbid(unsafe_code)]

pub mod cli;

pub mod data;
pub mod edges;
pub mod world;

pub mod exact;
pub mod reproduce;
pub mod spectral;

pub mod render;
pub mod worlds;

pub mod bench;

pub mod figure;
mod isochrones;
mod memory;
mod output;
mod picture;
mod progress;
pub mod tensorboard;
