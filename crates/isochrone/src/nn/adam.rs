//! Adam, with its moments where we can see them.
//!
//! The rule is one loop over plain numbers. As tensor operations it is a dozen of them per parameter, each with memory
//! of its own: at small batches that was half of a training step.

use super::{Named, NamedError, find, matrix, numbers};
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
    moments: Option<Moments>,
}

/// Running means of the gradients and of their squares.
#[derive(Clone)]
struct Moments {
    /// Steps so far.
    time: u64,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Moments {
    fn zero(length: usize) -> Self {
        Self {
            time: 0,
            first: vec![0.0; length],
            second: vec![0.0; length],
        }
    }
}

impl Parameter {
    pub(crate) fn new(name: String, columns: usize, values: &[f32]) -> Self {
        let rows = values.len().checked_div(columns).unwrap_or(0);
        Self {
            name,
            shape: [rows, columns],
            value: matrix(values.to_vec(), columns).require_grad(),
            moments: None,
        }
    }

    /// Replaces the value; the moments stay.
    pub(crate) fn set(&mut self, values: &[f32]) {
        self.value = matrix(values.to_vec(), self.shape[1]).require_grad();
    }

    pub(crate) fn values(&self) -> Vec<f32> {
        numbers(self.value.clone())
    }
}

/// m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²,  θ ← θ − η·m̂ ÷ (√v̂ + ε), with m̂ and v̂ corrected for their start.
#[derive(Clone, Debug)]
pub(crate) struct Adam {
    beta_1: f32,
    beta_2: f32,
    epsilon: f32,
}

impl Adam {
    pub(crate) const fn new() -> Self {
        Self {
            beta_1: BETA_1,
            beta_2: BETA_2,
            epsilon: EPSILON,
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
            self.move_one(parameter, &numbers(gradient), learning_rate);
        }
    }

    /// One step along slopes of all parameters, end to end.
    pub(crate) fn step_by(
        &self,
        parameters: &mut [Parameter],
        mut slopes: &[f32],
        learning_rate: f64,
    ) {
        for parameter in parameters {
            let length = parameter.shape[0] * parameter.shape[1];
            let Some((mine, rest)) = slopes.split_at_checked(length) else {
                return;
            };
            self.move_one(parameter, mine, learning_rate);
            slopes = rest;
        }
    }

    fn move_one(&self, parameter: &mut Parameter, slopes: &[f32], learning_rate: f64) {
        let mut values = parameter.values();
        let zero = || Moments::zero(slopes.len());
        let moments = parameter.moments.get_or_insert_with(zero);
        self.descend(moments, &mut values, slopes, learning_rate);
        parameter.value = matrix(values, parameter.shape[1]).require_grad();
    }

    fn descend(
        &self,
        moments: &mut Moments,
        values: &mut [f32],
        slopes: &[f32],
        learning_rate: f64,
    ) {
        let Self {
            beta_1,
            beta_2,
            epsilon,
        } = *self;
        moments.time += 1;
        let start = |beta: f32| 1.0 - f64::from(beta).powf(moments.time as f64);
        // The corrections are the same for all numbers: m̂'s goes into the step size, v̂'s into the root.
        let size = (learning_rate / start(beta_1)) as f32;
        let root = (1.0 / start(beta_2).sqrt()) as f32;
        let moments = moments.first.iter_mut().zip(&mut moments.second);
        for ((value, slope), (first, second)) in values.iter_mut().zip(slopes).zip(moments) {
            *first = beta_1 * *first + (1.0 - beta_1) * slope;
            *second = beta_2 * *second + (1.0 - beta_2) * slope * slope;
            *value -= size * *first / (root * second.sqrt() + epsilon);
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
        if let Some(moments) = &parameter.moments {
            // Whole numbers up to 2²⁴ are exact in f32; two of them carry any count.
            let time = [
                (moments.time >> 20) as f32,
                (moments.time & 0xF_FFFF) as f32,
            ];
            arrays.push(named("adam.time.", [1, 2], time.to_vec()));
            arrays.push(named("adam.1.", parameter.shape, moments.first.clone()));
            arrays.push(named("adam.2.", parameter.shape, moments.second.clone()));
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
        parameter.moments = match moment("adam.time.", [1, 2]) {
            Err(NamedError::Missing { .. }) => None,
            time => {
                let time = &time?.values;
                Some(Moments {
                    time: ((time[0] as u64) << 20) + time[1] as u64,
                    first: moment("adam.1.", parameter.shape)?.values.clone(),
                    second: moment("adam.2.", parameter.shape)?.values.clone(),
                })
            }
        };
    }
    Ok(())
}
