//! Errors as Python's own, with the Rust sentence.

use isochrone_lab::model::ModelError;
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};

/// An error of the system is an `OSError`, everything else a `ValueError`: it was refused for what it is.
pub(crate) fn raise(error: impl Into<anyhow::Error>) -> PyErr {
    let error = error.into();
    let words = format!("{error:#}");
    if is_of_the_system(&error) {
        return PyOSError::new_err(words);
    }
    PyValueError::new_err(words)
}

fn is_of_the_system(error: &anyhow::Error) -> bool {
    let is_unreadable = |cause: &(dyn std::error::Error + 'static)| {
        let model = cause.downcast_ref::<ModelError>();
        let is_model = matches!(model, Some(ModelError::Unreadable { .. }));
        is_model || cause.is::<std::io::Error>()
    };
    error.chain().any(is_unreadable)
}

/// A value that cannot be, in a sentence.
pub(crate) fn refuse(words: impl Into<String>) -> PyErr {
    PyValueError::new_err(words.into())
}
