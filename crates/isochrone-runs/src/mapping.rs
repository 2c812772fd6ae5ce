//! Landmarks and hops of a data source.

use crate::progress::Observer;
use anyhow::{Result, bail};
use isochrone::pairs::{Episodes, Target};
use isochrone::rng::Seed;
use isochrone::roadmap::{HopRule, Landmarks, Roadmap, Selection};
use isochrone_files::data::{DataError, DataSource, Piece};
use isochrone_files::model::DistanceModel;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::ops::Range;

/// Rows of a piece: where a longer episode is cut, the hops across the cut are lost.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");
/// Rows in memory at a time.
const BATCH_ROWS: usize = 1_000_000;
/// A model whose window is longer than so many hops blurs what is nearby.
const MOST_HOPS_IN_WINDOW: usize = 4;

/// What a roadmap is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoadmapSpec {
    /// How many landmarks.
    pub landmarks: usize,
    /// How they are chosen.
    pub selection: Selection,
    /// What counts as a hop.
    pub hops: HopRule,
    /// The root of the choice.
    pub seed: u64,
}

impl Default for RoadmapSpec {
    fn default() -> Self {
        Self {
            landmarks: 1_000,
            selection: Selection::Random,
            hops: HopRule::Witnessed { steps: 12 },
            seed: 0,
        }
    }
}

impl RoadmapSpec {
    fn check(&self) -> Result<()> {
        if self.landmarks == 0 {
            bail!("landmarks is 0; it must be at least 1");
        }
        Ok(())
    }
}

/// Chooses landmarks in one pass over the episodes that `keep` accepts and finds hops in a second.
pub(crate) fn build_from(
    source: &DataSource,
    keep: &dyn Fn(u64) -> bool,
    model: &DistanceModel,
    spec: &RoadmapSpec,
    threads: usize,
    observer: &dyn Observer,
) -> Result<(Roadmap, Seen)> {
    spec.check()?;
    model.check_width(source)?;
    warn_of_window(model, spec, observer);
    let (landmarks, seen) = landmarks(source, keep, model, spec, observer)?;
    let mut map = Roadmap::new(model.distance.clone(), landmarks, spec.hops)?;
    observer.begins("finding hops", seen.states);
    let is_kept = |piece: &Result<Piece, DataError>| {
        let episode = piece.as_ref().map(|piece| piece.episode);
        episode.map_or(true, keep)
    };
    let mut pieces = source.pieces(PIECE_ROWS).filter(is_kept);
    while let Some(batch) = Batch::of(&mut pieces)? {
        observer.check()?;
        let rows = batch.rows() as u64;
        let episodes = Episodes::new(&batch.states, model.distance.inputs(), batch.ranges)?;
        map.witness(&episodes, threads)?;
        observer.advances(rows, "");
    }
    Ok((map, seen))
}

/// Maps want distances that are sharp nearby, which short windows give.
fn warn_of_window(model: &DistanceModel, spec: &RoadmapSpec, observer: &dyn Observer) {
    let HopRule::Witnessed { steps: hop } = spec.hops else {
        return;
    };
    if let Some(Target::Window { steps } | Target::SeparatedWindow { steps, .. }) = model.target()
        && steps > MOST_HOPS_IN_WINDOW.saturating_mul(hop)
    {
        observer.warns(&format!(
            "the distance was learned from windows of {steps} steps, more than {MOST_HOPS_IN_WINDOW} hops of {hop}: it may be \
             too coarse to tell neighbours apart. Fit one for maps with --window {}",
            2 * hop
        ));
    }
}

/// What was gone through.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) episodes: u64,
    pub(crate) states: u64,
    pub(crate) first_episodes: Vec<u64>,
}

fn landmarks(
    source: &DataSource,
    keep: &dyn Fn(u64) -> bool,
    model: &DistanceModel,
    spec: &RoadmapSpec,
    observer: &dyn Observer,
) -> Result<(Vec<f32>, Seen)> {
    let width = model.distance.inputs();
    let mut landmarks = Landmarks::new(spec.landmarks, spec.selection, width, Seed(spec.seed));
    let mut seen = Seen::default();
    for piece in source.pieces(PIECE_ROWS) {
        let piece = piece?;
        observer.check()?;
        if seen.first_episodes.len() <= piece.file as usize {
            seen.first_episodes.push(piece.episode);
        }
        if !keep(piece.episode) {
            continue;
        }
        seen.episodes = piece.episode + 1;
        seen.states += piece.states.len() as u64;
        let states = piece.states.numbers();
        states
            .chunks_exact(width)
            .for_each(|state| landmarks.add(state));
    }
    Ok((landmarks.choose(&model.distance)?, seen))
}

/// Episodes that are in memory together.
#[derive(Default)]
struct Batch {
    states: Vec<f32>,
    ranges: Vec<Range<usize>>,
}

impl Batch {
    fn rows(&self) -> usize {
        self.ranges.last().map_or(0, |last| last.end)
    }

    /// As many pieces as may be in memory; none at the end of the data.
    fn of(pieces: &mut impl Iterator<Item = Result<Piece, DataError>>) -> Result<Option<Self>> {
        let mut batch = Self::default();
        while batch.rows() < BATCH_ROWS
            && let Some(piece) = pieces.next()
        {
            let piece = piece?;
            batch.states.extend_from_slice(&piece.states.numbers());
            let first = batch.rows();
            batch.ranges.push(first..first + piece.states.len());
        }
        Ok((!batch.ranges.is_empty()).then_some(batch))
    }
}
