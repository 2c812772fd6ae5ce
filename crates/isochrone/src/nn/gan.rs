//! A generator and its discriminator, by least squares.
//!
//! ```text
//! G(z) = tanh(… relu(zW₁ + b₁) …)          D(x) = … leaky(xW₁ + b₁) …,   leaky(x) = max(x, x ÷ 10)
//!
//! D ↓  mean (D(x) − y)²  over goals (y = ±1) and made ones (y = −1) together
//! G ↓  mean (D(G(z)) − 1)²
//! ```
//!
//! An iteration is one step of D, then one of G against the D that has just learned, on the same noise. G has not moved
//! in between, so what it made for D is made once.

use super::adam::Parameter;
use super::rmsprop::RmsProp;
use super::{Named, NamedError, find, keep_memory, matrix, numbers, scalar};
use crate::kernel::Linear;
use crate::rng::Rng;
use burn::tensor::activation::{leaky_relu, relu, tanh};
use burn::tensor::{Gradients, Tensor};

/// The slope of the discriminator's units below zero.
const LEAK: f64 = 0.1;

/// How many numbers go in, through and out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GanSizes<'a> {
    pub(crate) noise_dims: usize,
    pub(crate) generator_hidden: &'a [usize],
    pub(crate) discriminator_hidden: &'a [usize],
    pub(crate) dims: usize,
}

/// What an iteration learns from, rows end to end.
#[derive(Clone, Debug)]
pub(crate) struct GanBatch {
    pub(crate) goals: Vec<f32>,
    /// One per goal.
    pub(crate) targets: Vec<f32>,
    pub(crate) noise: Vec<f32>,
}

/// Both losses before their steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GanLosses {
    pub(crate) discriminator: f32,
    pub(crate) generator: f32,
}

/// A loss that is not finite; nothing was moved by it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GanLoss {
    pub(crate) network: &'static str,
    pub(crate) loss: f32,
}

/// Two networks with their optimisers.
#[derive(Clone, Debug)]
pub(crate) struct Gan {
    generator: Player,
    discriminator: Player,
    noise_dims: usize,
    dims: usize,
}

impl Gan {
    /// Untrained networks: Glorot's weights, no biases.
    pub(crate) fn untrained(
        sizes: &GanSizes<'_>,
        generator: &mut Rng,
        discriminator: &mut Rng,
    ) -> Self {
        keep_memory();
        let GanSizes {
            noise_dims, dims, ..
        } = *sizes;
        let hidden = [sizes.generator_hidden, sizes.discriminator_hidden];
        Self {
            generator: Player::untrained("generator", noise_dims, hidden[0], dims, generator),
            discriminator: Player::untrained("discriminator", dims, hidden[1], 1, discriminator),
            noise_dims,
            dims,
        }
    }

    /// One step of the discriminator, one of the generator.
    pub(crate) fn iterate(
        &mut self,
        batch: GanBatch,
        learning_rate: f64,
    ) -> Result<GanLosses, GanLoss> {
        let made = self.make(batch.noise, &self.generator.leaves());
        // As numbers only: the discriminator's step has nothing to say to the generator.
        let shown = Tensor::from_inner(made.clone().inner());
        let mut targets = batch.targets;
        targets.resize(targets.len() + shown.dims()[0], -1.0);
        let shown = Tensor::cat(vec![matrix(batch.goals, self.dims), shown], 0);
        let verdict = judge(shown, &self.discriminator.leaves());
        let loss = (verdict - matrix(targets, 1)).square().mean();
        let discriminator = self.discriminator.descend(loss, learning_rate)?;

        let verdict = judge(made, &self.discriminator.frozen());
        let loss = verdict.sub_scalar(1.0).square().mean();
        let generator = self.generator.descend(loss, learning_rate)?;
        Ok(GanLosses {
            discriminator,
            generator,
        })
    }

    /// What the generator makes of this noise, rows end to end, each number within ±1.
    pub(crate) fn generate(&self, noise: Vec<f32>) -> Vec<f32> {
        numbers(self.make(noise, &self.generator.frozen()))
    }

    fn make(&self, noise: Vec<f32>, parameters: &[Tensor<2>]) -> Tensor<2> {
        let noise = matrix(noise, self.noise_dims);
        tanh(forward(noise, parameters, relu))
    }

