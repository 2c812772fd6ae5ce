//! Progress and Ctrl-C of long work, for Python.

use isochrone_runs::progress::Observer;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Interval at which Python is polled for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(100);

/// The Python caller.
pub(crate) struct Caller {
    /// An object with the methods of [`Observer`], except the poll.
    progress: Option<Py<PyAny>>,
    asked: Mutex<Instant>,
    /// An exception raised meanwhile: it stops the work.
    raised: Mutex<Option<PyErr>>,
}

impl Caller {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self {
            progress,
            asked: Mutex::new(Instant::now()),
            raised: Mutex::new(None),
        }
    }

    /// The exception if one was raised, otherwise the result.
    pub(crate) fn unless_raised<T>(&self, result: Result<T, PyErr>) -> PyResult<T> {
        match lock(&self.raised).take() {
            Some(error) => Err(error),
            None => result,
        }
    }

    /// Whether Ctrl-C was pressed, or an exception raised.
    pub(crate) fn is_over(&self) -> bool {
        if lock(&self.raised).is_some() {
            return true;
        }
        let is_due = {
            let mut asked = lock(&self.asked);
            let is_due = asked.elapsed() >= PATIENCE;
            if is_due {
                *asked = Instant::now();
            }
            is_due
        };
        is_due && self.keep(Python::attach(signals))
    }

    /// Keeps an error; was there one?
    pub(crate) fn keep(&self, result: PyResult<()>) -> bool {
        let Err(error) = result else {
            return false;
        };
        lock(&self.raised).get_or_insert(error);
        true
    }

    fn tell(&self, method: &str, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) {
        if let Some(progress) = &self.progress {
            let called = Python::attach(|py| call(&progress.bind(py).getattr(method)?));
            self.keep(called);
        }
    }
}

/// What signals have raised.
fn signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observer for Caller {
    fn begins(&self, what: &str, units: u64) {
        self.tell("begins", |method| method.call1((what, units)).map(|_| ()));
    }

    fn skips(&self, units: u64) {
        self.tell("skips", |method| method.call1((units,)).map(|_| ()));
    }

    fn advances(&self, units: u64, detail: &str) {
        self.tell("advances", |method| {
            method.call1((units, detail)).map(|_| ())
        });
    }

    fn goes_on(&self) -> bool {
        !self.is_over()
    }

    fn notes(&self, text: &str) {
        self.tell("notes", |method| method.call1((text,)).map(|_| ()));
    }

    fn warns(&self, text: &str) {
        self.tell("warns", |method| method.call1((text,)).map(|_| ()));
    }
}
