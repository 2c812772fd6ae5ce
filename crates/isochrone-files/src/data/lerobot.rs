//! LeRobot's folders: `meta/info.json` says what a data set is, `data/` has its rows.
//!
//! ```text
//! FOLDER/meta/info.json
//! FOLDER/data/chunk-000/file-000.parquet        v3: many episodes in a file
//! FOLDER/data/chunk-000/episode_000000.parquet  v2: one
//! ```

use glob::Pattern;
use std::path::Path;

/// Data files within the folder.
const DATA: &str = "data/*/*.parquet";

/// Is it the folder of a data set?
pub(super) fn is_data_set(folder: &Path) -> bool {
    folder.join("meta").join("info.json").is_file()
}

/// Its data files as a pattern.
pub(super) fn data_files(folder: &Path) -> String {
    let folder = Pattern::escape(&folder.display().to_string());
    format!("{folder}/{DATA}")
}

/// The same without escapes, for messages.
pub(super) fn shown_data_files(folder: &Path) -> String {
    folder.join(DATA).display().to_string()
}

/// Does a pattern name the data files of a data set?
pub(super) fn is_pattern_of_data(pattern: &str) -> bool {
    let folder = pattern.strip_suffix(DATA);
    folder.is_some_and(|folder| is_data_set(Path::new(folder)))
}
