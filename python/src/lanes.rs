//! Python environments as lanes of the rollout.

use crate::actions::Actions;
use crate::observation::Seen;
use isochrone::env::{ActionSpec, Observation, ObservationSpec, StepError, Successor};
use isochrone::rng::Rng;
use isochrone::rollout::{
    EpisodeSource, Lockstep, Plan, Queue, Resets, RolloutError, VectorEnvironment,
};
use isochrone::trajectory::Trajectories;
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::{Arc, Mutex, PoisonError};

/// An exception of the environment: it stops the work and is raised to the caller.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

/// What was raised, if anything was.
pub(crate) fn take(raised: &Raised) -> Option<PyErr> {
    raised.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Who is stepped.
pub(crate) enum Stepped {
    /// One environment.
    One(Py<PyAny>),
    /// Several by one call, through an adapter of the package: `reset(lane, seed)` and `step(lanes, actions)`.
    Many {
        adapter: Py<PyAny>,
        lanes: usize,
        resets: Resets,
    },
}

/// Environments of Python's.
pub(crate) struct Lanes {
    pub(crate) stepped: Stepped,
    pub(crate) seen: Seen,
    pub(crate) actions: Actions,
    pub(crate) raised: Raised,
}

/// An answer as the rollout wants it.
type Answer = Result<Successor<Observation>, StepError>;

impl Lanes {
    fn keep(&self, error: PyErr) -> StepError {
        let reason = error.to_string();
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.get_or_insert(error);
        StepError::Unseen { reason }
    }

    pub(crate) fn begin(&self, py: Python<'_>, lane: usize, seed: u32) -> PyResult<Vec<f32>> {
        match &self.stepped {
            Stepped::One(env) => {
                let named = PyDict::new(py);
                named.set_item("seed", seed)?;
                let answer = env.bind(py).call_method("reset", (), Some(&named))?;
                self.seen.read(&answer.get_item(0)?)
            }
            Stepped::Many { adapter, .. } => {
                let seen = adapter.bind(py).call_method1("reset", (lane, seed))?;
                self.seen.read(&seen)
            }
        }
    }

    fn step_one(&self, py: Python<'_>, env: &Py<PyAny>, action: &[f32]) -> PyResult<Answer> {
        let action = self.actions.array(py, action)?;
        let answer = env
            .bind(py)
            .call_method1(PyString::intern(py, "step"), (action,))?;
        let (seen, _, terminated, truncated, _): Five<'_> = answer.extract()?;
        let seen = self.seen.read(&seen)?;
        let ended = [terminated.is_truthy()?, truncated.is_truthy()?];
        Ok(successor(seen, ended))
    }

    fn step_many(
        &self,
        py: Python<'_>,
        adapter: &Py<PyAny>,
        actions: &[(usize, &[f32])],
    ) -> PyResult<Vec<Answer>> {
        let lanes: Vec<usize> = actions.iter().map(|(lane, _)| *lane).collect();
        let rows: Vec<Vec<f64>> = actions
            .iter()
            .map(|(_, a)| self.actions.stretched(a))
            .collect();
        let rows =
            PyArray2::from_vec2(py, &rows).map_err(|e| PyValueError::new_err(e.to_string()))?;
        let answer = adapter.bind(py).call_method1("step", (lanes, rows))?;
        let (seen, terminated, truncated): Three<'_> = answer.extract()?;
        let (terminated, truncated) = (terminated.as_array(), truncated.as_array());
        let mut answers = Vec::new();
        for (at, seen) in seen.iter().enumerate() {
            let seen = self.seen.read(seen)?;
            answers.push(successor(seen, [terminated[at], truncated[at]]));
        }
        Ok(answers)
    }
}

/// What `step` answers.
type Five<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
);
/// What the adapter answers.
type Three<'py> = (
    Vec<Bound<'py, PyAny>>,
    PyReadonlyArray1<'py, bool>,
    PyReadonlyArray1<'py, bool>,
);

/// NaN or infinity ends the episode, not the process.
fn successor(seen: Vec<f32>, [terminated, truncated]: [bool; 2]) -> Answer {
    if let Some(entry) = seen.iter().position(|value| !value.is_finite()) {
        let what = format!("entry {entry} of the observation is {}", seen[entry]);
        return Err(StepError::Unstable { what });
    }
    let seen = Observation::F32(seen);
    Ok(match (terminated, truncated) {
        (true, _) => Successor::Terminal(seen),
        (false, true) => Successor::Truncated(seen),
        (false, false) => Successor::Continue(seen),
    })
}

impl VectorEnvironment for Lanes {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(self.seen.length)
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(self.actions.low.len(), 1.0)
    }

    fn lanes(&self) -> usize {
        match &self.stepped {
            Stepped::One(_) => 1,
            Stepped::Many { lanes, .. } => *lanes,
        }
    }

    fn resets(&self) -> Resets {
        match &self.stepped {
            Stepped::One(_) => Resets::Alone,
            Stepped::Many { resets, .. } => *resets,
        }
    }

    /// A failed reset returns zeros; the first step then returns its error.
    fn reset(&mut self, lane: usize, rng: &mut Rng) -> Observation {
        use rand::RngExt;
        let seed: u32 = rng.random::<u32>() >> 1;
        let begun = Python::attach(|py| self.begin(py, lane, seed));
        Observation::F32(begun.unwrap_or_else(|error| {
            self.keep(error);
            vec![0.0; self.seen.length]
        }))
    }

    fn step(&mut self, actions: &[(usize, &[f32])]) -> Vec<Answer> {
        let poll_all_ranks = {
            let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
            raised.is_some()
        };
        let failed = |reason: StepError| actions.iter().map(|_| Err(reason.clone())).collect();
        if poll_all_ranks {
            let reason = "the environment could not be reset".to_owned();
            return failed(StepError::Unseen { reason });
        }
        let answers = Python::attach(|py| match &self.stepped {
            Stepped::One(env) => {
                let each = actions.iter();
                each.map(|(_, action)| self.step_one(py, env, action))
                    .collect()
            }
            Stepped::Many { adapter, .. } => self.step_many(py, adapter, actions),
        });
        answers.unwrap_or_else(|error| failed(self.keep(error)))
    }
}

/// Rollouts that hold the interpreter lock from beginning to end, not step by step.
pub(crate) struct Attached(pub(crate) Lockstep<Lanes>);

impl EpisodeSource for Attached {
    fn observation_spec(&self) -> ObservationSpec {
        self.0.observation_spec()
    }

    fn action_spec(&self) -> ActionSpec {
        self.0.action_spec()
    }

    fn drain(&mut self, queue: &Queue, plan: &Plan<'_>) -> Result<Trajectories, RolloutError> {
        Python::attach(|_| self.0.drain(queue, plan))
    }
}
