//! An agent in an environment of Python's.

use crate::actions::{Actions, Kind};
use crate::arrays::{Rows, matrix, vector};
use crate::distance::Distance;
use crate::errors::{raise, refuse};
use crate::lanes::{Attached, Lanes, Raised, Stepped, take};
use crate::observation::Seen;
use crate::onlooker::Caller;
use isochrone::env::Observation;
use isochrone::policy::Actor;
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::rollout::{Lockstep, Resets, VectorEnvironment};
use isochrone::train::{Go, Part, Trial, Watch};
use isochrone_lab::train::{OwnTraining, OwnWorld};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;

/// What an environment is like, as the package found out.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct World {
    /// An environment, or an adapter of several.
    env: Py<PyAny>,
    /// How many there are; 0 for one that is no vector.
    lanes: usize,
    /// Whether lanes can begin alone.
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
    fn own(&self) -> OwnWorld {
        OwnWorld {
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

/// A policy in training, and where.
#[pyclass(module = "isochrone._isochrone")]
pub(crate) struct Agent {
    training: OwnTraining,
    source: Attached,
    raised: Raised,
    /// Of actions that are asked for outside training.
    rng: Rng,
}

#[pymethods]
impl Agent {
    /// An untrained one; settings are `key=value`.
    #[new]
    fn new(world: World, settings: Vec<String>) -> PyResult<Self> {
        let training = OwnTraining::new(world.own(), &settings).map_err(raise)?;
        Ok(Self::of(training, world))
    }

    /// One from its file, in the same world.
    #[staticmethod]
    fn load(file: PathBuf, world: World) -> PyResult<Self> {
        let bytes = std::fs::read(&file).map_err(|error| {
            let words = format!("cannot read {}", file.display());
            raise(anyhow::Error::from(error).context(words))
        })?;
        let training = OwnTraining::of_bytes(&bytes, &file).map_err(raise)?;
        let (there, here) = (training.world(), world.own());
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
        Ok(Self::of(training, world))
    }

    /// Writes its file, whole or not at all.
    fn save(&self, file: PathBuf) -> PyResult<()> {
        self.training.write(&file).map_err(raise)
    }

    /// Has anything been learned?
    #[getter]
    fn has_learned(&self) -> bool {
        self.training.has_learned()
    }

    /// Steps so far: all, and those that the policy learned from.
    #[getter]
    fn steps(&self) -> (u64, u64) {
        (self.training.env_steps(), self.training.steps())
    }

    /// Goals that were worth trying and states that were met, none near another.
    fn archive<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let goals = self.training.archive().concat();
        matrix(py, goals, self.training.world().goal_entries.len())
    }

    /// The settings as JSON.
    #[getter]
    fn spec(&self) -> PyResult<String> {
        serde_json::to_string(self.training.spec()).map_err(raise)
    }

    /// One iteration; what it says of itself, and what the distance does, as JSON.
    fn iterate(&mut self, py: Python<'_>) -> PyResult<(String, Option<String>)> {
        let caller = Caller::new(None);
        let told = py.detach(|| {
            let mut watch = Watched(&caller);
            self.training.iterate(&mut self.source, &mut watch)
        });
        if let Some(error) = take(&self.raised) {
            return Err(error);
        }
        caller.unless_raised(told.map_err(raise))
    }

    /// The share of attempts that reach each goal: within a radius as the crow flies, or by its own distance.
    fn attempt<'py>(
        &mut self,
        py: Python<'py>,
        goals: PyReadonlyArray2<'py, f32>,
        radius: Option<f64>,
        horizon_steps: usize,
        rollouts: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let goals = Rows::of(&goals)?;
        let goals: Vec<Vec<f32>> = (0..goals.len())
            .map(|row| goals.row(row).to_vec())
            .collect();
        let trial = Trial {
            goals: &goals,
            radius,
            horizon_steps,
            rollouts,
        };
        let found = py.detach(|| self.training.attempt(&mut self.source, &trial));
        if let Some(error) = take(&self.raised) {
            return Err(error);
        }
        Ok(vector(py, found.map_err(raise)?.of_goal))
    }

    /// Actions of −1…1 for observations and goals, row by row: what it does on average.
    fn act<'py>(
        &self,
        py: Python<'py>,
        seen: PyReadonlyArray2<'py, f32>,
        goals: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (seen, goals) = self.asked(&seen, &goals)?;
        let policy = self.training.policy().map_err(raise)?;
        let rows = 0..seen.len();
        let means = rows.map(|row| policy.mean(seen.row(row), goals.row(row)));
        let means = means.collect::<Result<Vec<_>, _>>().map_err(raise)?;
        matrix(py, means.concat(), self.training.world().actions)
    }

    /// The same, drawn as in training.
    fn act_randomly<'py>(
        &mut self,
        py: Python<'py>,
        seen: PyReadonlyArray2<'py, f32>,
        goals: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (seen, goals) = self.asked(&seen, &goals)?;
        let policy = self.training.policy().map_err(raise)?;
        let width = self.training.world().actions;
        let (mut actions, mut scratch) = (vec![0.0; seen.len() * width], Vec::new());
        for (row, action) in actions.chunks_exact_mut(width).enumerate() {
            let observation = Observation::F32(seen.row(row).to_vec());
            policy.act(
                &observation,
                goals.row(row),
                &mut self.rng,
                &mut scratch,
                action,
            );
        }
        matrix(py, actions, width)
    }

    /// The learned distance in goal space; `None` if it was given.
    fn distance(&self) -> PyResult<Option<Distance>> {
        let found = self.training.distance().map_err(raise)?;
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
        let world = self.training.world();
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

    fn of(training: OwnTraining, world: World) -> Self {
        let raised = Raised::default();
        let seed = Seed(training.spec().seed);
        Self {
            source: Attached(Lockstep::new(world.lanes(&raised))),
            training,
            raised,
            rng: seed.stream(Purpose::Evaluate, u64::MAX, 0),
        }
    }
}

/// Steps an environment through actions of −1…1 as training does, and gives what was seen: for measuring what that
/// costs.
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

/// Asked between updates.
struct Watched<'a>(&'a Caller);

impl Watch for Watched<'_> {
    fn begins(&mut self, _part: Part) {}

    fn goes_on(&mut self) -> Go {
        if self.0.is_over() { Go::Stop } else { Go::On }
    }
}
