//! The shuffled order: every row once, no episode mixed with another, no more memory than allowed.

use super::{check_numbers, open, states};
use crate::desk::Desk;
use isochrone::pairs::Episodes;
use isochrone::rng::Seed;
use isochrone_files::data::{Batch, Columns, DataSource, Piece, ShuffledStreams, StreamOptions};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Write;
use std::num::NonZeroUsize;

/// A CSV whose every row is (episode, step).
fn walks(desk: &Desk, lengths: &[usize]) -> DataSource {
    let mut text = "episode_index,s.0,s.1\n".to_owned();
    for (episode, &length) in lengths.iter().enumerate() {
        for step in 0..length {
            writeln!(text, "{episode},{episode},{step}").unwrap();
        }
    }
    desk.put("walks.csv", text);
    let columns = Columns {
        state: vec!["s".to_owned()],
        ..Columns::default()
    };
    open(&[desk.path("walks.csv")], &columns).unwrap()
}

fn options(streams: usize, budget_bytes: usize, max_rows: usize) -> StreamOptions {
    StreamOptions {
        streams: NonZeroUsize::new(streams).unwrap(),
        budget_bytes,
        max_rows: NonZeroUsize::new(max_rows),
    }
}

fn epoch(source: &DataSource, options: StreamOptions, seed: u64, epoch: u64) -> Vec<Piece> {
    let streams = ShuffledStreams::new(source, options, Seed(seed), epoch).unwrap();
    streams.collect::<Result<_, _>>().unwrap()
}

proptest! {
    #[test]
    fn every_row_once_and_no_boundary_crossed(
        lengths in vec(1..40_usize, 1..60),
        streams in 1..9_usize,
        max_rows in 1..20_usize,
        rounds in 1..6_usize,
    ) {
        let desk = Desk::new();
        let source = walks(&desk, &lengths);
        let largest = 8 * max_rows + 256;
        let budget = rounds * streams * largest;
        let mut shuffled =
            ShuffledStreams::new(&source, options(streams, budget, max_rows), Seed(1), 0).unwrap();
        let mut pieces = Vec::new();
        for (slot, piece) in shuffled.by_ref().enumerate() {
            let piece = piece.unwrap();
            // Slot k is filled from stream k mod V, to which piece n mod V belongs.
            prop_assert_eq!(piece.number as usize % streams, slot % streams);
            let row = |step| [piece.episode as f32, step as f32];
            let steps = piece.first_step..piece.first_step + piece.states.len() as u64;
            let walked: Vec<f32> = steps.flat_map(row).collect();
            prop_assert_eq!(states(&piece), &walked);
            pieces.push(piece);
        }
        prop_assert!(shuffled.peak_bytes() <= budget);
        pieces.sort_by_key(|piece| piece.number);
        check_numbers(&pieces, max_rows);
        let read: usize = pieces.iter().map(|piece| piece.states.len()).sum();
        prop_assert_eq!(read, lengths.iter().sum::<usize>());
        prop_assert_eq!(pieces.last().unwrap().episode as usize + 1, lengths.len());
    }
}

#[test]
fn the_order_depends_on_seed_and_epoch_alone() {
    let desk = Desk::new();
    let source = walks(&desk, &[3; 500]);
    let order = |seed, number| {
        let pieces = epoch(&source, options(4, 100_000, 10), seed, number);
        pieces
            .iter()
            .map(|piece| piece.number)
            .collect::<Vec<u64>>()
    };
    assert_eq!(order(7, 0), order(7, 0));
    assert_ne!(order(7, 0), order(7, 1));
    assert_ne!(order(7, 0), order(8, 0));
    // Another thread draws the same.
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| order(7, 0)).join().unwrap());
    assert_eq!(elsewhere, order(7, 0));
    // In every recorded run: if these change, no published number can be repeated.
    assert_eq!(order(7, 0)[..8], FIRST);
}

const FIRST: [u64; 8] = [0, 257, 126, 239, 180, 93, 42, 147];

/// With room for everything, an episode's place says nothing about its place in the file. For n uniform places
/// the rank correlation has standard deviation 1/√(n−1) = 0.045; the bound is four of them.
#[test]
fn a_buffer_with_room_for_everything_shuffles_well() {
    let desk = Desk::new();
    let source = walks(&desk, &[2; 500]);
    let pieces = epoch(&source, options(5, 1 << 20, 10), 3, 0);
    let n = pieces.len() as f64;
    let gaps = pieces
        .iter()
        .enumerate()
        .map(|(slot, piece)| slot as f64 - piece.number as f64);
    let squares: f64 = gaps.map(|gap| gap * gap).sum();
    let correlation = 1.0 - 6.0 * squares / (n * (n * n - 1.0));
    assert!(correlation.abs() < 0.18, "{correlation}");
}

#[test]
fn memory_that_cannot_suffice_is_refused() {
    let desk = Desk::new();
    let source = walks(&desk, &[3; 5]);
    let said = ShuffledStreams::new(&source, options(4, 1_000, 1_000), Seed(0), 0).unwrap_err();
    let said = said.to_string();
    assert!(
        said.starts_with("4 streams with pieces of up to 8"),
        "{said}"
    );
    assert!(
        said.ends_with("1000 are allowed; allow more, or cut episodes shorter"),
        "{said}"
    );
    // Left to choose, it cuts shorter instead.
    let chosen = StreamOptions {
        max_rows: None,
        ..options(4, 16_000, 1)
    };
    assert_eq!(chosen.max_rows(source.spec()).get(), 30);
    assert_eq!(epoch(&source, chosen, 0, 0).len(), 5);
}

/// Batches are consecutive slots, end to end.
#[test]
fn batches_are_whole_pieces_in_order() {
    let desk = Desk::new();
    let source = walks(&desk, &[3, 5, 1, 4, 2]);
    let options = options(2, 10_000, 4);
    let slots: Vec<f32> = epoch(&source, options, 0, 0)
        .iter()
        .flat_map(states)
        .copied()
        .collect();
    let mut streams = ShuffledStreams::new(&source, options, Seed(0), 0).unwrap();
    let (mut all, mut steps) = (Vec::new(), 0);
    while let Some(batch) = Batch::take(&mut streams, 5).unwrap() {
        let episodes = Episodes::new(&batch.states, batch.width, batch.ranges.clone()).unwrap();
        let rows = batch.states.len() / batch.width;
        assert!((5..9).contains(&rows) || all.len() / 2 + rows == 15);
        steps += episodes.n_steps();
        all.extend(batch.states);
    }
    assert_eq!(all, slots);
    // 15 states in 5 episodes, one of which was cut.
    assert_eq!(steps, 15 - 5 - 1);
}

/// A stream that only sees long episodes and one that only sees short ones stay in step.
#[test]
fn unequal_streams_stay_within_the_memory() {
    let desk = Desk::new();
    let lengths: Vec<usize> = (0..400).map(|e| if e % 2 == 0 { 90 } else { 1 }).collect();
    let source = walks(&desk, &lengths);
    let budget = 40_000;
    let mut shuffled = ShuffledStreams::new(&source, options(2, budget, 100), Seed(0), 0).unwrap();
    assert_eq!(shuffled.by_ref().flatten().count(), 400);
    assert!(
        (budget / 2..=budget).contains(&shuffled.peak_bytes()),
        "{}",
        shuffled.peak_bytes()
    );
}
