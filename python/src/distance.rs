//! A learned distance.

use crate::arrays::{Rows, by_row, matrix, vector};
use crate::data::Data;
use crate::errors::{raise, refuse};
use crate::files::file_methods;
use crate::observer::Caller;
use crate::values::{table, to_python};
use isochrone::distance::{DistanceError, GoalSet, NearestGoal};
use isochrone_cli::commands::assess::{self, GoalRule, Learned};
use isochrone_cli::commands::info;
use isochrone_files::model::{DistanceModel, ENDING};
use isochrone_files::onnx;
use isochrone_runs::euclidean::euclidean;
use isochrone_runs::fit;
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// The nearest of some states: their places, and the steps from each.
type Nearest<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<f64>>);

/// Steps to the nearest goals, and the places of those.
type ToNearest<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>);

/// An assessment: for people, and its numbers.
type Assessed<'py> = (String, Bound<'py, PyAny>);

/// A distance with all that is known of it.
#[pyclass(frozen, module = "isochrone._isochrone")]
pub(crate) struct Distance(pub(crate) DistanceModel);

file_methods!(Distance, DistanceModel, ENDING);

#[pymethods]
impl Distance {
    /// Learns from data; settings that are not given have their defaults.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        data: &Data,
        settings: &Bound<'_, PyDict>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (changes, caller) = (table(settings)?, Caller::new(progress));
        let fitted = py.detach(|| fit::fit_given(&data.0, changes, &caller));
        caller.unless_raised(fitted.map(Self).map_err(raise))
    }

    /// The Euclidean distance between standardised states, in steps by the lags of a window.
    #[staticmethod]
    fn euclidean(py: Python<'_>, data: &Data, window_steps: usize) -> PyResult<Self> {
        let found = py.detach(|| euclidean(&data.0, window_steps));
        found.map(Self).map_err(raise)
    }

    /// Writes an ONNX file, whole or not at all.
    fn save_onnx(&self, file: PathBuf) -> PyResult<()> {
        onnx::write(&self.0, &file).map_err(raise)
    }

    /// Entries of a state.
    #[getter]
    fn inputs(&self) -> usize {
        self.0.distance.inputs()
    }

    /// Is it the same both ways?
    #[getter]
    fn is_symmetric(&self) -> bool {
        self.0.about.spec.encoder.head.is_symmetric()
    }

    /// What its file says of it, for people.
    fn text(&self) -> String {
        info::text(&self.0)
    }

    /// The same as a dictionary.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.about)
    }

    /// Steps from each state to the goal beside it; one state or one goal stands beside all.
    fn between<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
        goals: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (states, goals) = (self.rows("states", &states)?, self.rows("goals", &goals)?);
        let (n_states, n_goals) = (states.len(), goals.len());
        if n_states != n_goals && n_states != 1 && n_goals != 1 {
            return Err(refuse(format!(
                "{n_states} states and {n_goals} goals were given: as many of both, or one of either"
            )));
        }
        let rows = if n_states == 1 { n_goals } else { n_states };
        let steps = py.detach(|| self.all_between(&states, &goals, rows));
        Ok(vector(py, steps.map_err(raise)?))
    }

    /// The point of each state, where a norm counts steps.
    fn embed<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let states = self.rows("states", &states)?;
        let distance = &self.0.distance;
        let points = py.detach(|| {
            by_row(states.len(), |row, points| {
                points.extend(distance.embed_in_steps(states.row(row))?);
                Ok::<(), DistanceError>(())
            })
        });
        matrix(py, points.map_err(raise)?, distance.metric().outputs())
    }

    /// Steps from each state to the nearest goal of a set, and the place of that goal.
    fn to_nearest<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
        goals: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<ToNearest<'py>> {
        let (states, goals) = (self.rows("states", &states)?, self.rows("goals", &goals)?);
        let set = GoalSet::new(&self.0.distance, &goals.values).map_err(raise)?;
        let found = py.detach(|| {
            by_row(states.len(), |row, found: &mut Vec<NearestGoal>| {
                found.extend(set.nearest(states.row(row))?);
                Ok::<(), DistanceError>(())
            })
        });
        let found = found.map_err(raise)?;
        let steps = found.iter().map(|nearest| nearest.steps).collect();
        let places = found.iter().map(|nearest| nearest.goal as u64).collect();
        Ok((vector(py, steps), vector(py, places)))
    }

    /// Which states are far outside the data it was fitted to.
    fn outside<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let states = self.rows("states", &states)?;
        let far = (0..states.len()).map(|row| self.0.far_entry(states.row(row)).is_some());
        Ok(vector(py, far.collect()))
    }

    /// How many states are far outside the data, and what is wrong with the first; nothing if none is.
    fn first_outside(
        &self,
        states: PyReadonlyArray2<'_, f32>,
    ) -> PyResult<Option<(usize, String)>> {
        if !self.0.knows_ranges() {
            return Ok(None);
        }
        let states = self.rows("states", &states)?;
        let mut far = (0..states.len()).filter_map(|row| self.0.far_entry(states.row(row)));
        let first = far.next().map(|entry| entry.to_string());
        Ok(first.map(|first| (1 + far.count(), first)))
    }

    /// An ε for a set of goals: at most `rate` of the frames long before the end of their episode are within it. Of
    /// what it was fitted to only the held-out episodes are used.
    fn epsilon_for<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        goals: PyReadonlyArray2<'py, f32>,
        rate: f64,
        before_end_steps: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rule = rule(rate, before_end_steps);
        self.goal_epsilon(py, data, &goals, rule, Learned::LeaveOut)
    }

    /// The same by all episodes, those that it learned from included.
    fn epsilon_for_all<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        goals: PyReadonlyArray2<'py, f32>,
        rate: f64,
        before_end_steps: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rule = rule(rate, before_end_steps);
        self.goal_epsilon(py, data, &goals, rule, Learned::Include)
    }

    /// The `count` states from which the nearest goal is fewest steps away, the nearest first; of equals the first.
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        goals: PyReadonlyArray2<'py, f32>,
        states: PyReadonlyArray2<'py, f32>,
        count: usize,
    ) -> PyResult<Nearest<'py>> {
        let (goals, states) = (
            self.rows("the goal", &goals)?,
            self.rows("states", &states)?,
        );
        let set = GoalSet::new(&self.0.distance, &goals.values).map_err(raise)?;
        let nearest = py.detach(|| {
            let mut found = by_row(states.len(), |row, found: &mut Vec<(f64, f64, usize)>| {
                let goal = set.nearest(states.row(row))?;
                // What is zero steps away is ordered by the part that is the same both ways.
                found.extend(goal.map(|goal| (goal.steps, goal.symmetric, row)));
                Ok::<(), DistanceError>(())
            })?;
            found.sort_by(|a, b| {
                let by_norm = a.1.total_cmp(&b.1);
                a.0.total_cmp(&b.0).then(by_norm).then(a.2.cmp(&b.2))
            });
            found.truncate(count);
            Ok::<_, DistanceError>(found)
        });
        let nearest = nearest.map_err(raise)?;
        let places = nearest.iter().map(|(.., row)| *row as u64).collect();
        let steps = nearest.iter().map(|(steps, ..)| *steps).collect();
        Ok((vector(py, places), vector(py, steps)))
    }

    /// What trajectories say of it, as text and as a dictionary. Of the data it was fitted to, only held-out episodes are
    /// used.
    fn assess<'py>(&self, py: Python<'py>, data: &Data) -> PyResult<Assessed<'py>> {
        self.assess_on(py, data, Learned::LeaveOut)
    }

    /// The same by all episodes, those that it learned from included.
    fn assess_all<'py>(&self, py: Python<'py>, data: &Data) -> PyResult<Assessed<'py>> {
        self.assess_on(py, data, Learned::Include)
    }
}

