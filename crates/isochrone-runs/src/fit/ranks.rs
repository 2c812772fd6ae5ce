//! A fit on several ranks.
//!
//! Every rank reads and shuffles the same data; ranks divide the sampling of pairs, by streams, and the gradients, by
//! slices of a batch. One process computes the same sums in the same order as any number of ranks.

use super::checkpoint;
use super::folder::Manifest;
use super::learn::{self, Work};
use super::spec::FitSpec;
use super::target_name::TargetName;
use crate::cluster::Ranks;
use crate::progress::RankObserver;
use anyhow::{Result, bail};
use isochrone::comm::Shards;
use isochrone::embedding::{Part, SLICE_PAIRS};
use isochrone::pairs::Episodes;
use isochrone_files::data::Batch;
use isochrone_files::run_folder::{RunFolder, read_checkpoint};
use isochrone_files::settings;
use std::path::Path;

/// Checks that these ranks can divide streams and slices evenly.
pub(super) fn check(spec: &FitSpec, ranks: &Ranks) -> Result<()> {
    let (batch, ranks) = (spec.batch, ranks.size());
    if ranks == 1 {
        return Ok(());
    }
    if spec.target_name() == TargetName::Geodesic {
        bail!("the target `geodesic` is fitted by one process; {ranks} were started");
    }
    if !spec.streams.is_multiple_of(ranks) {
        bail!(
            "{ranks} ranks cannot share {} streams evenly; use a number of ranks that divides it",
            spec.streams
        );
    }
    let slices = batch.div_ceil(SLICE_PAIRS);
    if slices.is_multiple_of(ranks) {
        return Ok(());
    }
    let each = SLICE_PAIRS * ranks;
    let least = batch.div_ceil(each) * each;
    bail!(
        "{ranks} ranks cannot share batches of {batch} pairs: that takes slices of {SLICE_PAIRS}, equally many for each. \
         A fit with batch={least} can be shared, from its beginning"
    );
}

/// This rank's streams of a chunk.
pub(super) fn parts<'a>(batch: &'a Batch, spec: &FitSpec, ranks: &Ranks) -> Result<Vec<Part<'a>>> {
    let streams = spec.streams as u64;
    let mine = Shards::new(spec.streams, ranks.size())?.share_of(ranks.comm())?;
    let all = Episodes::new(&batch.states, batch.width, batch.ranges.clone())?;
    let part = |stream: usize| Part {
        number: stream as u64,
        episodes: all.filtered(|at| batch.numbers[at] % streams == stream as u64),
    };
    Ok(mine.map(part).collect())
}

/// Tells the other ranks what is fitted to what, and how far it is.
pub(super) fn lead(
    ranks: &Ranks,
    folder: &RunFolder,
    manifest: &Manifest,
    spec: &FitSpec,
) -> Result<()> {
    if ranks.size() == 1 {
        return Ok(());
    }
    ranks.hear(serde_json::to_string(manifest)?.as_bytes())?;
    ranks.hear(settings::write(spec)?.as_bytes())?;
    ranks.hear(&read_checkpoint(folder.path())?.unwrap_or_default())?;
    Ok(())
}

/// Does a share of what the leader says; reads the data, writes nothing.
pub fn follow(ranks: &Ranks) -> Result<()> {
    let manifest: Manifest = serde_json::from_slice(&ranks.hear(&[])?)?;
    let spec: FitSpec = toml::from_str(&String::from_utf8(ranks.hear(&[])?)?)?;
    let bytes = ranks.hear(&[])?;
    let source = &manifest.open()?;
    let work = Work {
        folder: None,
        source,
        origin: &manifest.origin(),
        ranks,
        observer: &RankObserver::new(ranks),
    };
    if bytes.is_empty() {
        super::learn_anew(work, &spec)?;
    } else {
        let checkpoint = checkpoint::of_bytes(&bytes, Path::new("what rank 0 sent"))?;
        learn::go_on(work, checkpoint, None)?;
    }
    Ok(())
}
