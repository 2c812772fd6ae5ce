//! Learning a distance, an epoch at a time.

use super::{DistanceSpec, Normaliser, Objective, Scaling, SpecError};
use crate::comm::CommError;
use crate::distance::Learned;
use crate::nn::{Adam, Named, NamedError, Network, find, from_words, words};
use crate::pairs::{Episodes, Reservoir, Target};
use crate::rng::{Purpose, Seed};

/// Why learning stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// Nothing to learn from.
    #[error("there is no pair of different states within one trajectory")]
    NoPairs,
    /// States of another world.
    #[error("states have {got} entries, the distance is for {expected}")]
    Width {
        /// Entries given.
        got: usize,
        /// Entries wanted.
        expected: usize,
    },
    /// The ranks of a run lost each other.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A loss that is none.
    #[error("the loss is {loss} at step {step}; a smaller learning rate may help")]
    Loss {
        /// What it is.
        loss: f32,
        /// When.
        step: u64,
    },
    /// A parameter that is none.
    #[error("parameter `{name}` is not finite after step {step}; a smaller learning rate may help")]
    Parameter {
        /// Which.
        name: String,
        /// When.
        step: u64,
    },
}

/// What became of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EpochReport {
    /// Pairs learned from.
    pub pairs: usize,
    /// Mean loss, in the network's unit.
    pub loss: f64,
    /// Mean target in steps; 0 for graph drawing.
    pub mean_target_steps: f64,
    /// Share of bootstrapped targets whose goal was met; 1 for others.
    pub hit_share: f64,
}

impl EpochReport {
    /// Sums over pairs become means.
    pub(super) fn averaged(mut self) -> Result<Self, TrainError> {
        if self.pairs == 0 {
            return Err(TrainError::NoPairs);
        }
        let n = self.pairs as f64;
        self.loss /= n;
        self.mean_target_steps /= n;
        self.hit_share /= n;
        Ok(self)
    }
}

/// A distance being learned.
#[derive(Clone, Debug)]
pub struct DistanceTrainer {
    pub(super) spec: DistanceSpec,
    pub(super) seed: Seed,
    pub(super) network: Network,
    pub(super) adam: Adam,
    /// Steps of Adam so far.
    pub(super) step: u64,
    /// Steps per unit of the network.
    pub(super) scale: f64,
    /// Running mean of the targets, in steps.
    mean_steps: f64,
    /// The network that bootstrapped targets are read from.
    pub(super) target: Network,
    /// The longest bootstrapped target.
    pub(super) longest_steps: f32,
    pub(super) goals: Option<Reservoir>,
    normaliser: Option<Normaliser>,
}

impl DistanceTrainer {
    /// An untrained distance.
    pub fn new(spec: DistanceSpec, seed: Seed) -> Result<Self, SpecError> {
        Self::beside_others(spec, seed, 0)
    }

    /// The same, with first weights from another stream of the seed: where other networks have weights from it, too.
    pub(crate) fn beside_others(
        spec: DistanceSpec,
        seed: Seed,
        stream: u64,
    ) -> Result<Self, SpecError> {
        spec.check()?;
        let mut rng = seed.stream(Purpose::Weights, 0, stream);
        let network = Network::untrained(&spec.encoder, &mut rng);
        Ok(Self {
            seed,
            target: network.clone(),
            network,
            adam: Adam::new(),
            step: 0,
            scale: 1.0,
            mean_steps: 1.0,
            longest_steps: f32::INFINITY,
            goals: None,
            normaliser: None,
            spec,
        })
    }

    /// What is learned, and how.
    pub const fn spec(&self) -> &DistanceSpec {
        &self.spec
    }

    /// Steps of Adam so far.
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// No bootstrapped target may be longer than this; without it they may be of any length. Where trajectories begin anew
    /// before they have been everywhere, some goals are never met from some states, and their times have no bound of
    /// their own.
    pub const fn set_longest(&mut self, steps: f32) {
        self.longest_steps = steps;
    }

    /// States that bootstrapped targets take their goals from. Without them an epoch's own states serve.
    pub fn set_goals(&mut self, goals: Reservoir) {
        self.goals = Some(goals);
    }

    /// Those states, given or kept from the first epoch: with [`DistanceTrainer::save`] all there is to keep.
    pub const fn goals(&self) -> Option<&Reservoir> {
        self.goals.as_ref()
    }

    /// What the network is to see instead of the states themselves; for states of the right width only. Before the
    /// first epoch: a network that has learned from the ones does not know the others.
    pub fn set_normaliser(&mut self, normaliser: Normaliser) -> Result<(), TrainError> {
        let (got, expected) = (normaliser.mean().len(), self.spec.encoder.inputs);
        if got != expected {
            return Err(TrainError::Width { got, expected });
        }
        self.normaliser = Some(normaliser);
        Ok(())
    }

    /// Steps per unit of the network, which is what a point's coordinates are in.
    pub const fn scale(&self) -> f64 {
        self.scale
    }

    /// Adds a state to a batch, as the network sees it.
    pub(super) fn see(&self, state: &[f32], rows: &mut Vec<f32>) {
        match &self.normaliser {
            Some(normaliser) => normaliser.push(state, rows),
            None => rows.extend_from_slice(state),
        }
    }

