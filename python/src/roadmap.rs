//! Roadmaps, and following routes on them.

use crate::arrays::{Rows, matrix, vector};
use crate::data::Data;
use crate::distance::Distance;
use crate::errors::{raise, refuse};
use crate::files::file_methods;
use crate::observer::Caller;
use crate::values::to_python;
use isochrone::roadmap::{self as science, FollowerSpec, HopRule, Selection};
use isochrone_files::roadmap::{ENDING, RoadmapFile};
use isochrone_runs::roadmap::{RoadmapSpec, build};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// A route as a dictionary.
#[derive(Serialize)]
struct RouteFound {
    total_steps: f64,
    largest_leg_steps: f64,
    /// Landmarks in order.
    landmarks: Vec<usize>,
    /// Steps of each leg: to the first landmark, between landmarks, to the goal.
    steps: Vec<f64>,
    /// How often each hop between landmarks was made.
    seen: Vec<u32>,
}

/// What a map is like, as a dictionary.
#[derive(Serialize)]
struct MapFound {
    landmarks: usize,
    hops: usize,
    connected_share: f64,
    components: usize,
    isolated: usize,
}

/// A waypoint: its state, the steps to the goal along the route, how often a route was planned, whether it is the goal.
type Waypoint<'py> = (Bound<'py, PyArray1<f32>>, f64, usize, bool);

/// The ends of all hops, and how often each was made.
type Hops<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<u32>>);

/// Landmarks, hops and their distance.
#[pyclass(frozen, module = "isochrone._isochrone")]
pub(crate) struct Roadmap(Arc<RoadmapFile>);

file_methods!(Roadmap, RoadmapFile, ENDING);

#[pymethods]
impl Roadmap {
    /// Landmarks and hops from trajectories; hops that some trajectory made within so many steps.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn fit(
        py: Python<'_>,
        distance: &Distance,
        data: &Data,
        landmarks: usize,
        selection: &str,
        hops: &str,
        hop_steps: f64,
        seed: u64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let spec = RoadmapSpec {
            landmarks,
            selection: match selection {
                "random" => Selection::Random,
                "farthest" => Selection::FarthestPoint,
                other => {
                    return Err(refuse(format!(
                        "selection is {other:?}; it must be \"random\" or \"farthest\""
                    )));
                }
            },
            hops: match hops {
                "witnessed" => HopRule::Witnessed {
                    steps: hop_steps as usize,
                },
                "learned" => HopRule::Learned { steps: hop_steps },
                other => {
                    return Err(refuse(format!(
                        "hops is {other:?}; it must be \"witnessed\" or \"learned\""
                    )));
                }
            },
            seed,
        };
        let caller = Caller::new(progress);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or(cores);
        let model = distance.0.clone();
        let built = py.detach(|| build(&data.0, model, &spec, threads, &caller));
        caller.unless_raised(built.map(|map| Self(Arc::new(map))).map_err(raise))
    }

    /// The distance that it is measured in.
    fn distance(&self) -> Distance {
        Distance(self.0.model.clone())
    }

    /// The states of all landmarks.
    fn landmarks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let map = &self.0.map;
        matrix(py, map.states().to_vec(), map.distance().inputs())
    }

    /// Ends of all hops, and how often each was made.
    fn hops<'py>(&self, py: Python<'py>) -> PyResult<Hops<'py>> {
        let hops = self.0.map.hops();
        let ends = hops.iter().flat_map(|hop| [hop.from, hop.to]).collect();
        let counts = hops.iter().map(|hop| hop.count).collect();
        Ok((matrix(py, ends, 2)?, vector(py, counts)))
    }

    /// The most steps of a hop.
    fn hop_steps(&self) -> f64 {
        self.0.map.rule().steps()
    }

    /// How many landmarks and hops there are, and how well they hang together.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let map = &self.0.map;
        let found = science::connectivity(map);
        let about = MapFound {
            landmarks: map.len(),
            hops: map.hops().len(),
            connected_share: found.largest_share,
            components: found.components,
            isolated: found.isolated,
        };
        to_python(py, &about)
    }

    /// The way from a state to a goal.
    fn route<'py>(
        &self,
        py: Python<'py>,
        state: PyReadonlyArray2<'py, f32>,
        goal: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (state, goal) = (self.row("the state", &state)?, self.row("the goal", &goal)?);
        let route = py.detach(|| self.0.map.route(&state, &goal));
        let route = route.map_err(raise)?;
        let found = RouteFound {
            total_steps: route.total_steps,
            largest_leg_steps: route.largest_leg_steps(),
            landmarks: route.legs.iter().filter_map(|leg| leg.landmark).collect(),
            steps: route.legs.iter().map(|leg| leg.steps).collect(),
            seen: route.legs.iter().filter_map(|leg| leg.seen).collect(),
        };
        to_python(py, &found)
    }

    /// Steps from each state to a goal along the map; infinite where there is no way.
    fn steps_to<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
        goal: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (states, goal) = self.states_and_goal(&states, &goal)?;
        let map = &self.0.map;
        let steps = py.detach(|| {
            let tree = map.tree_to(&goal).map_err(science::RouteError::from)?;
            crate::arrays::by_row(states.len(), |row, steps: &mut Vec<f64>| {
                steps.push(match map.route_in(&tree, states.row(row)) {
                    Ok(route) => route.total_steps,
                    Err(science::RouteError::Unconnected { .. }) => f64::INFINITY,
                    Err(error) => return Err(error),
                });
                Ok::<(), science::RouteError>(())
            })
        });
        Ok(vector(py, steps.map_err(raise)?))
    }

    /// The fewest steps from each state to a goal that trajectories, put end to end, took; infinite where none leads.
    fn fewest_steps<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
        goal: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (states, goal) = self.states_and_goal(&states, &goal)?;
        let rows = (0..states.len()).map(|row| states.row(row));
        let steps = py.detach(|| self.0.map.fewest_steps(rows, &goal));
        Ok(vector(py, steps.map_err(raise)?))
    }

    /// Follows routes on this map.
    fn follower(
        &self,
        lookahead_steps: f64,
        waypoint_every_steps: usize,
        patience_waypoints: usize,
    ) -> Follower {
        let spec = FollowerSpec {
            lookahead_steps,
            waypoint_every_steps,
            patience_waypoints,
        };
        Follower {
            map: Arc::clone(&self.0),
            spec,
            state: Mutex::new(science::Follower::new(spec)),
        }
    }
}

