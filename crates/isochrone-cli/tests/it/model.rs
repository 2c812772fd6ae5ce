//! Model files: what is written is read back to the bit, and anything else is refused by name.

use crate::data::damage::{cases, changes, damage};
use crate::desk::Desk;
use isochrone::distance::Distance;
use isochrone::nn::{ArrayValues, NamedArray};
use isochrone_files::model::{Contents, DistanceModel, Kind, ModelError};
use proptest::prelude::*;
use std::path::Path;

/// A file of format version 1. Later programs must read it as this one does.
const VERSION_1: &[u8] = include_bytes!("../data/model-v1.isochrone");

fn read(bytes: &[u8]) -> Result<DistanceModel, ModelError> {
    DistanceModel::of_bytes(bytes, Path::new("d.isochrone"))
}

fn refusal(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

#[test]
fn version_1_is_read_and_written_as_version_2() {
    let model = read(VERSION_1).unwrap();
    let written = model.to_bytes().unwrap();
    let again = read(&written).unwrap();
    assert!(again.to_bytes().unwrap() == written, "other bytes");
    assert_eq!(
        (again.arrays, again.about),
        (model.arrays, model.about.clone())
    );
    let steps = model.distance.between(&[0.0, 0.0], &[0.0, 2.0]).unwrap();
    assert!((steps - 18.6027).abs() < 1e-3, "{steps}");
    assert_eq!(model.about.training.episodes, 285);
}

#[test]
fn arrays_of_every_type_and_shape_come_back() {
    let array = |name: &str, shape: &[usize], values| NamedArray {
        name: name.to_owned(),
        shape: shape.to_vec(),
        values,
    };
    let arrays = vec![
        array(
            "f32",
            &[2, 1, 3],
            ArrayValues::F32(vec![0.1, -0.0, 1e-40, 3.0, 4.0, 5.0]),
        ),
        array("f64", &[], ArrayValues::F64(vec![0.1])),
        array("nothing", &[0, 7], ArrayValues::F32(Vec::new())),
        array("u64", &[2], ArrayValues::U64(vec![u64::MAX, (1 << 53) + 1])),
        array("u8", &[1, 2, 2, 1], ArrayValues::U8(vec![0, 127, 128, 255])),
    ];
    let contents = Contents {
        kind: Kind::Agent,
        about: (),
        arrays,
    };
    let bytes = contents.to_bytes().unwrap();
    let read = Contents::<()>::of_bytes(&bytes, Path::new("a.isochrone"), Kind::Agent);
    assert_eq!(read.unwrap(), contents);
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    for length in [0, 3, 8, 40, 1_000, VERSION_1.len() - 1] {
        let words = refusal(&VERSION_1[..length]);
        assert!(
            words.starts_with("d.isochrone is cut off: it has "),
            "{length}: {words}"
        );
    }
}

#[test]
fn every_bit_counts() {
    let mut checked = 0;
    for at in (0..VERSION_1.len()).step_by(97) {
        let mut bytes = VERSION_1.to_vec();
        bytes[at] ^= 1;
        refusal(&bytes);
        checked += 1;
    }
    assert!(checked > 50);
    // A weight, far behind the header.
    let mut bytes = VERSION_1.to_vec();
    let last = bytes.len() - 5;
    bytes[last] ^= 0x40;
    assert!(refusal(&bytes).starts_with("d.isochrone is damaged: its checksum is "));
}

#[test]
fn other_files_are_told_apart() {
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = VERSION_1
            .windows(from.len())
            .position(|w| w == from.as_bytes())
            .unwrap();
        let mut bytes = VERSION_1.to_vec();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        refusal(&bytes)
    };
    assert_eq!(
        replaced(r#"\"format_version\":1"#, r#"\"format_version\":9"#),
        "d.isochrone has format version 9, this program reads up to 2; a newer isochrone is needed"
    );
    assert_eq!(
        replaced(r#"{"isochrone":"#, r#"{"isochrona":"#),
        "d.isochrone is not a model file: it is a safetensors file that isochrone did not write"
    );
    assert!(refusal(b"PK\x03\x04 and so on, for a while").contains("is not a model file"));
    let desk = Desk::with("maze.txt", "...\n");
    desk.ok("collect maze.txt --episodes 9 --steps 9 -o a.parquet");
    desk.warned("fit a.parquet -o d.isochrone --passes 1");
    let said = desk.refused("info d.run/checkpoint.isochrone");
    assert!(
        said.contains("holds a checkpoint of a fit, a distance is needed"),
        "{said}"
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn damaged_files_are_refused_in_one_line(changes in changes()) {
        let mut bytes = VERSION_1.to_vec();
        changes.iter().for_each(|change| damage(&mut bytes, change));
        if let Err(error) = read(&bytes) {
            let words = error.to_string();
            prop_assert!(words.lines().count() == 1 && words.contains("d.isochrone"), "{:?}", words);
        } else {
            prop_assert!(bytes == VERSION_1, "accepted");
        }
    }
}
