//! The first pass: what must be known of the data before anything is learned.

use super::chunks::stream_options;
use super::spec::{FitSpec, TargetName};
use crate::data::DataSource;
use crate::held_out::HeldOut;
use crate::progress::Waiting;
use anyhow::{Result, bail};
use isochrone::embedding::{Moments, Normaliser};
use isochrone::env::Dtype;
use isochrone::evaluate::median;
use isochrone::pairs::Reservoir;
use isochrone::rng::{Purpose, Rng, Seed};

/// Steps whose length is kept, for the median.
const STEP_LENGTHS: usize = 10_000;

/// What the data are.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    /// Entries of a state.
    pub(super) width: usize,
    /// Episodes learned from.
    pub(super) episodes: u64,
    /// Steps between their states.
    pub(super) transitions: u64,
    pub(super) held_out: HeldOut,
    pub(super) held_out_episodes: u64,
    pub(super) held_out_rows: u64,
    /// Median Euclidean length of a step.
    pub(super) median_step: f64,
    pub(super) normaliser: Normaliser,
    /// Goals of bootstrapped targets; none for others.
    pub(super) goals: Option<Reservoir>,
}

/// What is gathered on the way.
struct Gathered {
    moments: Moments,
    goals: Option<Reservoir>,
    steps: Reservoir,
    goal_rng: Rng,
    step_rng: Rng,
    /// Of the last episode: it is kept aside if no other is.
    last: (u64, u64, u64),
}

/// Goes through all data once, in file order.
pub(super) fn survey(source: &DataSource, spec: &FitSpec) -> Result<Survey> {
    if source.spec().dtype != Dtype::F32 {
        bail!("the states are images; distances are fitted to numbers so far");
    }
    let width = source.spec().len();
    let seed = Seed(spec.seed);
    let held_out = HeldOut {
        seed: spec.seed,
        share: spec.held_out,
        also: None,
    };
    let wants_goals = spec.target == TargetName::Bootstrapped;
    let mut gathered = Gathered {
        moments: Moments::new(width),
        goals: wants_goals.then(|| Reservoir::new(spec.goals, width)),
        steps: Reservoir::new(STEP_LENGTHS, 1),
        goal_rng: seed.stream(Purpose::Keep, 1, 0),
        step_rng: seed.stream(Purpose::Keep, 2, 0),
        last: (0, 0, 0),
    };
    let mut found = Survey {
        width,
        episodes: 0,
        transitions: 0,
        held_out,
        held_out_episodes: 0,
        held_out_rows: 0,
        median_step: 0.0,
        normaliser: gathered.moments.normaliser(),
        goals: None,
    };
    let _waiting = Waiting::new("looking through the data");
    let max_rows = stream_options(spec).max_rows(source.spec());
    for piece in source.pieces(max_rows) {
        let piece = piece?;
        let rows = piece.states.len() as u64;
        let is_new = piece.first_step == 0;
        if held_out.contains(piece.episode) {
            found.held_out_episodes += u64::from(is_new);
            found.held_out_rows += rows;
            continue;
        }
        found.episodes += u64::from(is_new);
        // The step across a cut is in no piece of the learning passes either.
        found.transitions += rows - 1;
        let (episode, before, steps) = gathered.last;
        gathered.last = if episode == piece.episode && !is_new {
            (episode, before + rows, steps + rows - 1)
        } else {
            (piece.episode, rows, rows - 1)
        };
        gathered.add(piece.states.as_f32().unwrap_or_default(), width);
    }
    gathered.into(found, spec)
}

impl Gathered {
    fn add(&mut self, states: &[f32], width: usize) {
        for row in states.chunks_exact(width) {
            self.moments.add(row);
            if let Some(goals) = &mut self.goals {
                goals.offer(row, &mut self.goal_rng);
            }
        }
        let next = states.chunks_exact(width).skip(1);
        for (a, b) in states.chunks_exact(width).zip(next) {
            let squared: f32 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
            self.steps.offer(&[squared.sqrt()], &mut self.step_rng);
        }
    }

    fn into(self, mut found: Survey, spec: &FitSpec) -> Result<Survey> {
        if found.held_out_episodes == 0 && found.episodes > 1 && spec.held_out > 0.0 {
            let (episode, rows, steps) = self.last;
            found.held_out.also = Some(episode);
            found.held_out_episodes = 1;
            found.held_out_rows = rows;
            found.episodes -= 1;
            found.transitions -= steps;
        }
        if found.transitions == 0 {
            bail!(
                "there is nothing to learn from: {} episodes without a single step",
                found.episodes
            );
        }
        let lengths: Vec<f64> = self.steps.states().iter().map(|x| f64::from(*x)).collect();
        found.median_step = median(&lengths).unwrap_or(0.0);
        found.normaliser = self.moments.normaliser();
        found.goals = self.goals;
        Ok(found)
    }
}
