//! A training in one of the product's own worlds.

use crate::errors::raise;
use crate::onlooker::Caller;
use crate::worlds::share_engine;
use isochrone_lab::stop::StopSign;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Trains in a folder, or goes on there; `told` hears of every iteration that is done.
#[pyfunction]
pub(crate) fn train(
    py: Python<'_>,
    what: &str,
    settings: Vec<String>,
    folder: PathBuf,
    threads: Option<u16>,
    told: Option<Py<PyAny>>,
) -> PyResult<()> {
    share_engine(py)?;
    let caller = Arc::new(Caller::new(None));
    let asked = Arc::clone(&caller);
    let stop = StopSign::asking(move || asked.is_over());
    let hears = |iteration: u64| {
        if let Some(told) = &told {
            let heard = Python::attach(|py| told.call1(py, (iteration,)).map(|_| ()));
            caller.keep(heard);
        }
    };
    let trained = py.detach(|| {
        isochrone_lab::train::train_at(&folder, what, &settings, threads, &stop, &hears)
    });
    caller.unless_raised(trained.map_err(raise))
}
