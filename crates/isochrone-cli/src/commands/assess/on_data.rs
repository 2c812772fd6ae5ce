//! What trajectories say.

use super::Which;
use super::one_way::OneWay;
use anyhow::Result;
use isochrone::distance::Distance;
use isochrone::evaluate::{
    Calibration, Epsilon, EpsilonRule, Outcome, Triangle, Triples, calibrate,
    pairs_between_episodes, spearman, suggest_epsilon, triangle,
};
use isochrone::rng::{Seed, Stream};
use isochrone_files::model::{AtZero, DistanceModel, WithinEpisodes, verdict};
use isochrone_runs::calibration::{ObservedEpisodes, calibrated, observations};
use isochrone_runs::progress::Observer;
use rand::RngExt;
use serde::Serialize;

/// Pairs, steps and triples drawn.
const PAIRS: usize = 20_000;
const TRIPLES: usize = 100_000;
/// States that triples are made of.
const TRIANGLE_STATES: usize = 2_000;
const BINS: usize = 10;
/// The assessment has its own seed: it must not depend on the seed of the training.
const SEED: Seed = Seed(0);

/// What was found on trajectories.
#[derive(Serialize)]
pub(super) struct OnData {
    pub(super) which: Which,
    pub(super) episodes: usize,
    pub(super) states: usize,
    /// Pieces of episodes that did not fit into memory; the others are a uniform sample.
    pub(super) left_out: usize,
    pub(super) calibration: Calibration,
    /// Rank correlation of predicted with seen steps, over pairs that met.
    pub(super) spearman: Option<f64>,
    /// How it orders the frames of an episode.
    pub(super) within_episodes: Option<WithinEpisodes>,
    /// Different states at distance 0.
    pub(super) at_zero: Option<AtZero>,
    /// How far to trust it, in one sentence.
    pub(super) verdict: String,
    pub(super) triangle: Option<Triangle>,
    /// Share of pairs whose time there was learned as less than nothing, and counts as zero.
    pub(super) below_zero: f64,
    pub(super) one_way: OneWay,
    /// Absent with a single episode.
    pub(super) epsilon: Option<Epsilon>,
}

impl OnData {
    pub(super) fn find(
        model: &DistanceModel,
        episodes: &ObservedEpisodes,
        which: Which,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let summary = calibrated(model, episodes, SEED, observer)?;
        let observed = observations(model, episodes, PAIRS, SEED, observer)?;
        let met = observed.iter().filter_map(|o| match o.outcome {
            Outcome::Hit { lag_steps } => Some((o.predicted, f64::from(lag_steps))),
            Outcome::Censored { .. } => None,
        });
        let (predicted, seen): (Vec<f64>, Vec<f64>) = met.unzip();
        Ok(Self {
            which,
            episodes: episodes.n_episodes(),
            states: episodes.n_states(),
            left_out: episodes.n_left_out,
            calibration: match observed.as_slice() {
                // Episodes of one state, or at rest.
                [] => Calibration::default(),
                observed => calibrate(observed, BINS)?,
            },
            spearman: match predicted.len() {
                0 | 1 => None,
                _ => spearman(&predicted, &seen)?,
            },
            within_episodes: summary.as_ref().and_then(|found| found.within_episodes),
            at_zero: summary.as_ref().and_then(|found| found.at_zero),
            verdict: summary.map_or_else(
                || "nothing can be said: the episodes show no pair of states".to_owned(),
                |found| verdict(&found, model.target()),
            ),
            triangle: detours(model, episodes, observer)?,
            below_zero: below_zero(model, episodes, observer)?,
            one_way: OneWay::find(model, episodes, SEED, observer)?,
            epsilon: epsilon(model, episodes, observer)?,
        })
    }
}

/// The triangle inequality over states drawn from the data.
fn detours(
    model: &DistanceModel,
    episodes: &ObservedEpisodes,
    observer: &dyn Observer,
) -> Result<Option<Triangle>> {
    let mut rng = SEED.of(Stream::AssessTriples);
    let n = episodes.n_states();
    if n < 3 {
        return Ok(None);
    }
    let count = TRIANGLE_STATES.min(n);
    let rows: Vec<usize> = (0..count).map(|_| rng.random_range(0..n)).collect();
    let points = rows.iter().map(|&row| {
        observer.check()?;
        Ok(model.distance.embed(episodes.state(row))?)
    });
    let points: Vec<Vec<f32>> = points.collect::<Result<_>>()?;
    let metric = model.distance.metric();
    let triples = Triples::Sample {
        n_triples: TRIPLES,
        seed: SEED,
    };
    Ok(Some(triangle(count, triples, |i, j| {
        metric.one_way(&points[i], &points[j])
    })?))
}

/// How often the potential outweighs the norm, between states drawn from the data.
fn below_zero(
    model: &DistanceModel,
    episodes: &ObservedEpisodes,
    observer: &dyn Observer,
) -> Result<f64> {
    let mut rng = SEED.of(Stream::AssessBelowZero);
    let mut draw = || {
        model
            .distance
            .embed(episodes.state(rng.random_range(0..episodes.n_states())))
    };
    let metric = model.distance.metric();
    let mut below = 0;
    for _ in 0..PAIRS {
        observer.check()?;
        below += usize::from(metric.as_learned(&draw()?, &draw()?) < 0.0);
    }
    Ok(below as f64 / PAIRS as f64)
}

/// ε from distances between episodes and over single steps.
fn epsilon(
    model: &DistanceModel,
    episodes: &ObservedEpisodes,
    observer: &dyn Observer,
) -> Result<Option<Epsilon>> {
    let episode_of = episodes.episode_of();
    if episodes.n_episodes() < 2 {
        return Ok(None);
    }
    let between = |a: usize, b: usize| {
        let (a, b) = (episodes.state(a), episodes.state(b));
        observer.check()?;
        Ok(model.distance.between(a, b)?)
    };
    let pairs = pairs_between_episodes(&episode_of, PAIRS, SEED)?;
    let apart = pairs.iter().map(|&(a, b)| between(a, b));
    let apart: Vec<f64> = apart.collect::<Result<_>>()?;
    let starts: Vec<usize> = episodes.episodes()?.starts().map(|(row, _)| row).collect();
    let stride = (starts.len() / PAIRS).max(1);
    let steps = starts.iter().step_by(stride);
    // A step that leads nowhere says nothing about how far a step leads.
    let moves = |row: &&usize| episodes.state(**row) != episodes.state(**row + 1);
    let steps = steps.filter(moves).map(|&row| between(row, row + 1));
    let steps: Vec<f64> = steps.collect::<Result<_, _>>()?;
    if steps.is_empty() {
        return Ok(None);
    }
    Ok(Some(suggest_epsilon(&apart, &steps, EpsilonRule::USUAL)?))
}
