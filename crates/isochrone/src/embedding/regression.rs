//! The paper's regression: lags of forward pairs.

use super::trainer::{DistanceTrainer, EpochReport, TrainError};
use crate::nn::lag_loss;
use crate::pairs::{Episodes, PairSource, Sampler, Target};
use crate::rng::Rng;

impl DistanceTrainer {
    /// As many pairs as there are steps, a batch at a time:
    ///
    /// ```text
    /// loss = mean (‖e(s_t) − e(s_t₂)‖_p^q − lag)²
    /// ```
    pub(super) fn regression_epoch(
        &mut self,
        episodes: &Episodes<'_>,
        target: Target,
        sampler: Sampler,
        rng: &mut Rng,
    ) -> Result<EpochReport, TrainError> {
        let source = PairSource::new(episodes, target, sampler);
        let pairs = source.epoch(rng);
        if pairs.is_empty() {
            return Err(TrainError::NoPairs);
        }
        let (mut losses, mut lags) = (0.0, 0.0);
        for batch in pairs.chunks(self.spec.batch) {
            let mean = batch.iter().map(|p| f64::from(p.lag_steps)).sum::<f64>();
            self.rescale(mean / batch.len() as f64);
            let from = self.gathered(source.episodes(), batch.iter().map(|p| p.from));
            let to = self.gathered(source.episodes(), batch.iter().map(|p| p.to));
            let steps: Vec<f32> = batch.iter().map(|p| p.lag_steps as f32).collect();
            losses += self.pair_step(from, to, &steps)? * batch.len() as f64;
            lags += mean;
        }
        let n = pairs.len() as f64;
        Ok(EpochReport {
            pairs: pairs.len(),
            loss: losses / n,
            mean_target_steps: lags / n,
            hit_share: 1.0,
        })
    }

    /// One step of Adam on pairs of states, rows end to end as the network sees them, and the steps between them.
    pub(super) fn pair_step(
        &mut self,
        from: Vec<f32>,
        to: Vec<f32>,
        steps: &[f32],
    ) -> Result<f64, TrainError> {
        let unit = self.scale as f32;
        let targets = steps.iter().map(|y| y / unit).collect();
        let loss = lag_loss(&self.spec, &self.network, from, to, targets);
        let rate = self.rate();
        let loss = loss.descend(&mut self.network, &self.adam, rate);
        self.taken(loss)
    }

    /// These rows, end to end, as the network sees them.
    fn gathered(
        &self,
        episodes: &Episodes<'_>,
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Vec<f32> {
        let mut states = Vec::with_capacity(rows.len() * episodes.width());
        rows.for_each(|row| self.see(episodes.state(row), &mut states));
        states
    }
}
