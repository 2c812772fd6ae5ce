//! Does the state hold what it must not: the clock, or the action that is about to be taken?
//!
//! With a clock among its entries a distance reads the time, and two frames are as far apart as their times whatever
//! happened between them. With an action it separates equal situations by the action that follows.

use super::entries::listed;
use crate::progress::Observer;
use anyhow::Result;
use isochrone::evaluate::median;
use isochrone_files::data::DataSource;
use isochrone_files::model::StateColumns;
use std::num::NonZeroUsize;

/// Steps of a clock differ from their median by at most this share of it: real clocks jitter.
const JITTER: f64 = 0.5;
/// The same where there is one episode, and no second start to compare with.
const JITTER_OF_ONE: f64 = 0.1;
/// This share of the steps may differ by more: now and then a frame is late, or lost.
const LATE: f64 = 0.05;
/// It starts anew if its first values differ by less than this share of a step.
const SAME_START: f64 = 0.5;
/// Steps kept at most, over all entries.
const STEP_NUMBERS: usize = 2_000_000;
/// And of one entry.
const STEPS: usize = 5_000;
/// Steps of an episode on average, to tell a clock.
const LEAST_STEPS: usize = 10;
/// Rows in which states and actions are compared.
const ROWS: NonZeroUsize = NonZeroUsize::new(2_000).expect("not zero");
/// Fewer rows show nothing.
const LEAST_ROWS: usize = 20;

/// Looks for clocks among the entries of the states.
#[derive(Clone, Debug, Default)]
pub(super) struct ClockTest {
    entries: Vec<EntryRange>,
    episodes: usize,
    steps: usize,
    /// Steps kept of each entry.
    kept_steps: usize,
}

/// What is known of one entry.
#[derive(Clone, Debug)]
struct EntryRange {
    /// Its first steps.
    steps: Vec<f64>,
    /// Whether it rose in every step: places stand still now and then.
    always_rises: bool,
    /// Its smallest and its greatest value at the start of an episode.
    starts: [f32; 2],
    /// Its last value.
    last: f32,
    /// Whether no episode began before the end of the one before it.
    never_goes_back: bool,
}

impl EntryRange {
    /// A clock always advances, about evenly, and either starts anew with every episode or never goes back.
    fn is_clock(&self, episodes: usize) -> bool {
        let Some(median) = median(&self.steps).filter(|_| self.always_rises) else {
            return false;
        };
        let jitter = if episodes > 1 { JITTER } else { JITTER_OF_ONE };
        let is_uneven = |step: &&f64| (**step - median).abs() > jitter * median;
        let uneven = self.steps.iter().filter(is_uneven).count();
        let is_even = uneven as f64 <= LATE * self.steps.len() as f64;
        let starts_anew = f64::from(self.starts[1] - self.starts[0]) <= SAME_START * median;
        is_even && (starts_anew || self.never_goes_back)
    }
}

impl ClockTest {
    /// The first state of an episode.
    pub(super) fn begin(&mut self, state: &[f32]) {
        self.episodes += 1;
        if self.entries.is_empty() {
            let unknown = [f32::INFINITY, f32::NEG_INFINITY];
            let entry = |_: &f32| EntryRange {
                steps: Vec::new(),
                always_rises: true,
                starts: unknown,
                last: f32::NEG_INFINITY,
                never_goes_back: true,
            };
            self.entries = state.iter().map(entry).collect();
            self.kept_steps = (STEP_NUMBERS / state.len().max(1)).clamp(1, STEPS);
        }
        for (entry, &value) in self.entries.iter_mut().zip(state) {
            entry.starts = [entry.starts[0].min(value), entry.starts[1].max(value)];
            entry.never_goes_back &= value > entry.last;
        }
    }

    /// Another step.
    pub(super) fn step(&mut self, before: &[f32], after: &[f32]) {
        self.steps += 1;
        for (entry, (before, &after)) in self.entries.iter_mut().zip(before.iter().zip(after)) {
            let step = after - before;
            entry.always_rises &= step > 0.0;
            if entry.steps.len() < self.kept_steps {
                entry.steps.push(f64::from(step));
            }
            entry.last = after;
        }
    }

    /// Entries that are clocks; none in episodes of a few steps, which show nothing.
    fn clocks(&self) -> Vec<usize> {
        if self.steps < LEAST_STEPS * self.episodes {
            return Vec::new();
        }
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| entry.is_clock(self.episodes))
            .map(|(at, _)| at)
            .collect()
    }
}

/// Warns of clocks and of actions among the entries of the states.
pub(super) fn warn(
    clock_test: &ClockTest,
    source: &DataSource,
    columns: &StateColumns,
    observer: &dyn Observer,
) -> Result<()> {
    let names = source.entry_names()?;
    let named = |entries: &[usize]| {
        let named = entries.iter().filter_map(|&at| names.get(at));
        listed(&named.map(String::as_str).collect::<Vec<_>>())
    };
    let clocks = clock_test.clocks();
    if !clocks.is_empty() {
        observer.warns(&format!(
            "a clock in the states ({}): it rises by about the same amount in every step, so the distance would only count time; \
             leave it out, unless it is a place",
            named(&clocks)
        ));
    }
    let actions = copied_actions(source, columns);
    if !actions.is_empty() {
        observer.warns(&format!(
            "an action in the states ({}): it equals the action of the same frame, so the distance would tell states apart by \
             what was done next; leave it out",
            named(&actions)
        ));
    }
    Ok(())
}

/// Entries of the state that are equal to an entry of the action in every row, as far as the first rows tell. None if the
/// files have no actions.
fn copied_actions(source: &DataSource, columns: &StateColumns) -> Vec<usize> {
    let files: Vec<String> = (source.files().iter().take(1))
        .map(|file| file.display().to_string())
        .collect();
    // What is wrong with actions, or that there are none, is no reason to refuse the states.
    let Ok(both) = DataSource::open(&files, columns.columns().with_actions(None)) else {
        return Vec::new();
    };
    let (width, states) = (both.spec().len(), source.spec().len());
    let Some(Ok(piece)) = both.pieces(ROWS).next() else {
        return Vec::new();
    };
    let numbers = piece.states.numbers();
    let rows: Vec<&[f32]> = numbers.chunks_exact(width.max(1)).collect();
    if rows.len() < LEAST_ROWS || width <= states {
        return Vec::new();
    }
    let varies = |at: usize| {
        rows.iter()
            .any(|row| row[at].to_bits() != rows[0][at].to_bits())
    };
    let is_copied = |at: usize| {
        let is_equal = |action: usize| {
            rows.iter()
                .all(|row| row[at].to_bits() == row[action].to_bits())
        };
        varies(at) && (states..width).any(is_equal)
    };
    (0..states).filter(|&at| is_copied(at)).collect()
}
