//! The worlds of the product, for Gymnasium.

use crate::arrays::vector;
use crate::errors::{raise, refuse};
use isochrone::env::{Environment, Observation, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{World, WorldName};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// What is seen, and whether the dynamics ended.
type Step<'py> = (Bound<'py, PyArray1<f32>>, bool);

/// One of the MuJoCo worlds.
#[pyclass(module = "isochrone._isochrone", unsendable)]
pub(crate) struct NativeWorld(World);

#[pymethods]
impl NativeWorld {
    /// By its name.
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        let name: WorldName = name.parse().map_err(raise)?;
        name.build().map(Self).map_err(raise)
    }

    /// Names of all.
    #[staticmethod]
    fn names() -> Vec<String> {
        WorldName::ALL.iter().map(ToString::to_string).collect()
    }

    /// Entries of an observation and of an action.
    #[getter]
    fn lengths(&self) -> (usize, usize) {
        (self.0.observation_spec().len(), self.0.action_spec().len())
    }

    /// The entries of an observation that say where it is, in metres.
    #[getter]
    fn places(&self) -> Vec<usize> {
        self.0.place_entries().to_vec()
    }

    /// The goals that coverage is measured on, in metres.
    fn coverage_goals(&self) -> Vec<[f64; 2]> {
        self.0.coverage_goals_m()
    }

    /// Begins an episode.
    fn reset<'py>(&mut self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut rng = Seed(seed).stream(Purpose::Reset, 0, 0);
        let seen = self.0.reset(&mut rng);
        numbers(py, &seen)
    }

    /// One action of −1…1.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        action: PyReadonlyArray1<'py, f32>,
    ) -> PyResult<Step<'py>> {
        let action = action
            .as_slice()
            .map_err(|error| refuse(error.to_string()))?;
        let answer = self.0.step(action).map_err(raise)?;
        let is_over = matches!(answer, Successor::Terminal(_));
        Ok((numbers(py, answer.observation())?, is_over))
    }
}

fn numbers<'py>(py: Python<'py>, seen: &Observation) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let seen = seen
        .as_f32()
        .ok_or_else(|| refuse("this world shows images"))?;
    Ok(vector(py, seen.to_vec()))
}
