//! Observations of Python's as rows of 32-bit floats.

use crate::errors::refuse;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What of an observation is seen, end to end.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Of dictionaries: which entries; empty for arrays.
    pub(crate) keys: Vec<String>,
    /// Makes the goal that a state achieves; its numbers stand behind the others.
    pub(crate) goal: Option<Py<PyAny>>,
    /// Numbers in all.
    pub(crate) length: usize,
}

impl Seen {
    /// The numbers of an observation.
    pub(crate) fn read(&self, observation: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
        let mut numbers = Vec::with_capacity(self.length);
        if self.keys.is_empty() {
            push(observation, &mut numbers)?;
        } else {
            let entries = observation.cast::<PyDict>()?;
            for key in &self.keys {
                let entry = entries.get_item(key)?;
                let entry =
                    entry.ok_or_else(|| refuse(format!("an observation has no entry {key:?}")))?;
                push(&entry, &mut numbers)?;
            }
        }
        if let Some(goal) = &self.goal {
            push(
                &goal.bind(observation.py()).call1((observation,))?,
                &mut numbers,
            )?;
        }
        if numbers.len() != self.length {
            return Err(refuse(format!(
                "an observation has {} numbers, the first had {}",
                numbers.len(),
                self.length
            )));
        }
        Ok(numbers)
    }
}

/// Adds the numbers of an array: the usual kinds as they stand, anything else through NumPy.
fn push(array: &Bound<'_, PyAny>, numbers: &mut Vec<f32>) -> PyResult<()> {
    if let Ok(doubles) = array.cast::<PyArrayDyn<f64>>()
        && doubles.is_c_contiguous()
    {
        let doubles = doubles.readonly();
        let doubles = doubles
            .as_slice()
            .map_err(|error| refuse(error.to_string()))?;
        numbers.extend(doubles.iter().map(|value| *value as f32));
        return Ok(());
    }
    if let Ok(floats) = array.cast::<PyArrayDyn<f32>>()
        && floats.is_c_contiguous()
    {
        let floats = floats.readonly();
        numbers.extend_from_slice(
            floats
                .as_slice()
                .map_err(|error| refuse(error.to_string()))?,
        );
        return Ok(());
    }
    let numpy = array.py().import("numpy")?;
    let plain = numpy.call_method1("ascontiguousarray", (array, "float32"))?;
    let plain = plain.cast::<PyArrayDyn<f32>>()?.readonly();
    numbers.extend_from_slice(
        plain
            .as_slice()
            .map_err(|error| refuse(error.to_string()))?,
    );
    Ok(())
}