const fn rule(false_positive_rate: f64, before_end_steps: Option<usize>) -> GoalRule {
    GoalRule {
        false_positive_rate,
        before_end_steps,
    }
}

impl Distance {
    fn assess_on<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        learned: Learned,
    ) -> PyResult<Assessed<'py>> {
        let caller = Caller::new(None);
        let found = py.detach(|| assess::on_given(&self.0, &data.0, learned, &caller));
        let (text, found) = caller.unless_raised(found.map_err(raise))?;
        Ok((text, to_python(py, &found)?))
    }

    fn goal_epsilon<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        goals: &PyReadonlyArray2<'py, f32>,
        rule: GoalRule,
        learned: Learned,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (goals, caller) = (self.rows("goals", goals)?, Caller::new(None));
        let goals = &goals.values;
        let found =
            py.detach(|| assess::epsilon_for(&self.0, &data.0, learned, goals, rule, &caller));
        to_python(py, &caller.unless_raised(found.map_err(raise))?)
    }

    pub(crate) fn rows(&self, what: &str, array: &PyReadonlyArray2<'_, f32>) -> PyResult<Rows> {
        let rows = Rows::of(array)?;
        rows.check(what, self.inputs(), "the distance is for states of")?;
        Ok(rows)
    }

    fn all_between(
        &self,
        states: &Rows,
        goals: &Rows,
        rows: usize,
    ) -> Result<Vec<f64>, DistanceError> {
        let (distance, metric) = (&self.0.distance, self.0.distance.metric());
        // One that stands beside all is embedded once.
        let alone = |side: &Rows| {
            let one = (side.len() == 1).then(|| distance.embed(side.row(0)));
            one.transpose()
        };
        let (one_state, one_goal) = (alone(states)?, alone(goals)?);
        let point = |one: &Option<Vec<f32>>, side: &Rows, row: usize| match one {
            Some(point) => Ok(point.clone()),
            None => distance.embed(side.row(row)),
        };
        by_row(rows, |row, steps| {
            let state = point(&one_state, states, row)?;
            let goal = point(&one_goal, goals, row)?;
            steps.push(metric.one_way(&state, &goal));
            Ok(())
        })
    }
}
