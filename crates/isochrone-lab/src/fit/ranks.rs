//! A fit that several ranks share.
//!
//! Every rank reads the data and shuffles them alike; what is divided is drawing pairs, by streams, and gradients, by
//! slices of a batch. That needs batches that are worth dividing, so it is the size of a batch that decides: from 1,024
//! pairs on, one process computes the same sums in the same order as any number of ranks.

use super::checkpoint;
use super::folder::Manifest;
use super::learn::{self, Work};
use super::spec::FitSpec;
use crate::cluster::Crew;
use crate::data::Batch;
use crate::progress::ForCrew;
use crate::run_folder::{RunFolder, read_checkpoint};
use crate::settings;
use anyhow::{Result, bail};
use isochrone::comm::Shards;
use isochrone::embedding::{Part, SLICE_PAIRS};
use isochrone::pairs::Episodes;
use std::path::Path;

/// Pairs of a batch from which on it is divided.
const LEAST_BATCH: usize = 1_024;

/// Are batches of this fit divided?
pub(super) const fn is_shared(spec: &FitSpec) -> bool {
    spec.batch >= LEAST_BATCH
}

/// Refuses what these ranks cannot divide evenly.
pub(super) fn check(spec: &FitSpec, crew: &Crew) -> Result<()> {
    let (batch, ranks) = (spec.batch, crew.size());
    if ranks == 1 {
        return Ok(());
    }
    if !spec.streams.is_multiple_of(ranks) {
        bail!(
            "{ranks} ranks cannot share {} streams evenly; use a number of ranks that divides it",
            spec.streams
        );
    }
    let slices = batch.div_ceil(SLICE_PAIRS);
    if is_shared(spec) && slices.is_multiple_of(ranks) {
        return Ok(());
    }
    let each = SLICE_PAIRS * ranks;
    let least = LEAST_BATCH.max(batch).div_ceil(each) * each;
    bail!(
        "{ranks} ranks cannot share batches of {batch} pairs: that takes slices of {SLICE_PAIRS}, equally many for each, and \
         {LEAST_BATCH} pairs at least. A fit with batch={least} can be shared, from its beginning"
    );
}

/// This rank's streams of a chunk.
pub(super) fn parts<'a>(batch: &'a Batch, spec: &FitSpec, crew: &Crew) -> Result<Vec<Part<'a>>> {
    let streams = spec.streams as u64;
    let mine = Shards::new(spec.streams, crew.size())?.share_of(crew.comm())?;
    let part = |stream: usize| {
        let pieces = batch.ranges.iter().zip(&batch.numbers);
        let own = pieces.filter(|(_, number)| *number % streams == stream as u64);
        let ranges = own.map(|(range, _)| range.clone()).collect();
        let episodes = Episodes::new(&batch.states, batch.width, ranges)?;
        Ok(Part {
            number: stream as u64,
            episodes,
        })
    };
    mine.map(part).collect()
}

/// Tells the other ranks what is fitted to what, and how far it is.
pub(super) fn lead(
    crew: &Crew,
    folder: &RunFolder,
    manifest: &Manifest,
    spec: &FitSpec,
) -> Result<()> {
    if crew.size() == 1 {
        return Ok(());
    }
    crew.hear(serde_json::to_string(manifest)?.as_bytes())?;
    crew.hear(settings::write(spec)?.as_bytes())?;
    crew.hear(&read_checkpoint(folder.path())?.unwrap_or_default())?;
    Ok(())
}

/// Does a share of what the leader says; reads the data, writes nothing.
pub(super) fn follow(crew: &Crew) -> Result<()> {
    let manifest: Manifest = serde_json::from_slice(&crew.hear(&[])?)?;
    let spec: FitSpec = toml::from_str(&String::from_utf8(crew.hear(&[])?)?)?;
    let bytes = crew.hear(&[])?;
    let source = &manifest.open()?;
    let work = Work {
        folder: None,
        source,
        crew,
        onlooker: &ForCrew::new(crew),
    };
    if bytes.is_empty() {
        super::learn_anew(work, &spec)?;
    } else {
        let checkpoint = checkpoint::of_bytes(&bytes, Path::new("what rank 0 sent"))?;
        learn::go_on(work, checkpoint)?;
    }
    Ok(())
}
