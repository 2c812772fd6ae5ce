//! What to do about data that cannot be read. The error states the fact; how columns are named depends on the interface.

use super::error::{DataError, Role};
use super::files::Format;
use super::lerobot;
use std::path::Path;

/// Columns that number rows or time, and what else data sets have beside the state.
const NOT_STATES: [&str; 23] = [
    "reward",
    "rewards",
    "terminated",
    "truncated",
    "terminals",
    "timeouts",
    "done",
    "dones",
    "task",
    "episode_index",
    "frame_index",
    "index",
    "task_index",
    "timestamp",
    "action",
    "actions",
    "success",
    "time",
    "times",
    "t",
    "stamp",
    "step",
    "frame",
];
/// Parts of the names that episode numbers have elsewhere.
const EPISODE_WORDS: [&str; 9] = [
    "episode",
    "episodes",
    "ep",
    "traj",
    "trajectory",
    "demo",
    "rollout",
    "run",
    "id",
];
/// OGBench's mark of the last state of an episode.
const MARKS: &str = "terminals";
/// Columns that tell episodes apart without being named.
const EPISODE_COLUMNS: [&str; 2] = ["episode_index", MARKS];
/// Beginnings of names that are no states: LeRobot's rewards and pictures.
const NOT_STATES_BEGIN: [&str; 2] = ["next.", IMAGES];
/// Beginnings of the names of LeRobot's images.
const IMAGES: &str = "observation.images";
/// Where they usually are.
const VIDEOS: &str = "LeRobot keeps images in videos, which are not read, unless the data set is created with use_videos=False";
/// What reads HDF5.
const HDF5: &str = "Python reads HDF5: isochrone.data.from_minari(name) Minari's data sets, isochrone.data.from_d4rl(file) D4RL's files";
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
            DataError::NoColumn {
                wanted,
                role,
                found,
                ..
            } => Some(self.name_columns(wanted, *role, found)),
            DataError::NoMatch { pattern } => Some(instead_of(pattern)),
            DataError::UnknownEnding { file } if is_hdf5(file) => Some(HDF5.to_owned()),
            DataError::UnknownEnding { file } if file.extension().is_some_and(|e| e == "npy") => Some(
                "put the arrays into one file: numpy.savez(\"logs.npz\", observations=states, terminals=last_of_episode)".to_owned(),
            ),
            DataError::Folder {
                file,
                pattern: None,
            } if has_hdf5(file) => Some(HDF5.to_owned()),
            DataError::BadImage { .. } => {
                Some("PNG images of one size are read".to_owned())
            }
            DataError::Ragged { .. } => {
                Some("fit one distance for each length of the states".to_owned())
            }
            DataError::Misfit { .. } => Some(format!(
                "fit one distance for each robot, or name columns that both have{}",
                self.by_state()
            )),
            DataError::NotANumber {
                wanted: "whole number",
                ..
            } => Some("number the episodes: 0, 1, 2 and so on".to_owned()),
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
            DataError::Broken { reason, .. } if reason.contains("UTF-8") => {
                Some("save it as UTF-8".to_owned())
            }
            DataError::Broken { .. } => Some("copy or download it again".to_owned()),
            DataError::Empty { .. } => Some("leave the file out".to_owned()),
            DataError::Twice { .. } => Some("name it once".to_owned()),
            _ => None,
        }
    }

    /// How columns are named, with the columns of the file.
    fn name_columns(self, wanted: &str, role: Role, found: &[String]) -> String {
        if self == Self::ShellWithModel {
            return "the distance was fitted to logs that have it: give such logs, or fit a distance to these".to_owned();
        }
        if let Some(advice) = about_header(found) {
            return advice.to_owned();
        }
        let names: Vec<&str> = found.iter().map(String::as_str).collect();
        match role {
            Role::Action => format!("name the actions with {}NAME", self.option("action")),
            Role::Episode if wanted == MARKS => format!(
                "add an array of 0 and 1, which marks the last state of each episode, and name it with {}NAME",
                self.option("episode")
            ),
            Role::Episode => self.name_episodes(&names),
            Role::State if wanted.starts_with(IMAGES) => VIDEOS.to_owned(),
            Role::State if names.iter().any(|name| EPISODE_COLUMNS.contains(name)) => {
                self.name_states(&names)
            }
            Role::State => format!(
                "{}; {}",
                self.name_states(&names),
                self.name_episodes(&names)
            ),
        }
    }

    fn name_episodes(self, names: &[&str]) -> String {
        let option = self.option("episode");
        names.iter().find(|name| is_episode(name)).map_or_else(
            || {
                format!(
                    "add a column with the number of the episode, and name it with {option}NAME"
                )
            },
            |name| {
                let name = self.listed(&[name]);
                format!("name the number of the episode with {option}{name}")
            },
        )
    }

    fn name_states(self, names: &[&str]) -> String {
        let option = self.option("state");
        let states = names.iter().copied().filter(|name| is_state(name));
        let mut states: Vec<&str> = states.map(unnumbered).collect();
        states.dedup();
        if states.is_empty() {
            return format!("name the states with {option}NAME");
        }
        if states.len() > SHOWN {
            states.truncate(2);
        }
        let states = self.listed(&states);
        format!("name the states, for example with {option}{states}")
    }

    /// Columns as they are typed behind an option.
    fn listed(self, names: &[&str]) -> String {
        match (self, names) {
            (Self::Python, [one]) => format!("{one:?}"),
            (Self::Python, names) => format!("{names:?}"),
            (Self::Shell | Self::ShellWithModel, names) => quoted(&names.join(",")),
        }
    }

    /// An option, up to its value.
    fn option(self, name: &str) -> String {
        match self {
            Self::Shell | Self::ShellWithModel => format!("--{name} "),
            Self::Python => format!("{name}="),
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

/// What is wrong with a header, if it is none.
fn about_header(found: &[String]) -> Option<&'static str> {
    match found {
        [one] if one.contains(';') => {
            Some("its fields are separated by \";\": save it with commas")
        }
        [one] if one.contains('\t') => {
            Some("its fields are separated by tabs: save it with commas")
        }
        some if !some.is_empty() && some.iter().all(|name| is_unnamed_array(name)) => Some(
            "these look like one array for each episode: put them end to end, with a mark at each end: \
             numpy.savez(\"logs.npz\", observations=numpy.concatenate(episodes), \
             terminals=numpy.concatenate([numpy.arange(len(e)) == len(e) - 1 for e in episodes]))",
        ),
        some if !some.is_empty() && some.iter().all(|name| name.parse::<f64>().is_ok()) => {
            Some("its first line has numbers: add a line with the names of the columns")
        }
        _ => None,
    }
}

/// As NumPy names arrays that were given none: `arr_0`, `arr_1`, …
fn is_unnamed_array(name: &str) -> bool {
    name.strip_prefix("arr_")
        .is_some_and(|number| number.parse::<u32>().is_ok())
}

/// In quotes if a shell would take it apart.
fn quoted(names: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-,/".contains(letter);
    if names.chars().all(is_plain) {
        names.to_owned()
    } else {
        format!("'{names}'")
    }
}

/// Could a column with this name be part of the state?
fn is_state(name: &str) -> bool {
    let is_other = NOT_STATES_BEGIN.iter().any(|start| name.starts_with(start));
    !is_other && !NOT_STATES.contains(&name) && !is_episode(name)
}

/// Does a column with this name number episodes?
fn is_episode(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| EPISODE_WORDS.contains(&word))
}

/// `joint.3` or `joint_3` → `joint`, which stands for all of them.
fn unnumbered(name: &str) -> &str {
    let prefix = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let joint = prefix
        .strip_suffix(['.', '_'])
        .filter(|_| prefix.len() < name.len());
    joint.filter(|prefix| !prefix.is_empty()).unwrap_or(name)
}

/// What is there in the place of a pattern that matches nothing.
fn instead_of(pattern: &str) -> String {
    if lerobot::is_pattern_of_data(pattern) {
        return "the data set's description is there, but no data: download its data files, too"
            .to_owned();
    }
    let has_wildcard = |folder: &Path| folder.to_string_lossy().contains(['*', '?', '[']);
    let mut folders = Path::new(pattern).ancestors().skip(1);
    let folder = folders.find(|folder| !has_wildcard(folder));
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else {
        return "there is no such folder: check its name".to_owned();
    };
    let mut files: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| Format::of(path).is_ok())
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    files.sort();
    match files.len() {
        0 => "there is no data file in that folder: check the path".to_owned(),
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

fn has_hdf5(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|file| is_hdf5(&file))
}
