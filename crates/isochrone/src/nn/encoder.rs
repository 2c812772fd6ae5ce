//! e_θ: states → points of a space in which distances are norms.

use super::parameter::{Parameter, restore, save, step};
use super::trunk::{PARAMETERS, Pass, Trunk};
use super::{NamedArray, NamedArrayError, indices, keep_memory, matrix, numbers};
use crate::distance_spec::{Architecture, EncoderSpec};
use crate::fourier::FourierFeatures;
use crate::optim::Adam;
use crate::rng::Rng;
use burn::tensor::activation::relu;
use burn::tensor::{Gradients, Tensor};
use rand::RngExt;

/// A network with its parameters: layers with ReLU between them, perhaps behind convolutions, or one row per state.
#[derive(Clone)]
pub(crate) struct Network {
    spec: EncoderSpec,
    /// The convolutions; their parameters come first.
    trunk: Option<Trunk>,
    /// What the layers see instead of the state; not trained.
    fourier: Option<FourierFeatures>,
    parameters: Vec<Parameter>,
}

/// Points, or differences of points, and what their gradient needs beside the graph.
pub(crate) struct Encoded {
    pub(crate) points: Tensor<2>,
    pub(crate) features: Option<Features>,
}

/// What convolutions made of images, for the gradient of their parameters.
pub(crate) enum Features {
    /// By our own convolutions.
    Ours {
        /// A leaf of the graph.
        leaf: Box<Tensor<2>>,
        pass: Pass,
    },
    /// By the tensor library, whose graph has them; beside it the means and variances of the batch.
    #[cfg(any(test, feature = "gpu"))]
    Library { statistics: Vec<f32> },
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.parameters.iter().map(|p| (&p.name, p.shape));
        f.debug_map().entries(names).finish()
    }
}

impl Network {
    /// An untrained network: weights and biases uniform in ±1/√fan_in.
    pub(crate) fn untrained(spec: &EncoderSpec, rng: &mut Rng) -> Self {
        let fourier = match spec.architecture {
            Architecture::Fourier {
                features,
                frequency,
                ..
            } => Some(FourierFeatures::random(
                spec.inputs,
                features,
                frequency,
                rng,
            )),
            _ => None,
        };
        let mut uniform = |count: usize, fan_in: usize| -> Vec<f32> {
            let bound = 1.0 / (fan_in.max(1) as f32).sqrt();
            let draw = |_| bound * (2.0 * rng.random::<f32>() - 1.0);
            (0..count).map(draw).collect()
        };
        keep_memory();
        let trunk = match &spec.architecture {
            Architecture::Cnn { images, .. } => Some(Trunk::new(images)),
            Architecture::Mlp { .. }
            | Architecture::Fourier { .. }
            | Architecture::Table { .. } => None,
        };
        let parameters = match &spec.architecture {
            Architecture::Table { states } => {
                let table = uniform(states * spec.outputs(), spec.outputs());
                vec![Parameter::new("table".to_owned(), spec.outputs(), &table)]
            }
            Architecture::Mlp { hidden }
            | Architecture::Fourier { hidden, .. }
            | Architecture::Cnn { hidden, .. } => {
                let rows = fourier.as_ref().map_or(spec.inputs, FourierFeatures::len);
                let (mut rows, mut parameters) = (rows, Vec::new());
                if let (Architecture::Cnn { images, .. }, Some(trunk)) =
                    (&spec.architecture, &trunk)
                {
                    rows = images.features();
                    for (layer, of) in trunk.convolutions().iter().enumerate() {
                        let weight = uniform(of.patch_len() * of.outputs, of.patch_len());
                        let arrays = [
                            ("weight", weight),
                            ("scale", vec![1.0; of.outputs]),
                            ("shift", vec![0.0; of.outputs]),
                        ];
                        parameters.extend(arrays.map(|(what, values)| {
                            Parameter::new(format!("conv.{layer}.{what}"), of.outputs, &values)
                        }));
                    }
                }
                for (layer, &columns) in hidden.iter().chain([&spec.outputs()]).enumerate() {
                    let weight = uniform(rows * columns, rows);
                    let bias = uniform(columns, rows);
                    let name = |what| format!("layer.{layer}.{what}");
                    parameters.push(Parameter::new(name("weight"), columns, &weight));
                    parameters.push(Parameter::new(name("bias"), columns, &bias));
                    rows = columns;
                }
                parameters
            }
        };
        Self {
            spec: spec.clone(),
            trunk,
            fourier,
            parameters,
        }
    }

