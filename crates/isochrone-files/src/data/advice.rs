//! What to do about data that cannot be read. The error states the fact; how columns are named depends on the interface.

use super::error::DataError;
use super::files::Format;
use super::lerobot;
use std::path::Path;

/// Columns that number rows or time, and what else LeRobot has beside the state.
const NOT_STATES: [&str; 8] = [
    "episode_index",
    "frame_index",
    "index",
    "task_index",
    "timestamp",
    "action",
    "actions",
    "success",
];
/// Parts of the names that episode numbers have elsewhere.
const EPISODE_WORDS: [&str; 5] = ["episode", "traj", "demo", "rollout", "run"];
/// Names in an advice.
const SHOWN: usize = 6;

/// Where the user names files and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// A command with `--state` and `--episode`.
    Shell,
    /// A command that takes the columns from a model.
    ShellWithModel,
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

    fn advice(self, error: &DataError) -> Option<String> {
        match error {
            DataError::NoColumn { wanted, found, .. } => Some(self.name_columns(wanted, found)),
            DataError::NoMatch { pattern } => Some(instead_of(pattern)),
            DataError::UnknownEnding { file } if is_hdf5(file) => Some(
                "Python reads HDF5: isochrone.data.from_minari(name) Minari's data sets, isochrone.data.from_d4rl(file) D4RL's files"
                    .to_owned(),
            ),
            DataError::Misfit { .. } => Some(format!(
                "fit one distance for each robot, or name columns that both have{}",
                self.by_state()
            )),
            DataError::NotANumber { .. } | DataError::WrongType { .. } => Some(format!(
                "leave this column out, or name columns of numbers{}",
                self.by_state()
            )),
            DataError::NotFinite { .. } | DataError::Null { .. } => {
                Some("fill in the value, or leave out its episode".to_owned())
            }
            DataError::Frame { .. } => Some(
                "sort the rows by episode, then by time, and begin a new episode where rows are missing".to_owned(),
            ),
            DataError::Broken { .. } => Some("copy or download it again".to_owned()),
            DataError::Empty { .. } => Some("leave the file out".to_owned()),
            DataError::Twice { .. } => Some("name it once".to_owned()),
            _ => None,
        }
    }

    /// How columns are named, with the columns of the file.
    fn name_columns(self, wanted: &str, found: &[String]) -> String {
        let named = |names: &[&str]| match self {
            Self::Python if names.len() == 1 => format!("{:?}", names[0]),
            Self::Python => format!("{names:?}"),
            Self::Shell | Self::ShellWithModel => names.join(","),
        };
        let (state, episode) = match self {
            Self::Shell => ("--state ", "--episode "),
            Self::Python => ("state=", "episode="),
            Self::ShellWithModel => {
                return "the distance was fitted to logs that have it: give such logs, or fit a distance to these"
                    .to_owned();
            }
        };
        if wanted == "episode_index" {
            let is_like = |name: &&&str| {
                let name = name.to_lowercase();
                EPISODE_WORDS.iter().any(|word| name.contains(word))
            };
            let names: Vec<&str> = found.iter().map(String::as_str).collect();
            return names.iter().find(is_like).map_or_else(
                || format!("add a column with the number of the episode, and name it with {episode}NAME"),
                |name| format!("name the number of the episode with {episode}{}", named(&[name])),
            );
        }
        let is_state = |name: &&str| !NOT_STATES.contains(name) && !name.starts_with("next.");
        let states: Vec<&str> = found.iter().map(String::as_str).filter(is_state).collect();
        match &states[..] {
            [] => format!("name the states with {state}NAME"),
            some if some.len() <= SHOWN => {
                format!("name the states, for example with {state}{}", named(some))
            }
            many => format!(
                "name the states, for example with {state}{}",
                named(&many[..2])
            ),
        }
    }

    const fn by_state(self) -> &'static str {
        match self {
            Self::Shell => " with --state",
            Self::ShellWithModel => "",
            Self::Python => " with state=",
        }
    }
}

/// What is there in the place of a pattern that matches nothing.
fn instead_of(pattern: &str) -> String {
    if lerobot::is_pattern_of_data(pattern) {
        return "the data set's description is there, but no data: download its data files, too"
            .to_owned();
    }
    let folder = Path::new(pattern).parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or_else(|| Path::new("."))) else {
        return "there is no such folder: mend its name".to_owned();
    };
    let mut files: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| Format::of(path).is_ok())
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    files.sort();
    match files.len() {
        0 => "there is no data file in that folder: mend the path".to_owned(),
        count => {
            let more = if count > SHOWN { ", …" } else { "" };
            files.truncate(SHOWN);
            format!("that folder has {}{more}", files.join(", "))
        }
    }
}

fn is_hdf5(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("hdf5" | "h5"))
}
