//! Patterns → files, in a fixed order.

use super::error::DataError;
use super::lerobot;
use std::fs;
use std::path::{Path, PathBuf};

/// How a file is stored, as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Columns with LeRobot's names.
    Parquet,
    /// Arrays with OGBench's names.
    Npz,
    /// Text with a header.
    Csv,
}

impl Format {
    /// By the ending of the name.
    pub fn of(file: &Path) -> Result<Self, DataError> {
        let ending = file.extension().and_then(|ending| ending.to_str());
        match ending.unwrap_or_default().to_ascii_lowercase().as_str() {
            "parquet" => Ok(Self::Parquet),
            "npz" => Ok(Self::Npz),
            "csv" => Ok(Self::Csv),
            _ => Err(DataError::UnknownEnding {
                file: file.to_owned(),
            }),
        }
    }

    /// For messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet",
            Self::Npz => "npz",
            Self::Csv => "CSV",
        }
    }
}

/// The files of all patterns: those of one pattern in the order of their names, patterns in the order given.
/// What exists under a pattern's very name is meant, brackets and all; a LeRobot folder means its data files.
pub(super) fn expand(patterns: &[String]) -> Result<Vec<PathBuf>, DataError> {
    let mut files = Vec::new();
    for pattern in patterns {
        let file = PathBuf::from(pattern);
        if lerobot::is_data_set(&file) {
            files.extend(match matches(&lerobot::data_files(&file)) {
                // The pattern as a person would write it.
                Err(DataError::NoMatch { .. }) => Err(DataError::NoMatch {
                    pattern: lerobot::shown_data_files(&file),
                }),
                found => found,
            }?);
        } else if file.exists() {
            files.push(file);
        } else {
            files.extend(matches(pattern)?);
        }
    }
    check(&files)?;
    Ok(files)
}

fn matches(pattern: &str) -> Result<Vec<PathBuf>, DataError> {
    let bad = |reason: &str| DataError::BadPattern {
        pattern: pattern.to_owned(),
        reason: reason.to_owned(),
    };
    let found = glob::glob(pattern).map_err(|error| bad(error.msg))?;
    let mut files = Vec::new();
    for file in found {
        files.push(file.map_err(|error| DataError::Unreadable {
            file: error.path().to_owned(),
            source: error.into(),
        })?);
    }
    if files.is_empty() {
        return Err(DataError::NoMatch {
            pattern: pattern.to_owned(),
        });
    }
    files.sort();
    Ok(files)
}

fn check(files: &[PathBuf]) -> Result<(), DataError> {
    if files.is_empty() {
        return Err(DataError::NoFiles);
    }
    let mut seen = std::collections::BTreeSet::new();
    for file in files {
        if file.is_dir() {
            return Err(DataError::Folder {
                file: file.clone(),
                pattern: pattern_in(file),
            });
        }
        Format::of(file)?;
        let real = fs::canonicalize(file).unwrap_or_else(|_| file.clone());
        if !seen.insert(real) {
            return Err(DataError::Twice { file: file.clone() });
        }
    }
    Ok(())
}

/// A pattern that finds data files in a folder.
fn pattern_in(folder: &Path) -> Option<String> {
    const PLACES: [&str; 4] = ["*", "*/*", "data/*", "data/*/*"];
    let patterns = PLACES
        .into_iter()
        .flat_map(|place| ["parquet", "npz", "csv"].map(|ending| format!("{place}.{ending}")));
    let escaped = glob::Pattern::escape(&folder.display().to_string());
    let mut patterns = patterns.filter(|pattern| matches(&format!("{escaped}/{pattern}")).is_ok());
    let found = patterns.next()?;
    Some(folder.join(found).display().to_string())
}
