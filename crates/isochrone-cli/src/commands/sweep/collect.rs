//! `isochrone sweep collect`: the evaluations of all finished units as one table.

use super::units::{Progress, Sweep};
use crate::cli::SweepCollectOptions;
use anyhow::{Result, bail};
use isochrone_runs::output::{self, print};
use isochrone_runs::train::History;
use isochrone_runs::train::table::{rows, to_csv};
use std::fmt::Write as _;

/// Runs the command.
pub(super) fn run(options: &SweepCollectOptions) -> Result<()> {
    output::refuse_other_ending(&options.output, "csv")?;
    let sweep = Sweep::open(&options.sweep)?;
    let (mut all, mut done, mut damaged) = (Vec::new(), 0, String::new());
    for unit in &sweep.list.units {
        match sweep.progress(unit) {
            Ok(Progress::Done) => {
                all.extend(rows(&History::read(&sweep.run_folder(unit))?)?);
                done += 1;
            }
            Ok(_) => (),
            Err(error) => {
                let _ = writeln!(damaged, "{}: {error:#}", unit.name);
            }
        }
    }
    let (units, folder) = (sweep.list.units.len(), sweep.folder.display());
    if done == 0 {
        bail!(
            "{damaged}none of the {units} units in {folder} is done yet:\n  isochrone sweep run {folder}"
        );
    }
    output::write(&options.output, to_csv(&all)?.as_bytes())?;
    let missing = match units - done {
        0 => String::new(),
        missing => format!("; {missing} are not done yet and not in it"),
    };
    print(&format!(
        "wrote {}: {} evaluations of {done} units{missing}\n{damaged}",
        options.output.display(),
        all.len()
    ))
}
