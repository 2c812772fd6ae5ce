//! A distance in a model file.

use super::container::{Contents, Kind};
use super::error::ModelError;
use super::far::Ranges;
use super::learned_episodes::EpisodeMarks;
use super::reached::ReachedTest;
use super::trust::{AtZero, WithinEpisodes};
use crate::data::{Columns, DataSource};
use crate::held_out::HeldOut;
use crate::output;
use anyhow::{Context, Result, bail};
use isochrone::distance::Learned;
use isochrone::embedding::DistanceSpec;
use isochrone::evaluate::StepsToGoCurve;
use isochrone::nn::NamedArray;
use isochrone::pairs::{Sampler, Target};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

/// A distance with its metadata.
#[derive(Clone, Debug)]
pub struct DistanceModel {
    /// The distance itself.
    pub distance: Learned,
    /// Its metadata.
    pub about: About,
    /// Its arrays.
    pub arrays: Vec<NamedArray>,
    /// Steps per unit of the network.
    pub scale_steps: f64,
    /// The range of each entry in the data, if they are known.
    pub(super) ranges: Option<Ranges>,
    /// The embedded goals of its success test, filled at the first test: goals are embedded once.
    pub(super) reached_points: OnceLock<Vec<f32>>,
}

/// The metadata of a distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Its spec.
    pub spec: DistanceSpec,
    /// Columns of the states in the data.
    pub states: StateColumns,
    /// Its training data.
    pub training: TrainingFacts,
    /// Calibration on held-out episodes; absent if there were none.
    pub calibration: Option<Calibrated>,
    /// The success test; absent until goals are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<ReachedTest>,
}

/// Columns of states and episodes in a file; the format's default names where empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateColumns {
    /// Columns of the states.
    pub state: Vec<String>,
    /// Column of the episode index.
    pub episode: Option<String>,
}

impl StateColumns {
    /// For a reader.
    pub fn columns(&self) -> Columns {
        Columns {
            state: self.state.clone(),
            episode: self.episode.clone(),
            ..Columns::default()
        }
    }
}

/// Training data of a distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingFacts {
    /// The files, in reading order.
    pub files: Vec<FileFacts>,
    /// Episodes learned from; 0 of an agent's distance, which does not count them.
    pub episodes: u64,
    /// Steps between their states; of an agent's distance all steps of the environment, learned from or not.
    pub transitions: u64,
    /// Held-out episodes.
    pub held_out_episodes: u64,
    /// How held-out episodes were chosen.
    pub held_out: HeldOut,
    /// Held-out episodes with a copy among those learned from: nothing is measured by them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub copies: BTreeSet<u64>,
    /// Passes over the data; for an agent's distance its epochs, each on other data.
    pub passes: u64,
    /// Steps of Adam.
    pub updates: u64,
    /// Seed of all random streams.
    pub seed: u64,
    /// Marks of the episodes learned from. Absent in older files and in the distances of agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<EpisodeMarks>,
    /// What older files have in its place; not used.
    #[serde(default, skip_serializing)]
    pub first_states: Option<String>,
}

impl TrainingFacts {
    /// Whether an episode, by its number in the training data, was held out, and no copy of it was learned from.
    pub fn is_unseen(&self, episode: u64) -> bool {
        self.held_out.contains(episode) && !self.copies.contains(&episode)
    }

    /// Number of held-out episodes of which no copy was learned from.
    pub fn unseen_episodes(&self) -> u64 {
        (self.held_out_episodes).saturating_sub(self.copies.len() as u64)
    }
}

/// A training file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileFacts {
    /// Its name, without folders.
    pub name: String,
    /// Its fingerprint ([`fingerprint`](crate::fingerprint::fingerprint)).
    pub fingerprint: String,
    /// The number of its first episode.
    pub first_episode: u64,
}

