//! A finished distance in its file.

use super::container::{Contents, Kind};
use super::error::ModelError;
use super::far::Ranges;
use super::trust::{AtZero, WithinEpisodes};
use crate::data::{Columns, DataSource};
use crate::held_out::HeldOut;
use crate::output;
use anyhow::{Context, Result, bail};
use isochrone::distance::Learned;
use isochrone::embedding::{DistanceSpec, Objective};
use isochrone::env::Dtype;
use isochrone::nn::NamedArray;
use isochrone::pairs::{Sampler, Target};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A distance with all that is known of it.
#[derive(Clone, Debug)]
pub struct DistanceModel {
    /// The distance itself.
    pub distance: Learned,
    /// What its header says.
    pub about: About,
    /// What the distance is made of.
    pub arrays: Vec<NamedArray>,
    /// Steps per unit of the network.
    pub scale_steps: f64,
    /// The range of each entry in the data, if they are known.
    pub(super) ranges: Option<Ranges>,
}

/// What the header says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// What was learned, and how.
    pub spec: DistanceSpec,
    /// Where its states stood in the data.
    pub states: StateColumns,
    /// How it came about.
    pub training: TrainingFacts,
    /// How it did on episodes that it had not seen; absent if there were none.
    pub calibration: Option<Calibrated>,
}

/// Where states stand in a file; the format's own names where empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateColumns {
    /// The states' columns.
    pub state: Vec<String>,
    /// What tells episodes apart.
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

/// How a distance came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingFacts {
    /// The files, in reading order.
    pub files: Vec<FileFacts>,
    /// Episodes learned from; 0 of an agent's distance, which does not count them.
    pub episodes: u64,
    /// Steps between their states; of an agent's distance all steps of the environment, learned from or not.
    pub transitions: u64,
    /// Episodes kept aside.
    pub held_out_episodes: u64,
    /// Which those are.
    pub held_out: HeldOut,
    /// Times all data were gone through; of an agent's distance its epochs, each on other data.
    pub passes: u64,
    /// Steps of Adam.
    pub updates: u64,
    /// The root of all randomness.
    pub seed: u64,
}

/// A file that was learned from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileFacts {
    /// Its name, without folders.
    pub name: String,
    /// What tells it from others ([`fingerprint`](crate::fingerprint::fingerprint)).
    pub fingerprint: String,
    /// The number of its first episode.
    pub first_episode: u64,
}

/// Predicted against seen steps on episodes that were kept aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrated {
    /// Pairs of states compared.
    pub pairs: u64,
    /// Pairs whose episode ended before the goal was met.
    pub censored: u64,
    /// Mean of |seen − predicted| over bands, in steps; absent if too few goals were met to say.
    pub error_steps: Option<f64>,
    /// Rank correlation of predicted with seen steps; absent if either never changes.
    pub spearman: Option<f64>,
    /// By prediction, smallest first.
    pub bands: Vec<CalibratedBand>,
    /// How it orders the frames of an episode; absent in files from before this was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_episodes: Option<WithinEpisodes>,
    /// Different states at distance 0; likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_zero: Option<AtZero>,
}

/// Pairs of similar prediction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedBand {
    /// How many.
    pub pairs: u64,
    /// Those whose episode ended before the goal was met.
    pub censored: u64,
    /// Mean predicted steps.
    pub predicted_steps: f64,
    /// Mean seen steps; pairs not met count for as long as they were watched.
    pub seen_steps: f64,
}

impl DistanceModel {
    /// Puts a distance together; refused if the arrays are not those of the spec.
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
        })
    }

    /// Are these the states it is for?
    pub fn check_width(&self, source: &DataSource) -> Result<()> {
        let (got, expected) = (source.spec().len(), self.distance.inputs());
        if source.spec().dtype != Dtype::F32 {
            bail!("the states are images; this distance is for {expected} numbers");
        }
        if got != expected {
            bail!("the states have {got} entries, the distance is for states of {expected}");
        }
        Ok(())
    }

    /// What its steps mean; `None` of a distance that was not fitted to steps.
    pub const fn target(&self) -> Option<Target> {
        match self.about.spec.objective {
            Objective::Regression { target, .. } => Some(target),
            Objective::GraphDrawing { .. } => None,
        }
    }

    /// How its pairs were drawn.
    pub const fn sampler(&self) -> Option<Sampler> {
        match self.about.spec.objective {
            Objective::Regression { sampler, .. } => Some(sampler),
            Objective::GraphDrawing { .. } => None,
        }
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

    fn of_contents(mut contents: Contents<About>, file: &Path) -> Result<Self, ModelError> {
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
