//! Passes over the data, with checkpoints. Stopped anywhere and resumed, a fit gives the bytes of the unbroken one.

use super::checkpoint::{self, Checkpoint, Position};
use super::chunks::Chunks;
use super::entries::Range;
use super::ranks;
use super::records::{Metrics, Records};
use super::spec::{FitSpec, Inputs};
use super::survey::Survey;
use crate::calibration::{self, ObservedEpisodes};
use crate::cluster::Ranks;
use crate::exit::Stopped;
use crate::progress::{NoObserver, Observer};
use anyhow::{Result, bail};
use isochrone::embedding::{DistanceTrainer, TrainError};
use isochrone::nn::NamedArray;
use isochrone::pairs::Target;
use isochrone::rng::Seed;
use isochrone::roadmap::Geodesic;
use isochrone_files::data::{Batch, DataSource};
use isochrone_files::model::{
    About, CopyFinder, DistanceModel, FileFacts, RANGE_HIGH, RANGE_LOW, StateColumns, TrainingFacts,
};
use isochrone_files::run_folder::RunFolder;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much work may be lost.
const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);
/// Rows read at a time for the marks of episodes.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");

/// What a fit works on, and with whom.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    /// Where it is kept; nowhere, and then it cannot be gone on with.
    pub(super) folder: Option<&'a RunFolder>,
    pub(super) source: &'a DataSource,
    pub(super) origin: &'a Origin,
    pub(super) ranks: &'a Ranks,
    pub(super) observer: &'a dyn Observer,
}

/// Where data came from, as a model tells.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// Names and fingerprints.
    pub(super) files: Vec<(String, String)>,
    pub(super) columns: StateColumns,
}

/// A fit that is done.
pub(super) struct Fitted {
    spec: FitSpec,
    survey: Survey,
    trainer: DistanceTrainer,
    /// Learning ends after the chunk with this update, at the latest.
    most_updates: u64,
}

/// No two states are far enough apart to be learned from.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoPairs(String);

/// Learns from the first chunk on. The map is that of the target `geodesic`.
pub(super) fn begin(
    work: Work<'_>,
    spec: FitSpec,
    survey: Survey,
    map: Option<Arc<Geodesic>>,
) -> Result<Fitted> {
    let fitted = Fitted::new(spec, survey, map)?;
    fitted.learn(work, (Position::default(), 0), 0)
}

/// Learns for about this many updates, over which the learning rate decays.
pub(super) fn try_out(
    work: Work<'_>,
    spec: FitSpec,
    mut survey: Survey,
    updates: u64,
) -> Result<Fitted> {
    let rows = updates.saturating_mul(spec.batch as u64);
    survey.transitions = rows.div_ceil(spec.passes.unwrap_or(1).max(1));
    let mut fitted = Fitted::new(spec, survey, None)?;
    fitted.most_updates = updates;
    fitted.learn(work, (Position::default(), 0), 0)
}

/// Resumes after the last chunk of a checkpoint.
pub(super) fn go_on(
    work: Work<'_>,
    checkpoint: Checkpoint,
    map: Option<Arc<Geodesic>>,
) -> Result<Fitted> {
    let at = (checkpoint.position, checkpoint.pairs_in_pass);
    let mut fitted = Fitted::new(checkpoint.spec, checkpoint.survey, map)?;
    fitted.trainer.restore(&checkpoint.arrays)?;
    fitted.learn(work, at, checkpoint.metrics_bytes)
}

impl Fitted {
    fn new(spec: FitSpec, mut survey: Survey, map: Option<Arc<Geodesic>>) -> Result<Self> {
        let distance = spec.distance(survey.width, survey.transitions)?;
        let mut trainer = DistanceTrainer::new(distance, Seed(spec.seed))?;
        // Convolutions normalise by themselves.
        if spec.inputs == Inputs::Standardised && spec.image.is_none() {
            trainer.set_normaliser(survey.normaliser.clone())?;
        }
        if let Some(goals) = survey.goals.take() {
            trainer.set_goals(goals);
        }
        if let Some(map) = map {
            trainer.set_geodesic(map);
        }
        Ok(Self {
            spec,
            survey,
            trainer,
            most_updates: u64::MAX,
        })
    }

