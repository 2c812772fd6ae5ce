//! The convolutional part of an encoder: convolutions, each with batch normalisation and ReLU.
//!
//! Its gradients are written out here; the layers behind it are differentiated by the tensor library. Images are bytes as
//! numbers, 0 to 255.

use super::batch_norm::{Normalised, inverse_std};
use super::convolution::Convolution;
use super::{NamedArray, NamedArrayError, find};
use crate::distance_spec::ImageSpec;
use crate::kernel::{Activation, activate};

/// The largest value of a byte.
pub(super) const MAX_BYTE: f32 = 255.0;
/// The weight of a new batch in the running mean and variance.
const NEW_BATCH: f32 = 0.1;

/// Arrays of one convolution, in this order: weight, γ, β.
pub(crate) const PARAMETERS: usize = 3;

/// The convolutions, and running means and variances of what each puts out.
#[derive(Clone, Debug)]
pub(crate) struct Trunk {
    convolutions: Vec<Convolution>,
    statistics: Vec<Statistics>,
}

/// Mean and variance of each channel.
#[derive(Clone, Debug)]
struct Statistics {
    means: Vec<f32>,
    variances: Vec<f32>,
}

/// What a batch of images leaves behind for its gradient.
#[derive(Debug)]
pub(crate) struct Pass {
    layers: Vec<(Vec<f32>, Normalised)>,
    /// What the layers behind the trunk are given, image by image.
    pub(crate) features: Vec<f32>,
}

impl Trunk {
    pub(crate) fn new(spec: &ImageSpec) -> Self {
        let convolutions = convolutions(spec);
        let fresh = |of: &Convolution| Statistics {
            means: vec![0.0; of.outputs],
            variances: vec![1.0; of.outputs],
        };
        Self {
            statistics: convolutions.iter().map(fresh).collect(),
            convolutions,
        }
    }

    /// The convolutions, in their order.
    pub(crate) fn convolutions(&self) -> &[Convolution] {
        &self.convolutions
    }

    /// The features of a batch, normalised by its own means and variances.
    pub(crate) fn forward(&self, parameters: &[Vec<f32>], images: &[f32]) -> Pass {
        let mut now: Vec<f32> = images.iter().map(|byte| byte / MAX_BYTE).collect();
        let mut layers = Vec::with_capacity(self.convolutions.len());
        for (of, arrays) in self
            .convolutions
            .iter()
            .zip(parameters.chunks_exact(PARAMETERS))
        {
            let mut output = of.apply(&arrays[0], &now);
            let normalised = Normalised::of(&mut output, &arrays[1], &arrays[2]);
            layers.push((std::mem::replace(&mut now, output), normalised));
        }
        Pass {
            layers,
            features: now,
        }
    }

    /// Gradients of all parameters, end to end, from the gradient of the features.
    pub(crate) fn gradients(
        &self,
        parameters: &[Vec<f32>],
        pass: &Pass,
        mut output_gradients: Vec<f32>,
    ) -> Vec<f32> {
        let mut found = Vec::new();
        let layers = self.convolutions.iter().zip(&pass.layers);
        let layers = layers.zip(parameters.chunks_exact(PARAMETERS));
        for (number, ((of, (input, normalised)), arrays)) in layers.enumerate().rev() {
            let norm = normalised.gradients(&arrays[1], &arrays[2], output_gradients);
            let weight = of.weight_gradient(input, &norm.input);
            // Nothing learns from the gradient of the images.
            output_gradients = if number > 0 {
                of.input_gradient(&arrays[0], &norm.input)
            } else {
                Vec::new()
            };
            found.push([weight, norm.scale, norm.shift].concat());
        }
        found.into_iter().rev().flatten().collect()
    }

    /// Means and variances of a batch, end to end.
    pub(crate) fn batch_statistics(pass: &Pass) -> impl Iterator<Item = f32> {
        let layers = pass.layers.iter();
        layers.flat_map(|(_, norm)| norm.means.iter().chain(&norm.variances).copied())
    }

    /// How many they are.
    pub(crate) fn n_statistics(&self) -> usize {
        self.statistics.iter().map(|of| 2 * of.means.len()).sum()
    }

    /// Moves the running means and variances towards those of the n-th batch. Until there are ten, they are the means over all
    /// batches: with a constant weight, what they began with would count for fifty updates.
    pub(crate) fn update_statistics(&mut self, mut batch: &[f32], n: u64) {
        let weight = (1.0 / n.max(1) as f32).max(NEW_BATCH);
        for of in &mut self.statistics {
            for running in [&mut of.means, &mut of.variances] {
                let Some((new, rest)) = batch.split_at_checked(running.len()) else {
                    return;
                };
                batch = rest;
                for (running, new) in running.iter_mut().zip(new) {
                    *running += weight * (new - *running);
                }
            }
        }
    }

