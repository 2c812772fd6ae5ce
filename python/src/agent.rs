//! An agent in a Python environment.

use crate::actions::{Actions, Kind};
use crate::arrays::{Rows, matrix, vector};
use crate::distance::Distance;
use crate::errors::{raise, refuse};
use crate::lanes::{Attached, Lanes, Raised, Stepped, take};
use crate::observation::Seen;
use crate::observer::Caller;
use crate::values::{table, to_python};
use isochrone::env::Observation;
use isochrone::policy::Actor;
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::rollout::{Lockstep, Resets, VectorEnvironment};
use isochrone::train::{Observer, Planner, Pursuit, TrainPhase, Trial};
use isochrone_files::agent::{OwnEnvironment, SavedAgent};
use isochrone_runs::train::{DistanceRecord, Metrics};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Properties of an environment, as the package determined them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct World {
    /// An environment, or an adapter of a vector environment.
    env: Py<PyAny>,
    /// Number of lanes; 0 for a single environment.
    lanes: usize,
    /// Whether lanes can reset separately.
    resets_alone: bool,
    keys: Vec<String>,
    goal: Option<Py<PyAny>>,
    observation_length: usize,
    goal_entries: Vec<usize>,
    goal_centre: Vec<f32>,
    goal_half_width: Vec<f32>,
    action_low: Vec<f64>,
    action_high: Vec<f64>,
    action_shape: Vec<usize>,
    /// `f4` or `f8`.
    action_kind: String,
}

impl World {
    fn facts(&self) -> OwnEnvironment {
        OwnEnvironment {
            observation_length: self.observation_length,
            actions: self.action_low.len(),
            goal_entries: self.goal_entries.clone(),
            goal_centre: self.goal_centre.clone(),
            goal_half_width: self.goal_half_width.clone(),
        }
    }

    fn lanes(self, raised: &Raised) -> Lanes {
        let stepped = match self.lanes {
            0 => Stepped::One(self.env),
            lanes => Stepped::Many {
                adapter: self.env,
                lanes,
                resets: if self.resets_alone {
                    Resets::Alone
                } else {
                    Resets::Together
                },
            },
        };
        Lanes {
            stepped,
            seen: Seen {
                keys: self.keys,
                goal: self.goal,
                length: self.observation_length,
            },
            actions: Actions {
                low: self.action_low,
                high: self.action_high,
                shape: self.action_shape,
                kind: if self.action_kind == "f8" {
                    Kind::F64
                } else {
                    Kind::F32
                },
            },
            raised: Raised::clone(raised),
        }
    }
}

/// The metrics of an iteration, and the report of its distance.
type Reports<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

/// `"on"` or `"off"`.
pub(crate) struct PlannerUse(Planner);

impl FromPyObject<'_, '_> for PlannerUse {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match given.extract::<&str>()? {
            "on" => Ok(Self(Planner::On)),
            "off" => Ok(Self(Planner::Off)),
            other => Err(refuse(format!(
                "the planner is {other:?}; it must be on or off"
            ))),
        }
    }
}

/// Where predictions by waypoints are on their way, row by row.
#[pyclass(module = "isochrone._isochrone", frozen)]
pub(crate) struct Pursuits(Vec<Pursuit>);

/// A policy in training with its environment.
#[pyclass(module = "isochrone._isochrone")]
pub(crate) struct Agent {
    saved: SavedAgent,
    source: Attached,
    raised: Raised,
    /// Random stream of actions outside training.
    rng: Rng,
}

#[pymethods]
impl Agent {
    /// An untrained agent: a preset with these settings.
    #[new]
    fn new(world: World, preset: &str, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let saved = SavedAgent::new(world.facts(), preset, table(settings)?).map_err(raise)?;
        Ok(Self::of(saved, world))
    }

    /// Loads a saved agent, for the same environment.
    #[staticmethod]
    fn load(file: PathBuf, world: World) -> PyResult<Self> {
        let bytes = std::fs::read(&file).map_err(|error| {
            let words = format!("cannot read {}", file.display());
            raise(anyhow::Error::from(error).context(words))
        })?;
        let saved = SavedAgent::of_bytes(&bytes, &file).map_err(raise)?;
        let (there, here) = (saved.environment(), world.facts());
        let is_same = (there.observation_length, there.actions, &there.goal_entries)
            == (here.observation_length, here.actions, &here.goal_entries);
        if !is_same {
            return Err(refuse(format!(
                "the agent is for observations of {} numbers, goals about the entries {:?} and actions of {}; this \
                 environment has {}, {:?} and {}",
                there.observation_length,
                there.goal_entries,
                there.actions,
                here.observation_length,
                here.goal_entries,
                here.actions
            )));
        }
        Ok(Self::of(saved, world))
    }

