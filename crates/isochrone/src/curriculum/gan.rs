//! A generator and its discriminator, by least squares.
//!
//! ```text
//! G(z) = tanh(… relu(zW₁ + b₁) …)          D(x) = … leaky(xW₁ + b₁) …
//!
//! D ↓  mean (D(x) − y)²  over goals (y = ±1) and made ones (y = −1) together
//! G ↓  mean (D(G(z)) − 1)²
//! ```
//!
//! An iteration is one step of D, then one of G against the D that has just learned, on the same noise. G has not moved
//! in between, so what it made for D is made once.

use super::rmsprop::RmsProp;
use crate::kernel::{Activation, activate};
use crate::layers::{Layers, Pass, Scratch};
use crate::nn::{Named, NamedError, find};
use crate::rng::Rng;
use std::ops::Range;

/// How many numbers go in, through and out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes<'a> {
    pub(super) noise_dims: usize,
    pub(super) generator_hidden: &'a [usize],
    pub(super) discriminator_hidden: &'a [usize],
    pub(super) dims: usize,
}

/// What an iteration learns from, rows end to end.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) goals: Vec<f32>,
    /// One per goal.
    pub(super) targets: Vec<f32>,
    pub(super) noise: Vec<f32>,
}

/// Both losses before their steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Losses {
    pub(super) discriminator: f32,
    pub(super) generator: f32,
}

/// A loss that is not finite; nothing was moved by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NonFinite {
    pub(super) network: &'static str,
    pub(super) loss: f32,
}

/// Two networks with their optimisers.
#[derive(Clone, Debug)]
pub(super) struct Gan {
    generator: Player,
    discriminator: Player,
}

impl Gan {
    /// Untrained networks: Glorot's weights, no biases.
    pub(super) fn untrained(
        sizes: &Sizes<'_>,
        generator: &mut Rng,
        discriminator: &mut Rng,
    ) -> Self {
        let (noise_dims, dims) = (sizes.noise_dims, sizes.dims);
        let makes = Layers::new(noise_dims, sizes.generator_hidden, dims, Activation::Relu);
        let judges = Layers::new(dims, sizes.discriminator_hidden, 1, Activation::LeakyRelu);
        Self {
            generator: Player::untrained("generator", makes, generator),
            discriminator: Player::untrained("discriminator", judges, discriminator),
        }
    }

    /// One step of the discriminator, one of the generator.
    pub(super) fn iterate(
        &mut self,
        batch: &Batch,
        learning_rate: f64,
    ) -> Result<Losses, NonFinite> {
        let mut making = Pass::default();
        let made = self.make(&batch.noise, &mut making);
        let discriminator = self.discriminate(batch, &made, learning_rate)?;

        let judge = &self.discriminator;
        let mut judging = Pass::default();
        judge.layers.forward(&judge.parameters, &made, &mut judging);
        let missed = judging.output.iter().map(|verdict| verdict - 1.0).collect();
        let (generator, slopes) = judge_misses(missed);
        let mut slopes = judge
            .layers
            .pull_back_to_rows(&judge.parameters, &judging, &slopes);
        // tanh' = 1 − tanh².
        let each = slopes.iter_mut().zip(&made);
        each.for_each(|(slope, made)| *slope *= 1.0 - made * made);
        self.generator
            .descend(generator, &batch.noise, &making, &slopes, learning_rate)?;
        Ok(Losses {
            discriminator,
            generator,
        })
    }

    /// The discriminator's step on goals and made ones.
    fn discriminate(
        &mut self,
        batch: &Batch,
        made: &[f32],
        learning_rate: f64,
    ) -> Result<f32, NonFinite> {
        let judge = &mut self.discriminator;
        let rows = [batch.goals.as_slice(), made].concat();
        let mut judging = Pass::default();
        judge.layers.forward(&judge.parameters, &rows, &mut judging);
        let targets = batch.targets.iter().chain(std::iter::repeat(&-1.0));
        let missed = judging.output.iter().zip(targets);
        let (loss, slopes) = judge_misses(missed.map(|(verdict, y)| verdict - y).collect());
        judge.descend(loss, &rows, &judging, &slopes, learning_rate)?;
        Ok(loss)
    }

