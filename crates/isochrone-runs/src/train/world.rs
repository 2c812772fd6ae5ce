//! Worlds to train in: by name, with all that the loop must know of them.

#[cfg(feature = "worlds")]
mod mujoco;

use super::meter::{Meter, Timed};
use anyhow::{Result, bail};
use isochrone::env::Environment;
use isochrone::env::normalised::Normalised;
use isochrone::env::point::Point;
use isochrone::goal::{GoalRange, GoalSpace, Proposals};
use isochrone::rng::{Purpose, Seed};
use isochrone::rollout::{EpisodeSource, Threads};
use isochrone::train::{GoalDistance, GoalSetup, PredictorInput};
use isochrone_files::run_spec::{GoalSpaceName, RunSpec};
#[cfg(feature = "worlds")]
use isochrone_mujoco::WorldName;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A world by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldChoice {
    /// One of the MuJoCo worlds.
    #[cfg(feature = "worlds")]
    Mujoco(WorldName),
    /// A point in a box of so many dimensions.
    Point {
        /// 2 … 6.
        dims: usize,
    },
    /// An environment of the user's own, stepped from Python or Rust.
    Own,
}

impl WorldChoice {
    /// Of a point.
    pub const MOST_DIMS: usize = 6;

    /// The MuJoCo world, if it is one.
    #[cfg(feature = "worlds")]
    pub const fn mujoco(self) -> Option<WorldName> {
        match self {
            Self::Mujoco(name) => Some(name),
            Self::Point { .. } | Self::Own => None,
        }
    }

    #[cfg(feature = "worlds")]
    fn simulated(name: &str) -> Result<Self, String> {
        let world = name.parse::<WorldName>();
        let world = world.map(Self::Mujoco);
        world.map_err(|error| format!("{error}, point-2d … point-6d"))
    }

    #[cfg(not(feature = "worlds"))]
    fn simulated(name: &str) -> Result<Self, String> {
        Err(format!(
            "there is no world {name:?} in this build, which is without MuJoCo; there are point-2d … point-6d"
        ))
    }

    /// Whether goals can be whole states there.
    const fn has_whole_states(self) -> bool {
        !matches!(self, Self::Point { .. } | Self::Own)
    }

    /// Refuses settings that this world cannot have.
    pub(super) fn check(self, spec: &RunSpec) -> Result<()> {
        let is_full = spec.goal_space != GoalSpaceName::Xy;
        if is_full && !self.has_whole_states() {
            let name = spec.goal_space.as_str();
            bail!("goal_space is {name:?}, which needs a MuJoCo world; the world is {self}");
        }
        let distance = &spec.agent.distance;
        if is_full && matches!(distance, GoalDistance::Euclidean { .. }) {
            let name = spec.goal_space.as_str();
            bail!(
                "goal_space is {name:?}, and a Euclidean distance cannot add metres and metres per second; set \
                 distance=off_policy or distance=on_policy"
            );
        }
        let input = distance.predictor().map(|predictor| predictor.input);
        if input == Some(PredictorInput::WholeState) && !self.has_whole_states() {
            bail!(
                "distance.input is \"whole_state\", which needs a MuJoCo world; the world is {self}"
            );
        }
        Ok(())
    }
}

impl fmt::Display for WorldChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "worlds")]
            Self::Mujoco(name) => name.fmt(f),
            Self::Point { dims } => write!(f, "point-{dims}d"),
            Self::Own => f.write_str("own"),
        }
    }
}

impl FromStr for WorldChoice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let points = (2..=Self::MOST_DIMS).map(|dims| Self::Point { dims });
        let mut others = points.chain([Self::Own]);
        let other = others.find(|other| other.to_string() == name);
        other.map_or_else(|| Self::simulated(name), Ok)
    }
}

/// The world of a spec.
pub fn world_of(spec: &RunSpec) -> Result<WorldChoice> {
    spec.world.parse().map_err(anyhow::Error::msg)
}

/// A world with everything that training needs of it.
pub struct BuiltWorld {
    /// What goals are about.
    pub setup: GoalSetup,
    /// Rolls out episodes.
    pub source: Box<dyn EpisodeSource>,
    /// Times its physics.
    pub meter: Meter,
}

impl fmt::Debug for BuiltWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltWorld")
            .field("setup", &self.setup)
            .finish_non_exhaustive()
    }
}

impl BuiltWorld {
    /// Builds the world of a spec, once per thread.
    pub fn new(spec: &RunSpec, threads: usize) -> Result<Self> {
        let world = world_of(spec)?;
        world.check(spec)?;
        match world {
            #[cfg(feature = "worlds")]
            WorldChoice::Mujoco(name) => mujoco::build(name, spec.goal_space, threads),
            WorldChoice::Point { dims } => Self::of_point(dims, threads),
            WorldChoice::Own => {
                bail!("the world \"own\" is stepped from Python: see the class Isochrone there")
            }
        }
    }

    /// A MuJoCo world by its name.
    #[cfg(feature = "worlds")]
    pub fn of_world(name: WorldName, goals: GoalSpaceName, threads: usize) -> Result<Self> {
        mujoco::build(name, goals, threads)
    }

    fn of_point(dims: usize, threads: usize) -> Result<Self> {
        let bounds_m = point_bounds_m(dims);
        let world = Normalised::new(Point::new(bounds_m.clone()));
        let observation = world.observation_spec();
        let narrow: Vec<f32> = bounds_m.iter().map(|x| *x as f32).collect();
        let feasible = GoalRange::new(vec![0.0; dims], narrow)?;
        let mut rng = EVALUATION_GOALS.stream(Purpose::Evaluate, u64::MAX, dims as u64);
        let coverage_goals = (0..POINT_GOALS).map(|_| feasible.sample(&mut rng));
        let setup = GoalSetup {
            action: world.action_spec(),
            space: GoalSpace::entries(&(0..dims).collect::<Vec<_>>(), &observation)?,
            proposals: Proposals::whole(dims),
            range: GoalRange::new(vec![0.0; dims], vec![POINT_RANGE_M; dims])?,
            measured: Vec::new(),
            place: (0..dims).collect(),
            coverage_goals: coverage_goals.collect(),
            whole_state: None,
            is_feasible: Some(Arc::new(move |goal| feasible.contains(goal))),
            observation,
        };
        let meter = Meter::default();
        let make = || Timed::new(world.clone(), meter.clone());
        Ok(Self {
            setup,
            source: Box::new(Threads::new(threads, make)),
            meter,
        })
    }
}

/// The places that coverage is measured on.
pub fn coverage_places(spec: &RunSpec) -> Result<Vec<Vec<f32>>> {
    Ok(places(&BuiltWorld::new(spec, 1)?.setup))
}

/// Where the goals of coverage are.
pub fn places(setup: &GoalSetup) -> Vec<Vec<f32>> {
    let place = |goal: &Vec<f32>| setup.place.iter().map(|&entry| goal[entry]).collect();
    setup.coverage_goals.iter().map(place).collect()
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