    fn learn(
        mut self,
        work: Work<'_>,
        (mut at, mut pairs_in_pass): (Position, u64),
        metrics_bytes: u64,
    ) -> Result<Self> {
        let Work {
            folder,
            source,
            ranks,
            observer,
            ..
        } = work;
        let passes = self.spec.passes.unwrap_or(1);
        let rows = self.survey.transitions + self.survey.episodes;
        let total = rows.saturating_mul(passes);
        let mut records = Records::open(folder, metrics_bytes, total, observer)?;
        records.skip(at.pass.saturating_mul(rows));
        let mut saved = Instant::now();
        while at.pass < passes {
            let mut chunks = Chunks::new(source, &self.spec, self.survey.held_out, at.pass)?;
            for _ in 0..at.chunk {
                let skipped = chunks.next()?;
                if !observer.goes_on() {
                    bail!(how_to_go_on(folder, at.pass, passes));
                }
                records.skip(skipped.map_or(0, |batch| n_rows(&batch)));
            }
            while let Some(batch) = chunks.next()? {
                pairs_in_pass += self.learn_from(&batch, at, ranks, &mut records)?;
                at.chunk += 1;
                let goes_on = observer.goes_on();
                // Clocks differ between ranks, and only the leader has a folder: nothing collective is done here.
                if !goes_on || saved.elapsed() > CHECKPOINT_EVERY {
                    self.save(folder, &mut records, (at, pairs_in_pass))?;
                    saved = Instant::now();
                }
                if !goes_on {
                    bail!(how_to_go_on(folder, at.pass, passes));
                }
                if self.trainer.step() >= self.most_updates {
                    return Ok(self);
                }
            }
            if pairs_in_pass == 0 {
                bail!(NoPairs(self.no_pairs()));
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
    fn learn_from(
        &mut self,
        batch: &Batch,
        at: Position,
        ranks: &Ranks,
        records: &mut Records<'_>,
    ) -> Result<u64> {
        let number = at.pass << 32 | at.chunk;
        let parts = ranks::parts(batch, &self.spec, ranks)?;
        let report = match self.trainer.epoch(&parts, number, ranks.comm()) {
            Err(TrainError::NoPairs) => return Ok(0),
            report => report?,
        };
        if ranks.size() > 1 {
            ranks.compare(&self.trainer.save(), &[report.pairs as u64])?;
        }
        let (step, scale) = (self.trainer.step(), self.trainer.scale());
        let metrics = Metrics::new((at.pass, at.chunk), step, scale, &report);
        records.add(&metrics, n_rows(batch))?;
        Ok(report.pairs as u64)
    }

    fn save(
        &self,
        folder: Option<&RunFolder>,
        records: &mut Records<'_>,
        at: (Position, u64),
    ) -> Result<()> {
        let Some(folder) = folder else {
            return Ok(());
        };
        let metrics_bytes = records.sync()?;
        let (spec, survey) = (&self.spec, &self.survey);
        checkpoint::write(folder, spec, survey, &self.trainer, at, metrics_bytes)
    }

    /// The range of each entry, for telling states that are far outside.
    fn ranges(&self) -> Vec<NamedArray> {
        let ranges = &self.survey.ranges;
        let row = |name: &str, value: fn(&Range) -> f32| {
            NamedArray::f32(
                name.to_owned(),
                [1, ranges.len()],
                ranges.iter().map(value).collect::<Vec<_>>(),
            )
        };
        if ranges.is_empty() {
            return Vec::new();
        }
        vec![row(RANGE_LOW, |r| r.low), row(RANGE_HIGH, |r| r.high)]
    }

    /// Why nothing could be learned, and what to do about it.
    fn no_pairs(&self) -> String {
        let target = self.trainer.spec().objective.target();
        let step = self.survey.median_step;
        let apart = target.map_or(0.0, Target::radius);
        let fact = format!(
            "no two states of an episode are farther apart than {apart}, which makes them one; the median step is {step:.1e} in \
             the units of the states"
        );
        match target {
            // The paper's tolerance is absolute, in metres; other units need a radius of their own.
            Some(Target::Window { .. }) if step > 0.0 => format!(
                "{fact}. In such small units take --target first_passage --radius {:.0e} (in Python target=\"first_passage\", \
                 radius={0:.0e}), a tenth of a step",
                0.1 * step
            ),
            Some(_) if step > 0.0 => {
                format!("{fact}. Take a smaller radius, about {:.0e}", 0.1 * step)
            }
            _ => format!(
                "{fact}: the states do not move; name entries that change (--state, in Python state=)"
            ),
        }
    }

    /// The distance, calibrated by the held-out episodes.
    pub(super) fn finish(self, source: &DataSource, origin: Origin) -> Result<DistanceModel> {
        let (held_out, seed) = (self.survey.held_out, Seed(self.spec.seed));
        let mut model = self.model(origin)?;
        let mut copies = CopyFinder::new(held_out);
        for piece in source.pieces(PIECE_ROWS) {
            copies.add(&piece?);
        }
        let training = &mut model.about.training;
        (training.learned, training.copies) = (Some(copies.marks()), copies.copies());
        let mut watched = ObservedEpisodes::new(source.spec().len());
        // What is learned must not be lost to Ctrl-C: this part is short and runs to its end.
        let is_unseen = |episode| model.about.training.is_unseen(episode);
        watched.gather(source, is_unseen, &NoObserver)?;
        if watched.n_states() > 0 && model.target().is_some() {
            model.about.calibration = calibration::calibrated(&model, &watched, seed, &NoObserver)?;
        }
        Ok(model)
    }

    /// The distance without calibration.
    pub(super) fn model(self, origin: Origin) -> Result<DistanceModel> {
        let files = origin.files.into_iter().zip(&self.survey.first_episodes);
        let files = files.map(|((name, fingerprint), first_episode)| FileFacts {
            name,
            fingerprint,
            first_episode: *first_episode,
        });
        let about = About {
            spec: self.trainer.spec().clone(),
            states: origin.columns,
            training: TrainingFacts {
                files: files.collect(),
                episodes: self.survey.episodes,
                transitions: self.survey.transitions,
                held_out_episodes: self.survey.held_out_episodes,
                held_out: self.survey.held_out,
                copies: BTreeSet::new(),
                passes: self.spec.passes.unwrap_or(1),
                updates: self.trainer.step(),
                seed: self.spec.seed,
                learned: None,
                first_states: None,
            },
            calibration: None,
            reached: None,
        };
        let mut arrays = self.trainer.weights();
        arrays.extend(self.ranges());
        Ok(DistanceModel::new(about, arrays, self.trainer.scale())?)
    }
}

fn n_rows(batch: &Batch) -> u64 {
    batch.ranges.iter().map(|range| range.len() as u64).sum()
}

fn how_to_go_on(folder: Option<&RunFolder>, pass: u64, passes: u64) -> Stopped {
    let pass = pass + 1;
    Stopped(match folder {
        None => format!("stopped in pass {pass} of {passes}"),
        Some(folder) => format!(
            "stopped in pass {pass} of {passes}. Go on with it:\n  isochrone fit --resume {}",
            folder.path().display()
        ),
    })
}
