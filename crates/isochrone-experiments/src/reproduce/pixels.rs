//! Distances between images of Maze Ant: what the figures on images have in common.
//!
//! Every method learns from the same random rollouts and is judged by the same question: does it rank places as one would walk
//! to them, whatever the ant's posture?

mod frames;
mod method;
mod quality;
mod trainer;

pub(super) use method::{Method, Setting};
pub(super) use quality::{BANDS_M, Quality, REFERENCES, maze_floor};
pub(crate) use trainer::{BenchmarkFrames, PixelTrainer};

use super::{Effort, Results, Size};
use anyhow::{Context, Result};
use frames::Frames;
use isochrone::comm::Single;
use isochrone::distance::Learned;
use isochrone::embedding::{DistanceTrainer, Part};
use isochrone::rng::Seed;
use isochrone_files::fingerprint;
use isochrone_runs::output::write;
use isochrone_runs::progress::Waiting;
use std::fs;
use std::path::Path;

/// What the measures of a case are called in results.csv.
pub(super) const RANKS: &str = "ranks";
pub(super) const WORST_RANKS: &str = "worst_ranks";
pub(super) const NEAR_RANKS: &str = "near_ranks";
pub(super) const POSTURE: &str = "posture_share";

/// Learns and judges with every setting and every seed. What is done is kept in the folder of runs and not done again.
pub(super) fn judge(
    effort: &Effort,
    settings: &[Setting],
    waiting: &Waiting,
) -> Result<(Results, Vec<Vec<Quality>>)> {
    effort.run_seeds(settings, waiting, |setting, seed, results| {
        let quality = kept(&effort.runs, setting, seed)?;
        let case = setting.method.name();
        let measures = [
            (RANKS, quality.mean_ranks()),
            (WORST_RANKS, quality.worst_ranks()),
            (NEAR_RANKS, quality.mean_near_ranks()),
            (POSTURE, quality.posture_share),
        ];
        results.push_all(setting, &case, seed, measures);
        Ok(quality)
    })
}

/// The quality of a learned distance, read if it was judged before.
fn kept(runs: &Path, setting: &Setting, seed: u64) -> Result<Quality> {
    let text = serde_json::to_string(setting).context("cannot describe a setting")?;
    let name = format!("pixels-{}-seed{seed}.json", fingerprint::of_text(&text));
    let file = runs.join(name);
    if !file.exists() {
        let frames = Frames::gather(setting, seed, Some(runs))?;
        let quality = Quality::of(&learn(setting, &frames, seed)?, &frames, seed)?;
        let text = serde_json::to_string(&quality).context("cannot write what was judged")?;
        write(&file, (text + "\n").as_bytes())?;
    }
    // Always as it is read back: text may round the last digit.
    let of = || format!("cannot read {}; delete it to learn again", file.display());
    let text = fs::read_to_string(&file).with_context(of)?;
    serde_json::from_str(&text).with_context(of)
}

/// Learns for a number of updates; an epoch is a part of the episodes, so that samples of images need little memory.
fn learn(setting: &Setting, frames: &Frames, seed: u64) -> Result<Learned> {
    let spec = setting.spec(frames.width());
    let mut trainer = DistanceTrainer::new(spec, Seed(seed))?;
    if let Some(normaliser) = frames.normaliser() {
        trainer.set_normaliser(normaliser)?;
    }
    let parts = frames.parts(setting.chunk_frames)?;
    let mut epoch = 0;
    while trainer.step() < setting.updates {
        let part = Part::whole(&parts[epoch as usize % parts.len()]);
        trainer.epoch(&part, epoch, &Single)?;
        epoch += 1;
    }
    Ok(trainer.distance()?)
}

/// A paragraph on the size for the report.
pub(super) fn caveat(size: Size) -> Option<String> {
    let text = "**Quick.** A few images and a few updates: numbers mean nothing.";
    (size == Size::Quick).then(|| text.to_owned())
}
