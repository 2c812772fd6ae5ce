//! Settings of the planner in training.

use crate::train::DistanceConfig;
use crate::train::spec::TrainingError;
use serde::{Deserialize, Serialize};

/// Whether the policy gets waypoints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PlannerSpec {
    /// None: the policy is given the goal itself. (With braces, because serde ignores unknown keys of unit variants.)
    Off {},
    /// Landmarks of a roadmap that grows during training.
    Waypoints(WaypointSpec),
}

impl Default for PlannerSpec {
    fn default() -> Self {
        Self::Off {}
    }
}

impl PlannerSpec {
    /// The settings of the waypoints; `None` without them.
    pub const fn waypoints(&self) -> Option<&WaypointSpec> {
        match self {
            Self::Off {} => None,
            Self::Waypoints(spec) => Some(spec),
        }
    }
}

/// Settings of the waypoints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaypointSpec {
    /// The most landmarks.
    pub landmarks: usize,
    /// The smallest distance between landmarks, in multiples of ε; it grows when there are too many.
    pub spacing: f64,
    /// The longest hop that a trajectory witnesses.
    pub hop_steps: usize,
    /// The most steps towards one waypoint.
    pub limit_steps: usize,
    /// Random actions after the policy's part of an episode: they find what lies beyond.
    pub tail_steps: usize,
    /// Where a trajectory must have been to witness a hop.
    pub region: WaypointRegion,
    /// Which trajectories witness hops.
    pub hops_from: HopsFrom,
}

/// Which trajectories witness hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HopsFrom {
    /// All so far, each in the distance of its time.
    History,
    /// Those that the distance learns from again, in the distance of the iteration's beginning, and those of the iteration. All so far
    /// where there is no replay.
    Replay,
}

/// Which states belong to a landmark when hops are witnessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaypointRegion {
    /// All that are nearest to it.
    Nearest,
    /// Of those, the ones from which it counts as reached.
    WithinEpsilon,
}

impl WaypointSpec {
    /// The same for a distance that may have no replay: then hops are those of all trajectories so far.
    pub(in crate::train) fn for_distance(&self, distance: &DistanceConfig) -> Self {
        let hops_from = match distance {
            DistanceConfig::Learned(predictor) if predictor.replay_states > 0 => self.hops_from,
            DistanceConfig::Learned(_) | DistanceConfig::Given(_) => HopsFrom::History,
        };
        Self { hops_from, ..*self }
    }

    /// Checks the ranges of all settings.
    pub(in crate::train) fn check(&self) -> Result<(), TrainingError> {
        const TENS: usize = 10_000_000;
        let counts = [
            ("planner.landmarks", self.landmarks, 2, 1_000_000),
            ("planner.hop_steps", self.hop_steps, 1, TENS),
            ("planner.limit_steps", self.limit_steps, 1, TENS),
            ("planner.tail_steps", self.tail_steps, 0, TENS),
        ];
        crate::train::spec::check_counts(&counts)?;
        if self.spacing.is_finite() && self.spacing > 0.0 {
            return Ok(());
        }
        Err(TrainingError::Setting {
            setting: "planner.spacing",
            value: self.spacing,
            rule: "finite and above 0",
        })
    }
}
