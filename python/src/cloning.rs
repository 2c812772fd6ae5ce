//! Cloned policies.

use crate::arrays::{Rows, by_row, matrix};
use crate::data::Data;
use crate::errors::{raise, refuse};
use crate::files::file_methods;
use crate::observer::Caller;
use crate::values::{table, to_python};
use isochrone::cloning::Demonstrations;
use isochrone::distance::DistanceError;
use isochrone_files::model::ENDING;
use isochrone_files::policy::PolicyModel;
use isochrone_files::{onnx, settings};
use isochrone_runs::cloning::{CloneSpec, clone_given, clone_rows};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// A policy with all that is known of it.
#[pyclass(frozen, module = "isochrone._isochrone")]
pub(crate) struct Policy(PolicyModel);

file_methods!(Policy, PolicyModel, ENDING);

#[pymethods]
impl Policy {
    /// Clones from states and actions, row by row; `lengths` are the rows of each episode.
    #[staticmethod]
    fn clone_arrays(
        py: Python<'_>,
        states: PyReadonlyArray2<'_, f32>,
        actions: PyReadonlyArray2<'_, f32>,
        lengths: Vec<usize>,
        changes: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (states, actions) = (Rows::of(&states)?, Rows::of(&actions)?);
        states.check("states", states.width, "all have")?;
        actions.check("actions", actions.width, "all have")?;
        if states.len() != actions.len() {
            return Err(refuse(format!(
                "{} states and {} actions were given: one action for each state",
                states.len(),
                actions.len()
            )));
        }
        let rows = (0..states.len()).flat_map(|row| states.row(row).iter().chain(actions.row(row)));
        let mut ranges = Vec::new();
        let mut first = 0;
        for length in lengths {
            ranges.push(first..first + length);
            first += length;
        }
        let widths = (states.width, actions.width);
        let demonstrations =
            Demonstrations::new(rows.copied().collect(), widths.0, widths.1, &ranges);
        let demonstrations = demonstrations.map_err(raise)?;
        let (spec, caller) = (spec(changes)?, Caller::new(progress));
        let cloned = py.detach(|| clone_rows(demonstrations, &spec, &caller));
        caller.unless_raised(cloned.map(Self).map_err(raise))
    }

    /// Clones from files with actions.
    #[staticmethod]
    fn clone_files(
        py: Python<'_>,
        data: &Data,
        action: Option<String>,
        changes: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (spec, caller) = (spec(changes)?, Caller::new(progress));
        let cloned = py.detach(|| clone_given(&data.0, action, &spec, &caller));
        caller.unless_raised(cloned.map(Self).map_err(raise))
    }

    /// Writes an ONNX file, whole or not at all.
    fn save_onnx(&self, file: PathBuf) -> PyResult<()> {
        onnx::write_policy(&self.0, &file).map_err(raise)
    }

    /// What its file says of it.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.about)
    }

    /// The action for each state and the goal beside it.
    fn act<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
        goals: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let policy = &self.0.policy;
        let (states, goals) = (Rows::of(&states)?, Rows::of(&goals)?);
        for (what, rows) in [("states", &states), ("goals", &goals)] {
            rows.check(what, policy.inputs(), "the policy is for")?;
        }
        if states.len() != goals.len() {
            return Err(refuse(format!(
                "{} states and {} goals were given: as many of both",
                states.len(),
                goals.len()
            )));
        }
        let actions = py.detach(|| {
            by_row(states.len(), |row, actions| {
                actions.extend(policy.act(states.row(row), goals.row(row))?);
                Ok::<(), DistanceError>(())
            })
        });
        matrix(py, actions.map_err(raise)?, policy.actions())
    }
}

fn spec(changes: &Bound<'_, PyDict>) -> PyResult<CloneSpec> {
    settings::of_changes(table(changes)?).map_err(raise)
}
