//! Parameters: leaves of the graph, with Adam's moments beside them.

use super::{NamedArray, NamedArrayError, find, find_u64, matrix, numbers};
use crate::optim::{Adam, Moments};
use burn::tensor::Tensor;

/// A parameter and its moments.
#[derive(Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) shape: [usize; 2],
    /// A leaf of the graph: gradients are taken with respect to it.
    pub(crate) value: Tensor<2>,
    moments: Option<Moments>,
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

    /// Adam steps so far.
    pub(crate) fn updates(&self) -> u64 {
        self.moments.as_ref().map_or(0, |moments| moments.time)
    }

    pub(crate) fn values(&self) -> Vec<f32> {
        numbers(self.value.clone())
    }
}

/// One step of Adam down the gradient of all parameters, end to end. A parameter that no gradient has reached yet stays,
/// and has no moments: differences of points do not depend on the last bias.
pub(crate) fn step(
    adam: &Adam,
    parameters: &mut [Parameter],
    mut gradients: &[f32],
    learning_rate: f64,
) {
    for parameter in parameters {
        let length = parameter.shape[0] * parameter.shape[1];
        let Some((mine, rest)) = gradients.split_at_checked(length) else {
            return;
        };
        gradients = rest;
        if parameter.moments.is_none() && mine.iter().all(|x| *x == 0.0) {
            continue;
        }
        let mut values = parameter.values();
        let zero = || Moments::zero(mine.len());
        let moments = parameter.moments.get_or_insert_with(zero);
        adam.descend(moments, &mut values, mine, learning_rate);
        parameter.value = matrix(values, parameter.shape[1]).require_grad();
    }
}

/// Values and moments as named arrays.
pub(crate) fn save(parameters: &[Parameter]) -> Vec<NamedArray> {
    let mut arrays = Vec::new();
    for parameter in parameters {
        let name = |prefix: &str| format!("{prefix}{}", parameter.name);
        let like_it = |prefix, values| NamedArray::f32(name(prefix), parameter.shape, values);
        arrays.push(like_it("", parameter.values()));
        if let Some(moments) = &parameter.moments {
            arrays.push(NamedArray::u64(name("adam.time."), [moments.time]));
            arrays.push(like_it("adam.1.", moments.first.clone()));
            arrays.push(like_it("adam.2.", moments.second.clone()));
        }
    }
    arrays
}

/// Steps taken. Files of version 1 have them as two f32: multiples of 2²⁰, and the rest.
fn time_of(arrays: &[NamedArray], name: &str) -> Result<u64, NamedArrayError> {
    if let Ok(parts) = find(arrays, name, [1, 2]) {
        return Ok(((parts[0] as u64) << 20) + parts[1] as u64);
    }
    find_u64(arrays, name).map(|[time]| time)
}

/// Restores values and, where there are any, moments.
pub(crate) fn restore(
    parameters: &mut [Parameter],
    arrays: &[NamedArray],
) -> Result<(), NamedArrayError> {
    for parameter in parameters {
        parameter.set(find(arrays, &parameter.name, parameter.shape)?);
        let name = |prefix: &str| format!("{prefix}{}", parameter.name);
        let moment = |prefix| Ok(find(arrays, &name(prefix), parameter.shape)?.to_vec());
        parameter.moments = match time_of(arrays, &name("adam.time.")) {
            Err(NamedArrayError::Missing { .. }) => None,
            time => Some(Moments {
                time: time?,
                first: moment("adam.1.")?,
                second: moment("adam.2.")?,
            }),
        };
    }
    Ok(())
}
