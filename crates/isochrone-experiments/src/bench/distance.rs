//! `isochrone-experiments bench distance`: what is left of the tensor library's own speed when everything else is done too.

use super::burn_loop::{Batch, BurnLoop, Writing};
use super::products::Products;
use super::turns::{Clock, Spread, Turns, timed};
use super::{tell_json, tell_table};
use crate::cli::BenchDistanceOptions;
use anyhow::Result;
use isochrone::comm::Single;
use isochrone::embedding::{DistanceSpec, DistanceTrainer, Part};
use isochrone::pairs::{Episodes, PairSource, Sampler, Target};
use isochrone::rng::{Purpose, Seed};
use isochrone_runs::progress::Waiting;
use rand::RngExt;
use serde::Serialize;
use std::ops::Range;

const SEED: Seed = Seed(0);
/// The ant's states, as the paper's predictor reads them.
const INPUTS: usize = 41;
const HIDDEN: usize = 64;
const DIMS: usize = 20;
/// Steps of an episode, and so the longest lag: the paper's horizon.
const WINDOW_STEPS: usize = 500;

/// One line of the result.
#[derive(Debug, Serialize)]
struct Measurement {
    batch: usize,
    rounds: u16,
    /// In each round.
    steps: usize,
    /// By CPU time.
    #[serde(flatten)]
    cpu: Times,
    /// By the clock on the wall.
    wall: Times,
}

/// What one step takes, and how much of Burn's speed is left.
#[derive(Debug, Serialize)]
struct Times {
    /// Everything: drawing pairs, gathering states, the step.
    ours_us: Spread,
    /// Burn's own training loop, written plainly.
    burn_us: Spread,
    /// Burn's own training loop, with the last layer on differences as in ours.
    burn_differences_us: Spread,
    /// The matrix products only.
    matmul_us: Spread,
    /// Burn's time over all of ours.
    ratio_to_burn: Spread,
    /// Burn's time on differences over all of ours.
    ratio_to_burn_differences: Spread,
    /// Learned from, by all of ours.
    pairs_per_s: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchDistanceOptions) -> Result<()> {
    let waiting = Waiting::new("building");
    let mut results = Vec::new();
    for &batch in &options.batches {
        waiting.now(&format!("batch {batch}"));
        results.push(measure(batch as usize, options)?);
    }
    drop(waiting);
    if options.json {
        return tell_json(&results);
    }
    tell_table(
        &results,
        &[
            ("batch", |m| m.batch.to_string()),
            ("ours CPU µs", |m| format!("{:.1}", m.cpu.ours_us.median)),
            ("Burn µs", |m| format!("{:.1}", m.cpu.burn_us.median)),
            ("Burn on differences µs", |m| {
                format!("{:.1}", m.cpu.burn_differences_us.median)
            }),
            ("products µs", |m| format!("{:.1}", m.cpu.matmul_us.median)),
            ("Burn ÷ ours", |m| m.cpu.ratio_to_burn.in_words()),
            ("Burn on differences ÷ ours", |m| {
                m.cpu.ratio_to_burn_differences.in_words()
            }),
            ("pairs per CPU s", |m| format!("{:.0}", m.cpu.pairs_per_s)),
        ],
    )
}

