//! Targets by their names in commands and files.

use serde::{Deserialize, Serialize};

/// What is learned from: see [`Target`](isochrone::pairs::Target).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum TargetName {
    /// The paper's: mean steps until a state is met, given that it is met within the window
    Window,
    /// The same until a ball of --radius round it is entered, given that it is within the episode
    FirstPassage,
    /// Mean steps until a ball of --radius is entered, however long that takes
    Bootstrapped,
    /// Fewest steps between any two states: shortest routes on a roadmap, regressed by one network
    Geodesic,
    /// Not steps: Wu, Tucker and Nachum's Laplacian representation, to compare with
    GraphDrawing,
}