    /// The points of these states (rows end to end), with gradients.
    pub(crate) fn encode(&self, states: Vec<f32>) -> Encoded {
        let leaves = self.leaves();
        if let (Architecture::Table { .. }, [table]) = (&self.spec.architecture, leaves.as_slice())
        {
            let points = rows_of(table, &states);
            return Encoded {
                points,
                features: None,
            };
        }
        let (inputs, features) = self.extract_features(states);
        Encoded {
            points: layers(inputs, &leaves),
            features,
        }
    }

    /// What the layers are given: the states, or what convolutions make of them, as a leaf of the graph.
    fn extract_features(&self, states: Vec<f32>) -> (Tensor<2>, Option<Features>) {
        let Some(trunk) = &self.trunk else {
            return (self.inputs_of_layers(states), None);
        };
        #[cfg(feature = "gpu")]
        if super::device::is_gpu() {
            return self.library_features(trunk, states);
        }
        let mut pass = trunk.forward(&self.trunk_values(), &states);
        let width = self.layer_inputs();
        let features = matrix(std::mem::take(&mut pass.features), width).require_grad();
        let leaf = Box::new(features.clone());
        (features, Some(Features::Ours { leaf, pass }))
    }

    /// States, or their Fourier features.
    fn inputs_of_layers(&self, states: Vec<f32>) -> Tensor<2> {
        match &self.fourier {
            Some(fourier) => matrix(fourier.of(&states), fourier.len()),
            None => matrix(states, self.spec.inputs),
        }
    }

    /// The same by the tensor library.
    #[cfg(any(test, feature = "gpu"))]
    fn library_features(&self, trunk: &Trunk, states: Vec<f32>) -> (Tensor<2>, Option<Features>) {
        let parameters = self.parameters[..self.n_trunk_parameters()].iter();
        let parameters: Vec<Tensor<2>> = parameters.map(|p| p.value.clone()).collect();
        let convolutions = trunk.convolutions();
        let (features, statistics) =
            super::tensor_trunk::features(convolutions, &parameters, states);
        (features, Some(Features::Library { statistics }))
    }

    /// Values of the convolutions' parameters.
    fn trunk_values(&self) -> Vec<Vec<f32>> {
        let count = self.n_trunk_parameters();
        self.parameters[..count]
            .iter()
            .map(Parameter::values)
            .collect()
    }

    fn n_trunk_parameters(&self) -> usize {
        self.trunk
            .as_ref()
            .map_or(0, |trunk| PARAMETERS * trunk.convolutions().len())
    }

    /// Entries of a row that the first layer is given.
    fn layer_inputs(&self) -> usize {
        match &self.spec.architecture {
            Architecture::Cnn { images, .. } => images.features(),
            Architecture::Fourier { features, .. } => *features,
            Architecture::Mlp { .. } | Architecture::Table { .. } => self.spec.inputs,
        }
    }

    /// The points of these states as numbers.
    pub(crate) fn points(&self, states: &[f32]) -> Vec<f32> {
        let values = self.parameters.iter();
        let frozen = values.map(|p| Tensor::from_inner(p.value.clone().inner()));
        let frozen: Vec<Tensor<2>> = frozen.skip(self.n_trunk_parameters()).collect();
        if let (Architecture::Table { .. }, [table]) = (&self.spec.architecture, frozen.as_slice())
        {
            return numbers(rows_of(table, states));
        }
        let inputs = match &self.trunk {
            #[cfg(feature = "gpu")]
            Some(trunk) if super::device::is_gpu() => {
                let trunk = trunk.frozen(&self.trunk_values());
                super::tensor_trunk::frozen_features(&trunk, states.to_vec())
            }
            Some(trunk) => {
                let features = trunk.frozen(&self.trunk_values()).features(states);
                matrix(features, self.layer_inputs())
            }
            None => self.inputs_of_layers(states.to_vec()),
        };
        numbers(layers(inputs, &frozen))
    }

    /// `e(to) − e(from)`, row by row, with gradients. The last layer is linear, so it is applied once, to the
    /// difference of what goes into it, and its bias drops out:
    ///
    /// ```text
    /// (h_to·W + b) − (h_from·W + b) = (h_to − h_from)·W
    /// ```
    pub(crate) fn apart(&self, from: Vec<f32>, to: Vec<f32>) -> Encoded {
        let parameters = self.leaves();
        let (Architecture::Mlp { .. } | Architecture::Fourier { .. }, [before @ .., weight, _]) =
            (&self.spec.architecture, parameters.as_slice())
        else {
            return self.rows_apart(from, to);
        };
        let hidden = |states| hidden(self.inputs_of_layers(states), before);
        Encoded {
            points: (hidden(to) - hidden(from)).matmul(weight.clone()),
            features: None,
        }
    }