/// All four in turns.
fn measure(batch: usize, options: &BenchDistanceOptions) -> Result<Measurement> {
    let steps = (options.pairs as usize).div_ceil(batch);
    let walk = Walk::new(steps * batch);
    let episodes = walk.episodes()?;
    let spec = DistanceSpec {
        batch,
        ..DistanceSpec::paper(INPUTS, WINDOW_STEPS)
    };
    let parts = Part::whole(&episodes);
    let batches = batches_of(&episodes, batch);
    let mut trainer = DistanceTrainer::new(spec.clone(), SEED)?;
    let parameters = trainer.weights();
    let burn = |writing| BurnLoop::new(&spec, writing, &parameters, &batches);
    let (mut plain, mut differences) = (burn(Writing::Plain)?, burn(Writing::Differences)?);
    let mut products = Products::new(batch, INPUTS, HIDDEN, DIMS);
    let mut turns = [(); 4].map(|()| Turns::default());
    // The first round warms up and is not counted.
    for round in 0..=u64::from(options.rounds) {
        let (report, ours) = timed(|| trainer.epoch(&parts, round, &Single));
        report?;
        let (_, plain) = timed(|| (0..steps).map(|b| plain.step(b)).sum::<f32>());
        let (_, differences) = timed(|| (0..steps).map(|b| differences.step(b)).sum::<f32>());
        let (sum, matmul) = timed(|| (0..steps).map(|_| products.step()).sum::<f32>());
        // The result is unused; the optimiser must not see that.
        std::hint::black_box(sum);
        if round > 0 {
            for (turns, taken) in turns.iter_mut().zip([ours, plain, differences, matmul]) {
                turns.push(taken.per(steps));
            }
        }
    }
    Ok(Measurement {
        batch,
        rounds: options.rounds,
        steps,
        cpu: times(batch, &turns, |taken| taken.cpu_s),
        wall: times(batch, &turns, |taken| taken.wall_s),
    })
}

/// By one clock.
fn times(batch: usize, turns: &[Turns; 4], clock: Clock) -> Times {
    let [ours, burn, differences, matmul] = turns;
    let ours_us = ours.us(clock);
    Times {
        ours_us,
        burn_us: burn.us(clock),
        burn_differences_us: differences.us(clock),
        matmul_us: matmul.us(clock),
        ratio_to_burn: burn.ratio(ours, clock),
        ratio_to_burn_differences: differences.ratio(ours, clock),
        pairs_per_s: 1e6 * batch as f64 / ours_us.median,
    }
}

/// A walk that never returns, cut into episodes.
struct Walk {
    states: Vec<f32>,
    ranges: Vec<Range<usize>>,
}

impl Walk {
    /// With so many steps in all.
    fn new(steps: usize) -> Self {
        let mut rng = SEED.stream(Purpose::Reset, 0, 0);
        let (mut states, mut ranges) = (Vec::new(), Vec::new());
        let (mut state, mut left) = ([0.0_f32; INPUTS], steps);
        while left > 0 {
            let taken = left.min(WINDOW_STEPS);
            let start = states.len() / INPUTS;
            for _ in 0..=taken {
                states.extend_from_slice(&state);
                // Kept near the unit interval, as normalised states are.
                state
                    .iter_mut()
                    .for_each(|x| *x = 0.9 * *x + 0.2 * rng.random::<f32>() - 0.1);
            }
            ranges.push(start..start + taken + 1);
            left -= taken;
        }
        Self { states, ranges }
    }

    fn episodes(&self) -> Result<Episodes<'_>> {
        Ok(Episodes::new(&self.states, INPUTS, self.ranges.clone())?)
    }
}

/// The batches of an epoch, as the trainer makes them.
fn batches_of(episodes: &Episodes<'_>, batch: usize) -> Vec<Batch> {
    let target = Target::Window {
        steps: WINDOW_STEPS,
    };
    let source = PairSource::new(episodes, target, Sampler::UniformStartThenEnd);
    let pairs = source.epoch(&mut SEED.stream(Purpose::Pairs, 0, 0));
    let gathered = |rows: &mut dyn Iterator<Item = usize>| {
        rows.flat_map(|row| episodes.state(row)).copied().collect()
    };
    let whole = pairs.chunks_exact(batch).map(|pairs| Batch {
        from: gathered(&mut pairs.iter().map(|p| p.from)),
        to: gathered(&mut pairs.iter().map(|p| p.to)),
        targets: pairs.iter().map(|p| p.lag_steps as f32).collect(),
    });
    whole.collect()
}
