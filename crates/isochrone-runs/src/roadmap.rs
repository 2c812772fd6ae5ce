//! Logged trajectories and a distance → a roadmap.

pub use crate::mapping::RoadmapSpec;

use crate::fit::Given;
use crate::mapping::build_from;
use crate::progress::Observer;
use anyhow::Result;
use isochrone_files::model::DistanceModel;
use isochrone_files::roadmap::{RoadmapFacts, RoadmapFile};

/// Chooses landmarks in one pass over the data and finds hops in a second.
pub fn build(
    given: &Given,
    model: DistanceModel,
    spec: &RoadmapSpec,
    threads: usize,
    observer: &dyn Observer,
) -> Result<RoadmapFile> {
    let source = given.open()?;
    let (map, seen) = build_from(&source, &|_| true, &model, spec, threads, observer)?;
    Ok(RoadmapFile {
        map,
        facts: RoadmapFacts {
            hops: spec.hops,
            selection: spec.selection,
            seed: spec.seed,
            files: given.files(&source, &seen.first_episodes)?,
            episodes: seen.episodes,
            states: seen.states,
        },
        model,
    })
}
