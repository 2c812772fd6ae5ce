//! `isochrone-experiments bench clips`: how long single pairs of images, and all pairs of clips, take to the same held-out error.

use super::turns::timed;
use super::{tell_json, tell_table};
use crate::cli::BenchClipsOptions;
use crate::reproduce::pixels::{BenchmarkFrames, PixelTrainer};
use anyhow::Result;
use isochrone_runs::progress::Waiting;
use serde::Serialize;

/// A training, look by look.
#[derive(Debug, Serialize)]
struct Training {
    /// `pairs` or `clips`.
    learns_from: &'static str,
    looks: Vec<Look>,
    /// The first time that the error was as low as that of pairs at their end.
    cpu_s_to_error: Option<f64>,
    updates_to_error: Option<u64>,
}

/// The error after some updates.
#[derive(Clone, Copy, Debug, Serialize)]
struct Look {
    updates: u64,
    /// Of training, without the looks.
    cpu_s: f64,
    held_out_rmse_steps: f64,
}

/// The result.
#[derive(Debug, Serialize)]
struct Comparison {
    seed: u64,
    /// What pairs reached at their end: the lowest of their last three looks.
    rmse_steps: f64,
    trainings: [Training; 2],
    /// Time of clips to that error over that of pairs.
    ratio: Option<f64>,
}

/// Runs the command.
pub(super) fn run(options: &BenchClipsOptions) -> Result<()> {
    let waiting = Waiting::new("drawing images");
    let frames = BenchmarkFrames::gather(options.seed)?;
    let train = |name: &str, mut trainer: PixelTrainer<'_>| -> Result<Vec<Look>> {
        let (mut looks, mut cpu_s) = (Vec::new(), 0.0);
        while trainer.updates() < options.updates {
            let (done, taken) = timed(|| trainer.go_on());
            done?;
            cpu_s += taken.cpu_s;
            let held_out_rmse_steps = trainer.held_out_rmse()?;
            let updates = trainer.updates();
            waiting.now(&format!(
                "{name}: {updates} updates, error {held_out_rmse_steps:.2} steps"
            ));
            looks.push(Look {
                updates,
                cpu_s,
                held_out_rmse_steps,
            });
        }
        Ok(looks)
    };
    let pairs = train("pairs", PixelTrainer::of_pairs(&frames, options.seed)?)?;
    let clips = train("clips", PixelTrainer::of_clips(&frames, options.seed)?)?;
    drop(waiting);
    let last = pairs
        .iter()
        .rev()
        .take(3)
        .map(|look| look.held_out_rmse_steps);
    let rmse_steps = last.fold(f64::INFINITY, f64::min);
    let training = |learns_from, looks: Vec<Look>| {
        let reached = looks
            .iter()
            .find(|look| look.held_out_rmse_steps <= rmse_steps);
        Training {
            learns_from,
            cpu_s_to_error: reached.map(|look| look.cpu_s),
            updates_to_error: reached.map(|look| look.updates),
            looks,
        }
    };
    let trainings = [training("pairs", pairs), training("clips", clips)];
    let [pairs_s, clips_s] = [0, 1].map(|at: usize| trainings[at].cpu_s_to_error);
    let ratio = clips_s.zip(pairs_s).map(|(clips, pairs)| clips / pairs);
    let found = Comparison {
        seed: options.seed,
        rmse_steps,
        trainings,
        ratio,
    };
    if options.json {
        return tell_json(&found);
    }
    tell_table(
        &found.trainings,
        &[
            ("learns from", |t| t.learns_from.to_owned()),
            ("updates to the error", |t| {
                t.updates_to_error
                    .map_or("not reached".to_owned(), |n| n.to_string())
            }),
            ("CPU s", |t| {
                t.cpu_s_to_error
                    .map_or("-".to_owned(), |s| format!("{s:.0}"))
            }),
        ],
    )
}