    /// Writes its file, whole or not at all.
    fn save(&self, file: PathBuf) -> PyResult<()> {
        self.saved.write(&file).map_err(raise)
    }

    /// Whether anything has been learned.
    #[getter]
    fn has_learned(&self) -> bool {
        self.saved.agent.has_learned()
    }

    /// Environment steps so far, and those that the policy learned from.
    #[getter]
    fn steps(&self) -> (u64, u64) {
        {
            let counters = self.saved.agent.counters();
            (counters.env_steps, counters.steps)
        }
    }

    /// The archive: goals of intermediate difficulty and visited states.
    fn archive<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let goals = self.saved.agent.training().archived().concat();
        matrix(py, goals, self.saved.environment().goal_entries.len())
    }

    /// All settings.
    #[getter]
    fn spec<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.saved.spec())
    }

    /// One iteration: its metrics, and the report of the distance if it is learned.
    fn iterate<'py>(&mut self, py: Python<'py>) -> PyResult<Reports<'py>> {
        let caller = Caller::new(None);
        let result = py.detach(|| {
            let mut observer = StopOnInterrupt(&caller);
            self.saved.agent.iterate(&mut self.source, &mut observer)
        });
        if let Some(error) = take(&self.raised) {
            return Err(error);
        }
        let report = caller.unless_raised(result.map_err(raise))?;
        let distance = report.predictor.as_ref();
        let distance = distance.map(|found| DistanceRecord::of(found, report.counters));
        Ok((
            to_python(py, &Metrics::of(&report))?,
            distance.map(|found| to_python(py, &found)).transpose()?,
        ))
    }

    /// The success rate of each goal: within a Euclidean radius, or by the agent's own distance.
    fn attempt<'py>(
        &mut self,
        py: Python<'py>,
        goals: PyReadonlyArray2<'py, f32>,
        radius: Option<f64>,
        horizon_steps: usize,
        rollouts: usize,
        planner: PlannerUse,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let goals = Rows::of(&goals)?;
        let goals: Vec<Vec<f32>> = (0..goals.len())
            .map(|row| goals.row(row).to_vec())
            .collect();
        let trial = Trial {
            goals: &goals,
            radius,
            horizon_steps,
            long_horizon_steps: 0,
            rollouts,
            planner: planner.0,
        };
        let found = py.detach(|| self.saved.agent.attempt(&mut self.source, &trial));
        if let Some(error) = take(&self.raised) {
            return Err(error);
        }
        Ok(vector(py, found.map_err(raise)?.of_goal))
    }

    /// The goals that the policy is to be given, row by row: waypoints on the way to `goals`. `before` is what the last call
    /// returned; rows whose goal has changed begin anew.
    #[pyo3(signature = (seen, goals, before=None))]
    fn waypoints<'py>(
        &self,
        py: Python<'py>,
        seen: PyReadonlyArray2<'py, f32>,
        goals: PyReadonlyArray2<'py, f32>,
        before: Option<&Pursuits>,
    ) -> PyResult<(Bound<'py, PyArray2<f32>>, Pursuits)> {
        let (seen, goals) = self.asked(&seen, &goals)?;
        let training = self.saved.agent.training();
        let before = before.filter(|before| before.0.len() == seen.len());
        let mut pursuits = Vec::with_capacity(seen.len());
        for row in 0..seen.len() {
            let (seen, goal) = (seen.row(row), goals.row(row));
            let last = before.map(|before| &before.0[row]);
            pursuits.push(match last.filter(|last| last.goal() == goal) {
                Some(last) => {
                    let mut next = last.clone();
                    training.advance(&mut next, seen).map_err(raise)?;
                    next
                }
                None => training.pursue(seen, goal).map_err(raise)?,
            });
        }
        let waypoints = pursuits.iter().flat_map(Pursuit::waypoint).copied();
        let width = self.saved.environment().goal_entries.len();
        let waypoints = matrix(py, waypoints.collect(), width)?;
        Ok((waypoints, Pursuits(pursuits)))
    }

    /// Mean actions in −1…1 for observations and goals, row by row.
    fn act<'py>(
        &self,
        py: Python<'py>,
        seen: PyReadonlyArray2<'py, f32>,
        goals: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows = self.asked(&seen, &goals)?;
        let actor = self
            .saved
            .agent
            .training()
            .learner()
            .greedy_actor()
            .map_err(raise)?;
        let width = self.saved.environment().actions;
        let mut unused = Seed(0).stream(Purpose::Evaluate, 0, 0);
        matrix(
            py,
            actions(actor.as_ref(), &rows, width, &mut unused),
            width,
        )
    }

    /// The same, sampled as in training.
    fn act_randomly<'py>(
        &mut self,
        py: Python<'py>,
        seen: PyReadonlyArray2<'py, f32>,
        goals: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let rows = self.asked(&seen, &goals)?;
        let actor = self
            .saved
            .agent
            .training()
            .learner()
            .actor()
            .map_err(raise)?;
        let width = self.saved.environment().actions;
        matrix(
            py,
            actions(actor.as_ref(), &rows, width, &mut self.rng),
            width,
        )
    }

    /// The learned distance in goal space; `None` if it is Euclidean.
    fn distance(&self) -> PyResult<Option<Distance>> {
        let found = self.saved.distance().map_err(raise)?;
        Ok(found.map(Distance))
    }
}

