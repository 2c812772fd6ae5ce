//! Exact quantities of a Markov chain.

use crate::arrays::{matrix, vector};
use crate::errors::{raise, refuse};
use isochrone::markov::{
    self, ChainError, CompletedEmbedding, Direction, GraphLaplacian, Grounded, Mat, Sampler,
    Stationary, Values,
};
use isochrone_cli::commands::exact::{DENSE_LIMIT_STATES, Times};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

/// Steps to a goal from every state, and from it to every state.
type BothWays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);
/// Coordinates of every state, and eigenvalues.
type Spectral<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// Additions that a window's target may take: some minutes of them.
const MOST_WINDOW_WORK: f64 = 1e11;

/// A checked chain, with its stationary distribution.
#[pyclass(frozen, module = "isochrone._isochrone")]
pub(crate) struct Chain {
    chain: markov::Chain,
    stationary: Stationary,
}

#[pymethods]
impl Chain {
    /// Rows of a sparse matrix of probabilities (CSR).
    #[staticmethod]
    fn of_probabilities(
        py: Python<'_>,
        starts: PyReadonlyArray1<'_, i64>,
        columns: PyReadonlyArray1<'_, i64>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let rows = Csr::new(&starts, &columns, &values)?;
        py.detach(|| Self::new(&rows, Values::Probabilities))
    }

    /// The same of weights, each row to be divided by its sum.
    #[staticmethod]
    fn of_weights(
        py: Python<'_>,
        starts: PyReadonlyArray1<'_, i64>,
        columns: PyReadonlyArray1<'_, i64>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let rows = Csr::new(&starts, &columns, &values)?;
        py.detach(|| Self::new(&rows, Values::Weights))
    }

    /// Number of states.
    #[getter]
    fn n_states(&self) -> usize {
        self.chain.n_states()
    }

    /// Does detailed balance hold?
    #[getter]
    fn is_reversible(&self) -> bool {
        self.stationary.direction == Direction::Reversible
    }

    /// The stationary distribution.
    fn stationary<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.stationary.rho.clone())
    }

    /// m(j|i), in row i, column j.
    fn passage_times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.dense()?;
        let times = py.detach(|| markov::passage_times(&self.chain));
        if !times.is_all_finite() {
            return Err(refuse(
                "some times of this chain are beyond the largest number that float64 holds",
            ));
        }
        of_mat(py, &times)
    }

    /// The limit of the paper's sampling with windows of this length.
    fn window_target<'py>(
        &self,
        py: Python<'py>,
        window_steps: usize,
        sampler: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.dense()?;
        let sampler = match sampler {
            "each_first_hit" => Sampler::EachFirstHit,
            "uniform_pairs" => Sampler::UniformPairs,
            "uniform_start_then_end" => Sampler::UniformStartThenEnd,
            other => {
                return Err(refuse(format!(
                    "there is no sampler {other:?}; there are each_first_hit, uniform_pairs and uniform_start_then_end"
                )));
            }
        };
        if window_steps == 0 {
            return Err(refuse("a window has at least 1 step"));
        }
        let (steps, states) = (window_steps as f64, self.stationary.rho.len() as f64);
        if steps * steps * states > MOST_WINDOW_WORK {
            let most = (MOST_WINDOW_WORK / states).sqrt() as u64;
            return Err(refuse(format!(
                "window_steps is {window_steps}; with {states} states at most {most} can be computed in minutes"
            )));
        }
        let rho = &self.stationary.rho;
        let target = py.detach(|| markov::window_target(&self.chain, rho, window_steps, sampler));
        of_mat(py, &target)
    }

    /// Kemeny's constant.
    fn kemeny_constant(&self, py: Python<'_>) -> PyResult<f64> {
        self.dense()?;
        let rho = &self.stationary.rho;
        Ok(py.detach(|| markov::kemeny_constant(&markov::passage_times(&self.chain), rho)))
    }

    /// Mean steps to a goal from every state, and from it to every state.
    fn times<'py>(&self, py: Python<'py>, goal: usize) -> PyResult<BothWays<'py>> {
        self.state(goal)?;
        let (chain, stationary) = (&self.chain, &self.stationary);
        let name = |state| format!("state {state}");
        let times = py.detach(|| Times::solve(chain, stationary, goal, &name, &|_| ()));
        let Times { there, back, .. } = times.map_err(raise)?;
        Ok((vector(py, back), vector(py, there)))
    }

    /// Fewest steps to a goal.
    fn shortest_to<'py>(
        &self,
        py: Python<'py>,
        goal: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        self.state(goal)?;
        Ok(vector(py, markov::steps_to(&self.chain, goal)))
    }

    /// Fewest steps from a state.
    fn shortest_from<'py>(
        &self,
        py: Python<'py>,
        start: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        self.state(start)?;
        Ok(vector(py, markov::steps_from(&self.chain, start)))
    }

    /// The commute embedding in so many dimensions, and its eigenvalues: squared distances approach commute times.
    fn embedding<'py>(&self, py: Python<'py>, dims: usize) -> PyResult<Spectral<'py>> {
        let found = py.detach(|| {
            let graph = GraphLaplacian::new(&self.chain, &self.stationary.rho);
            let grounded = Grounded::of_graph(&graph).map_err(raise)?;
            let found = CompletedEmbedding::new(&graph, &grounded, dims, &mut |_| ());
            found.map(|found| found.pairs).map_err(raise)
        })?;
        let scaled = |row: usize| {
            let pairs = &found;
            (0..dims).map(move |k| pairs.vectors[(row, k)] / pairs.eigenvalues[k].sqrt())
        };
        let points = (0..self.chain.n_states()).flat_map(scaled).collect();
        let eigenvalues = found.eigenvalues.clone();
        Ok((matrix(py, points, dims)?, vector(py, eigenvalues)))
    }
}

