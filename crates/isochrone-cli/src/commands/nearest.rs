//! `isochrone nearest`: the states of a data set from which a goal, or the nearest of several, is fewest steps away. An exact scan, in parallel.

use crate::cli::NearestOptions;
use crate::goals_argument::Goals;
use crate::labels::{self, RowNumbers};
use anyhow::Result;
use isochrone::distance::GoalSet;
use isochrone_files::data::{DataSource, Piece};
use isochrone_files::path_kind;
use isochrone_runs::output::{human, print, table};
use isochrone_runs::progress::Waiting;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

/// Rows of a piece of work.
const PIECE_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("not zero");
/// Pieces in memory for each thread.
const PIECES_EACH: usize = 4;
/// Entries of a state that fit in a line.
const ENTRIES_SHOWN: usize = 8;

/// A state and how far the goal is.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    steps: f64,
    /// The part that is the same both ways: it orders what is zero steps away.
    symmetric: f64,
    /// The place of its piece in reading order, and its own in that.
    place: (u64, usize),
    /// The place of its file.
    file: u32,
    row: RowNumbers,
    state: Vec<f32>,
}

/// Runs the command.
pub fn run(options: &NearestOptions) -> Result<()> {
    let model = path_kind::model(&options.model)?;
    let columns = model.about.states.columns().labelled();
    let source = DataSource::open(&options.files, columns)?;
    model.check_width(&source)?;
    let goals = Goals::read(&options.to, &model)?;
    let goals = goals.embedded(&model)?;
    let waiting = Waiting::new("searching");
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut pieces = source.pieces(PIECE_ROWS);
    let mut best: Vec<Found> = Vec::new();
    let count = options.count as usize;
    loop {
        let batch = pieces.by_ref().take(threads * PIECES_EACH);
        let batch: Vec<Piece> = batch.collect::<Result<_, _>>()?;
        if batch.is_empty() {
            break;
        }
        best.extend(scan(&goals, &batch, count, threads)?);
        keep(&mut best, count);
    }
    drop(waiting);
    let counted = labels::counted(&source)?;
    print(&(words(&best, source.files()) + &counted))
}

/// The best of each share of the pieces.
fn scan(goals: &GoalSet<'_>, pieces: &[Piece], count: usize, threads: usize) -> Result<Vec<Found>> {
    let share = pieces.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = (pieces.chunks(share))
            .map(|share| scope.spawn(move || best_of(goals, share, count)))
            .collect();
        let found = workers.into_iter().map(thread::ScopedJoinHandle::join);
        // A thread of ours has nothing to panic about; if it does, so do we.
        let found =
            found.map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        Ok(found.collect::<Result<Vec<_>>>()?.concat())
    })
}

fn best_of(goals: &GoalSet<'_>, pieces: &[Piece], count: usize) -> Result<Vec<Found>> {
    let mut best = Vec::new();
    for piece in pieces {
        let states = piece.states.numbers();
        for (at, (row, state)) in labels::rows(piece, &states).enumerate() {
            let Some(nearest) = goals.nearest(state)? else {
                continue;
            };
            let (steps, symmetric) = (nearest.steps, nearest.symmetric);
            let found = (steps, symmetric);
            let is_near = |last: &Found| found < (last.steps, last.symmetric);
            if best.len() < count || best.last().is_some_and(is_near) {
                let place = best.partition_point(|b: &Found| (b.steps, b.symmetric) <= found);
                best.insert(
                    place,
                    Found {
                        steps,
                        symmetric,
                        place: (piece.number, at),
                        file: piece.file,
                        row,
                        state: state.to_vec(),
                    },
                );
                best.truncate(count);
            }
        }
    }
    Ok(best)
}

/// The nearest, of equals the earliest: no thread count enters.
fn keep(found: &mut Vec<Found>, count: usize) {
    found.sort_by(|a, b| {
        let by_place = a.place.cmp(&b.place);
        let by_norm = a.symmetric.total_cmp(&b.symmetric);
        a.steps.total_cmp(&b.steps).then(by_norm).then(by_place)
    });
    found.truncate(count);
}

fn words(best: &[Found], files: &[PathBuf]) -> String {
    let rows: Vec<Vec<String>> = best
        .iter()
        .map(|found| {
            let shown = found.state.iter().take(ENTRIES_SHOWN);
            let mut state: Vec<String> = shown.map(|x| human(f64::from(*x))).collect();
            if found.state.len() > ENTRIES_SHOWN {
                state.push("…".to_owned());
            }
            let [episode, frame, index] = found.row.fields();
            let file = labels::file_name(files, found.file);
            let steps = human(found.steps);
            vec![steps, episode, frame, index, file, state.join(" ")]
        })
        .collect();
    let [episode, frame, index] = labels::COLUMNS;
    let headings = ["steps", episode, frame, index, "file", "state"];
    table(&headings, &rows)
}