    /// What the generator makes of this noise, rows end to end, each number within ±1.
    pub(super) fn generate(&self, noise: &[f32]) -> Vec<f32> {
        self.make(noise, &mut Pass::default())
    }

    fn make(&self, noise: &[f32], pass: &mut Pass) -> Vec<f32> {
        let Player {
            layers, parameters, ..
        } = &self.generator;
        layers.forward(parameters, noise, pass);
        let mut made = pass.output.clone();
        activate(Activation::Tanh, &mut made);
        made
    }

    /// The first parameter that is not finite, if there is one.
    pub(super) fn broken(&self) -> Option<String> {
        let players = [&self.generator, &self.discriminator];
        players.into_iter().find_map(Player::broken)
    }

    pub(super) fn save(&self) -> Vec<Named> {
        [self.generator.save(), self.discriminator.save()].concat()
    }

    /// The opposite; if an array is not as it must be, nothing is changed.
    pub(super) fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        let mut restored = self.clone();
        restored.generator.restore(arrays)?;
        restored.discriminator.restore(arrays)?;
        *self = restored;
        Ok(())
    }
}

/// The mean of the squares of what was missed, and its slope in each of them.
fn judge_misses(mut missed: Vec<f32>) -> (f32, Vec<f32>) {
    let n = missed.len().max(1) as f32;
    let squares: f64 = missed.iter().map(|m| f64::from(*m).powi(2)).sum();
    missed.iter_mut().for_each(|m| *m *= 2.0 / n);
    ((squares / f64::from(n)) as f32, missed)
}

/// A run of parameters that is saved under a name.
struct Array {
    name: String,
    shape: [usize; 2],
    place: Range<usize>,
}

/// One of the two.
#[derive(Clone, Debug)]
struct Player {
    name: &'static str,
    layers: Layers,
    parameters: Vec<f32>,
    rms: RmsProp,
}

impl Player {
    fn untrained(name: &'static str, layers: Layers, rng: &mut Rng) -> Self {
        let parameters = layers.untrained(rng);
        Self {
            name,
            rms: RmsProp::new(parameters.len()),
            layers,
            parameters,
        }
    }

    /// One step down a loss with these slopes in the results. A loss that is not finite moves nothing.
    fn descend(
        &mut self,
        loss: f32,
        rows: &[f32],
        pass: &Pass,
        slopes: &[f32],
        learning_rate: f64,
    ) -> Result<(), NonFinite> {
        if !loss.is_finite() {
            let network = self.name;
            return Err(NonFinite { network, loss });
        }
        let mut gradient = vec![0.0; self.parameters.len()];
        let scratch = &mut Scratch::default();
        self.layers
            .pull_back(&self.parameters, rows, pass, slopes, scratch, &mut gradient);
        self.rms
            .step(&mut self.parameters, &gradient, learning_rate);
        Ok(())
    }

    /// The arrays that the parameters are.
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

    fn broken(&self) -> Option<String> {
        let values = |array: &Array| &self.parameters[array.place.clone()];
        let is_broken = |array: &Array| values(array).iter().any(|x| !x.is_finite());
        let broken = self.arrays().find(is_broken)?;
        Some(format!("gan.{}.{}", self.name, broken.name))
    }

    fn save(&self) -> Vec<Named> {
        let saved = |prefix: &str, values: &[f32]| -> Vec<Named> {
            let named = |array: Array| Named {
                name: format!("gan.{}.{prefix}{}", self.name, array.name),
                shape: array.shape,
                values: values[array.place].to_vec(),
            };
            self.arrays().map(named).collect()
        };
        let values = saved("", &self.parameters);
        [values, saved("rms.", &self.rms.mean_squares)].concat()
    }

    fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        let own: Vec<_> = self.arrays().collect();
        let kept = [
            ("", &mut self.parameters),
            ("rms.", &mut self.rms.mean_squares),
        ];
        for (prefix, values) in kept {
            for Array { name, shape, place } in &own {
                let name = format!("gan.{}.{prefix}{name}", self.name);
                let array = find(arrays, &name, *shape)?;
                values[place.clone()].copy_from_slice(&array.values);
            }
        }
        Ok(())
    }
}
