//! `isochrone clone`: logged actions → a policy for goals nearby, in a file. Stopped anywhere and resumed, it gives the
//! bytes of the unbroken one.

mod data;
mod folder;
mod options;

pub use options::CloneOptions;

use crate::exit::Stopped;
use crate::output::{refuse_other_ending, refuse_same_file, refuse_unwritable};
use crate::progress::Observer;
use anyhow::{Result, bail};
use data::Log;
use folder::{Checkpoint, CloneFolder, CloneManifest};
use isochrone::cloning::{CloningSpec, CloningTrainer, Demonstrations};
use isochrone::embedding::LearningRate;
use isochrone::rng::Seed;
use isochrone_files::model;
use isochrone_files::policy::{PolicyAbout, PolicyModel};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How much work may be lost.
const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);
/// Updates per line of the records, and of the reported error.
const RECORD_EVERY: u64 = 100;

/// What can be set of a cloning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CloneSpec {
    /// Goals are states at most so many steps later.
    pub max_lag_steps: usize,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Samples per update.
    pub batch: usize,
    /// Updates.
    pub updates: u64,
    /// Step sizes of Adam at the first and at the last update.
    pub learning_rate: f64,
    /// See `learning_rate`.
    pub final_learning_rate: f64,
    /// The root of all randomness.
    pub seed: u64,
}

impl Default for CloneSpec {
    fn default() -> Self {
        Self {
            max_lag_steps: 25,
            hidden: vec![256, 256],
            batch: 512,
            updates: 4_000,
            learning_rate: 1e-3,
            final_learning_rate: 1e-4,
            seed: 0,
        }
    }
}

impl CloneSpec {
    fn cloning(&self, (inputs, actions): (usize, usize)) -> CloningSpec {
        CloningSpec {
            hidden: self.hidden.clone(),
            max_lag_steps: self.max_lag_steps,
            batch: self.batch,
            updates: self.updates,
            learning_rate: LearningRate::Decay {
                from: self.learning_rate,
                to: self.final_learning_rate,
                steps: self.updates,
            },
            ..CloningSpec::new(inputs, actions)
        }
    }
}

/// Does what was asked on the command line; the file that was written.
pub fn clone_among(
    options: &CloneOptions,
    observer: &dyn Observer,
) -> Result<(PolicyModel, PathBuf)> {
    let (folder, manifest, spec) = match &options.resume {
        Some(folder) => CloneFolder::open(folder)?,
        None => begin(options)?,
    };
    let log = Log::read(&manifest.given(), manifest.action.clone(), observer)?;
    let model = learn(&log, &spec, Some((&folder, &manifest)), observer)?;
    model.write(&manifest.policy)?;
    Ok((model, manifest.policy))
}

fn begin(options: &CloneOptions) -> Result<(CloneFolder, CloneManifest, CloneSpec)> {
    let Some(output) = options.data.output.clone() else {
        bail!("name the file to write with -o, for example -o local.isochrone");
    };
    refuse_other_ending(&output, model::ENDING)?;
    let spec = options.spec();
    // Refused before a folder is made; the lengths are the data's.
    spec.cloning((1, 1)).check()?;
    let manifest = CloneManifest::new(options, &output)?;
    for file in manifest.files.paths() {
        refuse_same_file(&[Some(file), Some(&manifest.policy)])?;
    }
    refuse_unwritable(&manifest.policy)?;
    let folder = CloneFolder::create(&options.run.folder(&output), &manifest, &spec)?;
    Ok((folder, manifest, spec))
}

/// Clones from what somebody holds in memory, without a folder. Rows are a state and an action.
pub fn clone_given(
    given: &crate::fit::Given,
    action: Option<String>,
    spec: &CloneSpec,
    observer: &dyn Observer,
) -> Result<PolicyModel> {
    let log = Log::read(given, action, observer)?;
    learn(&log, spec, None, observer)
}

/// The same from rows of a state and an action.
pub fn clone_rows(
    demonstrations: Demonstrations,
    spec: &CloneSpec,
    observer: &dyn Observer,
) -> Result<PolicyModel> {
    learn(&Log::of_memory(demonstrations), spec, None, observer)
}

fn learn(
    log: &Log,
    spec: &CloneSpec,
    kept: Option<(&CloneFolder, &CloneManifest)>,
    observer: &dyn Observer,
) -> Result<PolicyModel> {
    let demonstrations = &log.demonstrations;
    let cloning = spec.cloning(demonstrations.lengths());
    let mut trainer = CloningTrainer::new(cloning, Seed(spec.seed), demonstrations)?;
    let (mut records, mut sum) = (None, ErrorSum::default());
    if let Some((folder, _)) = kept {
        let checkpoint = folder.checkpoint(spec)?;
        let known = checkpoint.as_ref().map_or(0, |c| c.metrics_bytes);
        records = Some(folder.records(known)?);
        if let Some(checkpoint) = checkpoint {
            trainer.restore(&checkpoint.arrays)?;
            sum = checkpoint.sum;
        }
    }
    observer.begins("cloning", spec.updates);
    observer.skips(trainer.updates());
    let mut saved = Instant::now();
    while trainer.updates() < spec.updates {
        let loss = trainer.update(demonstrations)?;
        if let Some(error) = sum.add(loss, trainer.updates()) {
            if let Some(records) = &mut records {
                records.add(&Line {
                    update: trainer.updates(),
                    error,
                })?;
            }
            observer.advances(RECORD_EVERY, &format!("error {error:.4}"));
        }
        let goes_on = observer.goes_on();
        let is_due = !goes_on || saved.elapsed() > CHECKPOINT_EVERY;
        if is_due && let (Some((folder, _)), Some(records)) = (kept, &mut records) {
            folder.save(&Checkpoint {
                spec: spec.clone(),
                arrays: trainer.save(),
                sum,
                metrics_bytes: records.sync()?,
            })?;
            saved = Instant::now();
        }
        if !goes_on {
            bail!(how_to_resume(kept, trainer.updates(), spec.updates));
        }
    }
    if let Some((folder, _)) = kept {
        folder.finish()?;
    }
    let about = PolicyAbout {
        spec: trainer.spec().clone(),
        states: log.columns.clone(),
        action: log.action.clone(),
        files: log.files.clone(),
        steps: demonstrations.n_steps() as u64,
        seed: spec.seed,
        error: sum.last,
    };
    Ok(PolicyModel::new(about, trainer.weights())?)
}

/// A line of the records.
#[derive(Serialize)]
struct Line {
    update: u64,
    error: f64,
}

/// The mean error over the last hundred updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorSum {
    sum: f64,
    count: u64,
    last: f64,
}

impl ErrorSum {
    /// The mean, where a line is due.
    fn add(&mut self, loss: f64, update: u64) -> Option<f64> {
        (self.sum, self.count) = (self.sum + loss, self.count + 1);
        self.last = self.sum / self.count as f64;
        update.is_multiple_of(RECORD_EVERY).then(|| {
            (self.sum, self.count) = (0.0, 0);
            self.last
        })
    }
}

fn how_to_resume(kept: Option<(&CloneFolder, &CloneManifest)>, done: u64, all: u64) -> Stopped {
    Stopped(match kept {
        None => format!("stopped after {done} of {all} updates"),
        Some((folder, _)) => format!(
            "stopped after {done} of {all} updates. Resume it:\n  isochrone clone --resume {}",
            folder.path().display()
        ),
    })
}
