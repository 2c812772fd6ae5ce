//! The built-in worlds, for Gymnasium.

use crate::arrays::vector;
use crate::errors::{raise, refuse};
use isochrone::env::{Environment, Observation, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{World, WorldName};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The observation, and whether the episode terminated.
type Step<'py> = (Bound<'py, PyArray1<f32>>, bool);

/// One of the MuJoCo worlds.
#[pyclass(frozen, module = "isochrone._isochrone")]
pub(crate) struct NativeWorld(Mutex<World>);

/// If Python's own `mujoco` is loaded, the library is shared with it, and its message handlers stay.
pub(crate) fn share_engine(py: Python<'_>) -> PyResult<()> {
    let modules = py.import("sys")?.getattr("modules")?;
    if modules.contains("mujoco")? {
        // Too late only if a world was made before that import; then nothing changes.
        let _ = isochrone_mujoco::log::leave_alone();
    }
    Ok(())
}

#[pymethods]
impl NativeWorld {
    /// By its name.
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        share_engine(py)?;
        let name: WorldName = name.parse().map_err(raise)?;
        let world = name.build().map_err(raise)?;
        Ok(Self(Mutex::new(world)))
    }

    /// Names of all.
    #[staticmethod]
    fn names() -> Vec<String> {
        WorldName::ALL.iter().map(ToString::to_string).collect()
    }

    /// Entries of an observation and of an action.
    #[getter]
    fn lengths(&self) -> (usize, usize) {
        let world = self.world();
        (world.observation_spec().len(), world.action_spec().len())
    }

    /// The position entries of an observation, in metres.
    #[getter]
    fn places(&self) -> Vec<usize> {
        self.world().place_entries().to_vec()
    }

    /// The coverage goals, in metres.
    fn coverage_goals(&self) -> Vec<[f64; 2]> {
        self.world().coverage_goals_m()
    }

    /// Begins an episode.
    fn reset<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut rng = Seed(seed).stream(Purpose::Reset, 0, 0);
        let seen = self.world().reset(&mut rng);
        numbers(py, &seen)
    }

    /// One action of −1…1.
    fn step<'py>(
        &self,
        py: Python<'py>,
        action: PyReadonlyArray1<'py, f32>,
    ) -> PyResult<Step<'py>> {
        let action = action
            .as_slice()
            .map_err(|error| refuse(error.to_string()))?;
        let answer = self.world().step(action).map_err(raise)?;
        let is_over = matches!(answer, Successor::Terminal(_));
        Ok((numbers(py, answer.observation())?, is_over))
    }
}

impl NativeWorld {
    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn numbers<'py>(py: Python<'py>, seen: &Observation) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let seen = seen
        .as_f32()
        .ok_or_else(|| refuse("this world shows images"))?;
    Ok(vector(py, seen.to_vec()))
}
