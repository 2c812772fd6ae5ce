//! Trains a distance, an epoch at a time.

use super::{DistanceSpec, Normaliser, Scaling, SpecError};
use crate::comm::CommError;
use crate::distance::{DistanceError, Learned};
use crate::nn::{NamedArray, NamedArrayError, Network, find_u64};
use crate::optim::Adam;
use crate::pairs::Reservoir;
use crate::rng::{Seed, Stream};
use crate::roadmap::Geodesic;
use std::sync::Arc;

/// Why training stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// No training pairs.
    #[error("there is no pair of different states within one trajectory")]
    NoPairs,
    /// The target `geodesic` before [`DistanceTrainer::set_geodesic`].
    #[error("the target `geodesic` needs a map, and none was given")]
    NoMap,
    /// States of the wrong width.
    #[error("states have {got} entries, the distance is for {expected}")]
    Width {
        /// Entries given.
        got: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A state for which the distance is not defined.
    #[error(transparent)]
    State(#[from] DistanceError),
    /// An error in the communication between ranks.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A loss that is NaN or infinite.
    #[error("the loss is {loss} at step {step}; a smaller learning rate may help")]
    Loss {
        /// Value of the loss.
        loss: f32,
        /// Adam step.
        step: u64,
    },
    /// A parameter that is NaN or infinite.
    #[error("parameter `{name}` is not finite after step {step}; a smaller learning rate may help")]
    Parameter {
        /// Name of the parameter.
        name: String,
        /// Adam step.
        step: u64,
    },
}

/// Report of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EpochReport {
    /// Training pairs.
    pub pairs: usize,
    /// Mean loss, in the network's unit.
    pub loss: f64,
    /// Mean target in steps; 0 for graph drawing.
    pub mean_target_steps: f64,
    /// Share of targets that were seen: not bootstrapped, and no lower bound.
    pub hit_share: f64,
}

impl EpochReport {
    /// Converts sums over pairs to means.
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

/// A distance in training.
#[derive(Clone, Debug)]
pub struct DistanceTrainer {
    pub(super) spec: DistanceSpec,
    pub(super) seed: Seed,
    pub(super) network: Network,
    pub(super) adam: Adam,
    /// Adam steps so far.
    pub(super) step: u64,
    /// Steps per unit of the network.
    pub(super) scale: f64,
    /// Running mean of the targets, in steps.
    mean_steps: f64,
    /// The target network of bootstrapped targets.
    pub(super) target: Network,
    /// The largest bootstrapped target, in steps.
    pub(super) longest_steps: f32,
    pub(super) goals: Option<Reservoir>,
    pub(super) geodesic: Option<Arc<Geodesic>>,
    normaliser: Option<Normaliser>,
    /// The stream of an epoch's sample order.
    pub(super) order: fn(u64) -> Stream,
}

impl DistanceTrainer {
    /// An untrained distance.
    pub fn new(spec: DistanceSpec, seed: Seed) -> Result<Self, SpecError> {
        let order = |epoch| Stream::SampleOrder { epoch };
        Self::with_streams(spec, seed, Stream::PolicyWeights, order)
    }

    /// The same beside a policy with the same seed: uses other random streams.
    pub(crate) fn beside_policy(spec: DistanceSpec, seed: Seed) -> Result<Self, SpecError> {
        let order = |epoch| Stream::PredictorSampleOrder { epoch };
        Self::with_streams(spec, seed, Stream::PredictorWeights, order)
    }

