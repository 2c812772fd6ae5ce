//! Everything a fit needs to go on, in one file.

use super::entries::Range;
use super::leaks::ClockTest;
use super::spec::FitSpec;
use super::survey::Survey;
use super::window::Lengths;
use crate::output;
use anyhow::{Context, Result, anyhow};
use isochrone::embedding::{DistanceTrainer, Normaliser};
use isochrone::nn::NamedArray;
use isochrone::pairs::Reservoir;
use isochrone_files::held_out::HeldOut;
use isochrone_files::model::{Contents, Kind, RANGE_HIGH, RANGE_LOW};
use isochrone_files::run_folder::{CHECKPOINT, RunFolder, read_checkpoint};
use isochrone_files::settings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// The next chunk to learn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) pass: u64,
    pub(super) chunk: u64,
}

/// What the header says beside the arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// The settled spec as TOML: its numbers come back to the bit.
    spec: String,
    position: Position,
    metrics_bytes: u64,
    /// Whether this pass has had any pair so far.
    pairs_in_pass: u64,
    width: usize,
    episodes: u64,
    transitions: u64,
    held_out: HeldOut,
    held_out_episodes: u64,
    held_out_rows: u64,
    first_episodes: Vec<u64>,
}

/// A run as it stood.
pub(super) struct Checkpoint {
    pub(super) spec: FitSpec,
    pub(super) survey: Survey,
    pub(super) arrays: Vec<NamedArray>,
    pub(super) position: Position,
    pub(super) pairs_in_pass: u64,
    pub(super) metrics_bytes: u64,
}

/// Writes the checkpoint of a run.
pub(super) fn write(
    folder: &RunFolder,
    spec: &FitSpec,
    survey: &Survey,
    trainer: &DistanceTrainer,
    (position, pairs_in_pass): (Position, u64),
    metrics_bytes: u64,
) -> Result<()> {
    let mut arrays = trainer.save();
    let row = |name: &str, values: &[f32], width: usize| {
        NamedArray::f32(
            name.to_owned(),
            [values.len() / width.max(1), width],
            values.to_vec(),
        )
    };
    let normaliser = &survey.normaliser;
    arrays.push(row("normaliser.mean", normaliser.mean(), survey.width));
    arrays.push(row("normaliser.spread", normaliser.std(), survey.width));
    let ranges = &survey.ranges;
    let lows: Vec<f32> = ranges.iter().map(|range| range.low).collect();
    let highs: Vec<f32> = ranges.iter().map(|range| range.high).collect();
    arrays.push(row(RANGE_LOW, &lows, survey.width));
    arrays.push(row(RANGE_HIGH, &highs, survey.width));
    if let Some(goals) = trainer.goals() {
        arrays.push(row("goals", goals.states(), survey.width));
    }
    arrays.push(NamedArray::number("median_step", survey.median_step));
    let contents = Contents {
        kind: Kind::Fit,
        about: About {
            spec: settings::write(spec)?,
            position,
            metrics_bytes,
            pairs_in_pass,
            width: survey.width,
            episodes: survey.episodes,
            transitions: survey.transitions,
            held_out: survey.held_out,
            held_out_episodes: survey.held_out_episodes,
            held_out_rows: survey.held_out_rows,
            first_episodes: survey.first_episodes.clone(),
        },
        arrays,
    };
    let bytes = contents.to_bytes().context("cannot write a checkpoint")?;
    output::write(&folder.file(CHECKPOINT), &bytes)
}

/// Reads it back; `None` if there is none yet.
pub(super) fn read(folder: &RunFolder) -> Result<Option<Checkpoint>> {
    let bytes = read_checkpoint(folder.path())?;
    let file = folder.file(CHECKPOINT);
    bytes.map(|bytes| of_bytes(&bytes, &file)).transpose()
}

/// What such bytes say; the file is for the errors.
pub(super) fn of_bytes(bytes: &[u8], file: &Path) -> Result<Checkpoint> {
    let mut contents = Contents::<About>::of_bytes(bytes, file, Kind::Fit)?;
    let median_step = contents.take_number("median_step", file)?;
    let Contents {
        about, mut arrays, ..
    } = contents;
    let broken = |what: &str| anyhow!("{} has no usable {what}", file.display());
    let mut take = |name: &str| {
        let at = arrays.iter().position(|a| a.name == name)?;
        arrays.swap_remove(at).as_f32().map(<[f32]>::to_vec)
    };
    let mean = take("normaliser.mean").ok_or_else(|| broken("normaliser"))?;
    let spread = take("normaliser.spread").ok_or_else(|| broken("normaliser"))?;
    // Files from before these were kept have none.
    let lows = take(RANGE_LOW).unwrap_or_default();
    let highs = take(RANGE_HIGH).unwrap_or_default();
    let ranges = lows.into_iter().zip(highs);
    let goals = take("goals");
    let goals = goals.map(|states| {
        let full = Reservoir::full(states, about.width);
        full.ok_or_else(|| broken("goals"))
    });
    let spec: FitSpec = toml::from_str(&about.spec).context("in the checkpoint's spec")?;
    let survey = Survey {
        width: about.width,
        episodes: about.episodes,
        transitions: about.transitions,
        held_out: about.held_out,
        held_out_episodes: about.held_out_episodes,
        copies: BTreeSet::new(),
        held_out_rows: about.held_out_rows,
        first_episodes: about.first_episodes,
        median_step,
        normaliser: Normaliser::new(mean, spread).ok_or_else(|| broken("normaliser"))?,
        goals: goals.transpose()?,
        ranges: ranges.map(|(low, high)| Range { low, high }).collect(),
        all_ranges: Vec::new(),
        lengths: Lengths::default(),
        clock_test: ClockTest::default(),
        sample: Vec::new(),
        most_window_steps: 1,
        image: None,
    };
    Ok(Checkpoint {
        spec,
        survey,
        arrays,
        position: about.position,
        pairs_in_pass: about.pairs_in_pass,
        metrics_bytes: about.metrics_bytes,
    })
}