impl Agent {
    fn asked(
        &self,
        seen: &PyReadonlyArray2<'_, f32>,
        goals: &PyReadonlyArray2<'_, f32>,
    ) -> PyResult<(Rows, Rows)> {
        let (seen, goals) = (Rows::of(seen)?, Rows::of(goals)?);
        let world = self.saved.environment();
        seen.check("observations", world.observation_length, "the agent sees")?;
        goals.check("goals", world.goal_entries.len(), "its goals have")?;
        let (n_seen, n_goals) = (seen.len(), goals.len());
        if n_seen == n_goals {
            return Ok((seen, goals));
        }
        Err(refuse(format!(
            "{n_seen} observations and {n_goals} goals were given"
        )))
    }

    fn of(saved: SavedAgent, world: World) -> Self {
        let raised = Raised::default();
        let seed = saved.spec().agent.seed;
        Self {
            source: Attached(Lockstep::new(world.lanes(&raised))),
            saved,
            raised,
            rng: seed.stream(Purpose::Evaluate, u64::MAX, 0),
        }
    }
}

/// One action of `width` numbers per observation and goal, row by row.
fn actions(
    actor: &dyn Actor,
    (seen, goals): &(Rows, Rows),
    width: usize,
    rng: &mut Rng,
) -> Vec<f32> {
    let (mut actions, mut scratch) = (vec![0.0; seen.len() * width], Vec::new());
    for (row, action) in actions.chunks_exact_mut(width).enumerate() {
        let observation = Observation::F32(seen.row(row).to_vec());
        actor.act(&observation, goals.row(row), rng, &mut scratch, action);
    }
    actions
}

/// Steps an environment through actions of −1…1 as training does, and returns the observations: to measure the overhead.
#[pyfunction]
pub(crate) fn step_through<'py>(
    py: Python<'py>,
    world: World,
    seed: u32,
    actions: PyReadonlyArray2<'py, f32>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let (length, actions) = (world.observation_length, Rows::of(&actions)?);
    let raised = Raised::default();
    let mut lanes = world.lanes(&raised);
    let mut seen = lanes.begin(py, 0, seed)?;
    for row in 0..actions.len() {
        for answer in lanes.step(&[(0, actions.row(row))]) {
            if let Some(error) = take(&raised) {
                return Err(error);
            }
            let answer = answer.map_err(raise)?;
            seen.extend_from_slice(answer.observation().as_f32().unwrap_or_default());
        }
    }
    matrix(py, seen, length)
}

/// Stops training on Ctrl-C in Python.
struct StopOnInterrupt<'a>(&'a Caller);

impl Observer for StopOnInterrupt<'_> {
    fn phase_begins(&mut self, _phase: TrainPhase) {}

    fn poll(&mut self) -> ControlFlow<()> {
        if self.0.is_over() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
