//! Is going there like coming back, in the data? Asked before believing a distance that is the same both ways.

use anyhow::{Context, Result};
use isochrone::embedding::{Head, Moments};
use isochrone::evaluate::{
    Asymmetry, AsymmetryTest, Lag, asymmetry_unless_stopped, landmark_path, median,
};
use isochrone::pairs::Target;
use isochrone::rng::{Seed, Stream};
use isochrone_files::model::DistanceModel;
use isochrone_runs::calibration::ObservedEpisodes;
use isochrone_runs::progress::Observer;
use rand::RngExt;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// With at most this many different states, states are what is compared, if they come back: so many visits to each, on average.
const MOST_STATES: usize = 2_000;
const LEAST_VISITS: usize = 3;
/// Otherwise landmarks are: this many, spread over a sample of the states.
const LANDMARKS: usize = 60;
const SAMPLE: usize = 5_000;
/// Radius of a landmark in distances to the nearest other one: below a half, so that balls do not touch.
const REACH: f64 = 0.4;
const SWAPS: usize = 999;
/// What counts as found.
const SIGNIFICANT: f64 = 0.01;
/// Below this share of the time, beyond what chance gives, a difference does not matter. With enough data any difference is
/// significant.
const SLIGHT: f64 = 0.02;
/// What it takes to say anything.
const LEAST_BLOCKS: usize = 10;
const LEAST_PAIRS: usize = 3;
/// The window where the target has none.
const WINDOW_STEPS: usize = 100;

