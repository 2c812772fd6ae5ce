//! Goal GAN (Florensa et al. 2018): a GAN that learns to propose goals of intermediate difficulty.

use super::gan::{Batch, Gan, NonFinite, Sizes};
use super::{Feedback, GanSpec, GoalGenerator, ProposalDistance};
use crate::curriculum::{CurriculumError, Difficulty, Labelled, check_goals, refuse};
use crate::distance::DistanceError;
use crate::goal::GoalRange;
use crate::nn::{NamedArray, NamedArrayError};
use crate::rng::{Rng, Seed, Stream};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Losses of one training of the GAN.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GanReport {
    /// Iterations done; 0 if there were no goals to learn from.
    pub iterations: u64,
    /// Mean loss of the generator (mean squared error).
    pub generator_loss: f64,
    /// Mean loss of the discriminator.
    pub discriminator_loss: f64,
}

/// A least-squares GAN of goals.
///
/// The networks see goals as `(g − centre) ÷ (2·half_width)`, within ±½. The generator's output is within ±1, so it can
/// overshoot the range, and is then clipped.
#[derive(Clone, Debug)]
pub struct GoalGan {
    spec: GanSpec,
    range: GoalRange,
    gan: Gan,
}

impl GoalGan {
    /// An untrained GAN for goals in a box, with initial weights from the seed.
    pub fn new(spec: &GanSpec, range: &GoalRange, seed: Seed) -> Result<Self, CurriculumError> {
        spec.check()?;
        let dims = range.centre().len();
        if dims == 0 {
            return refuse("the number of goal dimensions", 0.0, "at least 1");
        }
        let sizes = Sizes {
            noise_dims: spec.noise_dims,
            generator_hidden: &spec.generator_hidden,
            discriminator_hidden: &spec.discriminator_hidden,
            dims,
        };
        Ok(Self {
            spec: spec.clone(),
            range: range.clone(),
            gan: Gan::untrained(
                &sizes,
                &mut seed.of(Stream::GeneratorWeights),
                &mut seed.of(Stream::DiscriminatorWeights),
            ),
        })
    }

    /// Its settings.
    pub const fn spec(&self) -> &GanSpec {
        &self.spec
    }

    /// Trains on labelled goals, 1 for intermediate difficulty and 0 for any other, from the current weights and optimiser
    /// state. Batches are consecutive slices of the goals, cyclic, starting from the first. Without goals nothing changes.
    pub fn train(
        &mut self,
        goals: &[Vec<f32>],
        labels: &[f32],
        iterations: u64,
        rng: &mut Rng,
    ) -> Result<GanReport, CurriculumError> {
        if goals.len() != labels.len() {
            return Err(CurriculumError::Labels {
                goals: goals.len(),
                labels: labels.len(),
            });
        }
        check_goals(goals, self.dims())?;
        if goals.is_empty() || iterations == 0 {
            return Ok(GanReport::default());
        }
        let seen: Vec<Vec<f32>> = goals.iter().map(|goal| self.as_seen(goal)).collect();
        let (mut sums, mut next) = ([0.0; 2], 0);
        for iteration in 0..iterations {
            let slice = (0..self.spec.batch.min(seen.len())).map(|k| (next + k) % seen.len());
            let slice: Vec<usize> = slice.collect();
            next = (next + slice.len()) % seen.len();
            let batch = Batch {
                goals: slice.iter().flat_map(|&k| seen[k].clone()).collect(),
                targets: slice.iter().map(|&k| 2.0 * labels[k] - 1.0).collect(),
                noise: self.noise(self.spec.batch, rng),
            };
            let losses = self.gan.iterate(&batch, self.spec.learning_rate);
            let losses = losses.map_err(|NonFinite { network, loss }| CurriculumError::Loss {
                network,
                iteration,
                loss,
            })?;
            sums[0] += f64::from(losses.generator);
            sums[1] += f64::from(losses.discriminator);
        }
        match self.gan.first_non_finite() {
            Some(name) => Err(CurriculumError::Parameter { name }),
            None => Ok(GanReport {
                iterations,
                generator_loss: sums[0] / iterations as f64,
                discriminator_loss: sums[1] / iterations as f64,
            }),
        }
    }

    /// Samples of the generator with noise N(0, noise_std_m²) added to each entry, clipped to the range.
    pub fn sample(&self, count: usize, rng: &mut Rng) -> Vec<Vec<f32>> {
        if count == 0 {
            return Vec::new();
        }
        let made = self.gan.generate(&self.noise(count, rng));
        let noise_std = self.spec.noise_std_m as f32;
        let goal = |made: &[f32]| {
            let mut goal = self.as_goal(made);
            for value in &mut goal {
                *value += noise_std * rng.sample::<f32, _>(StandardNormal);
            }
            self.range.clip(&mut goal);
            goal
        };
        made.chunks_exact(self.dims()).map(goal).collect()
    }

    fn dims(&self) -> usize {
        self.range.centre().len()
    }

    fn noise(&self, rows: usize, rng: &mut Rng) -> Vec<f32> {
        let count = rows * self.spec.noise_dims;
        (0..count).map(|_| rng.sample(StandardNormal)).collect()
    }

    /// A goal as network input. A dimension of zero width becomes 0.
    fn as_seen(&self, goal: &[f32]) -> Vec<f32> {
        let sides = self.range.centre().iter().zip(self.range.half_width());
        let see = |(value, (centre, half_width)): (&f32, (&f32, &f32))| {
            if *half_width > 0.0 {
                (value - centre) / (2.0 * half_width)
            } else {
                0.0
            }
        };
        goal.iter().zip(sides).map(see).collect()
    }

    fn as_goal(&self, seen: &[f32]) -> Vec<f32> {
        let sides = self.range.centre().iter().zip(self.range.half_width());
        let place =
            |(seen, (centre, half_width)): (&f32, (&f32, &f32))| centre + seen * (2.0 * half_width);
        seen.iter().zip(sides).map(place).collect()
    }
}

impl GoalGenerator for GoalGan {
    fn propose(
        &self,
        count: usize,
        _distance: &dyn ProposalDistance,
        rng: &mut Rng,
    ) -> Result<Vec<Vec<f32>>, DistanceError> {
        Ok(self.sample(count, rng))
    }

    /// All states count as goals of intermediate difficulty.
    fn begin(&mut self, states: &[Vec<f32>], rng: &mut Rng) -> Result<(), CurriculumError> {
        let labels = vec![1.0; states.len()];
        self.train(states, &labels, self.spec.initial_iterations, rng)?;
        Ok(())
    }

    fn learn(
        &mut self,
        feedback: &Feedback<'_>,
        rng: &mut Rng,
    ) -> Result<Option<GanReport>, CurriculumError> {
        let labelled = feedback.labelled.iter();
        let goals: Vec<Vec<f32>> = labelled.clone().map(|l| l.goal.clone()).collect();
        let label = |l: &Labelled| f32::from(u8::from(l.difficulty == Difficulty::Intermediate));
        let labels: Vec<f32> = labelled.map(label).collect();
        let report = self.train(&goals, &labels, self.spec.iterations, rng)?;
        Ok(Some(report))
    }

    /// Parameters and optimiser state of both networks.
    fn save(&self) -> Vec<NamedArray> {
        self.gan.save()
    }

    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        self.gan.restore(arrays)
    }
}
