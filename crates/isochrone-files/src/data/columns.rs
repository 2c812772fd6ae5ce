//! Which columns hold what: names as given, or those of the format.

use super::error::{DataError, Role};
use super::files::Format;
use super::parquet_schema::IMAGE;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Names of columns (arrays, in `.npz`).
///
/// A name of states means the column of that name; if there is none, the numbered columns `name.0`, `name.1`, …
/// or `name_0`, `name_1`, …. Several names are put side by side in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The states; empty for the format's own: `observation.state`, or `observation.image` where there is no other, in `.npz`
    /// `observations`.
    pub state: Vec<String>,
    /// What tells episodes apart; `None` for the format's own: `episode_index`, in `.npz` `terminals` and, if there
    /// are some, `timeouts`.
    pub episode: Option<String>,
    /// The actions, put behind the states; `None` for states alone. Where a file has none for a row (the last of an
    /// episode in ours), they are zeros.
    pub action: Option<String>,
    /// The step within the episode. If the table has this column, it must count up by one.
    pub frame: Option<String>,
    /// The number of a row in the whole data set. Read only for [`RowLabels`](super::RowLabels).
    pub index: Option<String>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            state: Vec::new(),
            episode: None,
            action: None,
            frame: Some("frame_index".to_owned()),
            index: None,
        }
    }
}

impl Columns {
    /// The same columns, and with every piece the source's own numbers of its rows.
    #[must_use]
    pub fn labelled(self) -> Self {
        Self {
            index: Some("index".to_owned()),
            ..self
        }
    }

    /// The same columns, and behind each state the action that was taken in it; the format's own name for it if none is
    /// given: `action`, in `.npz` `actions`.
    #[must_use]
    pub fn with_actions(self, name: Option<String>) -> Self {
        Self {
            action: Some(name.unwrap_or_default()),
            ..self
        }
    }

    /// The name of actions in this format, if they are wanted.
    pub(super) fn actions(&self, format: Format) -> Option<&str> {
        match (self.action.as_deref()?, format) {
            ("", Format::Npz) => Some("actions"),
            ("", Format::Parquet | Format::Csv) => Some("action"),
            (name, _) => Some(name),
        }
    }

    /// Names of states, for this format.
    pub(super) fn states(&self, format: Format) -> Vec<String> {
        match (self.state.is_empty(), format) {
            (false, _) => self.state.clone(),
            (true, Format::Npz) => vec!["observations".to_owned()],
            (true, Format::Parquet | Format::Csv) => vec!["observation.state".to_owned()],
        }
    }

    /// What tells episodes apart, in this format.
    pub(super) fn episodes(&self, format: Format) -> &str {
        match (&self.episode, format) {
            (Some(name), _) => name,
            (None, Format::Npz) => "terminals",
            (None, Format::Parquet | Format::Csv) => "episode_index",
        }
    }
}

/// A table's columns by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// States, and behind them actions.
    pub(super) state: Vec<usize>,
    /// How many of them are actions.
    pub(super) actions: usize,
    pub(super) episode: usize,
    pub(super) frame: Option<usize>,
    pub(super) index: Option<usize>,
}

/// Where each name stands, and how often; a table may have very many.
struct Index<'a>(BTreeMap<&'a str, (usize, usize)>);

impl<'a> Index<'a> {
    fn new(names: &'a [String]) -> Self {
        let mut index = BTreeMap::new();
        for (place, name) in names.iter().enumerate() {
            index.entry(name.as_str()).or_insert((place, 0)).1 += 1;
        }
        Self(index)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.0.get(name).map(|&(place, _)| place)
    }

    fn is_repeated(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|&(_, times)| times > 1)
    }

    /// The column of this name, else its numbered columns.
    fn states(&self, name: &str) -> Option<Vec<usize>> {
        if let Some(place) = self.place(name) {
            return Some(vec![place]);
        }
        ['.', '_'].into_iter().find_map(|separator| {
            let numbered = |n: usize| self.place(&format!("{name}{separator}{n}"));
            let places: Vec<usize> = (0..).map_while(numbered).collect();
            (!places.is_empty()).then_some(places)
        })
    }
}

/// Finds the columns of a table with these names.
pub(super) fn find(
    columns: &Columns,
    format: Format,
    file: &Path,
    names: &[String],
) -> Result<Places, DataError> {
    let index = Index::new(names);
    let missing = |wanted: &str, role: Role| DataError::NoColumn {
        file: file.to_owned(),
        wanted: wanted.to_owned(),
        role,
        found: names.to_vec(),
    };
    let mut state = Vec::new();
    for wanted in columns.states(format) {
        // Files that hold images and nothing else have them under a name of their own.
        let images = || {
            let place = index.place(IMAGE).filter(|_| columns.state.is_empty());
            place.map(|place| vec![place])
        };
        let places = index.states(&wanted).or_else(images);
        state.extend(places.ok_or_else(|| missing(&wanted, Role::State))?);
    }
    let mut actions = 0;
    if let Some(wanted) = columns.actions(format) {
        let places = index
            .states(wanted)
            .ok_or_else(|| missing(wanted, Role::Action))?;
        actions = places.len();
        state.extend(places);
    }
    let episode = columns.episodes(format);
    let places = Places {
        state,
        actions,
        episode: index
            .place(episode)
            .ok_or_else(|| missing(episode, Role::Episode))?,
        frame: columns.frame.as_ref().and_then(|name| index.place(name)),
        // Two columns of this name are ambiguous labels, but no reason to refuse the states.
        index: (columns.index.as_ref())
            .filter(|name| !index.is_repeated(name))
            .and_then(|name| index.place(name)),
    };
    let mut seen = BTreeSet::new();
    let is_twice = |&place: &usize| !seen.insert(place) || index.is_repeated(&names[place]);
    let marks = [Some(places.episode), places.frame];
    let marks = marks.into_iter().flatten();
    let twice = (places.state.iter().copied().find(is_twice)).or_else(|| {
        marks
            .into_iter()
            .find(|&place| index.is_repeated(&names[place]))
    });
    if let Some(place) = twice {
        return Err(DataError::TwoColumns {
            file: file.to_owned(),
            column: names[place].clone(),
        });
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(state: &[&str], names: &[&str]) -> Result<Vec<usize>, String> {
        let owned = |list: &[&str]| -> Vec<String> { list.iter().map(|s| (*s).into()).collect() };
        let columns = Columns {
            state: owned(state),
            ..Columns::default()
        };
        find(&columns, Format::Csv, Path::new("a.csv"), &owned(names))
            .map(|places| places.state)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn states_are_found_by_name_list_and_prefix() {
        let names = ["episode_index", "y", "x", "s.1", "s.0", "s.3", "t_0", "t_1"];
        assert_eq!(places(&["x", "y"], &names), Ok(vec![2, 1]));
        assert_eq!(places(&["s"], &names), Ok(vec![4, 3]));
        assert_eq!(places(&["t", "y"], &names), Ok(vec![6, 7, 1]));
        assert_eq!(
            places(&["z"], &names[..3]).unwrap_err(),
            "a.csv has no column \"z\"; it has \"episode_index\", \"y\", \"x\""
        );
        assert_eq!(
            places(&["x", "x"], &names).unwrap_err(),
            "a.csv: column \"x\" appears or is requested twice"
        );
        assert_eq!(
            places(&["x"], &["episode_index", "x", "x"]).unwrap_err(),
            "a.csv: column \"x\" appears or is requested twice"
        );
    }
}
