//! Worlds to train in: by name, with all that the loop must know of them.

use super::meter::{Meter, Timed};
use super::spec::{FeasibleGoals, GoalSpaceName, RunSpec, Sees};
use anyhow::{Context, Result, bail};
use isochrone::distance::{Euclidean, Feasibility, FeasibleEuclidean};
use isochrone::env::Environment;
use isochrone::env::normalised::Normalised;
use isochrone::env::point::Point;
use isochrone::goal::{GoalRange, GoalSpace, Proposals};
use isochrone::rng::{Purpose, Seed};
use isochrone::rollout::{EpisodeSource, Threads};
use isochrone::train::{DistanceSource, Field};
use isochrone_mujoco::{UnknownWorld, World, WorldName};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A world, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum WorldChoice {
    /// One of the MuJoCo worlds.
    Mujoco(WorldName),
    /// A point in a box of so many dimensions.
    Point {
        /// 2 … 6.
        dims: usize,
    },
    /// One that somebody else steps.
    Own,
}

impl WorldChoice {
    /// Of a point.
    pub const MOST_DIMS: usize = 6;

    /// The MuJoCo world, if it is one.
    pub const fn mujoco(self) -> Option<WorldName> {
        match self {
            Self::Mujoco(name) => Some(name),
            Self::Point { .. } | Self::Own => None,
        }
    }
}

impl fmt::Display for WorldChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mujoco(name) => name.fmt(f),
            Self::Point { dims } => write!(f, "point-{dims}d"),
            Self::Own => f.write_str("own"),
        }
    }
}

impl From<WorldChoice> for String {
    fn from(world: WorldChoice) -> Self {
        world.to_string()
    }
}

impl TryFrom<String> for WorldChoice {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let points = (2..=Self::MOST_DIMS).map(|dims| Self::Point { dims });
        let mut others = points.chain([Self::Own]);
        if let Some(other) = others.find(|other| other.to_string() == name) {
            return Ok(other);
        }
        let world = name.parse::<WorldName>();
        world
            .map(Self::Mujoco)
            .map_err(|error: UnknownWorld| format!("{error}, point-2d … point-6d"))
    }
}

/// A world with everything that training needs of it.
pub(crate) struct Ground {
    pub(crate) field: Field,
    pub(crate) distance: DistanceSource,
    pub(crate) source: Box<dyn EpisodeSource>,
    pub(crate) meter: Meter,
}

impl Ground {
    /// Builds the world of a spec, once per thread.
    pub(crate) fn new(spec: &RunSpec, threads: usize) -> Result<Self> {
        match spec.world {
            WorldChoice::Mujoco(name) => Self::of_mujoco(name, spec, threads),
            WorldChoice::Point { dims } => Self::of_point(dims, spec, threads),
            WorldChoice::Own => {
                bail!("the world \"own\" is stepped from Python: see the class Isochrone there")
            }
        }
    }

    fn of_mujoco(name: WorldName, spec: &RunSpec, threads: usize) -> Result<Self> {
        let world = name.build()?;
        let arena = world.arena().cloned();
        let is_feasible: Feasibility = Arc::new(move |goal| {
            let place = [0, 1].map(|k| goal.get(k).map_or(f64::NAN, |x| f64::from(*x)));
            arena.as_ref().is_none_or(|arena| arena.is_feasible(place))
        });
        let (field, meter) = (field_of(&world, spec)?, Meter::default());
        let (sees, goals) = seen_of(&world, &field, spec)?;
        let make = || Timed::new(world.clone(), meter.clone());
        Ok(Self {
            distance: distance(spec, sees, goals, is_feasible),
            field,
            source: Box::new(Threads::new(threads, make)),
            meter,
        })
    }

