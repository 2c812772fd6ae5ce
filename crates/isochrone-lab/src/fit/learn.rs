//! Passes over the data, with checkpoints. Stopped anywhere and resumed, a fit gives the bytes of the unbroken one.

use super::checkpoint::{self, Checkpoint, Position};
use super::chunks::Chunks;
use super::folder::Manifest;
use super::records::{Metrics, Records};
use super::spec::{FitSpec, Inputs};
use super::survey::Survey;
use crate::data::{Batch, DataSource};
use crate::judge::{self, Watched};
use crate::model::{About, DistanceModel, FileFacts, TrainingFacts};
use crate::run_folder::RunFolder;
use crate::stop::StopSign;
use anyhow::{Result, bail};
use isochrone::embedding::{DistanceTrainer, Objective, TrainError};
use isochrone::pairs::{Episodes, Target};
use isochrone::rng::Seed;
use std::path::Path;
use std::time::{Duration, Instant};

/// How much work may be lost.
const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);

/// A fit that is done.
pub(super) struct Fitted {
    spec: FitSpec,
    survey: Survey,
    trainer: DistanceTrainer,
}

/// Learns from the first chunk on.
pub(super) fn begin(
    folder: &RunFolder,
    source: &DataSource,
    spec: FitSpec,
    survey: Survey,
    stop: &StopSign,
) -> Result<Fitted> {
    let fitted = Fitted::new(spec, survey)?;
    fitted.learn(folder, source, (Position::default(), 0), 0, stop)
}

/// Goes on after the last chunk of a checkpoint.
pub(super) fn go_on(
    folder: &RunFolder,
    source: &DataSource,
    checkpoint: Checkpoint,
    stop: &StopSign,
) -> Result<Fitted> {
    let at = (checkpoint.position, checkpoint.pairs_in_pass);
    let mut fitted = Fitted::new(checkpoint.spec, checkpoint.survey)?;
    fitted.trainer.restore(&checkpoint.arrays)?;
    fitted.learn(folder, source, at, checkpoint.metrics_bytes, stop)
}

impl Fitted {
    fn new(spec: FitSpec, mut survey: Survey) -> Result<Self> {
        let distance = spec.distance(survey.width, survey.transitions)?;
        let mut trainer = DistanceTrainer::new(distance, Seed(spec.seed))?;
        if spec.inputs == Inputs::Standardised {
            trainer.set_normaliser(survey.normaliser.clone())?;
        }
        if let Some(goals) = survey.goals.take() {
            trainer.set_goals(goals);
        }
        Ok(Self {
            spec,
            survey,
            trainer,
        })
    }

    fn learn(
        mut self,
        folder: &RunFolder,
        source: &DataSource,
        (mut at, mut pairs_in_pass): (Position, u64),
        metrics_bytes: u64,
        stop: &StopSign,
    ) -> Result<Self> {
        let passes = self.spec.passes.unwrap_or(1);
        let rows = self.survey.transitions + self.survey.episodes;
        let mut records = Records::open(folder, metrics_bytes, rows.saturating_mul(passes))?;
        records.skip(at.pass.saturating_mul(rows));
        let mut saved = Instant::now();
        while at.pass < passes {
            let mut chunks = Chunks::new(source, &self.spec, self.survey.held_out, at.pass)?;
            for _ in 0..at.chunk {
                let skipped = chunks.next()?;
                if stop.is_raised() {
                    bail!("{}", how_to_go_on(folder.path(), at.pass, passes));
                }
                records.skip(skipped.map_or(0, |batch| n_rows(&batch)));
            }
            while let Some(batch) = chunks.next()? {
                pairs_in_pass += self.learn_from(&batch, at, &mut records)?;
                at.chunk += 1;
                if stop.is_raised() || saved.elapsed() > CHECKPOINT_EVERY {
                    self.save(folder, &mut records, (at, pairs_in_pass))?;
                    saved = Instant::now();
                }
                if stop.is_raised() {
                    drop(records);
                    bail!("{}", how_to_go_on(folder.path(), at.pass, passes));
                }
            }
            if pairs_in_pass == 0 {
                bail!("{}", self.no_pairs());
            }
            (at, pairs_in_pass) = (
                Position {
                    pass: at.pass + 1,
                    chunk: 0,
                },
                0,
            );
        }
        self.save(folder, &mut records, (at, 0))?;
        Ok(self)
    }

    /// Learns from a chunk; how many pairs that was. A chunk in which nothing moves is passed over.
    fn learn_from(&mut self, batch: &Batch, at: Position, records: &mut Records) -> Result<u64> {
        let episodes = Episodes::new(&batch.states, batch.width, batch.ranges.clone())?;
        let number = at.pass << 32 | at.chunk;
        let report = match self.trainer.epoch(&episodes, number) {
            Err(TrainError::NoPairs) => return Ok(0),
            report => report?,
        };
        let (step, scale) = (self.trainer.step(), self.trainer.scale());
        let metrics = Metrics::new((at.pass, at.chunk), step, scale, &report);
        records.add(&metrics, n_rows(batch))?;
        Ok(report.pairs as u64)
    }

    fn save(&self, folder: &RunFolder, records: &mut Records, at: (Position, u64)) -> Result<()> {
        let metrics_bytes = records.sync()?;
        let (spec, survey) = (&self.spec, &self.survey);
        checkpoint::write(folder, spec, survey, &self.trainer, at, metrics_bytes)
    }

    /// Why nothing could be learned, in numbers.
    fn no_pairs(&self) -> String {
        let target = match self.trainer.spec().objective {
            Objective::Regression { target, .. } => Some(target),
            Objective::GraphDrawing { .. } => None,
        };
        format!(
            "no two states of an episode are farther apart than {}, which makes them one; the median step is {:.3e}, in \
             the units of the states",
            target.map_or(0.0, Target::radius),
            self.survey.median_step
        )
    }

    /// Judges the distance by the episodes kept aside, and puts it together.
    pub(super) fn finish(self, source: &DataSource, manifest: &Manifest) -> Result<DistanceModel> {
        let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
        let files = manifest.files.iter().zip(&self.survey.first_episodes);
        let files = files.map(|(file, first_episode)| FileFacts {
            name: name(&file.path).unwrap_or_default(),
            fingerprint: file.fingerprint.clone(),
            first_episode: *first_episode,
        });
        let about = About {
            spec: self.trainer.spec().clone(),
            states: manifest.columns.clone(),
            training: TrainingFacts {
                files: files.collect(),
                episodes: self.survey.episodes,
                transitions: self.survey.transitions,
                held_out_episodes: self.survey.held_out_episodes,
                held_out: self.survey.held_out,
                passes: self.spec.passes.unwrap_or(1),
                updates: self.trainer.step(),
                seed: self.spec.seed,
            },
            calibration: None,
        };
        let weights = self.trainer.weights();
        let mut model = DistanceModel::new(about, weights, self.trainer.scale())?;
        let held_out = self.survey.held_out;
        let mut watched = Watched::new(source.spec().len());
        watched.gather(source, |episode| held_out.contains(episode))?;
        if watched.n_states() > 0 {
            model.about.calibration = judge::calibrated(&model, &watched, Seed(self.spec.seed))?;
        }
        Ok(model)
    }
}

fn n_rows(batch: &Batch) -> u64 {
    batch.ranges.iter().map(|range| range.len() as u64).sum()
}

fn how_to_go_on(folder: &Path, pass: u64, passes: u64) -> String {
    format!(
        "stopped in pass {} of {passes}. Go on with it:\n  isochrone fit --resume {}",
        pass + 1,
        folder.display()
    )
}
