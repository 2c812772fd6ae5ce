//! The tensor library's own loop, for measuring ours against, and our step without what an epoch adds.
//!
//! [`BurnLoop`] is how Burn's book writes a training step: a `Module` of `Linear` layers, its `ModuleOptimizer`, tensors
//! that were made before, the loss read each time. It has two ways to write the model, so that what an engine does can
//! be told from what algebra does. [`OurStep`] is the step inside
//! [`DistanceTrainer`](crate::embedding::DistanceTrainer) on the same rows. Both compute the paper's regression with
//! p = q = 1; a test holds their losses against each other.

use super::adam::{BETA_1, BETA_2, EPSILON};
use super::{Adam, Named, NamedError, Network, device, find, lag_loss, matrix, scalar};
use crate::embedding::DistanceSpec;
use crate::rng::{Purpose, Seed};
use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::activation::relu;
use burn::tensor::{Tensor, TensorData};

/// The rows of one step: earlier states, later ones, and the lags between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Rows end to end.
    pub from: Vec<f32>,
    /// Rows end to end.
    pub to: Vec<f32>,
    /// One per pair, in steps.
    pub targets: Vec<f32>,
}

/// Our step alone.
#[derive(Clone, Debug)]
pub struct OurStep {
    spec: DistanceSpec,
    network: Network,
    adam: Adam,
}

impl OurStep {
    /// An untrained network.
    pub fn new(spec: DistanceSpec, seed: Seed) -> Self {
        let mut rng = seed.stream(Purpose::Weights, 0, 0);
        Self {
            network: Network::untrained(&spec.encoder, &mut rng),
            adam: Adam::new(),
            spec,
        }
    }

    /// Its parameters, for [`BurnLoop::new`].
    pub fn parameters(&self) -> Vec<Named> {
        self.network.save()
    }

    /// One step, on a copy of the batch as a trainer gathers one; the loss before it.
    pub fn step(&mut self, batch: &Batch) -> f32 {
        let Batch { from, to, targets } = batch.clone();
        let loss = lag_loss(&self.spec, &self.network, from, to, targets);
        let rate = self.spec.learning_rate.at(0);
        loss.descend(&mut self.network, &self.adam, rate)
    }
}

/// Two layers, as Burn's users write them.
#[derive(Module, Debug)]
struct Model {
    first: Linear,
    second: Linear,
}

/// How the model is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// All states through all layers, then differences of points.
    Plain,
    /// The last layer on differences, as ours has it.
    Differences,
}

impl Model {
    /// The differences of the points of each pair.
    fn apart(&self, states: &States) -> Tensor<2> {
        let hidden = |states: &Tensor<2>| relu(self.first.forward(states.clone()));
        match states {
            States::Together(states) => {
                let points = self.second.forward(hidden(states));
                let pairs = points.dims()[0] / 2;
                let from = points.clone().narrow(0, 0, pairs);
                points.narrow(0, pairs, pairs) - from
            }
            States::Apart(pair) => {
                let [from, to] = pair.as_ref();
                (hidden(to) - hidden(from)).matmul(self.second.weight.val())
            }
        }
    }
}

/// The states of a batch as the model wants them.
#[derive(Debug)]
enum States {
    Together(Box<Tensor<2>>),
    Apart(Box<[Tensor<2>; 2]>),
}

/// Burn's own loop over batches that were made before.
pub struct BurnLoop {
    /// Taken out while a step makes the next one.
    model: Option<Model>,
    adam: ModuleOptimizer,
    batches: Vec<(States, Tensor<2>)>,
    learning_rate: f64,
}

impl std::fmt::Debug for BurnLoop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BurnLoop")
    }
}