    /// The same for a table, which is gathered from once, and for images, which are normalised as one batch.
    fn rows_apart(&self, from: Vec<f32>, to: Vec<f32>) -> Encoded {
        let pairs = from.len() / self.spec.inputs.max(1);
        let Encoded { points, features } = self.encode([from, to].concat());
        Encoded {
            points: points.clone().narrow(0, pairs, pairs) - points.narrow(0, 0, pairs),
            features,
        }
    }

    /// The layers' parameters as the graph sees them.
    fn leaves(&self) -> Vec<Tensor<2>> {
        let layers = &self.parameters[self.n_trunk_parameters()..];
        layers.iter().map(|p| p.value.clone()).collect()
    }

    /// One step of Adam down the gradient of all parameters, end to end.
    pub(crate) fn descend(&mut self, adam: &Adam, gradients: &[f32], learning_rate: f64) {
        step(adam, &mut self.parameters, gradients, learning_rate);
        let of_parameters = self.n_values();
        if let (Some(trunk), Some(batch)) = (&mut self.trunk, gradients.get(of_parameters..)) {
            let updates = self.parameters.first().map_or(1, Parameter::updates);
            trunk.update_statistics(batch, updates);
        }
    }

    /// Length of a gradient: the values of all parameters, and the means and variances of a batch.
    pub(crate) fn len(&self) -> usize {
        self.n_values() + self.trunk.as_ref().map_or(0, Trunk::n_statistics)
    }

    /// Number of values in all parameters.
    fn n_values(&self) -> usize {
        let length = |p: &Parameter| p.shape[0] * p.shape[1];
        self.parameters.iter().map(length).sum()
    }

    /// Adds the gradient of all parameters, end to end; zeros where a loss does not depend on one. Behind them are the means and
    /// variances of the batch, so that they are averaged over ranks as gradients are.
    pub(crate) fn gradients(
        &self,
        gradients: &Gradients,
        features: Option<&Features>,
        to: &mut Vec<f32>,
    ) {
        let mut rest = self.parameters.as_slice();
        if let (Some(trunk), Some(Features::Ours { leaf, pass })) = (&self.trunk, features) {
            let of_features = leaf.grad(gradients).map(numbers);
            let of_features = of_features.unwrap_or_else(|| vec![0.0; leaf.shape().num_elements()]);
            to.extend(trunk.gradients(&self.trunk_values(), pass, of_features));
            rest = &self.parameters[self.n_trunk_parameters()..];
        }
        for parameter in rest {
            match parameter.value.grad(gradients) {
                Some(gradient) => to.extend(numbers(gradient)),
                None => to.extend(vec![0.0; parameter.shape[0] * parameter.shape[1]]),
            }
        }
        match features {
            Some(Features::Ours { pass, .. }) => to.extend(Trunk::batch_statistics(pass)),
            #[cfg(any(test, feature = "gpu"))]
            Some(Features::Library { statistics }) => to.extend(statistics),
            None => {}
        }
    }

    /// Multiplies each output by its own factor, exactly where the layers are linear in it.
    pub(crate) fn scale_outputs(&mut self, factors: &[f32]) {
        let last = match self.spec.architecture {
            Architecture::Table { .. } => 1,
            Architecture::Mlp { .. } | Architecture::Fourier { .. } | Architecture::Cnn { .. } => 2,
        };
        let from = self.parameters.len().saturating_sub(last);
        for parameter in &mut self.parameters[from..] {
            let mut values = parameter.values();
            for row in values.chunks_exact_mut(factors.len().max(1)) {
                for (value, factor) in row.iter_mut().zip(factors) {
                    *value *= factor;
                }
            }
            parameter.set(&values);
        }
    }

    /// The first parameter that is not finite, if there is one.
    pub(crate) fn broken(&self) -> Option<&str> {
        let is_broken = |p: &&Parameter| p.values().iter().any(|x| !x.is_finite());
        self.parameters
            .iter()
            .find(is_broken)
            .map(|p| p.name.as_str())
    }

    pub(crate) fn save(&self) -> Vec<NamedArray> {
        let mut arrays = save(&self.parameters);
        arrays.extend(self.trunk.iter().flat_map(Trunk::save));
        arrays.extend(self.fourier.iter().flat_map(FourierFeatures::save));
        arrays
    }

