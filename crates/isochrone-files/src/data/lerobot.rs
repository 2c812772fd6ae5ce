//! LeRobot's folders: `meta/info.json` says what a data set is, `data/` has its rows.
//!
//! ```text
//! FOLDER/meta/info.json
//! FOLDER/data/chunk-000/file-000.parquet        v3: many episodes in a file
//! FOLDER/data/chunk-000/episode_000000.parquet  v2: one
//! ```

use super::error::DataError;
use std::fs;
use std::path::{Path, PathBuf};

/// Is it the folder of a data set?
pub(super) fn is_data_set(folder: &Path) -> bool {
    folder.join("meta").join("info.json").is_file()
}

/// Its data files, in the order of their names.
pub(super) fn data_files(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let data = folder.join("data");
    let mut files = Vec::new();
    for chunk in entries(&data)? {
        if chunk.is_dir() {
            let parquet = |file: &PathBuf| file.extension().is_some_and(|end| end == "parquet");
            files.extend(entries(&chunk)?.into_iter().filter(parquet));
        }
    }
    if files.is_empty() {
        return Err(DataError::NoMatch {
            pattern: data.join("*").join("*.parquet").display().to_string(),
        });
    }
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let unreadable = |source| DataError::Unreadable {
        file: folder.to_owned(),
        source,
    };
    let read = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries = Vec::new();
    for entry in read {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    Ok(entries)
}
