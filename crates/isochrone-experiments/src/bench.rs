//! `isochrone-experiments bench`: what this machine needs.

mod bare;
mod burn_loop;
mod clips;
mod comm;
mod distance;
mod endurance;
mod exact;
mod fit;
mod images;
mod products;
mod replay;
mod roadmap;
mod rollout;
mod sac;
mod train;
mod turns;
mod update;
mod waypoints;

use crate::cli::{BenchOptions, Benchmark, WorldCases};
use anyhow::Result;
use isochrone_mujoco::WorldName;
use isochrone_runs::output::{print, table};
use isochrone_runs::progress::Waiting;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::fs;

/// Runs the command.
pub(crate) fn run(options: &BenchOptions) -> Result<()> {
    match &options.what {
        Benchmark::Exact(options) => exact::run(options),
        Benchmark::Rollout(options) => rollout::run(options),
        Benchmark::Train(options) => train::run(options),
        Benchmark::Waypoints(options) => waypoints::run(options),
        Benchmark::Distance(options) => distance::run(options),
        Benchmark::Images(options) => images::run(options),
        Benchmark::Clips(options) => clips::run(options),
        Benchmark::Update(options) => update::run(options),
        Benchmark::Sac(options) => sac::run(options),
        Benchmark::Replay(options) => replay::run(options),
        Benchmark::Fit(options) => fit::run(options),
        Benchmark::Roadmap(options) => roadmap::run(options),
        Benchmark::Comm(options) => comm::run(options),
        Benchmark::Endurance(options) => endurance::run(options),
    }
}

/// Measures every case.
fn each_case<M>(
    cases: &WorldCases,
    mut measure: impl FnMut(WorldName, u16) -> Result<M>,
) -> Result<Vec<M>> {
    let waiting = Waiting::new("building");
    let mut results = Vec::new();
    for &world in &cases.worlds {
        for &threads in &cases.threads {
            waiting.now(&format!("{world}, threads: {threads}"));
            results.push(measure(world, threads)?);
        }
    }
    Ok(results)
}

/// The results for programs.
fn tell_json(results: &impl Serialize) -> Result<()> {
    print(&(serde_json::to_string_pretty(results)? + "\n"))
}

/// A column of a table: its heading, and the cell of a result.
type Column<R> = (&'static str, fn(&R) -> String);

/// The results for people, a line each.
fn tell_table<R>(results: &[R], columns: &[Column<R>]) -> Result<()> {
    let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
    let row = |result| columns.iter().map(|(_, cell)| cell(result)).collect();
    let rows: Vec<Vec<String>> = results.iter().map(row).collect();
    print(&table(&headings, &rows))
}

/// CPU time of this process.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Forgets the peak so far, where the system can (Linux); elsewhere the peak is the whole run's.
fn reset_peak_memory() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// The largest resident size since the last reset; NaN (JSON null) where the system does not tell.
fn peak_memory_mb() -> f64 {
    memory_mb("VmHWM:")
}

/// One line of the system's account of this process.
fn memory_mb(what: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    let kb = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kb.map_or(f64::NAN, |kb| kb / 1024.0)
}