    fn with_streams(
        spec: DistanceSpec,
        seed: Seed,
        stream: Stream,
        order: fn(u64) -> Stream,
    ) -> Result<Self, SpecError> {
        spec.check()?;
        let mut rng = seed.of(stream);
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
            geodesic: None,
            normaliser: None,
            order,
            spec,
        })
    }

    /// Its spec.
    pub const fn spec(&self) -> &DistanceSpec {
        &self.spec
    }

    /// Adam steps so far.
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// Clips bootstrapped targets to this many steps; by default they are not clipped. If trajectories restart before they
    /// have been everywhere, some goals are never reached from some states, and their targets would grow without bound.
    pub const fn set_longest(&mut self, steps: f32) {
        self.longest_steps = steps;
    }

    /// States that bootstrapped targets use as goals. Without them each epoch uses its own states.
    pub fn set_goals(&mut self, goals: Reservoir) {
        self.goals = Some(goals);
    }

    /// The map along which the target `geodesic` measures.
    pub fn set_geodesic(&mut self, map: Arc<Geodesic>) {
        self.geodesic = Some(map);
    }

    /// The goals of bootstrapped targets.
    pub const fn goals(&self) -> Option<&Reservoir> {
        self.goals.as_ref()
    }

    /// Sets the input normaliser, for states of the right width only. Call it before the first epoch: a network trained on
    /// unnormalised inputs is useless on normalised ones.
    pub fn set_normaliser(&mut self, normaliser: Normaliser) -> Result<(), TrainError> {
        let (got, expected) = (normaliser.mean().len(), self.spec.encoder.inputs);
        if got != expected {
            return Err(TrainError::Width { got, expected });
        }
        self.normaliser = Some(normaliser);
        Ok(())
    }

    /// Steps per unit of the network, the unit of embedded points.
    pub const fn scale(&self) -> f64 {
        self.scale
    }

    /// States as network inputs, row by row.
    pub(super) fn inputs(&self, states: impl Iterator<Item: AsRef<[f32]>>) -> Vec<f32> {
        let mut rows = Vec::with_capacity(states.size_hint().0 * self.spec.encoder.inputs);
        states.for_each(|state| match &self.normaliser {
            Some(normaliser) => normaliser.push(state.as_ref(), &mut rows),
            None => rows.extend_from_slice(state.as_ref()),
        });
        rows
    }

    /// Returns an error if a parameter is NaN or infinite.
    pub(super) fn unless_broken(&self) -> Result<(), TrainError> {
        match self.network.broken() {
            Some(name) => Err(TrainError::Parameter {
                name: name.to_owned(),
                step: self.step,
            }),
            None => Ok(()),
        }
    }

    /// The current distance; an error if a parameter is not finite.
    pub fn distance(&self) -> Result<Learned, NamedArrayError> {
        Learned::of_arrays(&self.spec, &self.weights(), self.scale)
    }

    /// The arrays of a trained distance, to be used with [`DistanceTrainer::spec`] and [`DistanceTrainer::scale`].
    pub fn weights(&self) -> Vec<NamedArray> {
        let mut arrays = values(&self.network);
        if let Some(normaliser) = &self.normaliser {
            let named =
                |name: &str, values: &[f32]| NamedArray::f32(name, [1, values.len()], values);
            arrays.push(named("normaliser.mean", normaliser.mean()));
            arrays.push(named("normaliser.spread", normaliser.std()));
        }
        arrays
    }

    /// What training changes: parameters, moments, counters. The caller must save or rebuild goals, geodesic and normaliser.
    pub fn save(&self) -> Vec<NamedArray> {
        let mut arrays = self.network.save();
        arrays.extend(values(&self.target).into_iter().map(|array| NamedArray {
            name: format!("target.{}", array.name),
            ..array
        }));
        let counters = [self.step, self.scale.to_bits(), self.mean_steps.to_bits()];
        arrays.push(NamedArray::u64("counters", counters));
        arrays
    }

    /// Restores a saved training state.
    pub fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let [step, scale, mean_steps] = find_u64(arrays, "counters")?;
        let prefix = "target.";
        let targets: Vec<NamedArray> = arrays
            .iter()
            .filter_map(|array| {
                let name = array.name.strip_prefix(prefix)?.to_owned();
                Some(NamedArray {
                    name,
                    ..array.clone()
                })
            })
            .collect();
        self.network.restore(arrays)?;
        self.target.restore(&targets)?;
        self.step = step;
        self.scale = f64::from_bits(scale);
        self.mean_steps = f64::from_bits(mean_steps);
        Ok(())
    }

    /// Counts an Adam step; returns an error if the loss was not finite.
    pub(super) fn taken(&mut self, loss: f32) -> Result<f64, TrainError> {
        if !loss.is_finite() {
            let step = self.step;
            return Err(TrainError::Loss { loss, step });
        }
        self.step += 1;
        Ok(f64::from(loss))
    }

    /// The current learning rate.
    pub(super) fn rate(&self) -> f64 {
        self.spec.learning_rate.at(self.step)
    }

    /// Updates the running mean of the targets and rescales the network's unit without changing a prediction: the points by
    /// the q-th root of the ratio, the potential by the ratio.
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

/// A network's parameters without optimiser moments.
fn values(network: &Network) -> Vec<NamedArray> {
    let arrays = network.save().into_iter();
    arrays.filter(|a| !a.name.starts_with("adam.")).collect()
}

/// Decay of the running mean of targets: about a thousand steps.
const SLOWEST: f64 = 1e-3;
/// Rescaling rewrites the last layer, so it happens only for a larger relative change than this.
const WORTH_IT: f64 = 0.01;
