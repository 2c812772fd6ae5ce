//! Settings and reports as Python objects: dictionaries, lists and numbers, never text.

use crate::errors::{raise, refuse};
use isochrone_files::presets;
use isochrone_runs::fit::FitSpec;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;
use serde_json::Value;

/// A Rust value as Python dictionaries, lists, numbers and strings.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    object(py, &serde_json::to_value(value).map_err(raise)?)
}

fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (None, Some(number)) => number.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(object(py, item)?)?;
            }
            list.into_bound_py_any(py)
        }
        Value::Object(entries) => {
            let dictionary = PyDict::new(py);
            for (key, entry) in entries {
                dictionary.set_item(key, object(py, entry)?)?;
            }
            dictionary.into_bound_py_any(py)
        }
    }
}

/// The kinds of learners, generators, distances, targets and labels, each with its settings and their defaults.
#[pyfunction]
pub(crate) fn setting_kinds(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, presets::kinds().map_err(raise)?.table())
}

/// The default settings of a fit; those that depend on the data are absent.
#[pyfunction]
pub(crate) fn fit_settings(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &FitSpec::default())
}

/// Settings given as a dictionary, of dictionaries where they are tables.
pub(crate) fn table(settings: &Bound<'_, PyDict>) -> PyResult<toml::Table> {
    let mut table = toml::Table::new();
    for (key, value) in settings {
        let key: String = key.extract()?;
        let value = setting(&key, &value)?;
        table.insert(key, value);
    }
    Ok(table)
}

fn setting(key: &str, value: &Bound<'_, PyAny>) -> PyResult<toml::Value> {
    if let Ok(entries) = value.cast::<PyDict>() {
        return Ok(toml::Value::Table(table(entries)?));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(toml::Value::Boolean(flag.is_true()));
    }
    if let Ok(number) = value.cast::<PyInt>() {
        return Ok(toml::Value::Integer(number.extract()?));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(toml::Value::Float(number.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(toml::Value::String(text.extract()?));
    }
    if value.cast::<PyList>().is_ok() || value.cast::<PyTuple>().is_ok() {
        let items: Vec<Bound<'_, PyAny>> = value.extract()?;
        let items: PyResult<Vec<toml::Value>> =
            items.iter().map(|item| setting(key, item)).collect();
        return Ok(toml::Value::Array(items?));
    }
    // NumPy's numbers convert themselves.
    if let Ok(number) = value.extract::<i64>() {
        return Ok(toml::Value::Integer(number));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(toml::Value::Float(number));
    }
    Err(refuse(format!(
        "{key} is {}; a setting is a number, a string, a list or a dictionary",
        value.repr()?
    )))
}
