//! e_θ: states → points of a space in which distances are norms.

use super::parameter::{Parameter, restore, save, step};
use super::{NamedArray, NamedArrayError, indices, keep_memory, matrix, numbers};
use crate::distance_spec::{Architecture, EncoderSpec};
use crate::optim::Adam;
use crate::rng::Rng;
use burn::tensor::activation::relu;
use burn::tensor::{Gradients, Tensor};
use rand::RngExt;

/// A network with its parameters: layers with ReLU between them, or one row per state.
#[derive(Clone)]
pub(crate) struct Network {
    spec: EncoderSpec,
    parameters: Vec<Parameter>,
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
        let mut uniform = |count: usize, fan_in: usize| -> Vec<f32> {
            let bound = 1.0 / (fan_in.max(1) as f32).sqrt();
            let draw = |_| bound * (2.0 * rng.random::<f32>() - 1.0);
            (0..count).map(draw).collect()
        };
        keep_memory();
        let parameters = match &spec.architecture {
            Architecture::Table { states } => {
                let table = uniform(states * spec.outputs(), spec.outputs());
                vec![Parameter::new("table".to_owned(), spec.outputs(), &table)]
            }
            Architecture::Mlp { hidden } => {
                let (mut rows, mut parameters) = (spec.inputs, Vec::new());
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
            parameters,
        }
    }

    /// The points of these states (rows end to end), with gradients.
    pub(crate) fn encode(&self, states: Vec<f32>) -> Tensor<2> {
        self.forward(states, &self.leaves())
    }

    /// The points of these states as numbers.
    pub(crate) fn points(&self, states: &[f32]) -> Vec<f32> {
        let values = self.parameters.iter();
        let frozen = values.map(|p| Tensor::from_inner(p.value.clone().inner()));
        let frozen: Vec<Tensor<2>> = frozen.collect();
        numbers(self.forward(states.to_vec(), &frozen))
    }

    /// `e(to) − e(from)`, row by row, with gradients. The last layer is linear, so it is applied once, to the
    /// difference of what goes into it, and its bias drops out:
    ///
    /// ```text
    /// (h_to·W + b) − (h_from·W + b) = (h_to − h_from)·W
    /// ```
    pub(crate) fn apart(&self, from: Vec<f32>, to: Vec<f32>) -> Tensor<2> {
        let parameters = self.leaves();
        let (Architecture::Mlp { .. }, [before @ .., weight, _]) =
            (&self.spec.architecture, parameters.as_slice())
        else {
            return self.rows_apart(from, to);
        };
        let hidden = |states| hidden(matrix(states, self.spec.inputs), before);
        (hidden(to) - hidden(from)).matmul(weight.clone())
    }

    /// The same for a table, which is gathered from once.
    fn rows_apart(&self, from: Vec<f32>, to: Vec<f32>) -> Tensor<2> {
        let pairs = from.len();
        let points = self.encode([from, to].concat());
        points.clone().narrow(0, pairs, pairs) - points.narrow(0, 0, pairs)
    }

    /// The parameters as the graph sees them.
    fn leaves(&self) -> Vec<Tensor<2>> {
        self.parameters.iter().map(|p| p.value.clone()).collect()
    }

    fn forward(&self, states: Vec<f32>, parameters: &[Tensor<2>]) -> Tensor<2> {
        match (&self.spec.architecture, parameters) {
            (Architecture::Mlp { .. }, [before @ .., weight, bias]) => {
                let hidden = hidden(matrix(states, self.spec.inputs), before);
                hidden.matmul(weight.clone()) + bias.clone()
            }
            // The trainer returns an error for states that are not the index of a row.
            (Architecture::Table { .. }, [table]) => {
                let rows = states.iter().map(|state| *state as i64).collect();
                table.clone().select(0, indices(rows))
            }
            _ => matrix(Vec::new(), 1),
        }
    }

    /// One step of Adam down the gradient of all parameters, end to end.
    pub(crate) fn descend(&mut self, adam: &Adam, gradients: &[f32], learning_rate: f64) {
        step(adam, &mut self.parameters, gradients, learning_rate);
    }

    /// Number of values in all parameters.
    pub(crate) fn len(&self) -> usize {
        self.parameters
            .iter()
            .map(|p| p.shape[0] * p.shape[1])
            .sum()
    }

    /// Adds the gradient of all parameters, end to end; zeros where a loss does not depend on one.
    pub(crate) fn gradients(&self, gradients: &Gradients, to: &mut Vec<f32>) {
        for parameter in &self.parameters {
            match parameter.value.grad(gradients) {
                Some(gradient) => to.extend(numbers(gradient)),
                None => to.extend(vec![0.0; parameter.shape[0] * parameter.shape[1]]),
            }
        }
    }

    /// Multiplies each output by its own factor, exactly where the layers are linear in it.
    pub(crate) fn scale_outputs(&mut self, factors: &[f32]) {
        let last = match self.spec.architecture {
            Architecture::Table { .. } => 1,
            Architecture::Mlp { .. } => 2,
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
        save(&self.parameters)
    }

    pub(crate) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        restore(&mut self.parameters, arrays)
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
    use crate::distance_spec::Head;
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
            let apart = numbers(network.apart(from, to));
            assert_eq!(apart.len(), 3 * 4);
            for (found, (to, from)) in apart.iter().zip(difference) {
                assert!((found - (to - from)).abs() < 1e-5, "{found}, {to} − {from}");
            }
        }
    }
}
