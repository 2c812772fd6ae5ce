//! Trajectories for training or evaluation.

use crate::arrays::Rows;
use crate::errors::raise;
use isochrone_files::data::Memory;
use isochrone_files::model::StateColumns;
use isochrone_runs::fit::Given;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use std::sync::Arc;

/// Episodes, in memory or in files.
#[pyclass(frozen, module = "isochrone._isochrone")]
pub(crate) struct Data(pub(crate) Given);

#[pymethods]
impl Data {
    /// States row by row, and the length of each episode.
    #[staticmethod]
    fn arrays(states: PyReadonlyArray2<'_, f32>, lengths: Vec<usize>) -> PyResult<Self> {
        let Rows { values, width } = Rows::of(&states)?;
        let memory = Memory::new(values, width, &lengths).map_err(raise)?;
        Ok(Self(Given::Memory(Arc::new(memory))))
    }

    /// Files or patterns, and the columns of the states; the format's default names if empty.
    #[staticmethod]
    fn files(patterns: Vec<String>, state: Vec<String>, episode: Option<String>) -> Self {
        Self(Given::Files(patterns, StateColumns { state, episode }))
    }
}