    pub(crate) fn save(&self) -> impl Iterator<Item = NamedArray> {
        self.statistics.iter().enumerate().flat_map(|(layer, of)| {
            let array = |what: &str, values: &[f32]| {
                NamedArray::f32(format!("conv.{layer}.{what}"), [1, values.len()], values)
            };
            [array("mean", &of.means), array("variance", &of.variances)]
        })
    }

    pub(crate) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        for (layer, of) in self.statistics.iter_mut().enumerate() {
            let channels = of.means.len();
            let array = |what: &str| {
                let name = format!("conv.{layer}.{what}");
                find(arrays, &name, [1, channels]).map(<[f32]>::to_vec)
            };
            (of.means, of.variances) = (array("mean")?, array("variance")?);
        }
        Ok(())
    }

    /// The trunk as it is now, for inference.
    pub(crate) fn frozen(&self, parameters: &[Vec<f32>]) -> FrozenTrunk {
        let layers = self.convolutions.iter().zip(&self.statistics);
        let layers = layers.zip(parameters.chunks_exact(PARAMETERS));
        let layers = layers.map(|((of, statistics), arrays)| Folded::new(*of, statistics, arrays));
        FrozenTrunk {
            layers: layers.collect(),
        }
    }
}

/// Each convolution takes what the one before it puts out.
fn convolutions(spec: &ImageSpec) -> Vec<Convolution> {
    let [mut height, mut width, mut channels] = spec.shape;
    let mut all = Vec::new();
    for (&outputs, &stride) in spec.channels.iter().zip(&spec.strides) {
        let of = Convolution {
            height,
            width,
            channels,
            outputs,
            stride,
        };
        (height, width, channels) = (of.output_height(), of.output_width(), outputs);
        all.push(of);
    }
    all
}

/// A trained trunk: normalisation is part of the weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrozenTrunk {
    layers: Vec<Folded>,
}

/// A convolution with running means and variances in its weight and bias:
///
/// ```text
/// γ (x·w − μ) ÷ √(v + 10⁻⁵) + β = x·(a w) + (β − a μ),     a = γ ÷ √(v + 10⁻⁵)
/// ```
#[derive(Clone, Debug, PartialEq)]
struct Folded {
    of: Convolution,
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Folded {
    fn new(of: Convolution, statistics: &Statistics, arrays: &[Vec<f32>]) -> Self {
        let inverse = inverse_std(&statistics.variances);
        let factors = inverse.iter().zip(&arrays[1]);
        let factors: Vec<f32> = factors.map(|(inverse, scale)| inverse * scale).collect();
        let rows = arrays[0].chunks_exact(of.outputs);
        let weight = rows.flat_map(|row| row.iter().zip(&factors).map(|(w, a)| w * a));
        let bias = arrays[2].iter().zip(&factors).zip(&statistics.means);
        Self {
            of,
            weight: weight.collect(),
            bias: bias.map(|((shift, a), mean)| shift - a * mean).collect(),
        }
    }
}

impl FrozenTrunk {
    /// A trunk made of named arrays: `conv.0.weight`, `conv.0.scale`, `conv.0.shift`, `conv.0.mean`, `conv.0.variance`, ….
    pub(crate) fn of_arrays(
        spec: &ImageSpec,
        arrays: &[NamedArray],
    ) -> Result<Self, NamedArrayError> {
        let mut trunk = Trunk::new(spec);
        trunk.restore(arrays)?;
        let mut parameters = Vec::new();
        for (layer, of) in trunk.convolutions.iter().enumerate() {
            for (name, rows) in [("weight", of.patch_len()), ("scale", 1), ("shift", 1)] {
                let name = format!("conv.{layer}.{name}");
                parameters.push(find(arrays, &name, [rows, of.outputs])?.to_vec());
            }
        }
        Ok(trunk.frozen(&parameters))
    }

    /// Each convolution with its weight and bias.
    #[cfg(any(test, feature = "gpu"))]
    pub(super) fn layers(&self) -> impl Iterator<Item = (&Convolution, &[f32], &[f32])> {
        let layers = self.layers.iter();
        layers.map(|layer| (&layer.of, layer.weight.as_slice(), layer.bias.as_slice()))
    }

    /// Numbers in an image.
    pub(crate) fn inputs(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.of.input_len())
    }

    /// The features of images, end to end.
    pub(crate) fn features(&self, images: &[f32]) -> Vec<f32> {
        let mut now: Vec<f32> = images.iter().map(|byte| byte / MAX_BYTE).collect();
        for layer in &self.layers {
            now = layer.of.apply(&layer.weight, &now);
            for pixel in now.chunks_exact_mut(layer.bias.len().max(1)) {
                for (x, bias) in pixel.iter_mut().zip(&layer.bias) {
                    *x += bias;
                }
            }
            activate(Activation::Relu, &mut now);
        }
        now
    }
}
