//! One epoch: each rank samples from the trajectories it owns, and every rank takes the same steps on all samples.
//!
//! A batch is cut into slices of 256 pairs. The gradient of its loss is the weighted sum over slices, in their order:
//!
//! ```text
//! ∇ mean (d − y)² = ((w₀∇L₀ + w₁∇L₁) + w₂∇L₂) + …      L_s: the mean over slice s,  w_s: its share of the batch
//! ```
//!
//! so the result depends neither on the rank that computes a slice nor on the number of ranks. If the slices cannot be
//! divided evenly among ranks, every rank computes all of them: small batches cost less than messages.

use super::samples::{Sample, Samples};
use super::trainer::{DistanceTrainer, EpochReport, TrainError};
use super::{Diagonal, Objective};
use crate::comm::{Comm, Shards, Single};
use crate::distance::Metric;
use crate::nn::{Loss, Network, drawing_loss, lag_loss};
use crate::pairs::{Episodes, Target};
use crate::rng::Stream;
use rand::seq::SliceRandom;

/// Pairs per slice. It changes the result.
pub const SLICE_PAIRS: usize = 256;

/// Trajectories that share one random stream.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Its index among the parts of all ranks, and the number of its random stream.
    pub number: u64,
    /// The trajectories.
    pub episodes: Episodes<'a>,
}

impl<'a> Part<'a> {
    /// All trajectories as one part: for a single process.
    pub fn whole(episodes: &Episodes<'a>) -> [Self; 1] {
        let (number, episodes) = (0, episodes.clone());
        [Self { number, episodes }]
    }
}

impl DistanceTrainer {
    /// One epoch over these trajectories and those of the other ranks. Parts are numbered in rank order: rank 0 owns the
    /// first ones. `epoch` is the epoch's number: the same number draws the same samples.
    ///
    /// ```
    /// use isochrone::comm::Single;
    /// use isochrone::embedding::{DistanceSpec, DistanceTrainer, Part};
    /// use isochrone::pairs::Episodes;
    /// use isochrone::rng::Seed;
    ///
    /// let states: Vec<f32> = (0..100).map(|t| t as f32 / 100.0).collect();
    /// let episodes = Episodes::new(&states, 1, vec![0..100])?;
    /// let mut trainer = DistanceTrainer::new(DistanceSpec::paper(1, 20), Seed(0))?;
    /// let report = trainer.epoch(&Part::whole(&episodes), 0, &Single)?;
    /// assert!(report.pairs > 90 && report.mean_target_steps > 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn epoch(
        &mut self,
        parts: &[Part<'_>],
        epoch: u64,
        comm: &dyn Comm,
    ) -> Result<EpochReport, TrainError> {
        let (samples, order) = self.samples_of_ranks(parts, epoch, comm)?;
        let mut report = EpochReport::default();
        if let Objective::Clips { frames, .. } = self.spec.objective {
            self.learn_clips(&samples, &order, frames, comm, &mut report)?;
        } else {
            for batch in order.chunks(self.spec.batch) {
                let batch: Vec<Sample<'_>> = batch.iter().map(|at| samples.get(*at)).collect();
                self.learn_batch(&batch, comm, &mut report)?;
            }
        }
        self.unless_broken()?;
        report.averaged()
    }