    pub(crate) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        if let Some(trunk) = &mut self.trunk {
            trunk.restore(arrays)?;
        }
        if let Some(fourier) = &mut self.fourier {
            *fourier = FourierFeatures::of_arrays(fourier.inputs(), fourier.len(), arrays)?;
        }
        restore(&mut self.parameters, arrays)
    }
}

/// Rows of a table. The trainer returns an error for states that are not the index of a row.
fn rows_of(table: &Tensor<2>, states: &[f32]) -> Tensor<2> {
    let rows = states.iter().map(|state| *state as i64).collect();
    table.clone().select(0, indices(rows))
}

/// All layers.
fn layers(rows: Tensor<2>, parameters: &[Tensor<2>]) -> Tensor<2> {
    match parameters {
        [before @ .., weight, bias] => hidden(rows, before).matmul(weight.clone()) + bias.clone(),
        _ => rows,
    }
}

/// All layers but the last.
fn hidden(states: Tensor<2>, parameters: &[Tensor<2>]) -> Tensor<2> {
    let layers = parameters.chunks_exact(2);
    layers.fold(states, |points, layer| {
        relu(points.matmul(layer[0].clone()) + layer[1].clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Learned;
    use crate::distance_spec::{DistanceSpec, Head, ImageSpec};
    use crate::rng::{Purpose, Seed};

    /// Applying the last layer to a difference is the difference of applying it, whatever the layers and the head.
    #[test]
    fn apart_is_the_difference_of_points() {
        let mut rng = Seed(2).stream(Purpose::Weights, 0, 0);
        let mlp = |hidden: &[usize]| Architecture::Mlp {
            hidden: hidden.to_vec(),
        };
        let every = [
            (mlp(&[]), 4),
            (mlp(&[8]), 4),
            (mlp(&[8, 6]), 4),
            (
                Architecture::Fourier {
                    features: 7,
                    frequency: 0.5,
                    hidden: vec![8],
                },
                4,
            ),
            (Architecture::Table { states: 5 }, 1),
        ];
        for (architecture, inputs) in every {
            let spec = EncoderSpec {
                inputs,
                architecture,
                dims: 3,
                head: Head::Potential,
            };
            let network = Network::untrained(&spec, &mut rng);
            let mut rows = || (0..3 * inputs).map(|_| 5.0 * rng.random::<f32>()).collect();
            let (from, to): (Vec<f32>, Vec<f32>) = (rows(), rows());
            let difference = network.points(&to);
            let difference = difference.into_iter().zip(network.points(&from));
            let apart = numbers(network.apart(from, to).points);
            assert_eq!(apart.len(), 3 * 4);
            for (found, (to, from)) in apart.iter().zip(difference) {
                assert!((found - (to - from)).abs() < 1e-5, "{found}, {to} − {from}");
            }
        }
    }

    fn images() -> EncoderSpec {
        EncoderSpec {
            inputs: 32,
            architecture: Architecture::Cnn {
                images: ImageSpec {
                    shape: [4, 4, 2],
                    channels: vec![3, 2],
                    strides: vec![1, 2],
                },
                hidden: vec![5],
            },
            dims: 2,
            head: Head::Symmetric,
        }
    }

    fn bytes(images: usize, rng: &mut Rng) -> Vec<f32> {
        let byte = |_| (255.0 * rng.random::<f32>()).round();
        (0..32 * images).map(byte).collect()
    }

    fn weights() -> Vec<f32> {
        (0..8).map(|at| [1.0, -2.0, 0.5][at % 3]).collect()
    }

    /// The sum of all points of a batch that is normalised by its own means and variances: a loss whose gradient is known.
    fn sum_of_points(network: &Network, states: &[f32]) -> (f64, Vec<f32>) {
        let Encoded { points, features } = network.encode(states.to_vec());
        let loss = (points * matrix(weights(), 2)).sum();
        let gradients = loss.backward();
        let mut found = Vec::new();
        network.gradients(&gradients, features.as_ref(), &mut found);
        (f64::from(super::super::scalar(loss)), found)
    }

    #[test]
    fn gradients_of_convolutions_are_those_of_finite_differences() {
        let mut rng = Seed(4).stream(Purpose::Weights, 0, 0);
        let mut network = Network::untrained(&images(), &mut rng);
        let states = bytes(4, &mut rng);
        let (_, gradients_found) = sum_of_points(&network, &states);
        assert_eq!(gradients_found.len(), network.len());
        let arrays = network.save();
        let steepest = gradients_found
            .iter()
            .fold(0.0_f32, |most, x| most.max(x.abs()));
        let mut before = 0;
        for array in arrays.iter().take(network.parameters.len()) {
            let values = array.as_f32().unwrap();
            for at in 0..values.len() {
                let mut value_at = |by: f32| {
                    let mut moved = arrays.clone();
                    let mut values = values.to_vec();
                    values[at] += by;
                    let place = moved.iter().position(|a| a.name == array.name).unwrap();
                    moved[place] = NamedArray::f32(&array.name, array.shape.clone(), values);
                    network.restore(&moved).unwrap();
                    sum_of_points(&network, &states).0
                };
                let expected = (value_at(2e-3) - value_at(-2e-3)) / 4e-3;
                let found = f64::from(gradients_found[before + at]);
                // A unit of ReLU may switch within the step.
                assert!(
                    (found - expected).abs() < 0.05 * f64::from(steepest),
                    "{} {at}: {found}, {expected}",
                    array.name
                );
            }
            before += values.len();
        }
    }

    /// After one update a network knows the means and variances of its only batch, however short the training is.
    #[test]
    fn one_batch_is_enough_to_normalise_by() {
        let mut rng = Seed(7).stream(Purpose::Weights, 0, 0);
        let mut network = Network::untrained(&images(), &mut rng);
        let states = bytes(4, &mut rng);
        let in_training = numbers(network.encode(states.clone()).points);
        let (_, gradients) = sum_of_points(&network, &states);
        // A learning rate of 0 changes no parameter.
        network.descend(&Adam::new(), &gradients, 0.0);
        for (trained, expected) in network.points(&states).iter().zip(&in_training) {
            assert!((trained - expected).abs() < 1e-4, "{trained}, {expected}");
        }
    }

    /// The tensor library's convolutions, which run on a GPU, are ours: points, gradients, means and variances.
    #[test]
    fn the_library_convolves_as_we_do() {
        let mut rng = Seed(6).stream(Purpose::Weights, 0, 0);
        let network = Network::untrained(&images(), &mut rng);
        let states = bytes(4, &mut rng);
        let (value, ours) = sum_of_points(&network, &states);
        let trunk = network.trunk.as_ref().unwrap();
        let (inputs, features) = network.library_features(trunk, states.clone());
        let points = layers(inputs, &network.leaves());
        let loss = (points * matrix(weights(), 2)).sum();
        let gradients = loss.backward();
        let mut library = Vec::new();
        network.gradients(&gradients, features.as_ref(), &mut library);
        assert!((value - f64::from(super::super::scalar(loss))).abs() < 1e-4);
        assert_eq!(ours.len(), library.len());
        for (at, (ours, library)) in ours.iter().zip(&library).enumerate() {
            assert!(
                (ours - library).abs() < 1e-4 * (1.0 + ours.abs()),
                "{at}: {ours}, {library}"
            );
        }
        let frozen = trunk.frozen(&network.trunk_values());
        let features = super::super::tensor_trunk::frozen_features(&frozen, states.clone());
        for (ours, library) in frozen.features(&states).iter().zip(numbers(features)) {
            assert!(
                (ours - library).abs() < 1e-4 * (1.0 + ours.abs()),
                "{ours}, {library}"
            );
        }
    }

    /// A trained network is normalised by running means and variances, which a file keeps: alone, in a batch and frozen, a
    /// image has the same point.
    #[test]
    fn a_image_has_one_point() {
        let mut rng = Seed(5).stream(Purpose::Weights, 0, 0);
        let spec = images();
        let mut network = Network::untrained(&spec, &mut rng);
        for _ in 0..50 {
            let states = bytes(4, &mut rng);
            let (_, gradients_found) = sum_of_points(&network, &states);
            network.descend(&Adam::new(), &gradients_found, 1e-3);
        }
        let states = bytes(4, &mut rng);
        let all = network.points(&states);
        let mut other = Network::untrained(&spec, &mut rng);
        other.restore(&network.save()).unwrap();
        assert_eq!(other.points(&states), all);
        let one = network.points(&states[32..64]);
        for (alone, together) in one.iter().zip(&all[2..4]) {
            assert!((alone - together).abs() < 1e-4, "{alone}, {together}");
        }
        let distance = DistanceSpec {
            encoder: spec,
            ..DistanceSpec::paper(32, 10)
        };
        let frozen = Learned::of_arrays(&distance, &network.save(), 1.0).unwrap();
        let found = frozen.embed(&states[32..64]).unwrap();
        for (frozen, alone) in found.iter().zip(&one) {
            assert!((frozen - alone).abs() < 1e-4, "{frozen}, {alone}");
        }
    }
}
