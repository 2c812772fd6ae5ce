//! Runs: fits and trainings in folders, with checkpoints, records and resume, on one process or on the ranks of a job.
//!
//! | module | holds |
//! |---|---|
//! | [`fit`] | logged trajectories → a distance in a file |
//! | [`roadmap`] | logged trajectories and a distance → landmarks, hops and routes |
//! | [`train`] | a policy that reaches goals: presets, specs, worlds by name, run folders |
//! | [`calibration`] | predicted against observed steps on held-out episodes |
//! | [`logs`] | progress of every frame and a score of every episode |
//! | [`cluster`] | MPI ranks: launcher, plugin, sums in a fixed order, watchdog |
//! | [`progress`], [`stop`], [`output`], [`exit`] | progress bars, Ctrl-C, printing, exit codes |
//! | [`difficulties`], [`floor`], [`isochrones`], [`interval`] | panels of figures and their intervals |
//!
//! The `isochrone` command, the experiments and the Python package call these functions.

pub mod arguments;
pub mod calibration;
pub mod cloning;
pub mod cluster;
mod data_run;
pub mod difficulties;
pub mod euclidean;
pub mod exit;
pub mod fit;
#[cfg(feature = "worlds")]
pub mod floor;
pub mod interval;
pub mod isochrones;
pub mod logs;
mod mapping;
pub mod memory;
pub mod output;
pub mod progress;
pub mod roadmap;
pub mod stop;
pub mod train;