/// What the data say about direction.
#[derive(Serialize)]
pub(super) struct OneWay {
    /// What was compared.
    pub(super) compared: Compared,
    /// Mean time there against mean time back.
    pub(super) passage: Asymmetry,
    /// Crossings there against crossings back: a current round some cycle. Only over states: the balls of landmarks
    /// are entered and left, and the two take different times.
    pub(super) crossing: Option<Asymmetry>,
    pub(super) verdict: Verdict,
    /// What follows for this distance.
    pub(super) advice: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Compared {
    States,
    Landmarks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// Too little is ever undone within the window to say.
    Unknown,
    /// There as back.
    NoneFound,
    /// Times differ, by too little to matter.
    Slight,
    /// Times differ, as a potential can say.
    Potential,
    /// A current round cycles: no potential can say it.
    Current,
}

impl OneWay {
    pub(super) fn find(
        model: &DistanceModel,
        observed: &ObservedEpisodes,
        seed: Seed,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let (paths, compared) = match numbered(observed) {
            Some(paths) => (paths, Compared::States),
            None => (landmarks(observed, seed, observer)?, Compared::Landmarks),
        };
        let window = model.target().and_then(Target::window_steps);
        let window_steps = window.unwrap_or(WINDOW_STEPS).min(half_an_episode(&paths));
        let poll = || {
            if observer.goes_on() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let test = |lag| {
            let test = AsymmetryTest {
                lag,
                window_steps,
                n_swaps: SWAPS,
                seed,
            };
            asymmetry_unless_stopped(&paths, test, poll)
        };
        let passage = test(Lag::Passage)?;
        let crossing = match compared {
            Compared::States => Some(test(Lag::Crossing)?),
            Compared::Landmarks => None,
        };
        let verdict = verdict(&passage, crossing.as_ref());
        Ok(Self {
            compared,
            passage,
            crossing,
            verdict,
            advice: advice(verdict, model.about.spec.encoder.head),
        })
    }
}

/// Half the median episode, so that passages can begin and end within one.
fn half_an_episode(paths: &[Vec<usize>]) -> usize {
    let lengths: Vec<f64> = paths.iter().map(|path| path.len() as f64).collect();
    (median(&lengths).unwrap_or(0.0) as usize / 2).max(1)
}

/// With few blocks no p-value can be small, and with few pairs it says little of the rest.
fn verdict(passage: &Asymmetry, crossing: Option<&Asymmetry>) -> Verdict {
    let has_power =
        |test: &&Asymmetry| test.n_blocks >= LEAST_BLOCKS && test.n_pairs >= LEAST_PAIRS;
    let difference = |test: Option<&Asymmetry>| {
        let found = test.filter(has_power)?.found?;
        Some(match found {
            _ if found.p_value > SIGNIFICANT => Difference::Chance,
            _ if found.mean - found.null_mean < SLIGHT => Difference::Slight,
            _ => Difference::Large,
        })
    };
    match (difference(Some(passage)), difference(crossing)) {
        (_, Some(Difference::Large)) => Verdict::Current,
        (Some(Difference::Large), _) => Verdict::Potential,
        (Some(Difference::Slight), _) | (Some(_), Some(Difference::Slight)) => Verdict::Slight,
        (Some(Difference::Chance), _) => Verdict::NoneFound,
        (None, _) => Verdict::Unknown,
    }
}

/// How much longer it takes one way than back.
enum Difference {
    /// No more than chance gives.
    Chance,
    /// Less than [`SLIGHT`] beyond that.
    Slight,
    Large,
}

const fn advice(verdict: Verdict, head: Head) -> &'static str {
    match (verdict, head) {
        (Verdict::Unknown, _) => {
            "too few stretches of time, or too few pairs that are passed both ways, to tell there from back"
        }
        (Verdict::NoneFound, Head::Symmetric) => {
            "nothing speaks against a distance that is the same both ways"
        }
        (Verdict::Slight, _) => {
            "there and back differ by less than 2 % of the time: a distance that is the same both ways is good enough"
        }
        (Verdict::NoneFound, Head::Potential | Head::Quasimetric) => {
            "nothing calls for a potential here; a symmetric distance would do"
        }
        (Verdict::Potential, Head::Symmetric) => {
            "this distance is the same both ways and the data are not: the setting head=quasimetric says which way is longer"
        }
        (Verdict::Potential, Head::Potential | Head::Quasimetric) => {
            "the potential of this distance is needed"
        }
        (Verdict::Current, _) => {
            "there is a current round cycles (a one-way door, a wheel): no distance of this kind can say it, neither \
             symmetric nor with a potential"
        }
    }
}

/// Episodes as numbers of states, if there are few different ones, each visited several times.
fn numbered(observed: &ObservedEpisodes) -> Option<Vec<Vec<usize>>> {
    let mut numbers: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    let mut paths = Vec::new();
    for range in observed.ranges() {
        let mut path = Vec::with_capacity(range.len());
        for row in range.clone() {
            let bits: Vec<u32> = observed.state(row).iter().map(|x| x.to_bits()).collect();
            let next = numbers.len();
            path.push(*numbers.entry(bits).or_insert(next));
            if numbers.len() > MOST_STATES {
                return None;
            }
        }
        paths.push(path);
    }
    let come_back = numbers.len() * LEAST_VISITS <= observed.n_states();
    come_back.then_some(paths)
}

/// Episodes as the landmarks they pass, in units of the states' own standard deviation.
fn landmarks(
    observed: &ObservedEpisodes,
    seed: Seed,
    observer: &dyn Observer,
) -> Result<Vec<Vec<usize>>> {
    let width = observed.width();
    let mut moments = Moments::new(width);
    observed
        .states()
        .chunks_exact(width)
        .for_each(|row| moments.add(row));
    let normaliser = moments
        .normaliser()
        .context("a standard deviation of the states is not finite")?;
    let mut rng = seed.of(Stream::AssessOneWay);
    let mut sample: Vec<Vec<f32>> = Vec::new();
    for _ in 0..SAMPLE.min(observed.n_states()) {
        let mut row = Vec::with_capacity(width);
        normaliser.push(
            observed.state(rng.random_range(0..observed.n_states())),
            &mut row,
        );
        sample.push(row);
    }
    let (chosen, nearest) = spread_out(&sample);
    let radius = (REACH * nearest).max(f64::MIN_POSITIVE);
    let mut paths = Vec::new();
    for range in observed.ranges() {
        observer.check()?;
        let mut rows = Vec::with_capacity(range.len() * width);
        range
            .clone()
            .for_each(|row| normaliser.push(observed.state(row), &mut rows));
        paths.push(landmark_path(&rows, &chosen, width, radius)?);
    }
    Ok(paths)
}

/// Each landmark is the state farthest from those before it; end to end, with the least distance between two.
fn spread_out(sample: &[Vec<f32>]) -> (Vec<f32>, f64) {
    let squared = |a: &[f32], b: &[f32]| -> f64 {
        let apart = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2));
        apart.sum()
    };
    let mut apart = vec![f64::INFINITY; sample.len()];
    let (mut chosen, mut next, mut least) = (Vec::new(), 0, f64::INFINITY);
    for _ in 0..LANDMARKS.min(sample.len()) {
        chosen.extend_from_slice(&sample[next]);
        for (a, row) in apart.iter_mut().zip(sample) {
            *a = a.min(squared(row, &sample[next]));
        }
        let farthest = apart.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let Some((at, distance)) = farthest.filter(|(_, d)| **d > 0.0) else {
            break;
        };
        (next, least) = (at, least.min(distance.sqrt()));
    }
    (chosen, least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone::evaluate::AsymmetryFound;

    fn measured(mean: f64, p_value: f64) -> Asymmetry {
        Asymmetry {
            n_pairs: 40,
            n_pairs_left_out: 0,
            n_lags: 100_000,
            n_blocks: 500,
            found: Some(AsymmetryFound {
                mean,
                null_mean: 0.011,
                null_sd: 0.001,
                p_value,
                z: None,
            }),
        }
    }

    /// With enough data every difference is significant.
    #[test]
    fn a_difference_calls_for_a_potential_only_if_it_is_large() {
        let chance = measured(0.011, 0.5);
        for (mean, expected) in [(0.016, Verdict::Slight), (0.2, Verdict::Potential)] {
            assert_eq!(verdict(&measured(mean, 0.001), Some(&chance)), expected);
            assert_eq!(verdict(&measured(mean, 0.2), None), Verdict::NoneFound);
        }
        for (mean, expected) in [(0.016, Verdict::Slight), (0.2, Verdict::Current)] {
            assert_eq!(verdict(&chance, Some(&measured(mean, 0.001))), expected);
        }
    }
}