    /// The samples of all ranks, and their random order.
    fn samples_of_ranks(
        &self,
        parts: &[Part<'_>],
        epoch: u64,
        comm: &dyn Comm,
    ) -> Result<(Samples, Vec<usize>), TrainError> {
        let goals = self.epoch_goals(parts, comm)?;
        let mut mine = (parts.len() as u64).to_le_bytes().to_vec();
        for part in parts {
            let mut rng = self.seed.of(Stream::Samples {
                epoch,
                part: part.number,
            });
            self.draw(&part.episodes, &goals, &mut rng)?
                .write(&mut mine);
        }
        let (mut samples, mut n_parts) = (self.no_samples(), 0);
        for message in comm.all_gather_bytes(&mine)? {
            if let Some((count, rows)) = message.split_first_chunk() {
                n_parts += u64::from_le_bytes(*count);
                samples.read(rows);
            }
        }
        let mut order: Vec<usize> = (0..samples.len()).collect();
        // The samples of one part are in random order already.
        if n_parts > 1 {
            order.shuffle(&mut self.seed.of((self.order)(epoch)));
        }
        Ok((samples, order))
    }

    /// One Adam step on samples that every rank has.
    fn learn_batch(
        &mut self,
        batch: &[Sample<'_>],
        comm: &dyn Comm,
        report: &mut EpochReport,
    ) -> Result<(), TrainError> {
        let is_due = self.step.is_multiple_of(self.spec.target_copy_steps.max(1));
        if is_due && self.is_bootstrapped() {
            self.target = self.network.clone();
        }
        let steps = self.targets(batch);
        let is_bootstrapped = self.is_bootstrapped();
        // A lower bound counts as itself, not as the distance above it, which nothing limits.
        let seen = |(y, sample): (&f32, &Sample<'_>)| {
            f64::from(if is_bootstrapped { *y } else { sample.steps })
        };
        let total_steps = steps.iter().zip(batch).map(seen).sum::<f64>();
        if let Objective::Regression { .. } = self.spec.objective {
            self.rescale(total_steps / batch.len() as f64);
            report.mean_target_steps += total_steps;
        }
        let gradients = self.gradients(batch, &steps, comm)?;
        let loss = self.descend(&gradients)?;
        report.pairs += batch.len();
        report.loss += loss * batch.len() as f64;
        report.hit_share += batch.iter().filter(|sample| sample.met).count() as f64;
        Ok(())
    }

    /// One Adam step down a gradient that follows its loss; the loss.
    pub(super) fn descend(&mut self, gradients: &[f32]) -> Result<f64, TrainError> {
        let (loss, gradients) = gradients
            .split_first()
            .map_or((f32::NAN, &[][..]), |(l, g)| (*l, g));
        if loss.is_finite() {
            let rate = self.rate();
            self.network.descend(&self.adam, gradients, rate);
        }
        self.taken(loss)
    }

    /// The loss of a batch and its gradient: the sum over slices.
    fn gradients(
        &self,
        batch: &[Sample<'_>],
        steps: &[f32],
        comm: &dyn Comm,
    ) -> Result<Vec<f32>, TrainError> {
        let slice_pairs = match self.spec.objective {
            Objective::Regression { .. } | Objective::Clips { .. } => SLICE_PAIRS,
            // Repulsion acts between all states of a batch, so it cannot be sliced.
            Objective::GraphDrawing { .. } => self.spec.batch,
        };
        let count = self.spec.batch.div_ceil(slice_pairs);
        let slice = |number: usize| {
            let rows = slice_pairs * number..(slice_pairs * (number + 1)).min(batch.len());
            if rows.is_empty() {
                return vec![0.0; 1 + self.network.len()];
            }
            let share = rows.len() as f32 / batch.len() as f32;
            let loss = self.loss(&batch[rows.clone()], &steps[rows]);
            loss.gradients(&self.network, share)
        };
        Self::sum_slices(count, slice, comm)
    }

    /// The sum over slices, divided among the ranks if possible.
    pub(super) fn sum_slices(
        count: usize,
        slice: impl Fn(usize) -> Vec<f32>,
        comm: &dyn Comm,
    ) -> Result<Vec<f32>, TrainError> {
        if count == 1 {
            return Ok(slice(0));
        }
        let (comm, mine) = match Shards::new(count, comm.size()) {
            Ok(slices) => (comm, slices.owned_by(comm)),
            Err(_) => (&Single as &dyn Comm, 0..count),
        };
        let sums = comm.sum_shards_f32(&mine.map(slice).collect::<Vec<_>>())?;
        Ok(sums.iter().map(|sum| *sum as f32).collect())
    }

    /// The mean loss over some samples, and their targets in steps.
    fn loss(&self, samples: &[Sample<'_>], steps: &[f32]) -> Loss {
        let from = self.inputs(samples.iter().map(|sample| sample.from));
        let goal = self.inputs(samples.iter().map(|sample| sample.goal));
        match self.spec.objective {
            Objective::Regression { .. } | Objective::Clips { .. } => {
                let unit = self.scale as f32;
                let targets = steps.iter().map(|y| y / unit).collect();
                lag_loss(&self.spec, &self.network, from, goal, targets)
            }
            Objective::GraphDrawing { beta, diagonal, .. } => {
                let apart = self.inputs(samples.iter().map(|sample| sample.third));
                let delta = match diagonal {
                    Diagonal::One => 1.0,
                    Diagonal::OverDims => 1.0 / self.spec.encoder.dims as f32,
                };
                let states = [from, goal, apart].concat();
                drawing_loss(
                    &self.spec,
                    &self.network,
                    states,
                    samples.len(),
                    beta,
                    delta,
                )
            }
        }
    }

    /// The targets of samples in steps: those that were seen, an estimate, or a lower bound.
    fn targets(&self, samples: &[Sample<'_>]) -> Vec<f32> {
        if self.is_bootstrapped() {
            return self.bootstrapped(samples);
        }
        let unmet = || samples.iter().filter(|sample| !sample.met);
        let states = unmet().map(|s| s.from).chain(unmet().map(|s| s.goal));
        let mut now = self.apart(&self.network, states).into_iter();
        let target = |sample: &Sample<'_>| {
            if sample.met {
                return sample.steps;
            }
            sample.steps.max(now.next().unwrap_or(0.0))
        };
        samples.iter().map(target).collect()
    }

    /// The targets, bootstrapped with the target network where the goal was not reached.
    fn bootstrapped(&self, samples: &[Sample<'_>]) -> Vec<f32> {
        let unmet = || samples.iter().filter(|sample| !sample.met);
        let states = unmet().map(|s| s.third).chain(unmet().map(|s| s.goal));
        let mut rest = self.apart(&self.target, states).into_iter();
        let target = |sample: &Sample<'_>| {
            if sample.met {
                return sample.steps;
            }
            let whole = sample.steps + rest.next().unwrap_or(0.0);
            // Observed lags are not clipped.
            whole.min(self.longest_steps.max(sample.steps))
        };
        samples.iter().map(target).collect()
    }

    /// The distances, as a network has them now, of the first half of some states to the second half.
    fn apart(&self, network: &Network, states: impl Iterator<Item: AsRef<[f32]>>) -> Vec<f32> {
        let states = self.inputs(states);
        let points = if states.is_empty() {
            states
        } else {
            network.points(&states)
        };
        let outputs = self.spec.encoder.outputs();
        let (from, to) = points.split_at(points.len() / 2);
        let metric = Metric::new(&self.spec, self.scale);
        let each = from.chunks_exact(outputs).zip(to.chunks_exact(outputs));
        each.map(|(s, g)| metric.one_way(s, g) as f32).collect()
    }

    /// Whether unobserved times are bootstrapped.
    pub(super) const fn is_bootstrapped(&self) -> bool {
        matches!(
            self.spec.objective,
            Objective::Regression {
                target: Target::Bootstrapped { .. },
                ..
            }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DistanceSpec, Objective};
    use super::*;
    use crate::distance::Distance;
    use crate::pairs::Sampler;
    use crate::rng::Seed;

    /// What was not seen within the window is a lower bound: no error where the distance is larger already.
    #[test]
    fn bounds_pull_only_upwards() {
        let spec = DistanceSpec {
            objective: Objective::Regression {
                target: Target::SeparatedWindow {
                    steps: 50,
                    far_share: 0.5,
                },
                sampler: Sampler::UniformPairs,
            },
            ..DistanceSpec::paper(2, 50)
        };
        let trainer = DistanceTrainer::new(spec, Seed(1)).unwrap();
        let (from, goal): (&[f32], &[f32]) = (&[0.1, 0.2], &[3.0, -1.0]);
        let now = trainer.distance().unwrap().between(from, goal).unwrap() as f32;
        let sample = |steps, met| Sample {
            from,
            goal,
            steps,
            met,
            third: &[],
        };
        let (less, more) = (0.5 * now, 2.0 * now);
        let samples = [sample(less, false), sample(less, true), sample(more, false)];
        let targets = trainer.targets(&samples);
        assert!(
            now > 0.0 && (targets[0] - now).abs() < 1e-5 * now,
            "{targets:?} {now}"
        );
        assert_eq!(targets[1..], [less, more]);
    }
}
