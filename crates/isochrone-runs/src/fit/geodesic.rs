//! The target `geodesic`: a distance for what is near, a roadmap made with it, and the routes on that as targets.
//!
//! The first two are made before the first checkpoint and not resumed: a fit that is stopped there begins anew. The map
//! stays in the run folder.

use super::learn::{self, Work};
use super::spec::FitSpec;
use super::survey::Survey;
use super::target_name::TargetName;
use crate::data_run::GEODESIC_MAP;
use crate::mapping::build_from;
use anyhow::Result;
use isochrone::roadmap::{Geodesic, connectivity};
use isochrone_files::roadmap::{RoadmapFacts, RoadmapFile};
use isochrone_files::run_folder::RunFolder;
use std::sync::Arc;

/// Below this share of connected landmarks, much of the world has no targets.
const CONNECTED_ENOUGH: f64 = 0.9;

/// Fits what is near and maps the data with it; nothing for other targets.
pub(super) fn build(
    work: Work<'_>,
    spec: &FitSpec,
    survey: &Survey,
) -> Result<Option<Arc<Geodesic>>> {
    if spec.target_name() != TargetName::Geodesic {
        return Ok(None);
    }
    let near = Work {
        folder: None,
        ..work
    };
    let fitted = learn::begin(near, spec.local(survey.facts())?, survey.clone(), None)?;
    let model = fitted.finish(work.source, work.origin.clone())?;
    let roadmap = spec.roadmap();
    let held_out = survey.held_out;
    let keep = |episode| !held_out.contains(episode);
    let (map, seen) = build_from(
        work.source,
        &keep,
        &model,
        &roadmap,
        threads(),
        work.observer,
    )?;
    let connected = connectivity(&map).largest_share;
    if connected < CONNECTED_ENOUGH {
        work.observer.warns(&format!(
            "only {:.0} % of the map's landmarks can be reached from each other: pairs without a route are not learned, and \
             their distances are guesses. Longer hops (hop_steps={}) connect more",
            100.0 * connected,
            2 * spec.hop_steps.unwrap_or(1)
        ));
    }
    let file = RoadmapFile {
        map,
        facts: RoadmapFacts {
            hops: roadmap.hops,
            selection: roadmap.selection,
            seed: roadmap.seed,
            files: model.about.training.files.clone(),
            episodes: seen.episodes,
            states: seen.states,
        },
        model,
    };
    if let Some(folder) = work.folder {
        file.write(&folder.file(GEODESIC_MAP))?;
    }
    Ok(Some(Arc::new(Geodesic::new(file.map, threads()))))
}

/// The map of a fit that is resumed; nothing for other targets.
pub(super) fn read(folder: &RunFolder, spec: &FitSpec) -> Result<Option<Arc<Geodesic>>> {
    if spec.target_name() != TargetName::Geodesic {
        return Ok(None);
    }
    let file = RoadmapFile::read(&folder.file(GEODESIC_MAP))?;
    Ok(Some(Arc::new(Geodesic::new(file.map, threads()))))
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
