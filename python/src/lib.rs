//! Python bindings: the private module `isochrone._isochrone` of the package `isochrone`.
//!
//! Everything here is thin: arrays in, work without the interpreter lock, arrays out, errors as Python's own with the
//! sentence of the Rust side.
#![expect(
    clippy::needless_pass_by_value,
    reason = "the caller hands its arguments over"
)]

mod actions;
mod agent;
mod arrays;
mod cloning;
mod data;
mod distance;
mod errors;
mod events;
mod files;
mod lanes;
mod logs;
mod markov;
mod observation;
mod observer;
mod plain_sac;
mod roadmap;
mod training;
mod values;
mod worlds;

use pyo3::prelude::*;

/// What the package is made of; its own interface is the package's.
#[pymodule(gil_used = false)]
mod _isochrone {
    #[pymodule_export]
    use crate::actions::stretch;
    #[pymodule_export]
    use crate::agent::{Agent, Pursuits, step_through};
    #[pymodule_export]
    use crate::cloning::Policy;
    #[pymodule_export]
    use crate::data::Data;
    #[pymodule_export]
    use crate::distance::Distance;
    #[pymodule_export]
    use crate::events::Events;
    #[pymodule_export]
    use crate::logs::{is_reached, log_episodes, log_progress, with_reached};
    #[pymodule_export]
    use crate::markov::Chain;
    #[pymodule_export]
    use crate::plain_sac::PlainLearner;
    #[pymodule_export]
    use crate::roadmap::{Follower, Roadmap};
    #[pymodule_export]
    use crate::run_command;
    #[pymodule_export]
    use crate::training::{settings_of, train};
    #[pymodule_export]
    use crate::values::{fit_settings, setting_kinds};
    #[pymodule_export]
    use crate::worlds::NativeWorld;
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}

/// Runs the `isochrone` command; the code to exit with.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| isochrone_cli::command::run(arguments))
}
