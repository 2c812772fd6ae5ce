//! What a distance says of logged episodes.

use crate::arrays::{Rows, vector};
use crate::data::Data;
use crate::distance::Distance;
use crate::errors::{raise, refuse};
use crate::observer::Caller;
use crate::values::to_python;
use isochrone::distance::{DistanceError, GoalSet};
use isochrone::episode_score::EpisodeMeasures;
use isochrone_cli::episode_reason::{Ends, reason};
use isochrone_files::data::{DataSource, FrameProgress};
use isochrone_files::model::ReachedTest;
use isochrone_runs::logs;
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

/// A column of the progress of frames.
type Value = fn(&FrameProgress) -> f32;

/// The progress of every frame, as a dictionary of columns.
#[pyfunction]
pub(crate) fn log_progress<'py>(
    py: Python<'py>,
    distance: &Distance,
    data: &Data,
    goals: Option<PyReadonlyArray2<'py, f32>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (goals, caller) = (checked(distance, goals.as_ref())?, Caller::new(None));
    let (mut numbers, mut frames) = ([vec![], vec![], vec![]], Vec::<FrameProgress>::new());
    let found = py.detach(|| {
        let source = opened(distance, data)?;
        let goals = embedded(distance, goals.as_deref())?;
        let goals = goals.as_ref();
        logs::progress(&distance.0, &source, goals, &caller, |episode, found| {
            let labels = &episode.labels;
            for (frame, &index) in (labels.first_frame..).zip(&labels.indices) {
                let row = [labels.episode, frame, index];
                for (column, number) in numbers.iter_mut().zip(row) {
                    column.push(number);
                }
            }
            frames.extend_from_slice(found);
            Ok(())
        })
    });
    caller.unless_raised(found.map_err(raise))?;
    let columns = PyDict::new(py);
    for (name, column) in ["episode_index", "frame_index", "index"]
        .into_iter()
        .zip(numbers)
    {
        columns.set_item(name, vector(py, column))?;
    }
    let values: [(&str, Value); 4] = [
        ("progress", |frame| frame.progress),
        ("steps_to_go", |frame| frame.steps_to_go),
        ("steps_to_go_low", |frame| frame.low),
        ("steps_to_go_high", |frame| frame.high),
    ];
    for (name, value) in values {
        columns.set_item(name, vector(py, frames.iter().map(value).collect()))?;
    }
    Ok(columns)
}

/// An episode as Python has it.
#[derive(Serialize)]
struct Row {
    episode_index: i64,
    score: f64,
    reason: String,
    #[serde(flatten)]
    measures: EpisodeMeasures,
}

/// The scores of all episodes, as a list of dictionaries.
#[pyfunction]
pub(crate) fn log_episodes<'py>(
    py: Python<'py>,
    distance: &Distance,
    data: &Data,
    goals: Option<PyReadonlyArray2<'py, f32>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (goals, caller) = (checked(distance, goals.as_ref())?, Caller::new(None));
    let found = py.detach(|| {
        let source = opened(distance, data)?;
        let goals = embedded(distance, goals.as_deref())?;
        logs::scores(&distance.0, &source, goals.as_ref(), &caller)
    });
    let found = caller.unless_raised(found.map_err(raise))?;
    let ends = if goals.is_some() {
        Ends::Goals
    } else {
        Ends::Usual
    };
    let row = |scored: &logs::ScoredEpisode| Row {
        episode_index: scored.episode,
        score: scored.score.score,
        reason: reason(scored, ends),
        measures: scored.measures,
    };
    to_python(py, &found.episodes.iter().map(row).collect::<Vec<Row>>())
}

/// The same distance with a success test for these goals.
#[pyfunction]
pub(crate) fn with_reached(
    distance: &Distance,
    goals: PyReadonlyArray2<'_, f32>,
    epsilon: f64,
    false_positive_rate: f64,
    false_positives: f64,
    negatives: u64,
) -> PyResult<Distance> {
    let goals = checked(distance, Some(&goals))?.unwrap_or_default();
    let test = ReachedTest {
        epsilon_steps: epsilon,
        false_positive_rate,
        negatives,
        false_positives,
        goals: (goals.len() / distance.0.distance.inputs().max(1)) as u64,
    };
    let model = distance.0.clone().with_reached(&goals, test);
    model.map(Distance).map_err(raise)
}

/// Which states count as reached, by the success test of the distance.
#[pyfunction]
pub(crate) fn is_reached<'py>(
    py: Python<'py>,
    distance: &Distance,
    states: PyReadonlyArray2<'py, f32>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let states = distance.rows("states", &states)?;
    let Some((test, goals)) = distance.0.reached_test().map_err(raise)? else {
        return Err(refuse(
            "this distance has no success test yet: say where the task is done with set_reached(goals, data), or with \
             `isochrone reached`",
        ));
    };
    let near = (0..states.len()).map(|row| {
        let nearest = goals.nearest(states.row(row))?;
        Ok(nearest.is_some_and(|goal| goal.steps < test.epsilon_steps))
    });
    let near = near.collect::<Result<Vec<bool>, DistanceError>>();
    Ok(vector(py, near.map_err(raise)?))
}

/// The logs, with states of the right width.
fn opened(distance: &Distance, data: &Data) -> anyhow::Result<DataSource> {
    let source = data.0.open_labelled()?;
    distance.0.check_width(&source)?;
    Ok(source)
}

fn embedded<'a>(
    distance: &'a Distance,
    goals: Option<&[f32]>,
) -> Result<Option<GoalSet<'a>>, DistanceError> {
    let set = |goals| GoalSet::new(&distance.0.distance, goals);
    goals.map(set).transpose()
}

fn checked(
    distance: &Distance,
    goals: Option<&PyReadonlyArray2<'_, f32>>,
) -> PyResult<Option<Vec<f32>>> {
    let rows = goals
        .map(|goals| distance.rows("goals", goals))
        .transpose()?;
    Ok(rows.map(|rows: Rows| rows.values))
}
