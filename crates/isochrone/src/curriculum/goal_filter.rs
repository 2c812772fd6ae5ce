//! Which proposed goals are tried.

use super::{Archive, CurriculumError, refuse};
use serde::{Deserialize, Serialize};

/// Drops infeasible proposals.
///
/// The archive keeps the states that the policy visits. A goal far from all of them is inside a wall, outside the room, or too
/// hard for the policy as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum GoalFilter {
    /// All are tried. (With braces, because serde ignores unknown keys of unit variants.)
    Off {},
    /// Only those near an archived state.
    NearVisited {
        /// The largest Euclidean distance from it.
        radius_m: f64,
    },
}

impl Default for GoalFilter {
    fn default() -> Self {
        Self::Off {}
    }
}

impl GoalFilter {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), CurriculumError> {
        match self {
            Self::NearVisited { radius_m } if !(radius_m.is_finite() && *radius_m > 0.0) => {
                refuse("radius_m", *radius_m, "finite and above 0")
            }
            Self::Off {} | Self::NearVisited { .. } => Ok(()),
        }
    }

    /// Whether a proposal is tried. Nothing is known while the archive is empty.
    pub fn keeps(&self, proposal: &[f32], archive: &Archive) -> bool {
        match self {
            Self::NearVisited { radius_m } if !archive.is_empty() => {
                archive.is_within(proposal, *radius_m)
            }
            Self::Off {} | Self::NearVisited { .. } => true,
        }
    }
}
