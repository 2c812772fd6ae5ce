//! The `isochrone` command.
//!
//! [`cli`] declares the arguments, [`command`] parses and dispatches, and every command is a module of [`commands`] with
//! one `run`. What a command computes is elsewhere: in the science crate, in `isochrone-files` and in `isochrone-runs`.

pub mod cli;
pub mod command;
pub mod commands;

pub mod edges;
pub mod episode_reason;
pub mod goals_argument;
pub mod state_argument;
pub mod version;
pub mod world;

#[cfg(doctest)]
mod book;
mod labels;
#[cfg(feature = "worlds")]
mod picture;
mod report;
mod shard;
