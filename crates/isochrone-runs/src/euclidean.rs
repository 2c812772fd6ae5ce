//! The Euclidean distance as a model, in steps: what a learned one must beat.

use crate::fit::Given;
use anyhow::{Context, Result, bail};
use isochrone::distance::{Distance, Learned, euclidean_arrays};
use isochrone::embedding::{Moments, Objective};
use isochrone::pairs::{Sampler, Target};
use isochrone_files::data::DataSource;
use isochrone_files::held_out::HeldOut;
use isochrone_files::model::{About, DistanceModel, EpisodeMarks, StateColumns, TrainingFacts};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

/// Rows of a piece.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");
/// Every so-manieth state is paired with all that follow it within the window.
const PAIRS_EVERY: usize = 97;

/// `c ‖(s − g) ÷ std‖₂`, with c in steps per unit by least squares over the lags of a window:
///
/// ```text
/// c = Σ k · ‖s_t − s_{t+k}‖ ÷ Σ ‖s_t − s_{t+k}‖²,      k = 1 … window
/// ```
pub fn euclidean(given: &Given, window_steps: usize) -> Result<DistanceModel> {
    let source = given.open()?;
    let width = source.spec().len();
    let mut moments = Moments::new(width);
    let (mut episodes, mut states, mut first_episodes) = (0, 0, Vec::new());
    for piece in source.pieces(PIECE_ROWS) {
        let piece = piece?;
        if first_episodes.len() <= piece.file as usize {
            first_episodes.push(piece.episode);
        }
        episodes = piece.episode + 1;
        states += piece.states.len() as u64;
        let numbers = piece.states.numbers();
        numbers
            .chunks_exact(width)
            .for_each(|state| moments.add(state));
    }
    let normaliser = moments
        .normaliser()
        .context("the states have no standard deviation")?;
    let unit = Learned::euclidean(width, Some(&normaliser), 1.0)?;
    let steps_per_unit = steps_per_unit(&source, &unit, window_steps)?;
    let (mut spec, arrays) = euclidean_arrays(width, Some(&normaliser));
    spec.objective = Objective::Regression {
        target: Target::Window {
            steps: window_steps,
        },
        sampler: Sampler::UniformStartThenEnd,
    };
    let columns = match given {
        Given::Files(_, columns) => columns.clone(),
        Given::Memory(_) => StateColumns::default(),
    };
    let about = About {
        spec,
        states: columns,
        training: TrainingFacts {
            files: given.files(&source, &first_episodes)?,
            episodes,
            transitions: states.saturating_sub(episodes),
            held_out_episodes: 0,
            held_out: HeldOut {
                seed: 0,
                share: 0.0,
                also: None,
                never: None,
            },
            copies: BTreeSet::new(),
            passes: 1,
            updates: 0,
            seed: 0,
            learned: Some(EpisodeMarks::of(source.pieces(PIECE_ROWS))?),
            first_states: None,
        },
        calibration: None,
        reached: None,
    };
    Ok(DistanceModel::new(about, arrays, steps_per_unit)?)
}

fn steps_per_unit(source: &DataSource, unit: &Learned, window_steps: usize) -> Result<f64> {
    let (mut products, mut squares) = (0.0, 0.0);
    for piece in source.pieces(PIECE_ROWS) {
        let piece = piece?;
        let numbers = piece.states.numbers();
        let states: Vec<&[f32]> = numbers.chunks_exact(unit.inputs()).collect();
        for first in (0..states.len()).step_by(PAIRS_EVERY) {
            let later = states[first..].iter().enumerate().skip(1);
            for (lag, state) in later.take(window_steps) {
                let apart = unit.between(states[first], state)?;
                products += lag as f64 * apart;
                squares += apart * apart;
            }
        }
    }
    if squares > 0.0 {
        return Ok(products / squares);
    }
    bail!("the states do not move")
}
