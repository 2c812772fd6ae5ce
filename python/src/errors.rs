//! Errors as Python's own, with the Rust sentence.

use isochrone_files::data::Interface;
use isochrone_files::model::ModelError;
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError, PyValueError};
use std::io::{Error, ErrorKind};

/// An error of the system is an `OSError` of its kind, everything else a `ValueError`: it was refused for what it is.
pub(crate) fn raise(error: impl Into<anyhow::Error>) -> PyErr {
    let error = error.into();
    let words = Interface::Python.explain(&error);
    match error.chain().find_map(of_the_system) {
        Some(ErrorKind::NotFound) => PyFileNotFoundError::new_err(words),
        Some(ErrorKind::PermissionDenied) => PyPermissionError::new_err(words),
        Some(_) => PyOSError::new_err(words),
        None => PyValueError::new_err(words),
    }
}

fn of_the_system(cause: &(dyn std::error::Error + 'static)) -> Option<ErrorKind> {
    let of_model = match cause.downcast_ref::<ModelError>() {
        Some(ModelError::Unreadable { error, .. }) => Some(error),
        _ => None,
    };
    let error = of_model.or_else(|| cause.downcast_ref::<Error>());
    error.map(Error::kind)
}

/// A value that cannot be, in a sentence.
pub(crate) fn refuse(words: impl Into<String>) -> PyErr {
    PyValueError::new_err(words.into())
}
