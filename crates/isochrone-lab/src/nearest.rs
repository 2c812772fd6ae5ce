//! `isochrone nearest`: the states of a data set from which a goal is fewest steps away. An exact scan, in parallel.

use crate::cli::NearestOptions;
use crate::data::{DataSource, Piece};
use crate::model::DistanceModel;
use crate::output::{human, print, table};
use crate::progress::Waiting;
use anyhow::{Context, Result};
use std::num::NonZeroUsize;
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
    episode: u64,
    step: u64,
    state: Vec<f32>,
}

/// Runs the command.
pub fn run(options: &NearestOptions) -> Result<()> {
    let model = DistanceModel::read(&options.model)?;
    let source = DataSource::open(&options.files, model.about.states.columns())?;
    model.check_width(&source)?;
    let columns = model.about.states.columns();
    let goal = options.to.state(model.distance.inputs(), &columns);
    let goal = model.distance.embed(&goal.context("--to")?);
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
        best.extend(scan(&model, &goal, &batch, count, threads));
        keep(&mut best, count);
    }
    drop(waiting);
    print(&words(&best))
}

/// The best of each share of the pieces.
fn scan(
    model: &DistanceModel,
    goal: &[f32],
    pieces: &[Piece],
    count: usize,
    threads: usize,
) -> Vec<Found> {
    let share = pieces.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = (pieces.chunks(share))
            .map(|share| scope.spawn(move || best_of(model, goal, share, count)))
            .collect();
        let found = workers.into_iter().map(thread::ScopedJoinHandle::join);
        // A thread of ours has nothing to panic about; if it does, so do we.
        found
            .flat_map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn best_of(model: &DistanceModel, goal: &[f32], pieces: &[Piece], count: usize) -> Vec<Found> {
    let mut best = Vec::new();
    for piece in pieces {
        let states = piece.states.as_f32().unwrap_or_default();
        for (state, step) in states
            .chunks_exact(piece.states.width())
            .zip(piece.first_step..)
        {
            let point = model.distance.embed(state);
            let steps = model.distance.metric().one_way(&point, goal);
            let symmetric = model.distance.metric().symmetric(&point, goal);
            let found = (steps, symmetric);
            let is_near = |last: &Found| found < (last.steps, last.symmetric);
            if best.len() < count || best.last().is_some_and(is_near) {
                let place = best.partition_point(|b: &Found| (b.steps, b.symmetric) <= found);
                best.insert(
                    place,
                    Found {
                        steps,
                        symmetric,
                        episode: piece.episode,
                        step,
                        state: state.to_vec(),
                    },
                );
                best.truncate(count);
            }
        }
    }
    best
}

/// The nearest, of equals the earliest: no thread count enters.
fn keep(found: &mut Vec<Found>, count: usize) {
    found.sort_by(|a, b| {
        let by_place = (a.episode, a.step).cmp(&(b.episode, b.step));
        let by_norm = a.symmetric.total_cmp(&b.symmetric);
        a.steps.total_cmp(&b.steps).then(by_norm).then(by_place)
    });
    found.truncate(count);
}

fn words(best: &[Found]) -> String {
    let rows: Vec<Vec<String>> = best
        .iter()
        .map(|found| {
            let shown = found.state.iter().take(ENTRIES_SHOWN);
            let mut state: Vec<String> = shown.map(|x| human(f64::from(*x))).collect();
            if found.state.len() > ENTRIES_SHOWN {
                state.push("…".to_owned());
            }
            vec![
                human(found.steps),
                found.episode.to_string(),
                found.step.to_string(),
                state.join(" "),
            ]
        })
        .collect();
    table(&["steps", "episode", "step", "state"], &rows)
}
