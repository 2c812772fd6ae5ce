//! A least-squares GAN: a generator and its discriminator.
//!
//! ```text
//! G(z) = tanh(… relu(zW₁ + b₁) …)          D(x) = … leaky(xW₁ + b₁) …
//!
//! D ↓  mean (D(x) − y)²  over labelled goals (y = ±1) and generated ones (y = −1)
//! G ↓  mean (D(G(z)) − 1)²
//! ```
//!
//! An iteration is one step of D, then one of G against the updated D, on the same noise. G is unchanged in between, so its
//! samples are computed once.

use crate::kernel::{Activation, activate};
use crate::layers::{Layers, Pass, Scratch};
use crate::nn::{NamedArray, NamedArrayError, find};
use crate::optim::RmsProp;
use crate::rng::Rng;
use std::ops::Range;

/// Layer widths of both networks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes<'a> {
    pub(super) noise_dims: usize,
    pub(super) generator_hidden: &'a [usize],
    pub(super) discriminator_hidden: &'a [usize],
    pub(super) dims: usize,
}

/// The batch of one iteration, row by row.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) goals: Vec<f32>,
    /// One label per goal.
    pub(super) targets: Vec<f32>,
    pub(super) noise: Vec<f32>,
}

/// Both losses before their steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Losses {
    pub(super) discriminator: f32,
    pub(super) generator: f32,
}

/// A loss that is NaN or infinite; the parameters are unchanged.
#[derive(Clone, Copy, Debug)]
pub(super) struct NonFinite {
    pub(super) network: &'static str,
    pub(super) loss: f32,
}

/// Two networks with their optimisers.
#[derive(Clone, Debug)]
pub(super) struct Gan {
    generator: Network,
    discriminator: Network,
}

impl Gan {
    /// Untrained networks: Glorot weights, zero biases.
    pub(super) fn untrained(
        sizes: &Sizes<'_>,
        generator: &mut Rng,
        discriminator: &mut Rng,
    ) -> Self {
        let (noise_dims, dims) = (sizes.noise_dims, sizes.dims);
        let generates = Layers::new(noise_dims, sizes.generator_hidden, dims, Activation::Relu);
        let discriminates = Layers::new(dims, sizes.discriminator_hidden, 1, Activation::LeakyRelu);
        Self {
            generator: Network::untrained("generator", generates, generator),
            discriminator: Network::untrained("discriminator", discriminates, discriminator),
        }
    }

    /// One step of the discriminator, then one of the generator.
    pub(super) fn iterate(
        &mut self,
        batch: &Batch,
        learning_rate: f64,
    ) -> Result<Losses, NonFinite> {
        let mut generation = Pass::default();
        let made = self.make(&batch.noise, &mut generation);
        let discriminator = self.discriminate(batch, &made, learning_rate)?;

        let network = &self.discriminator;
        let mut scoring = Pass::default();
        network
            .layers
            .forward(&network.parameters, &made, &mut scoring);
        let residuals = scoring.output.iter().map(|score| score - 1.0).collect();
        let (generator, gradients) = squared_loss(residuals);
        let mut gradients =
            network
                .layers
                .pull_back_to_rows(&network.parameters, &scoring, &gradients);
        // tanh' = 1 − tanh².
        let each = gradients.iter_mut().zip(&made);
        each.for_each(|(gradient_entry, made)| *gradient_entry *= 1.0 - made * made);
        self.generator.descend(
            generator,
            &batch.noise,
            &generation,
            &gradients,
            learning_rate,
        )?;
        Ok(Losses {
            discriminator,
            generator,
        })
    }

    /// The discriminator's step on labelled and generated goals.
    fn discriminate(
        &mut self,
        batch: &Batch,
        made: &[f32],
        learning_rate: f64,
    ) -> Result<f32, NonFinite> {
        let network = &mut self.discriminator;
        let rows = [batch.goals.as_slice(), made].concat();
        let mut scoring = Pass::default();
        network
            .layers
            .forward(&network.parameters, &rows, &mut scoring);
        let targets = batch.targets.iter().chain(std::iter::repeat(&-1.0));
        let residuals = scoring.output.iter().zip(targets);
        let (loss, gradients) = squared_loss(residuals.map(|(score, y)| score - y).collect());
        network.descend(loss, &rows, &scoring, &gradients, learning_rate)?;
        Ok(loss)
    }

    /// The generator's output for this noise, row by row, each entry within ±1.
    pub(super) fn generate(&self, noise: &[f32]) -> Vec<f32> {
        self.make(noise, &mut Pass::default())
    }

