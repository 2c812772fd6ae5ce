//! What a run says of itself: metrics that repeat to the byte, and apart from them what depends on the clock.

use crate::jsonl::{JsonLines, Keep};
use crate::run_folder::RunFolder;
use crate::tensorboard::{Events, now_s};
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use isochrone::embedding::EpochReport;
use serde::Serialize;
use std::time::Instant;

/// One chunk.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Metrics {
    pub(super) pass: u64,
    pub(super) chunk: u64,
    pub(super) update: u64,
    pub(super) pairs: usize,
    pub(super) loss: f64,
    pub(super) mean_target_steps: f64,
    pub(super) hit_share: f64,
    pub(super) scale_steps: f64,
}

impl Metrics {
    pub(super) fn new(at: (u64, u64), update: u64, scale_steps: f64, of: &EpochReport) -> Self {
        Self {
            pass: at.0,
            chunk: at.1,
            update,
            pairs: of.pairs,
            loss: of.loss,
            mean_target_steps: of.mean_target_steps,
            hit_share: of.hit_share,
            scale_steps,
        }
    }
}

#[derive(Serialize)]
struct Timing {
    update: u64,
    seconds: f64,
    pairs_per_s: f64,
}

/// The files of a run, and its line on the terminal.
pub(super) struct Records {
    metrics: JsonLines,
    timing: JsonLines,
    events: Events,
    bar: ProgressBar,
    last: Instant,
}

impl Records {
    /// Begins, or goes on after `kept_bytes` of the metrics: what a stopped run wrote after its last checkpoint is
    /// written again.
    pub(super) fn open(folder: &RunFolder, kept_bytes: u64, total_rows: u64) -> Result<Self> {
        let metrics = folder.file("metrics.jsonl");
        let metrics = JsonLines::open(metrics, Keep::Bytes(kept_bytes))?;
        let timing = JsonLines::open(folder.file("timing.jsonl"), Keep::All)?;
        let bar = ProgressBar::new(total_rows);
        let style = "{bar:24} {percent:>3} %  {msg}  {per_sec}  {eta} left";
        let style = ProgressStyle::with_template(style)?.with_key(
            "per_sec",
            |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = write!(out, "{:.0} states/s", state.per_sec());
            },
        );
        bar.set_style(style);
        Ok(Self {
            metrics,
            timing,
            events: Events::create(folder.path(), now_s())?,
            bar,
            last: Instant::now(),
        })
    }

    /// Rows done in an earlier part of the run.
    pub(super) fn skip(&self, rows: u64) {
        self.bar.set_position(self.bar.position() + rows);
        self.bar.reset_eta();
    }

    /// A chunk of so many rows is done.
    pub(super) fn add(&mut self, metrics: &Metrics, rows: u64) -> Result<()> {
        self.metrics.add(metrics)?;
        let seconds = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        let timing = Timing {
            update: metrics.update,
            seconds,
            pairs_per_s: metrics.pairs as f64 / seconds,
        };
        self.timing.add(&timing)?;
        self.show(metrics, timing.pairs_per_s)?;
        self.bar.inc(rows);
        self.bar.set_message(format!(
            "pass {}  loss {:.4}  mean target {:.1} steps",
            metrics.pass + 1,
            metrics.loss,
            metrics.mean_target_steps
        ));
        Ok(())
    }

    /// The same for TensorBoard, under the names that its users know.
    fn show(&mut self, metrics: &Metrics, pairs_per_s: f64) -> Result<()> {
        let (step, now) = (metrics.update, now_s());
        let scalars = [
            ("train/loss", metrics.loss),
            ("train/mean_target_steps", metrics.mean_target_steps),
            ("train/hit_share", metrics.hit_share),
            ("train/scale_steps", metrics.scale_steps),
            ("time/pairs_per_second", pairs_per_s),
        ];
        for (tag, value) in scalars {
            self.events.scalar(tag, step, value as f32, now)?;
        }
        self.events.flush()
    }

    /// Makes sure that everything is on the disk; how much of the metrics that is.
    pub(super) fn sync(&mut self) -> Result<u64> {
        self.metrics.sync()
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