impl Chain {
    fn new(rows: &Csr, values: Values) -> PyResult<Self> {
        let chain = markov::Chain::build(rows.starts.len() - 1, values, |from, row| {
            let range = rows.starts[from]..rows.starts[from + 1];
            let entries = range.map(|at| (rows.columns[at], rows.values[at]));
            row.extend(entries.filter(|(_, value)| *value != 0.0));
        });
        let chain = chain.map_err(|error| refuse(format!("{error}{}", advice(&error))))?;
        let stationary = markov::stationary(&chain).map_err(raise)?;
        Ok(Self { chain, stationary })
    }

    fn dense(&self) -> PyResult<()> {
        let states = self.chain.n_states();
        if states <= DENSE_LIMIT_STATES {
            return Ok(());
        }
        let advice = if self.is_reversible() {
            "; ask for one goal with times(goal)"
        } else {
            ""
        };
        Err(refuse(format!(
            "all pairs of {states} states need a dense matrix, which is limited to {DENSE_LIMIT_STATES}{advice}"
        )))
    }

    fn state(&self, state: usize) -> PyResult<()> {
        let states = self.chain.n_states();
        if state < states {
            return Ok(());
        }
        Err(refuse(format!(
            "there is no state {state}; there are {states}, from 0"
        )))
    }
}

/// What to do about a matrix that is no chain.
const fn advice(error: &ChainError) -> &'static str {
    match error {
        ChainError::NotStochastic { .. } => "; weights=True divides every row by its sum",
        ChainError::NotIrreducible { .. } => {
            "; keep one part of the graph: scipy.sparse.csgraph.connected_components(matrix, connection=\"strong\")"
        }
        _ => "",
    }
}

/// A square matrix row by row, as SciPy stores it.
struct Csr {
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Csr {
    fn new(
        starts: &PyReadonlyArray1<'_, i64>,
        columns: &PyReadonlyArray1<'_, i64>,
        values: &PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let (starts, columns) = (indices(starts)?, indices(columns)?);
        let values = values.as_slice().map_err(raise)?.to_vec();
        let (first, last) = (starts.first().copied(), starts.last().copied());
        let fits = last == Some(columns.len()) && last == Some(values.len());
        if first != Some(0) || !starts.is_sorted() || !fits {
            return Err(refuse(
                "the sparse matrix contradicts itself: see its indptr, indices and data",
            ));
        }
        let states = starts.len() - 1;
        match columns.iter().find(|to| **to >= states) {
            Some(to) => Err(refuse(format!(
                "a transition leads to state {to}; there are {states}, from 0"
            ))),
            None => Ok(Self {
                starts,
                columns,
                values,
            }),
        }
    }
}

fn indices(array: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
    let values = array.as_slice().map_err(raise)?;
    let index = |&value: &i64| {
        usize::try_from(value).map_err(|_| refuse(format!("{value} is not an index")))
    };
    values.iter().map(index).collect()
}

fn of_mat<'py>(py: Python<'py>, of: &Mat<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (rows, columns) = (of.nrows(), of.ncols());
    let row = |i: usize| (0..columns).map(move |j| of[(i, j)]);
    matrix(py, (0..rows).flat_map(row).collect(), columns)
}
