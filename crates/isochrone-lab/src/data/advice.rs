//! What to do about data that cannot be read. The error tells the fact; how columns are named depends on who asks.

use super::error::DataError;
use std::path::Path;

/// Where somebody names files and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// The command.
    Shell,
    /// `import isochrone`.
    Python,
}

impl DataError {
    /// What to do next; nothing where the fact says it.
    pub const fn advice(&self, door: Door) -> Option<&'static str> {
        match (self, door) {
            (Self::NoColumn { .. }, Door::Shell) => Some(
                "name the states with --state, for example --state x,y, and what tells episodes apart with --episode",
            ),
            (Self::NoColumn { .. }, Door::Python) => Some(
                "name the states with state=, for example state=[\"x\", \"y\"], and what tells episodes apart with episode=",
            ),
            _ => None,
        }
    }
}

/// Who reads files that `fit` does not.
pub(super) fn reader(file: &Path) -> &'static str {
    let ending = file.extension().and_then(|ending| ending.to_str());
    match ending {
        Some("hdf5" | "h5") => {
            "; Python reads HDF5: isochrone.data.from_minari(name) Minari's data sets, isochrone.data.from_d4rl(file) D4RL's files"
        }
        _ => "",
    }
}