    fn of_point(dims: usize, spec: &RunSpec, threads: usize) -> Result<Self> {
        let bounds_m = point_bounds_m(dims);
        let world = Normalised::new(Point::new(bounds_m.clone()));
        let observation = world.observation_spec();
        let narrow: Vec<f32> = bounds_m.iter().map(|x| *x as f32).collect();
        let feasible = GoalRange::new(vec![0.0; dims], narrow)?;
        let mut rng = EVALUATION_GOALS.stream(Purpose::Evaluate, u64::MAX, dims as u64);
        let field = Field {
            action: world.action_spec(),
            space: GoalSpace::entries(&(0..dims).collect::<Vec<_>>(), &observation)?,
            proposals: Proposals::whole(dims),
            range: GoalRange::new(vec![0.0; dims], vec![POINT_RANGE_M; dims])?,
            measured: Vec::new(),
            place: (0..dims).collect(),
            coverage_goals: (0..POINT_GOALS)
                .map(|_| feasible.sample(&mut rng))
                .collect(),
            observation,
        };
        let meter = Meter::default();
        let make = || Timed::new(world.clone(), meter.clone());
        let is_feasible: Feasibility = Arc::new(move |goal| feasible.contains(goal));
        let (sees, goals) = (field.space.clone(), Proposals::whole(dims));
        Ok(Self {
            distance: distance(spec, sees, goals, is_feasible),
            field,
            source: Box::new(Threads::new(threads, make)),
            meter,
        })
    }
}

/// The places that coverage is measured on.
pub(crate) fn coverage_places(spec: &RunSpec) -> Result<Vec<Vec<f32>>> {
    Ok(places(&Ground::new(spec, 1)?.field))
}

/// Where the goals of coverage are.
pub(crate) fn places(field: &Field) -> Vec<Vec<f32>> {
    let place = |goal: &Vec<f32>| field.place.iter().map(|&entry| goal[entry]).collect();
    field.coverage_goals.iter().map(place).collect()
}

/// The reference's box: narrow, wide, and then very narrow, so that few of the goals in the range can be.
fn point_bounds_m(dims: usize) -> Vec<f64> {
    let bounds = [1.0, 5.0].into_iter().chain(std::iter::repeat(0.3));
    bounds.take(dims).collect()
}

/// Goals of a point lie within this of the origin, along every axis …
const POINT_RANGE_M: f32 = 5.0;
/// … and coverage is measured on so many that can be,
const POINT_GOALS: usize = 200;
/// the same for every run, whatever its seed: their stream is that of an iteration that no run has.
const EVALUATION_GOALS: Seed = Seed(0);

fn distance(
    spec: &RunSpec,
    sees: GoalSpace,
    goals: Proposals,
    is_feasible: Feasibility,
) -> DistanceSource {
    if let Some(predictor) = spec.predictor(sees, goals) {
        return DistanceSource::Learned(Box::new(predictor));
    }
    DistanceSource::Given(match spec.feasible_goals {
        FeasibleGoals::Any => Arc::new(Euclidean),
        FeasibleGoals::OnlyFeasible => Arc::new(FeasibleEuclidean::new(is_feasible)),
    })
}

/// What a predictor sees of states, and how goals become such states.
fn seen_of(world: &World, field: &Field, spec: &RunSpec) -> Result<(GoalSpace, Proposals)> {
    let are_places = spec.goal_space == GoalSpaceName::Xy;
    Ok(match spec.predictor_sees {
        Sees::WholeState if are_places => (world.full_state_space()?, world.standing_proposals()?),
        Sees::GoalSpace | Sees::WholeState => {
            (field.space.clone(), Proposals::whole(field.space.dims()))
        }
    })
}

fn field_of(world: &World, spec: &RunSpec) -> Result<Field> {
    let goals = world.coverage_goals_m().into_iter();
    let goals = goals.map(|goal| goal.map(|x| x as f32));
    let (observation, action) = (world.observation_spec(), world.action_spec());
    let range = world.goal_range()?;
    if spec.goal_space == GoalSpaceName::Xy {
        return Ok(Field {
            space: world.xy_space().context("this world has no places")?,
            proposals: Proposals::whole(2),
            range,
            measured: Vec::new(),
            place: vec![0, 1],
            coverage_goals: goals.map(|goal| goal.to_vec()).collect(),
            observation,
            action,
        });
    }
    let proposals = world.state_proposals()?;
    // Nobody knows how fast things may be asked to be.
    let measured: Vec<usize> = (range.centre().len()..proposals.dims()).collect();
    let widened = |side: &[f32]| [side, &vec![0.0; measured.len()]].concat();
    Ok(Field {
        space: world.full_state_space()?,
        range: GoalRange::new(widened(range.centre()), widened(range.half_width()))?,
        proposals,
        measured,
        place: world.place_entries().to_vec(),
        coverage_goals: goals.map(|goal| world.state_at(goal)).collect(),
        observation,
        action,
    })
}
