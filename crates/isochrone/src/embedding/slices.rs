//! Learning that several ranks share: lessons are drawn where their trajectories are told to be, gradients are computed
//! by whoever has the slice, and every rank takes the same step.
//!
//! A batch of B pairs is cut into slices of 256, and the gradient of its loss is the sum over slices, in their order:
//!
//! ```text
//! ∇ mean (d − y)² = 1/n · (((∇Σ₀ + ∇Σ₁) + ∇Σ₂) + …)      Σ_s: the sum of (d − y)² over slice s
//! ```
//!
//! so the result does not depend on who computed which, nor on how many there are.

use super::trainer::{DistanceTrainer, EpochReport, TrainError};
use crate::comm::{Comm, Shards};
use crate::nn::lag_loss;
use crate::pairs::{Episodes, Reservoir};
use crate::rng::Purpose;
use rand::seq::SliceRandom;

/// Pairs of a slice. Part of every result.
pub const SLICE_PAIRS: usize = 256;

/// The stream that the order of an epoch's lessons is drawn by: behind those of the parts.
const ORDER_STREAM: u64 = u64::MAX;

/// Trajectories that belong together, and the number of the stream their lessons are drawn by.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Its place among all parts of all ranks.
    pub number: u64,
    /// What was seen.
    pub episodes: Episodes<'a>,
}

impl DistanceTrainer {
    /// Learns from all of these trajectories, and those of the other ranks, once. Ranks have parts in the order of
    /// their numbers: rank 0 the first ones. `epoch` is its number: the same number draws the same lessons.
    pub fn epoch_among(
        &mut self,
        parts: &[Part<'_>],
        epoch: u64,
        comm: &dyn Comm,
    ) -> Result<EpochReport, TrainError> {
        let goals = self.goals.take();
        let drawn = self.draw(parts, epoch, goals.as_ref());
        self.goals = goals;
        let mine: Vec<u8> = drawn?.iter().flat_map(|x| x.to_le_bytes()).collect();
        let all = comm.all_gather_bytes(&mine)?.concat();
        let words = all.as_chunks().0.iter();
        let lessons: Vec<f32> = words.map(|word| f32::from_le_bytes(*word)).collect();
        let mut order: Vec<&[f32]> = lessons.chunks_exact(self.lesson_width()).collect();
        order.shuffle(&mut self.seed.stream(Purpose::Pairs, epoch, ORDER_STREAM));
        let mut report = EpochReport::default();
        for batch in order.chunks(self.spec.batch) {
            self.learn_among(&batch.concat(), comm, &mut report)?;
        }
        self.unless_broken()?;
        report.averaged()
    }

    fn draw(
        &self,
        parts: &[Part<'_>],
        epoch: u64,
        goals: Option<&Reservoir>,
    ) -> Result<Vec<f32>, TrainError> {
        let none = Reservoir::new(1, self.spec.encoder.inputs);
        let mut lessons = Vec::new();
        for part in parts {
            let mut rng = self.seed.stream(Purpose::Pairs, epoch, part.number);
            lessons.extend(self.lessons(&part.episodes, goals.unwrap_or(&none), &mut rng)?);
        }
        Ok(lessons)
    }

    /// One step of Adam on lessons that every rank has.
    fn learn_among(
        &mut self,
        lessons: &[f32],
        comm: &dyn Comm,
        report: &mut EpochReport,
    ) -> Result<(), TrainError> {
        let steps = self.targets(lessons);
        let n = steps.len() as f64;
        let slices = Shards::new(self.spec.batch.div_ceil(SLICE_PAIRS), comm.size())?;
        let width = self.lesson_width();
        let partials = slices.share_of(comm)?.map(|slice| {
            let rows = SLICE_PAIRS * slice..(SLICE_PAIRS * (slice + 1)).min(steps.len());
            if rows.is_empty() {
                return vec![0.0; 1 + self.network.len()];
            }
            self.slope(&lessons[width * rows.start..width * rows.end], &steps[rows])
        });
        let partials: Vec<Vec<f32>> = partials.collect();
        let sums = comm.sum_shards_f32(&partials)?;
        let means: Vec<f32> = sums.iter().map(|sum| (sum / n) as f32).collect();
        let (loss, slopes) = means.split_first().map_or((0.0, &[][..]), |(l, s)| (*l, s));
        let rate = self.rate();
        if loss.is_finite() {
            self.network.descend_by(&self.adam, slopes, rate);
        }
        let loss = self.taken(loss)?;
        self.count(lessons, &steps, loss, report);
        Ok(())
    }

    /// The loss of a slice, and its slopes: sums over its pairs.
    fn slope(&self, lessons: &[f32], steps: &[f32]) -> Vec<f32> {
        let (from, to) = self.seen(lessons);
        let unit = self.scale as f32;
        let targets = steps.iter().map(|y| y / unit).collect();
        let loss = lag_loss(&self.spec, &self.network, from, to, targets);
        let pairs = steps.len() as f32;
        let mut slope = loss.slopes(&self.network);
        slope.iter_mut().for_each(|x| *x *= pairs);
        slope
    }
}
