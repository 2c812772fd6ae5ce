//! `isochrone-experiments bench roadmap`: what a map of many states and landmarks costs, and a route on it.

use super::{cpu_s, peak_memory_mb, reset_peak_memory, tell_json, tell_table};
use crate::cli::BenchRoadmapOptions;
use anyhow::{Context, Result};
use isochrone::rng::{Purpose, Seed};
use isochrone::roadmap::{HopRule, Roadmap, connectivity};
use isochrone_files::fingerprint;
use isochrone_files::path_kind;
use isochrone_files::roadmap::RoadmapFile;
use isochrone_runs::cluster::Ranks;
use isochrone_runs::fit::Given;
use isochrone_runs::progress::TerminalObserver;
use isochrone_runs::roadmap::{RoadmapSpec, build};
use rand::RngExt;
use serde::Serialize;
use std::hint::black_box;
use std::time::Instant;

/// One map.
#[derive(Debug, Serialize)]
struct Measurement {
    states: u64,
    landmarks: usize,
    threads: u16,
    hops: usize,
    connected_share: f64,
    wall_s: f64,
    cpu_s: f64,
    /// CPU time for each logged state.
    cpu_us_per_state: f64,
    peak_mb: f64,
    file_mb: f64,
    /// The first digits of the SHA-256 of the file.
    fingerprint: String,
    /// Of routes between random landmarks.
    route_median_ms: f64,
    route_worst_ms: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchRoadmapOptions) -> Result<()> {
    let mut results = Vec::new();
    for &landmarks in &options.landmarks {
        for &threads in &options.threads {
            results.push(measure(options, landmarks as usize, threads)?);
        }
    }
    if options.json {
        return tell_json(&results);
    }
    tell_table(
        &results,
        &[
            ("states", |m| m.states.to_string()),
            ("landmarks", |m| m.landmarks.to_string()),
            ("threads", |m| m.threads.to_string()),
            ("hops", |m| m.hops.to_string()),
            ("connected", |m| format!("{:.4}", m.connected_share)),
            ("wall s", |m| format!("{:.1}", m.wall_s)),
            ("CPU s", |m| format!("{:.1}", m.cpu_s)),
            ("CPU µs/state", |m| format!("{:.2}", m.cpu_us_per_state)),
            ("peak MB", |m| format!("{:.0}", m.peak_mb)),
            ("file MB", |m| format!("{:.0}", m.file_mb)),
            ("fingerprint", |m| m.fingerprint.clone()),
            ("route ms", |m| format!("{:.2}", m.route_median_ms)),
            ("worst ms", |m| format!("{:.2}", m.route_worst_ms)),
        ],
    )
}

fn measure(options: &BenchRoadmapOptions, landmarks: usize, threads: u16) -> Result<Measurement> {
    let model = path_kind::model(&options.model)?;
    let given = Given::Files(options.files.clone(), model.about.states.clone());
    let spec = RoadmapSpec {
        landmarks,
        hops: HopRule::Witnessed {
            steps: options.hop_steps as usize,
        },
        ..RoadmapSpec::default()
    };
    reset_peak_memory();
    let (start, cpu_start) = (Instant::now(), cpu_s());
    let observer = TerminalObserver::for_ranks(&Ranks::Single);
    let RoadmapFile { map, facts, model } =
        build(&given, model, &spec, usize::from(threads), &observer)?;
    let (wall_s, cpu_s, peak_mb) = (
        start.elapsed().as_secs_f64(),
        cpu_s() - cpu_start,
        peak_memory_mb(),
    );
    drop(observer);
    let routes = route_ms(&map, options.routes as usize);
    let states = facts.states;
    let (hops, connected_share) = (map.hops().len(), connectivity(&map).largest_share);
    let bytes = RoadmapFile { map, facts, model }.to_bytes()?;
    Ok(Measurement {
        states,
        landmarks,
        threads,
        hops,
        connected_share,
        wall_s,
        cpu_s,
        cpu_us_per_state: 1e6 * cpu_s / states as f64,
        peak_mb,
        file_mb: bytes.len() as f64 / 1e6,
        fingerprint: fingerprint::of_bytes(&bytes),
        route_median_ms: routes[routes.len() / 2],
        route_worst_ms: *routes.last().context("no route was asked for")?,
    })
}

/// Milliseconds of routes between random landmarks, in order. One that does not exist costs as much as the longest.
fn route_ms(map: &Roadmap, routes: usize) -> Vec<f64> {
    let mut rng = Seed(0).stream(Purpose::Assess, 0, 0);
    let mut measured = Vec::with_capacity(routes);
    for _ in 0..routes {
        let (from, to) = (
            rng.random_range(0..map.len()),
            rng.random_range(0..map.len()),
        );
        let start = Instant::now();
        black_box(map.route(map.landmark(from), map.landmark(to)).ok());
        measured.push(1e3 * start.elapsed().as_secs_f64());
    }
    measured.sort_by(f64::total_cmp);
    measured
}
