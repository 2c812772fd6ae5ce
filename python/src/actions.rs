//! Actions in the environment's own bounds.

use crate::arrays::{Rows, matrix};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

/// The box of legal actions: −1…1 is rescaled to it.
#[derive(Debug)]
pub(crate) struct Actions {
    pub(crate) low: Vec<f64>,
    pub(crate) high: Vec<f64>,
    pub(crate) shape: Vec<usize>,
    pub(crate) kind: Kind,
}

/// What its numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F32,
    F64,
}

impl Actions {
    /// See [`stretched`].
    pub(crate) fn stretched(&self, action: &[f32]) -> Vec<f64> {
        stretched(action, &self.low, &self.high)
    }

    /// The same as an array of the box's own kind and shape.
    pub(crate) fn array<'py>(
        &self,
        py: Python<'py>,
        action: &[f32],
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = self.stretched(action);
        Ok(match self.kind {
            Kind::F64 => {
                let array = PyArray1::from_vec(py, values);
                match self.shape.len() {
                    1 => array.into_any(),
                    _ => array.reshape(self.shape.clone())?.into_any(),
                }
            }
            Kind::F32 => {
                let narrow = values.into_iter().map(|value| value as f32).collect();
                let array = PyArray1::from_vec(py, narrow);
                match self.shape.len() {
                    1 => array.into_any(),
                    _ => array.reshape(self.shape.clone())?.into_any(),
                }
            }
        })
    }
}

/// −1…1 stretched to a box, entry by entry, and never outside it; where there is one bound, −1 or 1 is there.
fn stretched(action: &[f32], low: &[f64], high: &[f64]) -> Vec<f64> {
    let each = action.iter().zip(low.iter().zip(high));
    each.map(|(value, (low, high))| {
        let (value, wide) = (f64::from(*value), high - low);
        let stretched = if wide.is_finite() {
            low + 0.5 * (value.clamp(-1.0, 1.0) + 1.0) * wide
        } else if low.is_finite() {
            low + value + 1.0
        } else if high.is_finite() {
            high + value - 1.0
        } else {
            value
        };
        // Not `clamp`, which panics on bounds that are none.
        stretched.max(*low).min(*high)
    })
    .collect()
}

/// The same for rows of actions, as training does it.
#[pyfunction]
pub(crate) fn stretch<'py>(
    py: Python<'py>,
    actions: PyReadonlyArray2<'py, f32>,
    low: Vec<f64>,
    high: Vec<f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let actions = Rows::of(&actions)?;
    let rows = (0..actions.len()).flat_map(|row| stretched(actions.row(row), &low, &high));
    matrix(py, rows.collect(), low.len())
}
