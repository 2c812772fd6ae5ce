//! What is written can be read again, here and elsewhere.

use super::{check_numbers, open, read, states, whole};
use crate::desk::Desk;
use isochrone::env::{Dtype, ObservationSpec};
use isochrone::rng::Seed;
use isochrone_files::data::synthetic::Walks;
use isochrone_files::data::{Columns, Entries, EpisodeWriter};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn what_is_written_is_read(
        width in 1..5_usize,
        lengths in vec(1..30_usize, 1..12),
        max_rows in 1..40_usize,
        first in any::<i16>(),
    ) {
        let desk = Desk::new();
        let file = desk.path("a.parquet");
        let mut writer = EpisodeWriter::create(&file, &ObservationSpec::vector(width), 2).unwrap();
        let mut next = f32::from(first);
        let mut episodes = Vec::new();
        for &length in &lengths {
            let entries: Vec<f32> = (0..length * width).map(|at| next + at as f32 / 4.0).collect();
            next += 1_000.0;
            writer.push(Entries::F32(&entries), &vec![0.5; 2 * (length - 1)]).unwrap();
            episodes.push(entries);
        }
        prop_assert!(!file.exists());
        writer.finish().unwrap();
        let pieces = read(&file, &Columns::default(), max_rows).unwrap();
        check_numbers(&pieces, max_rows);
        prop_assert_eq!(whole(&pieces), episodes);
    }
}

const WALKS: Walks = Walks {
    transitions: 250_001,
    episode_steps: 1_000,
    width: 29,
    seed: Seed(5),
};

/// Several row groups, episodes across their edges, and the same bytes each time.
#[test]
fn walks_are_written_as_they_are_made() {
    let desk = Desk::new();
    WALKS.write(&desk.path("a.parquet")).unwrap();
    WALKS.write(&desk.path("b.parquet")).unwrap();
    assert!(
        desk.read("a.parquet") == desk.read("b.parquet"),
        "other bytes"
    );
    let pieces = read(&desk.path("a.parquet"), &Columns::default(), 10_000).unwrap();
    assert_eq!(pieces.len(), 251);
    let steps: usize = pieces.iter().map(|piece| piece.states.len() - 1).sum();
    assert_eq!(steps as u64, WALKS.transitions);
    for piece in &pieces {
        let walked = WALKS.episode(piece.episode);
        assert!(states(piece) == walked, "episode {}", piece.episode);
        assert!(walked.iter().all(|x| x.abs() <= 1.0));
    }
}

#[test]
fn pixels_are_written_as_bytes() {
    let desk = Desk::new();
    let file = desk.path("a.parquet");
    let spec = ObservationSpec {
        shape: vec![2, 2, 1],
        dtype: Dtype::U8,
    };
    let mut writer = EpisodeWriter::create(&file, &spec, 0).unwrap();
    writer
        .push(Entries::U8(&[0, 1, 128, 255, 4, 5, 6, 7]), &[])
        .unwrap();
    writer.finish().unwrap();
    let pieces = read(&file, &Columns::default(), 9).unwrap();
    assert_eq!(
        pieces[0].states.as_u8().unwrap(),
        [0, 1, 128, 255, 4, 5, 6, 7]
    );
    let source = open(&[file], &Columns::default()).unwrap();
    assert_eq!(source.spec(), &spec);
}

/// Numbers and images of the same states, each read by its name; side by side, an image is its bytes' numbers.
#[test]
fn images_stand_beside_numbers() {
    let desk = Desk::new();
    let file = desk.path("a.parquet");
    let image = ObservationSpec {
        shape: vec![1, 3, 1],
        dtype: Dtype::U8,
    };
    let mut writer = EpisodeWriter::create_with_images(&file, 2, &image, 1).unwrap();
    let (numbers, images) = ([0.5, 1.0, 1.5, 2.0], [0, 7, 255, 1, 2, 3]);
    let both = Entries::Both(&numbers, &images);
    writer.push(both, &[0.25]).unwrap();
    let said = writer.push(Entries::F32(&numbers), &[0.25]).unwrap_err();
    assert!(said.to_string().contains("have another type"), "{said}");
    writer.finish().unwrap();
    let named = |state: &[&str]| Columns {
        state: state.iter().map(|&name| name.to_owned()).collect(),
        ..Columns::default()
    };
    let pieces = read(&file, &named(&["observation.image"]), 9).unwrap();
    assert_eq!(pieces[0].states.as_u8().unwrap(), images);
    let pieces = read(&file, &Columns::default(), 9).unwrap();
    assert_eq!(states(&pieces[0]), numbers);
    let names = ["observation.image", "observation.state"];
    let pieces = read(&file, &named(&names), 9).unwrap();
    assert_eq!(
        states(&pieces[0]),
        [0.0, 7.0, 255.0, 0.5, 1.0, 1.0, 2.0, 3.0, 1.5, 2.0]
    );
}

#[test]
fn a_file_that_is_not_finished_leaves_nothing() {
    let desk = Desk::new();
    let spec = ObservationSpec::vector(2);
    let mut writer = EpisodeWriter::create(&desk.path("a.parquet"), &spec, 1).unwrap();
    let said = writer
        .push(Entries::F32(&[0.0; 4]), &[])
        .unwrap_err()
        .to_string();
    assert!(
        said.ends_with("an episode's states and actions do not fit together"),
        "{said}"
    );
    drop(writer);
    assert_eq!(std::fs::read_dir(desk.path("")).unwrap().count(), 0);
}

/// No action is taken in the last state.
#[test]
fn the_last_state_has_no_action() {
    let desk = Desk::new();
    let file = desk.path("a.parquet");
    let mut writer = EpisodeWriter::create(&file, &ObservationSpec::vector(1), 2).unwrap();
    writer.push(Entries::F32(&[0.0; 4]), &[0.5; 6]).unwrap();
    writer.finish().unwrap();
    let actions = Columns {
        state: vec!["action".to_owned()],
        ..Columns::default()
    };
    let said = read(&file, &actions, 1_000).unwrap_err();
    assert!(
        said.ends_with("row 3, column \"action\": there is no value"),
        "{said}"
    );
}