/// Predicted against observed steps on held-out episodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrated {
    /// Pairs of states compared.
    pub pairs: u64,
    /// Pairs whose episode ended before the goal was reached (censored).
    pub censored: u64,
    /// Mean of |observed − predicted| over bins, in steps; absent if too few goals were reached.
    pub error_steps: Option<f64>,
    /// That, relative to the mean observed steps of the same bins. Present only with censored pairs, where these are not all
    /// bins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
    /// Rank correlation of predicted with observed steps; absent if either is constant.
    pub spearman: Option<f64>,
    /// Bins by prediction, smallest first.
    pub bands: Vec<CalibratedBand>,
    /// Rank correlations within episodes; absent in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_episodes: Option<WithinEpisodes>,
    /// Different states at distance 0; absent in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_zero: Option<AtZero>,
    /// From the distance to an episode's end to the steps left; absent in older files, or with too few episodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps_to_go: Option<StepsToGoCurve>,
}

/// Pairs of similar prediction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedBand {
    /// Number of pairs.
    pub pairs: u64,
    /// Pairs whose episode ended before the goal was reached (censored).
    pub censored: u64,
    /// Mean predicted steps.
    pub predicted_steps: f64,
    /// Mean observed steps; censored pairs count with the steps observed.
    pub seen_steps: f64,
}

impl DistanceModel {
    /// Builds a distance; an error if the arrays do not match the spec.
    pub fn new(
        about: About,
        arrays: Vec<NamedArray>,
        scale_steps: f64,
    ) -> Result<Self, isochrone::nn::NamedArrayError> {
        Ok(Self {
            distance: Learned::of_arrays(&about.spec, &arrays, scale_steps)?,
            ranges: Ranges::of_arrays(&arrays, about.spec.encoder.inputs)?,
            about,
            arrays,
            scale_steps,
            reached_points: OnceLock::new(),
        })
    }

    /// Checks the width of states.
    pub fn check_width(&self, source: &DataSource) -> Result<()> {
        let (got, expected) = (source.spec().len(), self.distance.inputs());
        if got != expected {
            bail!(
                "the states have {got} entries, the distance is for states of {expected}; fit a distance to these logs, or give the \
                 logs that it was fitted to"
            );
        }
        Ok(())
    }

    /// The target that its steps estimate; `None` for a distance that was not fitted to steps.
    pub const fn target(&self) -> Option<Target> {
        self.about.spec.objective.target()
    }

    /// The sampler of its pairs.
    pub const fn sampler(&self) -> Option<Sampler> {
        self.about.spec.objective.sampler()
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let contents = Contents {
            kind: Kind::Distance,
            about: &self.about,
            arrays: (self.arrays.iter().cloned())
                .chain([NamedArray::number("scale", self.scale_steps)])
                .collect(),
        };
        contents.to_bytes().context("cannot put the model together")
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, file: &Path) -> Result<()> {
        output::write(file, &self.to_bytes()?)
    }

    /// Reads a file.
    pub fn read(file: &Path) -> Result<Self, ModelError> {
        Self::of_contents(Contents::read(file, Kind::Distance)?, file)
    }

    /// The same from bytes; `file` is for the errors.
    pub fn of_bytes(bytes: &[u8], file: &Path) -> Result<Self, ModelError> {
        Self::of_contents(Contents::of_bytes(bytes, file, Kind::Distance)?, file)
    }

    pub(crate) fn of_contents(
        mut contents: Contents<About>,
        file: &Path,
    ) -> Result<Self, ModelError> {
        let scale_steps = contents.take_number("scale", file)?;
        if !(scale_steps > 0.0 && scale_steps.is_finite()) {
            return Err(ModelError::Header {
                file: file.to_owned(),
                reason: format!("its scale is {scale_steps}"),
            });
        }
        let spec = contents.about.spec.check();
        spec.map_err(|error| ModelError::Spec {
            file: file.to_owned(),
            error,
        })?;
        Self::new(contents.about, contents.arrays, scale_steps).map_err(|error| {
            ModelError::Arrays {
                file: file.to_owned(),
                error,
            }
        })
    }
}
