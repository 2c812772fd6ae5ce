//! Goals as typed: one state, a row of a file, all rows of a file, or the last states of its episodes; and several of them.

use crate::episode_reason::LIKE_OTHERS;
use crate::state_argument::StateText;
use anyhow::{Context, Result, bail};
use isochrone::distance::GoalSet;
use isochrone_files::data::{DataSource, PieceEnd};
use isochrone_files::model::DistanceModel;
use isochrone_runs::logs;
use isochrone_runs::output::{say, warn};
use isochrone_runs::progress::NoObserver;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Rows read at a time.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");
/// Behind a file's name: the last state of each episode.
const ENDS: &str = ":ends";
/// The same of episodes that are like the others.
const GOOD_ENDS: &str = ":good-ends";
/// More goals than this would take longer than anybody waits.
const MOST_GOALS: usize = 1_000_000;

/// Some goals, as typed: `1.5,-2,0`, `logs/walk.parquet:120`, `goals.parquet` or `logs/walk.parquet:ends`.
#[derive(Clone, Debug, PartialEq)]
pub enum GoalsText {
    /// One state.
    One(StateText),
    /// States of a file.
    File {
        /// Which file.
        file: PathBuf,
        /// Which of its states.
        which: Which,
    },
}

/// Which states of a file are goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// The last of each episode.
    Ends,
    /// The last of each episode whose score is that of a usual one (`isochrone episodes`).
    GoodEnds,
}

impl FromStr for GoalsText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let behind = [(GOOD_ENDS, Which::GoodEnds), (ENDS, Which::Ends)];
        let named = behind
            .into_iter()
            .find_map(|(suffix, which)| Some((text.strip_suffix(suffix)?, which)));
        let (name, which) = named.unwrap_or((text, Which::All));
        let path = Path::new(name);
        let is_file = isochrone_files::data::Format::of(path).is_ok() || path.is_dir();
        if is_file || which != Which::All {
            return Ok(Self::File {
                file: name.into(),
                which,
            });
        }
        let one = text.parse().map(Self::One);
        one.map_err(|error: String| {
            format!("{error}; several goals are a data FILE, FILE:ends or FILE:good-ends")
        })
    }
}

/// Goals that were read.
pub(crate) struct Goals {
    /// End to end.
    pub(crate) states: Vec<f32>,
    /// How many.
    pub(crate) count: usize,
    /// The files they were read from.
    pub(crate) files: Vec<PathBuf>,
}

impl Goals {
    /// Reads all goals that were named, for the states of this model; warns of those far outside its data.
    pub(crate) fn read(named: &[GoalsText], model: &DistanceModel) -> Result<Self> {
        Self::read_as(named, model, "--to")
    }

    /// The same; `None` if none was named.
    pub(crate) fn read_if_named(
        named: &[GoalsText],
        model: &DistanceModel,
    ) -> Result<Option<Self>> {
        (!named.is_empty())
            .then(|| Self::read(named, model))
            .transpose()
    }

    /// The same of goals that were named by this option.
    pub(crate) fn read_as(
        named: &[GoalsText],
        model: &DistanceModel,
        option: &str,
    ) -> Result<Self> {
        let (width, columns) = (model.distance.inputs(), model.about.states.columns());
        let (mut states, mut files) = (Vec::new(), Vec::new());
        for goals in named {
            match goals {
                GoalsText::One(one) => {
                    states.extend(
                        one.state(width, &columns)
                            .with_context(|| option.to_owned())?,
                    );
                    files.extend(one.file());
                }
                GoalsText::File { file, which } => {
                    let found = of_file(file, *which, model);
                    states.extend(found.with_context(|| format!("{option} {}", file.display()))?);
                    files.push(file.clone());
                }
            }
        }
        let count = states.len() / width;
        if count > MOST_GOALS {
            bail!(
                "{option} names {count} goals; at most {MOST_GOALS} can be compared with every state"
            );
        }
        warn_of_far(model, &states, "goals");
        Ok(Self {
            states,
            count,
            files,
        })
    }

    /// The embedded goals.
    pub(crate) fn embedded<'a>(&self, model: &'a DistanceModel) -> Result<GoalSet<'a>> {
        Ok(GoalSet::new(&model.distance, &self.states)?)
    }
}