    /// Learns from all of these trajectories once. `epoch` is its number: the same number draws the same pairs.
    pub fn epoch(
        &mut self,
        episodes: &Episodes<'_>,
        epoch: u64,
    ) -> Result<EpochReport, TrainError> {
        let (got, expected) = (episodes.width(), self.spec.encoder.inputs);
        if got != expected {
            return Err(TrainError::Width { got, expected });
        }
        let mut rng = self.seed.stream(Purpose::Pairs, epoch, 0);
        let report = match self.spec.objective {
            Objective::Regression {
                target: Target::Bootstrapped { radius, steps },
                ..
            } => self.bootstrap_epoch(&episodes.cut(steps), radius, &mut rng),
            Objective::Regression { target, sampler } => {
                self.regression_epoch(episodes, target, sampler, &mut rng)
            }
            Objective::GraphDrawing {
                beta,
                lambda,
                diagonal,
            } => self.drawing_epoch(episodes, beta, lambda, diagonal, &mut rng),
        }?;
        self.unless_broken()?;
        Ok(report)
    }

    /// Refuses parameters that are no numbers.
    pub(super) fn unless_broken(&self) -> Result<(), TrainError> {
        match self.network.broken() {
            Some(name) => Err(TrainError::Parameter {
                name: name.to_owned(),
                step: self.step,
            }),
            None => Ok(()),
        }
    }

    /// The distance as it is now; refused if a parameter is not finite.
    pub fn distance(&self) -> Result<Learned, NamedError> {
        Learned::of_arrays(&self.spec, &self.weights(), self.scale)
    }

    /// What a finished distance is made of, with [`DistanceTrainer::spec`] and [`DistanceTrainer::scale`].
    pub fn weights(&self) -> Vec<Named> {
        let mut arrays = values(&self.network);
        if let Some(normaliser) = &self.normaliser {
            let named = |name: &str, values: &[f32]| Named {
                name: name.to_owned(),
                shape: [1, values.len()],
                values: values.to_vec(),
            };
            arrays.push(named("normaliser.mean", normaliser.mean()));
            arrays.push(named("normaliser.spread", normaliser.spread()));
        }
        arrays
    }

    /// Everything needed to go on: parameters, moments, counters. Goals and normaliser are the caller's to keep.
    pub fn save(&self) -> Vec<Named> {
        let mut arrays = self.network.save();
        arrays.extend(values(&self.target).into_iter().map(|array| Named {
            name: format!("target.{}", array.name),
            ..array
        }));
        let counters = [self.step, self.scale.to_bits(), self.mean_steps.to_bits()];
        arrays.push(Named {
            name: "counters".to_owned(),
            shape: [3, 4],
            values: counters.into_iter().flat_map(words).collect(),
        });
        arrays
    }

    /// Goes on where another left off.
    pub fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        let values = &find(arrays, "counters", [3, 4])?.values;
        let prefix = "target.";
        let targets: Vec<Named> = arrays
            .iter()
            .filter_map(|array| {
                let name = array.name.strip_prefix(prefix)?.to_owned();
                Some(Named {
                    name,
                    ..array.clone()
                })
            })
            .collect();
        self.network.restore(arrays)?;
        self.target.restore(&targets)?;
        self.step = from_words(&values[..4]);
        self.scale = f64::from_bits(from_words(&values[4..8]));
        self.mean_steps = f64::from_bits(from_words(&values[8..]));
        Ok(())
    }

    /// Counts a step that was taken; refuses one that could not be.
    pub(super) fn taken(&mut self, loss: f32) -> Result<f64, TrainError> {
        if !loss.is_finite() {
            let step = self.step;
            return Err(TrainError::Loss { loss, step });
        }
        self.step += 1;
        Ok(f64::from(loss))
    }

    /// The step size now.
    pub(super) fn rate(&self) -> f64 {
        self.spec.learning_rate.at(self.step)
    }

    /// Follows the mean of the targets, and moves the unit to it with no prediction moving: the points by the q-th
    /// root of the ratio, the potential by the ratio itself.
    pub(super) fn rescale(&mut self, batch_mean_steps: f64) {
        if self.spec.scaling == Scaling::Off {
            return;
        }
        let weight = (1.0 / (self.step + 1) as f64).max(SLOWEST);
        self.mean_steps += weight * (batch_mean_steps - self.mean_steps);
        let ratio = self.scale / self.mean_steps;
        if !(ratio.is_finite() && ratio > 0.0) || (ratio - 1.0).abs() < WORTH_IT {
            return;
        }
        let dims = self.spec.encoder.dims;
        let mut factors = vec![ratio.powf(1.0 / f64::from(self.spec.q)) as f32; dims];
        if !self.spec.encoder.head.is_symmetric() {
            factors.push(ratio as f32);
        }
        self.network.scale_outputs(&factors);
        self.target.scale_outputs(&factors);
        self.scale = self.mean_steps;
    }
}

/// A network's parameters without their moments.
fn values(network: &Network) -> Vec<Named> {
    let arrays = network.save().into_iter();
    arrays.filter(|a| !a.name.starts_with("adam.")).collect()
}

/// The running mean of targets forgets a batch in about a thousand steps.
const SLOWEST: f64 = 1e-3;
/// Rescaling reads and writes the last layer: only for a change of more than this.
const WORTH_IT: f64 = 0.01;
