//! What a run says of itself: metrics that repeat to the byte, and apart from them what depends on the clock.

use crate::progress::Observer;
use anyhow::Result;
use isochrone::embedding::EpochReport;
use isochrone_files::jsonl::{JsonLines, Keep};
use isochrone_files::run_folder::RunFolder;
use isochrone_files::tensorboard::{Events, now_s};
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

/// The files of a run, if it has any, and whoever looks on.
pub(super) struct Records<'a> {
    files: Option<Files>,
    observer: &'a dyn Observer,
    last: Instant,
}

struct Files {
    metrics: JsonLines,
    timing: JsonLines,
    events: Events,
}

impl Files {
    fn open(folder: &RunFolder, kept_bytes: u64) -> Result<Self> {
        let metrics = folder.file("metrics.jsonl");
        Ok(Self {
            metrics: JsonLines::open(metrics, Keep::Bytes(kept_bytes))?,
            timing: JsonLines::open(folder.file("timing.jsonl"), Keep::All)?,
            events: Events::create(folder.path(), now_s())?,
        })
    }

    fn add(&mut self, metrics: &Metrics, seconds: f64) -> Result<()> {
        self.metrics.add(metrics)?;
        let pairs_per_s = metrics.pairs as f64 / seconds;
        self.timing.add(&Timing {
            update: metrics.update,
            seconds,
            pairs_per_s,
        })?;
        self.show(metrics, pairs_per_s)
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
}

impl<'a> Records<'a> {
    /// Begins, or resumes after `kept_bytes` of the metrics: what a stopped run wrote after its last checkpoint is
    /// written again.
    pub(super) fn open(
        folder: Option<&RunFolder>,
        kept_bytes: u64,
        total_rows: u64,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let files = folder.map(|folder| Files::open(folder, kept_bytes));
        observer.begins("learning", total_rows.max(1));
        Ok(Self {
            files: files.transpose()?,
            observer,
            last: Instant::now(),
        })
    }

    /// Rows done in an earlier part of the run.
    pub(super) fn skip(&self, rows: u64) {
        self.observer.skips(rows);
    }

    /// A chunk of so many rows is done.
    pub(super) fn add(&mut self, metrics: &Metrics, rows: u64) -> Result<()> {
        let seconds = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        if let Some(files) = &mut self.files {
            files.add(metrics, seconds)?;
        }
        let Metrics {
            pass,
            loss,
            mean_target_steps,
            ..
        } = metrics;
        let pass = pass + 1;
        self.observer.advances(
            rows,
            &format!("pass {pass}  loss {loss:.4}  mean target {mean_target_steps:.1} steps"),
        );
        Ok(())
    }

    /// Makes sure that everything is on the disk; how much of the metrics that is.
    pub(super) fn sync(&mut self) -> Result<u64> {
        let files = self.files.as_mut();
        files.map_or(Ok(0), |files| files.metrics.sync())
    }
}
