//! Rank correlations of a distance within episodes.

use super::episodes::ObservedEpisodes;
use super::observed::pairs_of;
use crate::progress::Observer;
use anyhow::{Context, Result};
use isochrone::distance::GoalSet;
use isochrone::evaluate::{
    Outcome, arrival, episode_progress, median, spearman, summarise_progress,
};
use isochrone::pairs::{Episodes, Target};
use isochrone::rng::{Rng, Seed, Stream};
use isochrone_files::model::{BeyondWindow, DistanceModel, WithinEpisodes};
use rand::RngExt;
use std::ops::Range;

/// Pairs compared.
const PAIRS: usize = 20_000;
/// Steps sampled for the typical step length.
const STEPS: usize = 10_000;
/// An episode has arrived when it stays within this many typical steps of its end.
const REST_STEPS: f64 = 3.0;
/// A shorter stay does not count as rest: the last steps of any path are near its end. Nor does an episode that never moved.
const LEAST_REST: u64 = 10;
/// Fewer pairs than this give no correlation.
const LEAST_PAIRS: usize = 20;

/// The rank correlations of a distance within episodes. The observer may stop it.
pub fn within_episodes(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    seed: Seed,
    observer: &dyn Observer,
) -> Result<WithinEpisodes> {
    let moving = moving(observed, observer)?;
    let frames: usize = moving.iter().map(Range::len).sum();
    let mut rng = seed.of(Stream::AssessWithin);
    let episodes = Episodes::new(observed.states(), observed.width(), moving.clone())?;
    let seen = match model.target() {
        Some(
            target @ (Target::Window { .. }
            | Target::SeparatedWindow { .. }
            | Target::FirstPassage { .. }
            | Target::Geodesic { .. }),
        ) => pairs_of(
            model, observed, &episodes, PAIRS, target, &mut rng, observer,
        )?,
        Some(Target::Bootstrapped { .. }) | None => Vec::new(),
    };
    let seen = seen.iter().filter_map(|observed| match observed.outcome {
        Outcome::Hit { lag_steps } => Some((observed.predicted, f64::from(lag_steps))),
        Outcome::Censored { .. } => None,
    });
    let (predicted, lags): (Vec<f64>, Vec<f64>) = seen.unzip();
    Ok(WithinEpisodes {
        at_rest: 1.0 - frames as f64 / observed.n_states().max(1) as f64,
        spearman: rank(&predicted, &lags)?,
        beyond_window: beyond(model, observed, &moving, &mut rng, observer)?,
        progress: summarise_progress(&progress(model, observed, &moving, observer)?),
    })
}

fn rank(predicted: &[f64], seen: &[f64]) -> Result<Option<f64>> {
    if predicted.len() < LEAST_PAIRS {
        return Ok(None);
    }
    Ok(spearman(predicted, seen)?.map(super::rounded))
}

/// The rows of each range up to the arrival of its episode; none in a piece that comes after it.
fn moving(observed: &ObservedEpisodes, observer: &dyn Observer) -> Result<Vec<Range<usize>>> {
    let stds = stds(observed)?;
    let apart = |a: &[f32], b: &[f32]| {
        let squares = a.iter().zip(b).zip(&stds).map(|((a, b), std)| {
            let apart = (f64::from(*a) - f64::from(*b)) / std;
            apart * apart
        });
        squares.sum::<f64>().sqrt()
    };
    let ranges = observed.ranges().iter().cloned();
    let steps = ranges.flat_map(|range| range.clone().zip(range.skip(1)));
    let stride = (observed.n_states() / STEPS).max(1);
    let lengths = steps
        .step_by(stride)
        .map(|(a, b)| apart(observed.state(a), observed.state(b)));
    let lengths: Vec<f64> = lengths.filter(|length| *length > 0.0).collect();
    let radius = REST_STEPS * median(&lengths).unwrap_or(0.0);
    let mut moving = Vec::with_capacity(observed.ranges().len());
    for places in observed.whole_episodes() {
        observer.check()?;
        let end = end_of_moving(observed, &places, radius, apart);
        let ranges = observed.ranges()[places].iter();
        moving.extend(ranges.map(|range| range.start..range.end.min(end).max(range.start)));
    }
    Ok(moving)
}

