//! What trajectories say.

use super::Which;
use super::one_way::OneWay;
use crate::judge::{Watched, calibrated, observations};
use crate::model::{AtZero, DistanceModel, WithinEpisodes, verdict};
use anyhow::Result;
use isochrone::evaluate::{
    Calibration, Epsilon, EpsilonRule, Outcome, Triangle, Triples, calibrate,
    pairs_between_episodes, spearman, suggest_epsilon, triangle,
};
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;
use serde::Serialize;

/// Pairs, steps and triples drawn.
const PAIRS: usize = 20_000;
const TRIPLES: usize = 100_000;
/// States that triples are made of.
const TRIANGLE_STATES: usize = 2_000;
const BINS: usize = 10;
/// Judging has its own seed: it must not depend on the one that was trained with.
const SEED: Seed = Seed(0);

/// What was found on trajectories.
#[derive(Serialize)]
pub(super) struct OnData {
    pub(super) which: Which,
    pub(super) episodes: usize,
    pub(super) states: usize,
    /// Pieces of episodes that did not fit into memory; those judged by are a fair sample.
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
    pub(super) fn find(model: &DistanceModel, watched: &Watched, which: Which) -> Result<Self> {
        let summary = calibrated(model, watched, SEED)?;
        let observed = observations(model, watched, PAIRS, SEED)?;
        let met = observed.iter().filter_map(|o| match o.outcome {
            Outcome::Hit { lag_steps } => Some((o.predicted, f64::from(lag_steps))),
            Outcome::Censored { .. } => None,
        });
        let (predicted, seen): (Vec<f64>, Vec<f64>) = met.unzip();
        Ok(Self {
            which,
            episodes: watched.n_episodes(),
            states: watched.n_states(),
            left_out: watched.n_left_out,
            calibration: calibrate(&observed, BINS)?,
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
            triangle: detours(model, watched)?,
            below_zero: below_zero(model, watched),
            one_way: OneWay::find(model, watched, SEED)?,
            epsilon: epsilon(model, watched)?,
        })
    }
}

/// The triangle inequality over states drawn from the data.
fn detours(model: &DistanceModel, watched: &Watched) -> Result<Option<Triangle>> {
    let mut rng = SEED.stream(Purpose::Assess, u64::MAX - 2, 0);
    let n = watched.n_states();
    if n < 3 {
        return Ok(None);
    }
    let count = TRIANGLE_STATES.min(n);
    let rows: Vec<usize> = (0..count).map(|_| rng.random_range(0..n)).collect();
    let points: Vec<Vec<f32>> = rows
        .iter()
        .map(|&row| model.distance.embed(watched.state(row)))
        .collect();
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
fn below_zero(model: &DistanceModel, watched: &Watched) -> f64 {
    let mut rng = SEED.stream(Purpose::Assess, u64::MAX - 4, 0);
    let mut draw = || {
        model
            .distance
            .embed(watched.state(rng.random_range(0..watched.n_states())))
    };
    let metric = model.distance.metric();
    let below = (0..PAIRS).filter(|_| metric.as_learned(&draw(), &draw()) < 0.0);
    below.count() as f64 / PAIRS as f64
}

/// ε from distances between episodes and over single steps.
fn epsilon(model: &DistanceModel, watched: &Watched) -> Result<Option<Epsilon>> {
    let episode_of = watched.episode_of();
    if watched.n_episodes() < 2 {
        return Ok(None);
    }
    let metric = model.distance.metric();
    let between = |a: usize, b: usize| {
        let (a, b) = (watched.state(a), watched.state(b));
        metric.one_way(&model.distance.embed(a), &model.distance.embed(b))
    };
    let pairs = pairs_between_episodes(&episode_of, PAIRS, SEED)?;
    let apart: Vec<f64> = pairs.iter().map(|&(a, b)| between(a, b)).collect();
    let starts: Vec<usize> = watched.episodes()?.starts().map(|(row, _)| row).collect();
    let stride = (starts.len() / PAIRS).max(1);
    let steps = starts.iter().step_by(stride);
    // A step that leads nowhere says nothing about how far a step leads.
    let moves = |row: &&usize| watched.state(**row) != watched.state(**row + 1);
    let steps = steps.filter(moves).map(|&row| between(row, row + 1));
    let steps: Vec<f64> = steps.collect();
    if steps.is_empty() {
        return Ok(None);
    }
    Ok(Some(suggest_epsilon(&apart, &steps, EpsilonRule::USUAL)?))
}
