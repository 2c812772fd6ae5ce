//! Training in the built-in worlds.

use crate::errors::raise;
use crate::observer::Caller;
use crate::values::{table, to_python};
use crate::worlds::share_engine;
use isochrone_runs::stop::StopFlag;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// The complete settings of a preset or spec file with changes.
#[pyfunction]
pub(crate) fn settings_of<'py>(
    py: Python<'py>,
    what: &str,
    changes: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let changes = table(changes)?;
    let spec = isochrone_runs::train::base(what).and_then(|spec| spec.merged(changes));
    to_python(py, &spec.map_err(raise)?)
}

/// Trains a preset or spec file with changes in a folder, or resumes the run there; `callback` is called after every iteration.
#[pyfunction]
pub(crate) fn train(
    py: Python<'_>,
    what: &str,
    settings: &Bound<'_, PyDict>,
    folder: PathBuf,
    threads: Option<u16>,
    callback: Option<Py<PyAny>>,
) -> PyResult<()> {
    share_engine(py)?;
    let changes = table(settings)?;
    let caller = Arc::new(Caller::new(None));
    let asked = Arc::clone(&caller);
    let stop = StopFlag::polling(move || asked.is_over());
    let hears = |iteration: u64| {
        if let Some(callback) = &callback {
            let heard = Python::attach(|py| callback.call1(py, (iteration,)).map(|_| ()));
            caller.keep(heard);
        }
    };
    let trained = py
        .detach(|| isochrone_runs::train::train_at(&folder, what, changes, threads, &stop, &hears));
    caller.unless_raised(trained.map_err(raise))
}