/// The row after the one in which an episode arrives where it rests, by the pieces of it that are kept; the row after its
/// last one if it does not rest.
fn end_of_moving(
    observed: &ObservedEpisodes,
    places: &Range<usize>,
    radius: f64,
    apart: impl Fn(&[f32], &[f32]) -> f64,
) -> usize {
    let ranges = &observed.ranges()[places.clone()];
    // The pieces of an episode follow each other.
    let first = ranges.first().map_or(0, |range| range.start);
    let all = ranges.last().map_or(first, |range| range.end);
    let Some(end) = observed.episode_end(places.start) else {
        return all;
    };
    // After them comes the end, again if the last piece is kept.
    let way = arrival(all - first + 1, radius, |row, _| {
        apart(observed.state(first + row), end.state)
    });
    let Some(away) = way.checked_sub(1).map(|row| first + row) else {
        return all;
    };
    let place = places.start + ranges.partition_point(|range| range.end <= away);
    let is_rest = end.step - observed.step(place, away) > LEAST_REST;
    if is_rest { away + 2 } else { all }
}

/// The standard deviation of each entry; 1 for a constant one.
fn stds(observed: &ObservedEpisodes) -> Result<Vec<f64>> {
    let mut moments = isochrone::embedding::Moments::new(observed.width());
    for row in 0..observed.n_states() {
        moments.add(observed.state(row));
    }
    let normaliser = moments
        .normaliser()
        .context("a standard deviation of the states is not finite")?;
    Ok(normaliser.std().iter().map(|s| f64::from(*s)).collect())
}

/// Pairs of one episode that are farther apart than the window.
fn beyond(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    moving: &[Range<usize>],
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Option<BeyondWindow>> {
    let Some(Target::Window { steps } | Target::SeparatedWindow { steps, .. }) = model.target()
    else {
        return Ok(None);
    };
    let longer: Vec<&Range<usize>> = moving.iter().filter(|r| r.len() > steps + 1).collect();
    // Of each start in proportion to how many starts there are.
    let starts: Vec<usize> = longer.iter().map(|r| r.len() - steps - 1).collect();
    let all: usize = starts.iter().sum();
    if all < LEAST_PAIRS {
        return Ok(None);
    }
    let (mut predicted, mut seen) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        observer.check()?;
        let mut at = rng.random_range(0..all);
        let mut episodes = longer.iter().zip(&starts);
        let Some((range, _)) = episodes.find(|(_, starts)| {
            let is_here = at < **starts;
            at -= if is_here { 0 } else { **starts };
            is_here
        }) else {
            continue;
        };
        let from = range.start + at;
        let to = rng.random_range(from + steps + 1..range.end);
        predicted.push(isochrone::distance::Distance::between(
            &model.distance,
            observed.state(from),
            observed.state(to),
        )?);
        seen.push((to - from) as f64);
    }
    Ok(Some(BeyondWindow {
        pairs: predicted.len() as u64,
        spearman: rank(&predicted, &seen)?,
    }))
}

/// The progress of each episode that has enough frames.
fn progress(
    model: &DistanceModel,
    observed: &ObservedEpisodes,
    moving: &[Range<usize>],
    observer: &dyn Observer,
) -> Result<Vec<f64>> {
    let mut found = Vec::new();
    for places in observed.whole_episodes() {
        let Some(last) = observed.episode_end(places.start) else {
            continue;
        };
        let end = GoalSet::new(&model.distance, last.state)?;
        let mut steps: Vec<f64> = Vec::new();
        // Ranks of the frames left are the same where pieces between are not kept.
        for row in moving[places].iter().flat_map(Clone::clone) {
            observer.check()?;
            steps.extend(
                end.nearest(observed.state(row))?
                    .map(|nearest| nearest.steps),
            );
        }
        found.extend(episode_progress(&steps, steps.len().saturating_sub(1))?);
    }
    Ok(found.into_iter().map(super::rounded).collect())
}
