//! `isochrone-experiments bench images`: a training step of the paper's convolutions, from pairs of images and from clips.

use super::turns::{Clock, Spread, Turns, timed};
use super::{tell_json, tell_table};
use crate::cli::BenchImagesOptions;
use anyhow::Result;
use isochrone::comm::Single;
use isochrone::embedding::{
    Architecture, DistanceSpec, DistanceTrainer, EncoderSpec, Head, ImageSpec, Objective, Part,
};
use isochrone::pairs::{Episodes, Sampler, Target};
use isochrone::rng::{Purpose, Seed};
use isochrone_runs::progress::Waiting;
use rand::RngExt;
use serde::Serialize;

const SEED: Seed = Seed(0);
const CHANNELS: usize = 3;
const HIDDEN: usize = 128;
const DIMS: usize = 32;
/// Steps of an episode: the paper's.
const EPISODE_STEPS: usize = 100;

/// The result.
#[derive(Debug, Serialize)]
struct Measurement {
    /// Pixels of an image's side.
    side: usize,
    /// Pairs of a step; twice as many images.
    batch: usize,
    clip_frames: usize,
    rounds: u16,
    /// In each round.
    steps: usize,
    /// By CPU time.
    #[serde(flatten)]
    cpu: Times,
    /// By the clock on the wall.
    wall: Times,
}

/// What one step takes.
#[derive(Debug, Serialize)]
struct Times {
    /// Of single pairs.
    pairs_us: Spread,
    /// Of clips with as many images.
    clips_us: Spread,
}

/// Runs the command.
pub(super) fn run(options: &BenchImagesOptions) -> Result<()> {
    let waiting = Waiting::new("training");
    let found = measure(options)?;
    drop(waiting);
    if options.json {
        return tell_json(&found);
    }
    tell_table(
        &[found],
        &[
            ("image", |m| format!("{0} × {0} × {CHANNELS}", m.side)),
            ("pairs", |m| m.batch.to_string()),
            ("CPU ms per step", |m| {
                format!("{:.0}", m.cpu.pairs_us.median / 1e3)
            }),
            ("clips of", |m| m.clip_frames.to_string()),
            ("CPU ms per step", |m| {
                format!("{:.0}", m.cpu.clips_us.median / 1e3)
            }),
        ],
    )
}

fn measure(options: &BenchImagesOptions) -> Result<Measurement> {
    let (side, batch) = (options.side as usize, options.batch as usize);
    let (steps, frames) = (options.steps as usize, options.clip_frames as usize);
    let width = side * side * CHANNELS;
    let rows = steps * batch;
    let mut rng = SEED.stream(Purpose::Reset, 0, 0);
    let states: Vec<f32> = (0..(rows + rows.div_ceil(EPISODE_STEPS)) * width)
        .map(|_| (255.0 * rng.random::<f32>()).round())
        .collect();
    let mut ranges = Vec::new();
    let (mut first, mut left) = (0, rows);
    while left > 0 {
        let taken = left.min(EPISODE_STEPS);
        ranges.push(first..first + taken + 1);
        (first, left) = (first + taken + 1, left - taken);
    }
    let episodes = Episodes::new(&states, width, ranges)?;
    let parts = Part::whole(&episodes);
    let target = Target::Window {
        steps: EPISODE_STEPS,
    };
    let sampler = Sampler::UniformStartThenEnd;
    let objectives = [
        Objective::Regression { target, sampler },
        Objective::Clips { target, frames },
    ];
    let trainer = |objective| DistanceTrainer::new(spec(side, batch, objective), SEED);
    let [pairs, clips] = objectives.map(trainer);
    let mut trainers = [pairs?, clips?];
    let mut turns = [(); 2].map(|()| Turns::default());
    // The first round warms up and is not counted.
    for round in 0..=u64::from(options.rounds) {
        for (trainer, turns) in trainers.iter_mut().zip(&mut turns) {
            let before = trainer.step();
            let (report, taken) = timed(|| trainer.epoch(&parts, round, &Single));
            report?;
            if round > 0 {
                turns.push(taken.per((trainer.step() - before) as usize));
            }
        }
    }
    Ok(Measurement {
        side,
        batch,
        clip_frames: frames,
        rounds: options.rounds,
        steps,
        cpu: times(&turns, |taken| taken.cpu_s),
        wall: times(&turns, |taken| taken.wall_s),
    })
}

/// By one clock.
fn times([pairs, clips]: &[Turns; 2], clock: Clock) -> Times {
    Times {
        pairs_us: pairs.us(clock),
        clips_us: clips.us(clock),
    }
}

/// The paper's predictor for images.
fn spec(side: usize, batch: usize, objective: Objective) -> DistanceSpec {
    let images = ImageSpec::paper([side, side, CHANNELS]);
    DistanceSpec {
        encoder: EncoderSpec {
            inputs: images.inputs(),
            architecture: Architecture::Cnn {
                images,
                hidden: vec![HIDDEN; 2],
            },
            dims: DIMS,
            head: Head::Symmetric,
        },
        p: 2.0,
        objective,
        batch,
        ..DistanceSpec::paper(1, EPISODE_STEPS)
    }
}
