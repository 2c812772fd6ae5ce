//! `isochrone-experiments bench fit`: does a fit's cost per sample, or its memory, grow with the data?

use super::{cpu_s, peak_memory_mb, reset_peak_memory, tell_json, tell_table};
use crate::cli::BenchFitOptions;
use anyhow::{Context, Result};
use isochrone::rng::Seed;
use isochrone_files::data::synthetic::Walks;
use isochrone_runs::arguments::DataOptions;
use isochrone_runs::cluster::Ranks;
use isochrone_runs::fit::{FitOptions, TargetName, fit_among};
use isochrone_runs::progress::{TerminalObserver, Waiting};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// As many entries as an ant's state has in the common benchmarks.
const WIDTH: usize = 29;
const EPISODE_STEPS: u64 = 1_000;
/// Of bootstrapped targets, in a cube of side 2: met now and then.
const RADIUS: f32 = 1.0;

/// One fit.
#[derive(Debug, Serialize)]
struct Measurement {
    transitions: u64,
    target: TargetName,
    file_mb: f64,
    /// Survey of the data, one pass of learning, and calibration.
    wall_s: f64,
    cpu_s: f64,
    /// CPU time for each transition.
    cpu_us_per_sample: f64,
    peak_mb: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchFitOptions) -> Result<()> {
    let mut results = Vec::new();
    for &transitions in &options.transitions {
        let file = walks(&options.folder, transitions)?;
        for &target in &options.targets {
            results.push(measure(&file, transitions, target, options)?);
        }
    }
    if options.json {
        return tell_json(&results);
    }
    tell_table(
        &results,
        &[
            ("transitions", |m| m.transitions.to_string()),
            ("target", |m| format!("{:?}", m.target).to_lowercase()),
            ("file MB", |m| format!("{:.0}", m.file_mb)),
            ("wall s", |m| format!("{:.1}", m.wall_s)),
            ("CPU s", |m| format!("{:.1}", m.cpu_s)),
            ("CPU µs/sample", |m| format!("{:.3}", m.cpu_us_per_sample)),
            ("peak MB", |m| format!("{:.0}", m.peak_mb)),
        ],
    )
}

/// Random walks in a file that is made once.
fn walks(folder: &Path, transitions: u64) -> Result<PathBuf> {
    let file = folder.join(format!("walks-{transitions}.parquet"));
    if !file.exists() {
        let _waiting = Waiting::new("writing random walks");
        let walks = Walks {
            transitions,
            episode_steps: EPISODE_STEPS,
            width: WIDTH,
            seed: Seed(0),
        };
        walks.write(&file)?;
    }
    Ok(file)
}

fn measure(
    file: &Path,
    transitions: u64,
    target: TargetName,
    options: &BenchFitOptions,
) -> Result<Measurement> {
    let name = file.to_str().context("the folder's name is not text")?;
    let output = options.folder.join("bench.isochrone");
    let asked = FitOptions {
        data: DataOptions {
            files: vec![name.to_owned()],
            output: Some(output),
            ..DataOptions::default()
        },
        target: Some(target),
        radius: (target != TargetName::Window).then_some(RADIUS),
        passes: Some(1),
        ..FitOptions::default()
    };
    reset_peak_memory();
    let (start, cpu_start) = (Instant::now(), cpu_s());
    fit_among(
        &asked,
        &Ranks::Single,
        &TerminalObserver::for_ranks(&Ranks::Single),
    )?;
    let cpu_s = cpu_s() - cpu_start;
    Ok(Measurement {
        transitions,
        target,
        file_mb: std::fs::metadata(file)?.len() as f64 / 1e6,
        wall_s: start.elapsed().as_secs_f64(),
        cpu_s,
        cpu_us_per_sample: 1e6 * cpu_s / transitions as f64,
        peak_mb: peak_memory_mb(),
    })
}