    fn make(&self, noise: &[f32], pass: &mut Pass) -> Vec<f32> {
        let Network {
            layers, parameters, ..
        } = &self.generator;
        layers.forward(parameters, noise, pass);
        let mut made = pass.output.clone();
        activate(Activation::Tanh, &mut made);
        made
    }

    /// The name of the first array with NaN or infinity.
    pub(super) fn first_non_finite(&self) -> Option<String> {
        let networks = [&self.generator, &self.discriminator];
        networks.into_iter().find_map(Network::first_non_finite)
    }

    pub(super) fn save(&self) -> Vec<NamedArray> {
        [self.generator.save(), self.discriminator.save()].concat()
    }

    /// Restores both networks; after an error nothing has changed.
    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let mut restored = self.clone();
        restored.generator.restore(arrays)?;
        restored.discriminator.restore(arrays)?;
        *self = restored;
        Ok(())
    }
}

/// The mean squared residual and its gradient in each residual.
fn squared_loss(mut residuals: Vec<f32>) -> (f32, Vec<f32>) {
    let n = residuals.len().max(1) as f32;
    let squares: f64 = residuals.iter().map(|m| f64::from(*m).powi(2)).sum();
    residuals.iter_mut().for_each(|m| *m *= 2.0 / n);
    ((squares / f64::from(n)) as f32, residuals)
}

/// A slice of the parameters that is saved under a name.
struct Array {
    name: String,
    shape: [usize; 2],
    place: Range<usize>,
}

/// The generator or the discriminator.
#[derive(Clone, Debug)]
struct Network {
    name: &'static str,
    layers: Layers,
    parameters: Vec<f32>,
    rms: RmsProp,
}

impl Network {
    fn untrained(name: &'static str, layers: Layers, rng: &mut Rng) -> Self {
        let parameters = layers.untrained(rng);
        Self {
            name,
            rms: RmsProp::new(parameters.len()),
            layers,
            parameters,
        }
    }

    /// One RMSProp step; `gradients` are those of the loss with respect to the outputs. A non-finite loss changes nothing.
    fn descend(
        &mut self,
        loss: f32,
        rows: &[f32],
        pass: &Pass,
        gradients: &[f32],
        learning_rate: f64,
    ) -> Result<(), NonFinite> {
        if !loss.is_finite() {
            let network = self.name;
            return Err(NonFinite { network, loss });
        }
        let mut gradient = vec![0.0; self.parameters.len()];
        let scratch = &mut Scratch::default();
        self.layers.pull_back(
            &self.parameters,
            rows,
            pass,
            gradients,
            scratch,
            &mut gradient,
        );
        self.rms
            .step(&mut self.parameters, &gradient, learning_rate);
        Ok(())
    }

    /// The parameters as named arrays.
    fn arrays(&self) -> impl Iterator<Item = Array> {
        let shapes = self.layers.shapes().into_iter().enumerate();
        shapes.map(|(k, (shape, place))| {
            let what = if k % 2 == 0 { "weight" } else { "bias" };
            Array {
                name: format!("layer.{}.{what}", k / 2),
                shape,
                place,
            }
        })
    }

    fn first_non_finite(&self) -> Option<String> {
        let values = |array: &Array| &self.parameters[array.place.clone()];
        let is_broken = |array: &Array| values(array).iter().any(|x| !x.is_finite());
        let first_non_finite = self.arrays().find(is_broken)?;
        Some(format!("gan.{}.{}", self.name, first_non_finite.name))
    }

    fn save(&self) -> Vec<NamedArray> {
        let saved = |prefix: &str, values: &[f32]| -> Vec<NamedArray> {
            let named = |array: Array| {
                NamedArray::f32(
                    format!("gan.{}.{prefix}{}", self.name, array.name),
                    array.shape,
                    &values[array.place],
                )
            };
            self.arrays().map(named).collect()
        };
        let values = saved("", &self.parameters);
        [values, saved("rms.", &self.rms.mean_squares)].concat()
    }

    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let own: Vec<_> = self.arrays().collect();
        let kept = [
            ("", &mut self.parameters),
            ("rms.", &mut self.rms.mean_squares),
        ];
        for (prefix, values) in kept {
            for Array { name, shape, place } in &own {
                let name = format!("gan.{}.{prefix}{name}", self.name);
                let array = find(arrays, &name, *shape)?;
                values[place.clone()].copy_from_slice(array);
            }
        }
        Ok(())
    }
}
