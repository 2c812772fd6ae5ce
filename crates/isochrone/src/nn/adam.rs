//! Adam, with its moments where we can see them.

use super::{Named, NamedError, find, matrix, numbers};
use burn::optim::{Adam as BurnAdam, AdamConfig, AdamState, AdaptiveMomentumState, Optimizer};
use burn::tensor::{Gradients, Tensor};

/// The usual constants. Burn's default ε is 1e-5, which damps small gradients.
pub(super) const BETA_1: f32 = 0.9;
pub(super) const BETA_2: f32 = 0.999;
pub(super) const EPSILON: f32 = 1e-8;

/// A parameter and its moments.
#[derive(Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) shape: [usize; 2],
    /// A leaf of the graph: gradients are taken with respect to it.
    pub(crate) value: Tensor<2>,
    state: Option<AdamState<2>>,
}

impl Parameter {
    pub(crate) fn new(name: String, columns: usize, values: &[f32]) -> Self {
        let rows = values.len().checked_div(columns).unwrap_or(0);
        Self {
            name,
            shape: [rows, columns],
            value: matrix(values, columns).require_grad(),
            state: None,
        }
    }

    /// Replaces the value; the moments stay.
    pub(crate) fn set(&mut self, values: &[f32]) {
        self.value = matrix(values, self.shape[1]).require_grad();
    }

    pub(crate) fn values(&self) -> Vec<f32> {
        numbers(self.value.clone())
    }
}

/// m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²,  θ ← θ − η·m̂ ÷ (√v̂ + ε), with m̂ and v̂ corrected for their start.
#[derive(Clone)]
pub(crate) struct Adam {
    rule: BurnAdam,
}

impl std::fmt::Debug for Adam {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Adam")
    }
}

impl Adam {
    pub(crate) fn new() -> Self {
        let config = AdamConfig::new()
            .with_beta_1(BETA_1)
            .with_beta_2(BETA_2)
            .with_epsilon(EPSILON);
        Self {
            rule: config.build(),
        }
    }

    /// One step along the gradients of a loss. A parameter the loss does not depend on stays.
    pub(crate) fn step(
        &self,
        parameters: &mut [Parameter],
        gradients: &Gradients,
        learning_rate: f64,
    ) {
        for parameter in parameters {
            let Some(gradient) = parameter.value.grad(gradients) else {
                continue;
            };
            let value = parameter.value.clone().inner();
            let (value, state) =
                self.rule
                    .step(learning_rate, value, gradient, parameter.state.take());
            parameter.value = Tensor::from_inner(value).require_grad();
            parameter.state = state;
        }
    }
}

/// Everything about these parameters, under their names.
pub(crate) fn save(parameters: &[Parameter]) -> Vec<Named> {
    let mut arrays = Vec::new();
    for parameter in parameters {
        let named = |prefix: &str, shape, values| Named {
            name: format!("{prefix}{}", parameter.name),
            shape,
            values,
        };
        arrays.push(named("", parameter.shape, parameter.values()));
        if let Some(state) = &parameter.state {
            let momentum = &state.momentum;
            // Whole numbers up to 2²⁴ are exact in f32; two of them carry any count.
            let time = [
                (momentum.time >> 20) as f32,
                (momentum.time & 0xF_FFFF) as f32,
            ];
            arrays.push(named("adam.time.", [1, 2], time.to_vec()));
            let first = numbers(Tensor::from_inner(momentum.moment_1.clone()));
            arrays.push(named("adam.1.", parameter.shape, first));
            let second = numbers(Tensor::from_inner(momentum.moment_2.clone()));
            arrays.push(named("adam.2.", parameter.shape, second));
        }
    }
    arrays
}

/// The opposite: values and, where there are any, moments.
pub(crate) fn restore(parameters: &mut [Parameter], arrays: &[Named]) -> Result<(), NamedError> {
    for parameter in parameters {
        let array = find(arrays, &parameter.name, parameter.shape)?;
        parameter.set(&array.values);
        let moment =
            |which: &str, shape| find(arrays, &format!("{which}{}", parameter.name), shape);
        parameter.state = match moment("adam.time.", [1, 2]) {
            Err(NamedError::Missing { .. }) => None,
            time => {
                let time = &time?.values;
                let time = ((time[0] as usize) << 20) + time[1] as usize;
                let [first, second] = [
                    moment("adam.1.", parameter.shape)?,
                    moment("adam.2.", parameter.shape)?,
                ]
                .map(|array| matrix(&array.values, parameter.shape[1]).inner());
                Some(AdamState::new(AdaptiveMomentumState::new(
                    time, first, second,
                )))
            }
        };
    }
    Ok(())
}
