//! What to do about data that cannot be read. The error states the fact; how columns are named depends on the interface.

use super::error::DataError;
use std::path::Path;

/// Where the user names files and columns: the command line or Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// The command.
    Shell,
    /// `import isochrone`.
    Python,
}

impl Interface {
    /// An error in one sentence, with what to do next if it is about data and does not say so itself.
    pub fn explain(self, error: &anyhow::Error) -> String {
        let of_data = error.downcast_ref::<DataError>();
        match of_data.and_then(|error| self.advice(error)) {
            Some(advice) => format!("{error:#}; {advice}"),
            None => format!("{error:#}"),
        }
    }

    fn advice(self, error: &DataError) -> Option<&'static str> {
        match (error, self) {
            (DataError::NoColumn { .. }, Self::Shell) => Some(
                "name the states with --state, for example --state x,y, and the episode index with --episode",
            ),
            (DataError::NoColumn { .. }, Self::Python) => Some(
                "name the states with state=, for example state=[\"x\", \"y\"], and the episode index with episode=",
            ),
            (DataError::UnknownEnding { file }, _) if is_hdf5(file) => Some(
                "Python reads HDF5: isochrone.data.from_minari(name) Minari's data sets, isochrone.data.from_d4rl(file) D4RL's files",
            ),
            _ => None,
        }
    }
}

fn is_hdf5(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("hdf5" | "h5"))
}
