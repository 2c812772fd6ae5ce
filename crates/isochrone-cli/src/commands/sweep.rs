//! `isochrone sweep`: many trainings, each a unit of its own, handed to whatever starts processes here.
//!
//! ```text
//! plan      a sweep file → a folder with a spec for every unit, never changed again
//! run       the units of a share, one after the other: finished ones are left alone, half-finished ones gone on with
//! status    how far they are          collect   their evaluations as one table
//! emit      a script for Slurm, or for this machine
//! ```
//!
//! Units need nothing from each other, so nothing here coordinates: a share may run anywhere, at any time, again and
//! again, and beside others. Two processes that come to the same unit are kept apart by the lock of its run folder.

mod collect;
mod emit;
mod plan;
mod run;
mod status;
mod units;

use crate::cli::{SweepCommand, SweepOptions};
use anyhow::Result;

/// Runs the command.
pub fn run(options: &SweepOptions) -> Result<()> {
    match &options.what {
        SweepCommand::Plan(options) => plan::run(options),
        SweepCommand::Run(options) => run::run(options),
        SweepCommand::Status(options) => status::run(options),
        SweepCommand::Collect(options) => collect::run(options),
        SweepCommand::Emit(options) => emit::run(options),
    }
}
