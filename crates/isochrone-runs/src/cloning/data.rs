//! States with their actions, in memory.

use crate::fit::Given;
use crate::progress::Observer;
use anyhow::{Result, bail};
use isochrone::cloning::Demonstrations;
use isochrone_files::data::DataSource;
use isochrone_files::model::{FileFacts, StateColumns};
use std::num::NonZeroUsize;

/// Rows of a piece.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(100_000).expect("not zero");
/// All rows are held in memory: samples are drawn from anywhere.
const MOST_BYTES: u64 = 8 << 30;

/// Demonstrations, and where they came from.
pub(super) struct Log {
    pub(super) demonstrations: Demonstrations,
    pub(super) columns: StateColumns,
    pub(super) action: Option<String>,
    pub(super) files: Vec<FileFacts>,
}

impl Log {
    /// Of rows that somebody holds.
    pub(super) fn of_memory(demonstrations: Demonstrations) -> Self {
        Self {
            demonstrations,
            columns: StateColumns::default(),
            action: None,
            files: Vec::new(),
        }
    }

    /// Reads files with actions.
    pub(super) fn read(
        given: &Given,
        action: Option<String>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let Given::Files(patterns, columns) = given else {
            bail!("a log without actions was given; a policy is cloned from actions");
        };
        let state_len = given.open()?.spec().len();
        let wanted = columns.columns().with_actions(action.clone());
        let source = DataSource::open(patterns, wanted)?;
        let width = source.spec().len();
        let (mut rows, mut ranges, mut first_episodes) = (Vec::new(), Vec::new(), Vec::new());
        for piece in source.pieces(PIECE_ROWS) {
            let piece = piece?;
            observer.check()?;
            if first_episodes.len() <= piece.file as usize {
                first_episodes.push(piece.episode);
            }
            let Some(values) = piece.states.as_f32() else {
                bail!("the states are images; a policy is cloned from numbers");
            };
            if 4 * (rows.len() + values.len()) as u64 > MOST_BYTES {
                bail!(
                    "the data have more than {} GB of states and actions, which are held in memory: give fewer files",
                    MOST_BYTES >> 30
                );
            }
            let first = rows.len() / width;
            rows.extend_from_slice(values);
            ranges.push(first..first + piece.states.len());
        }
        let action_len = width.saturating_sub(state_len);
        Ok(Self {
            demonstrations: Demonstrations::new(rows, state_len, action_len, &ranges)?,
            columns: columns.clone(),
            action,
            files: given.files(&source, &first_episodes)?,
        })
    }
}