impl Roadmap {
    fn states_and_goal(
        &self,
        states: &PyReadonlyArray2<'_, f32>,
        goal: &PyReadonlyArray2<'_, f32>,
    ) -> PyResult<(Rows, Vec<f32>)> {
        let states = checked(&self.0, "states", states)?;
        Ok((states, self.row("the goal", goal)?))
    }

    fn row(&self, what: &str, rows: &PyReadonlyArray2<'_, f32>) -> PyResult<Vec<f32>> {
        one(&self.0, what, rows)
    }
}

fn checked(map: &RoadmapFile, what: &str, rows: &PyReadonlyArray2<'_, f32>) -> PyResult<Rows> {
    let rows = Rows::of(rows)?;
    rows.check(
        what,
        map.map.distance().inputs(),
        "the map is for states of",
    )?;
    Ok(rows)
}

fn one(map: &RoadmapFile, what: &str, rows: &PyReadonlyArray2<'_, f32>) -> PyResult<Vec<f32>> {
    let rows = checked(map, what, rows)?;
    if rows.len() != 1 {
        return Err(refuse(format!(
            "{what}: {} rows were given, one is needed",
            rows.len()
        )));
    }
    Ok(rows.values)
}

/// Follows routes with memory; starts again when the goal changes.
#[pyclass(frozen, module = "isochrone._isochrone")]
pub(crate) struct Follower {
    map: Arc<RoadmapFile>,
    spec: FollowerSpec,
    state: Mutex<science::Follower>,
}

#[pymethods]
impl Follower {
    /// Where to go next; once per step.
    fn waypoint<'py>(
        &self,
        py: Python<'py>,
        state: PyReadonlyArray2<'py, f32>,
        goal: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Waypoint<'py>> {
        let state = one(&self.map, "the state", &state)?;
        let goal = one(&self.map, "the goal", &goal)?;
        let mut follower = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let map = &self.map.map;
        let waypoint = follower.waypoint(map, &state, &goal).map_err(raise)?;
        let place = waypoint
            .landmark
            .map_or(goal.as_slice(), |at| map.landmark(at));
        Ok((
            vector(py, place.to_vec()),
            waypoint.steps_to_goal,
            follower.plans(),
            waypoint.landmark.is_none(),
        ))
    }

    /// Forgets the route: at the beginning of an episode.
    fn reset(&self) {
        let mut follower = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *follower = science::Follower::new(self.spec);
    }
}
