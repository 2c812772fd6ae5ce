//! Adam steps on clips: every state of a clip is embedded once, and all its pairs are learned from.
//!
//! ```text
//! loss = mean over clips and pairs i < j of (‖e(s_j) − e(s_i)‖ − lag_ij)²
//! ```
//!
//! A batch has as many states as a batch of pairs, `2 · batch`.

use super::epoch::SLICE_PAIRS;
use super::samples::{ClipSample, Samples};
use super::trainer::{DistanceTrainer, EpochReport, TrainError};
use crate::comm::Comm;
use crate::nn::clip_loss;
use crate::pairs::clip_pairs;

impl DistanceTrainer {
    /// Learns from these clips in this order.
    pub(super) fn learn_clips(
        &mut self,
        samples: &Samples,
        order: &[usize],
        frames: usize,
        comm: &dyn Comm,
        report: &mut EpochReport,
    ) -> Result<(), TrainError> {
        let clips_per_batch = (2 * self.spec.batch / frames).max(1);
        for batch in order.chunks(clips_per_batch) {
            let batch: Vec<ClipSample<'_>> = batch.iter().map(|at| samples.clip(*at)).collect();
            self.learn_clip_batch(&batch, frames, comm, report)?;
        }
        Ok(())
    }

    /// One Adam step on clips that every rank has; none if all states are equal.
    fn learn_clip_batch(
        &mut self,
        batch: &[ClipSample<'_>],
        frames: usize,
        comm: &dyn Comm,
        report: &mut EpochReport,
    ) -> Result<(), TrainError> {
        let pairs = n_pairs(batch);
        if pairs == 0 {
            return Ok(());
        }
        let steps = batch.iter().flat_map(|clip| clip.steps);
        let total_steps: f64 = steps.map(|y| f64::from(*y)).sum();
        self.rescale(total_steps / pairs as f64);
        let slice_clips = (2 * SLICE_PAIRS / frames).max(1);
        let slices: Vec<&[ClipSample<'_>]> = batch.chunks(slice_clips).collect();
        let slice = |number: usize| match slices.get(number) {
            Some(clips) if n_pairs(clips) > 0 => {
                let share = n_pairs(clips) as f32 / pairs as f32;
                self.clip_gradients(clips, frames, share)
            }
            _ => vec![0.0; 1 + self.network.len()],
        };
        let count = (2 * self.spec.batch / frames).div_ceil(slice_clips);
        let gradients = Self::sum_slices(count, slice, comm)?;
        let loss = self.descend(&gradients)?;
        report.pairs += pairs;
        report.loss += loss * pairs as f64;
        report.mean_target_steps += total_steps;
        report.hit_share += pairs as f64;
        Ok(())
    }

    /// The mean loss over the pairs of some clips and its gradient, times a weight.
    fn clip_gradients(&self, clips: &[ClipSample<'_>], frames: usize, weight: f32) -> Vec<f32> {
        let width = self.spec.encoder.inputs;
        let states = clips.iter().flat_map(|c| c.states.chunks_exact(width));
        let states = self.inputs(states);
        let unit = self.scale as f32;
        let (mut pairs, mut targets) = (Vec::new(), Vec::new());
        for (number, clip) in clips.iter().enumerate() {
            for ((i, j), steps) in clip_pairs(frames).zip(clip.steps) {
                if *steps > 0.0 {
                    pairs.push((number * frames + i, number * frames + j));
                    targets.push(steps / unit);
                }
            }
        }
        clip_loss(&self.spec, &self.network, states, &pairs, targets)
            .gradients(&self.network, weight)
    }
}

fn n_pairs(clips: &[ClipSample<'_>]) -> usize {
    let steps = clips.iter().flat_map(|clip| clip.steps);
    steps.filter(|steps| **steps > 0.0).count()
}