    /// The first parameter that is not finite, if there is one.
    pub(crate) fn broken(&self) -> Option<String> {
        self.generator
            .broken()
            .or_else(|| self.discriminator.broken())
    }

    pub(crate) fn save(&self) -> Vec<Named> {
        [self.generator.save(), self.discriminator.save()].concat()
    }

    /// The opposite; if an array is not as it must be, nothing is changed.
    pub(crate) fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        let mut restored = self.clone();
        restored.generator.restore(arrays)?;
        restored.discriminator.restore(arrays)?;
        *self = restored;
        Ok(())
    }
}

/// What the discriminator says of goals, as one column.
fn judge(goals: Tensor<2>, parameters: &[Tensor<2>]) -> Tensor<2> {
    forward(goals, parameters, |x| leaky_relu(x, LEAK))
}

/// Layers with activations between them and a linear end.
fn forward(
    rows: Tensor<2>,
    parameters: &[Tensor<2>],
    activation: impl Fn(Tensor<2>) -> Tensor<2>,
) -> Tensor<2> {
    let last = parameters.len() / 2 - 1;
    let layers = parameters.chunks_exact(2).enumerate();
    layers.fold(rows, |rows, (number, layer)| {
        let sums = rows.matmul(layer[0].clone()) + layer[1].clone();
        if number == last {
            sums
        } else {
            activation(sums)
        }
    })
}

/// One of the two.
#[derive(Clone)]
struct Player {
    name: &'static str,
    /// Weights and biases in turn, at least one layer.
    parameters: Vec<Parameter>,
    rms: RmsProp,
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.parameters.iter().map(|p| (&p.name, p.shape));
        f.debug_map().entries(names).finish()
    }
}

impl Player {
    fn untrained(
        name: &'static str,
        inputs: usize,
        hidden: &[usize],
        outputs: usize,
        rng: &mut Rng,
    ) -> Self {
        let (mut rows, mut parameters) = (inputs, Vec::new());
        for (layer, &columns) in hidden.iter().chain([&outputs]).enumerate() {
            let Linear { weights, bias } = Linear::untrained(rows, columns, rng);
            let name = |what| format!("layer.{layer}.{what}");
            parameters.push(Parameter::new(name("weight"), columns, &weights));
            parameters.push(Parameter::new(name("bias"), columns, &bias));
            rows = columns;
        }
        Self {
            name,
            rms: RmsProp::new(&parameters),
            parameters,
        }
    }

    /// The parameters as the graph sees them.
    fn leaves(&self) -> Vec<Tensor<2>> {
        self.parameters.iter().map(|p| p.value.clone()).collect()
    }

    /// The same without gradients.
    fn frozen(&self) -> Vec<Tensor<2>> {
        let values = self.parameters.iter();
        values
            .map(|p| Tensor::from_inner(p.value.clone().inner()))
            .collect()
    }

    /// One step down this loss; its value before. A loss that is not finite moves nothing.
    fn descend(&mut self, loss: Tensor<1>, learning_rate: f64) -> Result<f32, GanLoss> {
        let gradients: Gradients = loss.backward();
        let value = scalar(loss);
        if !value.is_finite() {
            return Err(GanLoss {
                network: self.name,
                loss: value,
            });
        }
        self.rms
            .step(&mut self.parameters, &gradients, learning_rate);
        Ok(value)
    }

    fn broken(&self) -> Option<String> {
        let is_broken = |p: &&Parameter| p.values().iter().any(|x| !x.is_finite());
        let parameter = self.parameters.iter().find(is_broken)?;
        Some(format!("{}{}", self.prefix(), parameter.name))
    }

    fn prefix(&self) -> String {
        format!("gan.{}.", self.name)
    }

    fn save(&self) -> Vec<Named> {
        let prefix = self.prefix();
        let values = self.parameters.iter().map(|parameter| Named {
            name: format!("{prefix}{}", parameter.name),
            shape: parameter.shape,
            values: parameter.values(),
        });
        let rms = format!("{prefix}rms.");
        let state = self.rms.save(&rms, &self.parameters);
        values.chain(state).collect()
    }

    fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        let prefix = self.prefix();
        for parameter in &mut self.parameters {
            let name = format!("{prefix}{}", parameter.name);
            parameter.set(&find(arrays, &name, parameter.shape)?.values);
        }
        let rms = format!("{prefix}rms.");
        self.rms.restore(&rms, &self.parameters, arrays)
    }
}
