//! Burn's own training loop, as its book writes one: the baseline of `bench distance`.
//!
//! A `Module` of `Linear` layers, its `ModuleOptimizer`, tensors prepared before, the loss read each step. The model is
//! written in two ways, to separate the cost of the library from the saving by algebra. Both compute the paper's
//! regression with p = q = 1.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use isochrone::embedding::DistanceSpec;
use isochrone::nn::{NamedArray, NamedArrayError, find};

/// The rows of one step: earlier states, later ones, and the lags between them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Batch {
    /// Rows end to end.
    pub(super) from: Vec<f32>,
    /// Rows end to end.
    pub(super) to: Vec<f32>,
    /// One per pair, in steps.
    pub(super) targets: Vec<f32>,
}

/// Two layers, as Burn's users write them.
#[derive(Module, Debug)]
struct Model {
    first: Linear,
    second: Linear,
}

/// How the model is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
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
pub(super) struct BurnLoop {
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
    pub(super) fn new(
        spec: &DistanceSpec,
        writing: Writing,
        parameters: &[NamedArray],
        batches: &[Batch],
    ) -> Result<Self, NamedArrayError> {
        let hidden = parameters.first().map_or(0, |weight| weight.shape[1]);
        let (inputs, outputs) = (spec.encoder.inputs, spec.encoder.outputs());
        let model = Model {
            first: linear(parameters, 0, [inputs, hidden])?,
            second: linear(parameters, 1, [hidden, outputs])?,
        };
        // The constants of ours.
        let config = AdamConfig::new()
            .with_beta_1(0.9)
            .with_beta_2(0.999)
            .with_epsilon(1e-8);
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
    pub(super) fn step(&mut self, batch: usize) -> f32 {
        let (Some(model), Some((states, targets))) = (self.model.take(), self.batches.get(batch))
        else {
            return f32::NAN;
        };
        let distances = model.apart(states).abs().sum_dim(1);
        let loss = (distances - targets.clone()).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        let model = self.adam.step(self.learning_rate, model, gradients);
        self.model = Some(model);
        loss.try_into_scalar::<f32>().unwrap_or(f32::NAN)
    }
}

/// Where everything is computed: the CPU, with gradients, as ours.
fn device() -> Device {
    Device::flex().autodiff()
}

fn matrix(values: &[f32], columns: usize) -> Tensor<2> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    Tensor::from_data(TensorData::new(values.to_vec(), [rows, columns]), &device())
}

/// A layer of Burn's with our numbers.
fn linear(
    arrays: &[NamedArray],
    layer: usize,
    shape: [usize; 2],
) -> Result<Linear, NamedArrayError> {
    let name = |what| format!("layer.{layer}.{what}");
    let weight = find(arrays, &name("weight"), shape)?;
    let bias = find(arrays, &name("bias"), [1, shape[1]])?;
    let bias = TensorData::new(bias.to_vec(), [shape[1]]);
    Ok(Linear {
        weight: Param::from_tensor(matrix(weight, shape[1])),
        bias: Some(Param::from_tensor(Tensor::from_data(bias, &device()))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone::comm::Single;
    use isochrone::embedding::{DistanceTrainer, Part};
    use isochrone::pairs::Episodes;
    use isochrone::rng::Seed;

    /// The same weights and batches give the same losses for as long as rounding lets them.
    #[test]
    fn all_compute_the_same() {
        let spec = DistanceSpec::paper(2, 1);
        // Two states each: a trajectory has one pair, and an epoch is one batch, whatever its order.
        let states: Vec<f32> = (0..128).map(|k| (0.7 * k as f32).sin()).collect();
        let pairs = (0..32).map(|k| 2 * k..2 * k + 2).collect();
        let episodes = Episodes::new(&states, 2, pairs).unwrap();
        let rows = |of: usize| {
            states
                .chunks_exact(2)
                .skip(of)
                .step_by(2)
                .flatten()
                .copied()
        };
        let batch = Batch {
            from: rows(0).collect(),
            to: rows(1).collect(),
            targets: vec![1.0; 32],
        };
        let mut ours = DistanceTrainer::new(spec.clone(), Seed(1)).unwrap();
        let [mut plain, mut differences] = [Writing::Plain, Writing::Differences].map(|writing| {
            let batches = std::slice::from_ref(&batch);
            BurnLoop::new(&spec, writing, &ours.weights(), batches).unwrap()
        });
        for step in 0..100 {
            let a = ours
                .epoch(&Part::whole(&episodes), step, &Single)
                .unwrap()
                .loss;
            for b in [plain.step(0), differences.step(0)] {
                assert!(
                    (a - f64::from(b)).abs() <= 1e-4 * a,
                    "step {step}: {a} and {b}"
                );
            }
        }
        assert!(plain.step(1).is_nan());
    }

    #[test]
    fn another_networks_parameters_are_refused() {
        let spec = DistanceSpec::paper(5, 100);
        let other = DistanceTrainer::new(DistanceSpec::paper(6, 100), Seed(1)).unwrap();
        let refused = BurnLoop::new(&spec, Writing::Plain, &other.weights(), &[]);
        assert!(matches!(refused, Err(NamedArrayError::Shape { .. })));
    }
}
