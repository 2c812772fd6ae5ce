//! TensorBoard's event files.

use crate::errors::raise;
use isochrone_files::tensorboard::{Events as File, now_s};
use pyo3::prelude::*;
use std::path::PathBuf;

/// An event file in a folder.
#[pyclass(module = "isochrone._isochrone")]
pub(crate) struct Events(File);

#[pymethods]
impl Events {
    /// A new file.
    #[new]
    fn new(folder: PathBuf) -> PyResult<Self> {
        std::fs::create_dir_all(&folder).map_err(raise)?;
        File::create(&folder, now_s()).map(Self).map_err(raise)
    }

    /// Numbers by name, at a step.
    fn add(&mut self, step: u64, scalars: Vec<(String, f32)>) -> PyResult<()> {
        for (tag, value) in scalars {
            self.0.scalar(&tag, step, value, now_s()).map_err(raise)?;
        }
        self.0.flush().map_err(raise)
    }
}
