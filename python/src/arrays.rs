//! NumPy arrays in and out.

use crate::errors::refuse;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use std::thread;

/// Rows below which another thread costs more than it saves.
const ROWS_PER_THREAD: usize = 4_096;

/// A matrix of rows, copied: what is worked on without the interpreter lock must not change meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) values: Vec<f32>,
    pub(crate) width: usize,
}

impl Rows {
    pub(crate) fn of(array: &PyReadonlyArray2<'_, f32>) -> PyResult<Self> {
        let values = array
            .as_slice()
            .map_err(|_| refuse("the array is not laid out row by row"))?;
        Ok(Self {
            values: values.to_vec(),
            width: array.shape()[1],
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    pub(crate) fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..(row + 1) * self.width]
    }

    /// Refuses rows of another width, and values that are no numbers.
    pub(crate) fn check(&self, what: &str, width: usize, rule: &str) -> PyResult<()> {
        if self.width != width {
            return Err(refuse(format!(
                "{what}: {} entries were given, {rule} {width}",
                self.width
            )));
        }
        match self.values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(refuse(format!(
                "{what}, row {}, entry {}: the value is {}, not a finite 32-bit float",
                at / width,
                at % width,
                self.values[at]
            ))),
            None => Ok(()),
        }
    }
}

/// `row(0), row(1), …` end to end, by as many threads as there are rows for; in the same order for any number.
pub(crate) fn by_row<T: Send + Clone, E: Send>(
    rows: usize,
    row: impl Fn(usize, &mut Vec<T>) -> Result<(), E> + Sync,
) -> Result<Vec<T>, E> {
    let most = thread::available_parallelism().map_or(1, usize::from);
    let threads = (rows / ROWS_PER_THREAD).clamp(1, most);
    let share = rows.div_ceil(threads).max(1);
    let work = |first: usize| {
        let mut found = Vec::new();
        for at in first..rows.min(first + share) {
            row(at, &mut found)?;
        }
        Ok(found)
    };
    if threads == 1 {
        return work(0);
    }
    let work = &work;
    thread::scope(|scope| {
        let firsts = (0..rows).step_by(share);
        let workers: Vec<_> = firsts
            .map(|first| scope.spawn(move || work(first)))
            .collect();
        let found = workers.into_iter().map(thread::ScopedJoinHandle::join);
        let found =
            found.map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        Ok(found.collect::<Result<Vec<_>, E>>()?.concat())
    })
}

/// A vector for Python.
pub(crate) fn vector<T: numpy::Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}

/// A matrix for Python, of this many columns.
pub(crate) fn matrix<T: numpy::Element>(
    py: Python<'_>,
    values: Vec<T>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    values.into_pyarray(py).reshape([rows, columns])
}
