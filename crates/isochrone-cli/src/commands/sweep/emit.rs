//! `isochrone sweep emit`: a script that starts the shares of a sweep.

use super::units::Sweep;
use crate::cli::{Scheduler, SweepEmitOptions};
use anyhow::Result;
use isochrone_runs::output::print;
use std::path::Path;

/// The default largest number of tasks of a Slurm array job (MaxArraySize − 1).
const SLURM_ARRAY: usize = 1_000;

/// Runs the command.
pub(super) fn run(options: &SweepEmitOptions) -> Result<()> {
    let sweep = Sweep::open(&options.sweep)?;
    let units = sweep.list.units.len();
    let folder = std::path::absolute(&sweep.folder).unwrap_or(sweep.folder);
    let most = match options.scheduler {
        Scheduler::Slurm => SLURM_ARRAY,
        Scheduler::Local => units,
    };
    let shares = options.shards.map_or(most, |n| n as usize).min(units);
    print(&match options.scheduler {
        Scheduler::Slurm => slurm(&folder, shares),
        Scheduler::Local => local(&folder, shares),
    })
}

/// One array job. Killed or requeued tasks resume.
fn slurm(folder: &Path, shares: usize) -> String {
    let (last, folder) = (shares - 1, quoted(folder));
    format!(
        "#!/bin/bash
#SBATCH --job-name=isochrone-sweep
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task=1
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@120
# Two minutes before its time is over a task is asked to stop; sbatch this file again to resume.
isochrone sweep run {folder} --shard \"$SLURM_ARRAY_TASK_ID/{shares}\" --threads \"$SLURM_CPUS_PER_TASK\" &
trap 'kill -TERM $!' TERM
wait $!
status=$?
# A trap ends the wait before the unit has ended.
if [ $status -gt 128 ]; then wait $!; status=$?; fi
exit $status
"
    )
}

/// As many at a time as there are processors.
fn local(folder: &Path, shares: usize) -> String {
    let (last, folder) = (shares - 1, quoted(folder));
    format!(
        "#!/bin/bash
# As many units at a time as there are processors; run this file again to resume.
seq 0 {last} | xargs -P \"$(nproc)\" -n 1 bash -c 'exec isochrone sweep run \"$0\" --shard \"$1/{shares}\" --threads 1' {folder}
"
    )
}

/// A path as a word of the shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
