//! e_θ: states → points of a space in which distances are norms.

use super::adam::{Parameter, restore, save};
use super::{Adam, Named, NamedError, indices, matrix, numbers};
use crate::embedding::{EncoderSpec, Units};
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
    /// An untrained network: weights and biases evenly from ±1/√fan_in.
    pub(crate) fn untrained(spec: &EncoderSpec, rng: &mut Rng) -> Self {
        let mut uniform = |count: usize, fan_in: usize| -> Vec<f32> {
            let bound = 1.0 / (fan_in.max(1) as f32).sqrt();
            let draw = |_| bound * (2.0 * rng.random::<f32>() - 1.0);
            (0..count).map(draw).collect()
        };
        let parameters = match &spec.units {
            Units::Lookup { states } => {
                let table = uniform(states * spec.outputs(), spec.outputs());
                vec![Parameter::new("table".to_owned(), spec.outputs(), &table)]
            }
            Units::Mlp { hidden } => {
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
    pub(crate) fn encode(&self, states: &[f32]) -> Tensor<2> {
        let values = self.parameters.iter().map(|p| p.value.clone());
        self.forward(states, values.collect())
    }

    fn forward(&self, states: &[f32], parameters: Vec<Tensor<2>>) -> Tensor<2> {
        let mut parameters = parameters.into_iter();
        if let Units::Lookup { states: rows } = self.spec.units {
            let last = rows.saturating_sub(1) as f32;
            let rows = states.iter().map(|s| s.clamp(0.0, last) as i64).collect();
            return match parameters.next() {
                Some(table) => table.select(0, indices(rows)),
                None => matrix(&[], 1),
            };
        }
        let mut points = matrix(states, self.spec.inputs);
        let mut is_first = true;
        while let (Some(weight), Some(bias)) = (parameters.next(), parameters.next()) {
            if !is_first {
                points = relu(points);
            }
            is_first = false;
            points = points.matmul(weight) + bias;
        }
        points
    }

    /// The points of these states as numbers.
    pub(crate) fn points(&self, states: &[f32]) -> Vec<f32> {
        let values = self.parameters.iter();
        let frozen = values.map(|p| Tensor::from_inner(p.value.clone().inner()));
        numbers(self.forward(states, frozen.collect()))
    }

    /// One step of Adam.
    pub(crate) fn descend(&mut self, adam: &Adam, gradients: &Gradients, learning_rate: f64) {
        adam.step(&mut self.parameters, gradients, learning_rate);
    }

    /// Multiplies each output by its own factor, exactly where the layers are linear in it.
    pub(crate) fn scale_outputs(&mut self, factors: &[f32]) {
        let last = match self.spec.units {
            Units::Lookup { .. } => 1,
            Units::Mlp { .. } => 2,
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

    pub(crate) fn save(&self) -> Vec<Named> {
        save(&self.parameters)
    }

    pub(crate) fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        restore(&mut self.parameters, arrays)
    }
}