fn of_file(file: &Path, which: Which, model: &DistanceModel) -> Result<Vec<f32>> {
    let name = file.to_str().context("a file's name is not text")?;
    let columns = model.about.states.columns().labelled();
    let source = DataSource::open(&[name.to_owned()], columns)?;
    model.check_width(&source)?;
    let mut is_good = match which {
        Which::GoodEnds => good_episodes(&source, model)?.into_iter(),
        Which::All | Which::Ends => Vec::new().into_iter(),
    };
    let mut states = Vec::new();
    for piece in source.pieces(PIECE_ROWS) {
        let piece = piece?;
        if states.len() > MOST_GOALS * model.distance.inputs() {
            bail!(
                "there are more than {MOST_GOALS} goals, which is more than can be compared with every state"
            );
        }
        let rows = piece.states.numbers();
        match (which, piece.end) {
            (Which::All, _) => states.extend_from_slice(&rows),
            (Which::GoodEnds, PieceEnd::Episode) if is_good.next() == Some(false) => {}
            (Which::Ends | Which::GoodEnds, PieceEnd::Episode) => {
                let first = rows.len().saturating_sub(piece.states.width());
                states.extend_from_slice(&rows[first..]);
            }
            (Which::Ends | Which::GoodEnds, PieceEnd::Cut) => {}
        }
    }
    Ok(states)
}

/// Whether each episode is like the others, in reading order.
fn good_episodes(source: &DataSource, model: &DistanceModel) -> Result<Vec<bool>> {
    let scored = logs::scores(model, source, None, &NoObserver)?;
    let is_good = scored.episodes.iter();
    let is_good: Vec<bool> = is_good
        .map(|episode| episode.score.score >= LIKE_OTHERS)
        .collect();
    let good = is_good.iter().filter(|is_good| **is_good).count();
    say(&format!(
        "goals: the ends of {good} of {} episodes; `isochrone episodes` shows what is wrong with the others\n",
        is_good.len()
    ));
    Ok(is_good)
}

/// Says how many of these states are far outside the data, with the first of them.
pub(crate) fn warn_of_far(model: &DistanceModel, states: &[f32], what: &str) {
    let rows = states.chunks_exact(model.distance.inputs());
    let mut far = FarStates::new(what);
    rows.for_each(|state| far.look_at(model, state));
    far.warn();
}

/// States far outside the data, counted as they go by.
pub(crate) struct FarStates<'a> {
    what: &'a str,
    seen: u64,
    far: u64,
    first: Option<String>,
}

impl<'a> FarStates<'a> {
    pub(crate) const fn new(what: &'a str) -> Self {
        Self {
            what,
            seen: 0,
            far: 0,
            first: None,
        }
    }

    /// One more state.
    pub(crate) fn look_at(&mut self, model: &DistanceModel, state: &[f32]) {
        self.seen += 1;
        if let Some(entry) = model.far_entry(state) {
            self.far += 1;
            self.first.get_or_insert_with(|| entry.to_string());
        }
    }

    /// Says so if there were any.
    pub(crate) fn warn(&self) {
        if let Some(first) = &self.first {
            let Self {
                what, seen, far, ..
            } = self;
            warn(&format!(
                "{far} of {seen} {what} lie far outside the training data ({first}): distances there are extrapolated and may mean \
                 nothing"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_states_rows_files_and_ends() {
        let of = |text: &str| text.parse::<GoalsText>();
        let file = |file: &str, which| {
            Ok(GoalsText::File {
                file: file.into(),
                which,
            })
        };
        assert_eq!(of("a.parquet"), file("a.parquet", Which::All));
        assert_eq!(of("b/a.csv:ends"), file("b/a.csv", Which::Ends));
        assert_eq!(of("a.npz:good-ends"), file("a.npz", Which::GoodEnds));
        assert_eq!(
            of("1,2"),
            Ok(GoalsText::One(StateText::Entries(vec![1.0, 2.0])))
        );
        assert!(matches!(
            of("a.npz:7"),
            Ok(GoalsText::One(StateText::Row { row: 7, .. }))
        ));
        assert!(of("a,b").unwrap_err().contains("FILE:ends"));
    }
}