impl BurnLoop {
    /// The network with these parameters, which has one hidden layer.
    pub fn new(
        spec: &DistanceSpec,
        writing: Writing,
        parameters: &[Named],
        batches: &[Batch],
    ) -> Result<Self, NamedError> {
        let hidden = parameters.first().map_or(0, |weight| weight.shape[1]);
        let (inputs, outputs) = (spec.encoder.inputs, spec.encoder.outputs());
        let model = Model {
            first: linear(parameters, 0, [inputs, hidden])?,
            second: linear(parameters, 1, [hidden, outputs])?,
        };
        let config = AdamConfig::new()
            .with_beta_1(BETA_1)
            .with_beta_2(BETA_2)
            .with_epsilon(EPSILON);
        let matrix = |values: &[f32], columns| matrix(values.to_vec(), columns);
        let states = |Batch { from, to, .. }: &Batch| match writing {
            Writing::Plain => {
                States::Together(Box::new(matrix(&[from.as_slice(), to].concat(), inputs)))
            }
            Writing::Differences => {
                States::Apart(Box::new([from, to].map(|rows| matrix(rows, inputs))))
            }
        };
        let tensors = |batch: &Batch| (states(batch), matrix(&batch.targets, 1));
        Ok(Self {
            model: Some(model),
            adam: config.init(),
            batches: batches.iter().map(tensors).collect(),
            learning_rate: spec.learning_rate.at(0),
        })
    }

    /// One step on the batch with this number; the loss before it.
    pub fn step(&mut self, batch: usize) -> f32 {
        let (Some(model), Some((states, targets))) = (self.model.take(), self.batches.get(batch))
        else {
            return f32::NAN;
        };
        let distances = model.apart(states).abs().sum_dim(1);
        let loss = (distances - targets.clone()).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        let model = self.adam.step(self.learning_rate, model, gradients);
        self.model = Some(model);
        scalar(loss)
    }
}

/// A layer of Burn's with our numbers.
fn linear(arrays: &[Named], layer: usize, shape: [usize; 2]) -> Result<Linear, NamedError> {
    let name = |what| format!("layer.{layer}.{what}");
    let weight = &find(arrays, &name("weight"), shape)?.values;
    let bias = &find(arrays, &name("bias"), [1, shape[1]])?.values;
    let bias = TensorData::new(bias.clone(), [shape[1]]);
    Ok(Linear {
        weight: Param::from_tensor(matrix(weight.clone(), shape[1])),
        bias: Some(Param::from_tensor(Tensor::from_data(bias, &device()))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// The same weights and batches give the same losses for as long as rounding lets them.
    #[test]
    fn all_compute_the_same() {
        let spec = DistanceSpec::paper(5, 100);
        let mut rng = Seed(3).stream(Purpose::Pairs, 0, 0);
        let batches: Vec<Batch> = (0..4)
            .map(|_| Batch {
                from: (0..8 * 5).map(|_| rng.random()).collect(),
                to: (0..8 * 5).map(|_| rng.random()).collect(),
                targets: (0..8).map(|_| 10.0 * rng.random::<f32>()).collect(),
            })
            .collect();
        let mut ours = OurStep::new(spec.clone(), Seed(1));
        let [mut plain, mut differences] = [Writing::Plain, Writing::Differences]
            .map(|writing| BurnLoop::new(&spec, writing, &ours.parameters(), &batches).unwrap());
        let mut last = f32::INFINITY;
        for step in 0..100 {
            let number = step % batches.len();
            let a = ours.step(&batches[number]);
            for b in [plain.step(number), differences.step(number)] {
                assert!((a - b).abs() <= 1e-4 * a.abs(), "step {step}: {a} and {b}");
            }
            if number == 0 {
                assert!(a < last, "step {step}: {a} after {last}");
                last = a;
            }
        }
        assert!(plain.step(batches.len()).is_nan());
    }

    #[test]
    fn another_networks_parameters_are_refused() {
        let spec = DistanceSpec::paper(5, 100);
        let other = OurStep::new(DistanceSpec::paper(6, 100), Seed(1));
        let refused = BurnLoop::new(&spec, Writing::Plain, &other.parameters(), &[]);
        assert!(matches!(refused, Err(NamedError::Shape { .. })));
    }
}
