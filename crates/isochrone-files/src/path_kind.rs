//! Recognises models, data and run folders; an error says what a path is and what to type instead.

use crate::data::Format;
use crate::model::{self, DistanceModel, ModelError};
use crate::run_folder::{MANIFEST, read_manifest};
use anyhow::{Result, anyhow, bail};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The kind of a file or folder that a command was given.
enum PathKind {
    Missing,
    /// The folder of a fit, and the model that it writes.
    Fit {
        model: PathBuf,
    },
    /// The folder of a training.
    Training,
    /// A folder with folders of trainings in it.
    Trainings(usize),
    /// Trajectories.
    Data,
    /// A file that ends as models do.
    Model,
    Other,
}

impl PathKind {
    fn of(path: &Path) -> Self {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if !path.exists() {
            Self::Missing
        } else if path.is_file() {
            match ending {
                Some(model::ENDING) => Self::Model,
                _ if Format::of(path).is_ok() => Self::Data,
                _ => Self::Other,
            }
        } else if let Some(model) = model_of_fit(path) {
            Self::Fit { model }
        } else if is_training(path) {
            Self::Training
        } else {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            match entries.filter(|entry| is_training(&entry.path())).count() {
                0 => Self::Other,
                trainings => Self::Trainings(trainings),
            }
        }
    }
}

/// What only the manifest of a fit has.
#[derive(Deserialize)]
struct FitManifest {
    /// The model that it writes.
    output: PathBuf,
}

/// What only the manifest of a training has.
#[derive(Deserialize)]
struct TrainingManifest {
    #[serde(rename = "made_from")]
    _made_from: String,
}

fn model_of_fit(path: &Path) -> Option<PathBuf> {
    let manifest: FitManifest = read_manifest(path).ok()?;
    Some(manifest.output)
}

fn is_training(path: &Path) -> bool {
    read_manifest::<TrainingManifest>(path).is_ok()
}

/// Reads a model; for any other path the error says what it is and what to type instead.
pub fn model(path: &Path) -> Result<DistanceModel> {
    let error = match DistanceModel::read(path) {
        Ok(model) => return Ok(model),
        Err(error) => error,
    };
    let name = path.display();
    Err(match PathKind::of(path) {
        PathKind::Fit { model } if model.is_file() => anyhow!(
            "{name} is the folder of a fit; the model that it wrote is another file:\n  isochrone info {}",
            model.display()
        ),
        PathKind::Fit { .. } => anyhow!(
            "{name} is the folder of a fit that has written no model yet. Resume it:\n  isochrone fit --resume {name}"
        ),
        PathKind::Training => anyhow!(
            "{name} is the folder of a training, not a model file:\n  isochrone evaluate {name}\n  isochrone plot {name} -o \
             coverage.svg"
        ),
        PathKind::Trainings(_) => {
            anyhow!("{name} is a folder of trainings:\n  isochrone plot {name}/* -o coverage.svg")
        }
        PathKind::Data => anyhow!(
            "{name} holds data, not a model. Learn one from it:\n  isochrone fit {name} -o {}",
            path.with_extension(model::ENDING).display()
        ),
        PathKind::Model if matches!(error, ModelError::Kind { .. }) => anyhow!(
            "{error}; models are what `isochrone fit -o FILE` writes, checkpoints are read with the folder they are in"
        ),
        PathKind::Other if path.is_dir() => {
            anyhow!("{name} is a folder; name the model file that `isochrone fit -o FILE` wrote")
        }
        PathKind::Other => {
            anyhow!("{error}; name the model file that `isochrone fit -o FILE` wrote")
        }
        PathKind::Missing => {
            anyhow!("{name} does not exist; name the model file that `isochrone fit -o FILE` wrote")
        }
        PathKind::Model => error.into(),
    })
}

/// Checks that a path is the folder of a training; otherwise the error says what it is and what to type instead.
pub fn refuse_other_than_training(path: &Path) -> Result<()> {
    let name = path.display();
    match PathKind::of(path) {
        PathKind::Training => Ok(()),
        PathKind::Missing => bail!(
            "{name} does not exist; name the folder of a training, for example runs/point-mass-seed0"
        ),
        PathKind::Fit { model } => bail!(
            "{name} is the folder of a fit, not of a training; what it learned:\n  isochrone info {}",
            model.display()
        ),
        PathKind::Trainings(1) => {
            bail!("{name} is not a training; it holds one: name {name}/*")
        }
        PathKind::Trainings(n) => bail!(
            "{name} is not a training; it holds {n} of them: name one, or {name}/* where several are read"
        ),
        PathKind::Model => {
            bail!("{name} is a model file, not the folder of a training:\n  isochrone info {name}")
        }
        PathKind::Data => bail!("{name} holds data, not a training"),
        // The reader of the file reports its error.
        PathKind::Other if path.join(MANIFEST).is_file() => Ok(()),
        PathKind::Other => bail!("{name} is not the folder of a training: it has no {MANIFEST}"),
    }
}
