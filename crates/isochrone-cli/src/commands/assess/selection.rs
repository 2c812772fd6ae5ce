//! Selects the episodes for an assessment.

use anyhow::{Context, Result, bail};
use isochrone_files::data::DataSource;
use isochrone_files::fingerprint::fingerprint;
use isochrone_files::model::{DistanceModel, EpisodeMarks};
use isochrone_runs::calibration::ObservedEpisodes;
use isochrone_runs::fit::Given;
use isochrone_runs::progress::Observer;
use serde::Serialize;
use std::num::NonZeroUsize;

/// Rows read at a time.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(1024).expect("not zero");

/// Which episodes were used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Which {
    /// Of the training data: only held-out episodes.
    HeldOut,
    /// Other data: all episodes.
    All,
    /// The training data, including episodes it learned from.
    Seen,
}

/// What to do about episodes that a distance has learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learned {
    /// Leave them out.
    LeaveOut,
    /// Use them, too.
    Include,
}

/// The episodes for an assessment. Of the training data only held-out episodes are used, unless the caller includes the
/// others.
pub(super) fn select(
    model: &DistanceModel,
    given: &Given,
    learned: Learned,
    observer: &dyn Observer,
) -> Result<(ObservedEpisodes, Which)> {
    let source = given.open()?;
    model.check_width(&source)?;
    let training = &model.about.training;
    let parts = parts(given, &source, observer)?;
    let known = |print: &str| training.files.iter().find(|f| f.fingerprint == print);
    let n_known = parts.iter().filter(|(_, p)| known(p).is_some()).count();
    let which = match (n_known, learned) {
        (0, _) => Which::All,
        (_, Learned::Include) => Which::Seen,
        (n, Learned::LeaveOut) if n == parts.len() => Which::HeldOut,
        (..) => bail!(
            "some of these files are what the distance was fitted to and some are not: give one kind, or use all (--all)"
        ),
    };
    let mut observed = ObservedEpisodes::new(source.spec().len());
    for (part, print) in &parts {
        let facts = known(print);
        let is_wanted = |episode: u64| match (which, facts) {
            (Which::HeldOut, Some(facts)) => training.is_unseen(facts.first_episode + episode),
            _ => true,
        };
        observed.gather(part, is_wanted, observer)?;
    }
    let n_learned = match which {
        Which::All => n_learned(model, &source, observer)?,
        Which::HeldOut | Which::Seen => 0,
    };
    let which = match (n_learned, learned) {
        (0, _) => which,
        (_, Learned::Include) => Which::Seen,
        (n, Learned::LeaveOut) => bail!(
            "the distance was fitted to {n} or more of these episodes, in another file or in arrays; give new ones, or the data as they \
             were given to fit, or use all (--all)"
        ),
    };
    if observed.n_states() == 0 {
        bail!(
            "none of these episodes was held out, or each that was is a copy of one that it learned from; use all (--all) to \
             include those"
        );
    }
    Ok((observed, which))
}

/// How many of the episodes are known to have been learned from, in whatever container and order.
fn n_learned(model: &DistanceModel, source: &DataSource, observer: &dyn Observer) -> Result<usize> {
    let Some(learned) = &model.about.training.learned else {
        return Ok(0);
    };
    let pieces = source.pieces(PIECE_ROWS).map(|piece| {
        observer.check()?;
        Ok::<_, anyhow::Error>(piece?)
    });
    Ok(learned.n_common(&EpisodeMarks::of(pieces)?))
}

/// Every file with its fingerprint.
fn parts(
    given: &Given,
    source: &DataSource,
    observer: &dyn Observer,
) -> Result<Vec<(DataSource, String)>> {
    let (files, columns) = match given {
        Given::Memory(memory) => return Ok(vec![(source.clone(), memory.fingerprint())]),
        Given::Files(_, columns) => (source.files(), columns.columns()),
    };
    let part = |file: &std::path::PathBuf| {
        observer.check()?;
        let name = file.to_str().context("a file's name is not text")?;
        let one = DataSource::open(&[name.to_owned()], columns.clone())?;
        Ok((one, fingerprint(file)?))
    };
    files.iter().map(part).collect()
}
