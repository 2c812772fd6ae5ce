//! `isochrone assess MAP.roadmap`: does the map hang together, and are routes as long as trajectories were?

use crate::cli::AssessOptions;
use anyhow::{Result, bail};
use isochrone::rng::Seed;
use isochrone::roadmap::{
    Connectivity, HopStatistics, RouteBand, compare_routes, connectivity, hop_statistics,
};
use isochrone_files::roadmap::{ENDING, RoadmapFile};
use isochrone_runs::calibration::ObservedEpisodes;
use isochrone_runs::fit::Given;
use isochrone_runs::output::{print, table};
use isochrone_runs::progress::{NoObserver, Waiting};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Routes per band of lags.
const PAIRS_PER_BAND: usize = 500;

/// Everything that was found.
#[derive(Serialize)]
struct Report {
    landmarks: usize,
    connectivity: Connectivity,
    hops: HopStatistics,
    /// By steps in the trajectory; none without data files.
    routes: Vec<RouteBand>,
}

pub(super) fn is_map(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

pub(super) fn run(options: &AssessOptions) -> Result<()> {
    if options.maze.is_some() || options.out.is_some() || !options.to.is_empty() {
        bail!(
            "--maze, --out and --to are for distances; a roadmap is assessed by itself and by data files"
        );
    }
    let file = RoadmapFile::read(&options.model)?;
    let waiting = Waiting::new("assessing");
    let report = Report {
        landmarks: file.map.len(),
        connectivity: connectivity(&file.map),
        hops: hop_statistics(&file.map),
        routes: routes(&file, &options.files)?,
    };
    drop(waiting);
    if options.json {
        return print(&(serde_json::to_string_pretty(&report)? + "\n"));
    }
    print(&text(&report)?)
}

fn routes(file: &RoadmapFile, files: &[String]) -> Result<Vec<RouteBand>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let source = Given::Files(files.to_vec(), file.model.about.states.clone()).open()?;
    file.model.check_width(&source)?;
    let mut observed = ObservedEpisodes::new(source.spec().len());
    observed.gather(&source, |_| true, &NoObserver)?;
    let episodes = observed.episodes()?;
    let seed = Seed(file.facts.seed);
    Ok(compare_routes(&file.map, &episodes, PAIRS_PER_BAND, seed)?)
}

fn text(report: &Report) -> Result<String> {
    let Report {
        landmarks,
        connectivity: connected,
        hops,
        routes,
    } = report;
    let mut text = format!(
        "{landmarks} landmarks: {:.1} % can be reached from each other, {} strongly connected components, {} without a hop\n",
        100.0 * connected.largest_share,
        connected.components,
        connected.isolated
    );
    writeln!(
        text,
        "{} hops: median {:.1} steps, largest {:.1}; {:.1} % were made once; at most {} from one landmark",
        hops.hops,
        hops.median_steps,
        hops.largest_steps,
        100.0 * hops.seen_once as f64 / hops.hops.max(1) as f64,
        hops.most_from_one
    )?;
    writeln!(
        text,
        "largest gap: {:.1} steps from a landmark to the nearest that a hop leads to",
        hops.largest_gap_steps
    )?;
    if routes.is_empty() {
        return Ok(text);
    }
    text += "\nroutes between states of one trajectory, against the steps between them in it:\n";
    let columns = [
        "steps apart",
        "pairs",
        "no route",
        "observed",
        "route",
        "route ÷ observed",
    ];
    let rows: Vec<Vec<String>> = routes.iter().map(row).collect();
    text += &table(&columns, &rows);
    Ok(text)
}

fn row(band: &RouteBand) -> Vec<String> {
    let RouteBand {
        from_steps,
        to_steps,
        pairs,
        unconnected,
        mean_observed_steps: observed,
        mean_route_steps: route,
    } = band;
    vec![
        format!("{from_steps}–{to_steps}"),
        pairs.to_string(),
        format!(
            "{:.1} %",
            100.0 * *unconnected as f64 / (*pairs).max(1) as f64
        ),
        format!("{observed:.1}"),
        format!("{route:.1}"),
        format!("{:.2}", route / observed.max(f64::MIN_POSITIVE)),
    ]
}
