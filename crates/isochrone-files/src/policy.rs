//! A cloned policy in its file.

use crate::model::{Contents, FileFacts, Kind, ModelError, StateColumns};
use crate::output;
use anyhow::{Context, Result};
use isochrone::cloning::{ClonedPolicy, CloningSpec};
use isochrone::nn::{NamedArray, NamedArrayError};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A policy with all that is known of it.
#[derive(Clone, Debug)]
pub struct PolicyModel {
    /// The policy itself.
    pub policy: ClonedPolicy,
    /// What its header says.
    pub about: PolicyAbout,
    /// What the policy is made of.
    pub arrays: Vec<NamedArray>,
}

/// What the header says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyAbout {
    /// What was cloned, and how.
    pub spec: CloningSpec,
    /// Where its states stood in the data.
    pub states: StateColumns,
    /// Where its actions stood; the format's own name if absent.
    pub action: Option<String>,
    /// The files, in reading order.
    pub files: Vec<FileFacts>,
    /// Steps learned from.
    pub steps: u64,
    /// The root of all randomness.
    pub seed: u64,
    /// The mean squared error over the last updates, per entry of an action.
    pub error: f64,
}

impl PolicyModel {
    /// Puts a policy together; refused if the arrays are not those of the spec.
    pub fn new(about: PolicyAbout, arrays: Vec<NamedArray>) -> Result<Self, NamedArrayError> {
        Ok(Self {
            policy: ClonedPolicy::of_arrays(&about.spec, &arrays)?,
            about,
            arrays,
        })
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let contents = Contents {
            kind: Kind::Policy,
            about: &self.about,
            arrays: self.arrays.clone(),
        };
        contents
            .to_bytes()
            .context("cannot put the policy together")
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, file: &Path) -> Result<()> {
        output::write(file, &self.to_bytes()?)
    }

    /// Reads a file.
    pub fn read(file: &Path) -> Result<Self, ModelError> {
        Self::of_contents(Contents::read(file, Kind::Policy)?, file)
    }

    /// The same from bytes; `file` is for the errors.
    pub fn of_bytes(bytes: &[u8], file: &Path) -> Result<Self, ModelError> {
        Self::of_contents(Contents::of_bytes(bytes, file, Kind::Policy)?, file)
    }

    fn of_contents(contents: Contents<PolicyAbout>, file: &Path) -> Result<Self, ModelError> {
        let checked = contents.about.spec.check();
        checked.map_err(|error| ModelError::Header {
            file: file.to_owned(),
            reason: error.to_string(),
        })?;
        Self::new(contents.about, contents.arrays).map_err(|error| ModelError::Arrays {
            file: file.to_owned(),
            error,
        })
    }
}
