//! Short runs whose numbers are held to the last digit: what moves code must move none of them.
//!
//! `tests/data/golden-runs.json` has the SHA-256 of every record and of all parameters of each run, and the last line of its
//! metrics to read. Digits of learned numbers depend on the vector units of the processor, so the file says which those
//! were; on others the counts must agree, and the numbers nearly. `ISOCHRONE_RECORD=1` writes the file anew.

use crate::desk::Desk;
use isochrone::nn::{ArrayValues, NamedArray};
use isochrone_files::model::{Contents, Kind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A small share of everything.
const SMALL: &str =
    "iterations=2 batch_steps=1000 new_goals=6 old_goals=3 labels.rollouts=2 evaluate_every=2";
const TRAINING_RECORDS: [&str; 4] = [
    "metrics.jsonl",
    "eval.jsonl",
    "goals.jsonl",
    "distance.jsonl",
];
const FITS: [(&str, &str); 4] = [
    ("window", "--window 30"),
    ("first-passage", "--target first_passage --radius 0.5"),
    (
        "bootstrapped",
        "--target bootstrapped --radius 0.5 --window 30",
    ),
    (
        "potential",
        "--target bootstrapped --radius 0.5 --window 30 --set head=potential",
    ),
];

/// What is held of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Golden {
    /// SHA-256 of the records and of the parameters, by name.
    digests: BTreeMap<String, String>,
    /// The last line of metrics.jsonl.
    last: Value,
}

#[derive(Default, Serialize, Deserialize)]
struct Recorded {
    vector_units: String,
    runs: BTreeMap<String, Golden>,
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden-runs.json")
}

fn vector_units() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let units = [
            ("fma", std::arch::is_x86_feature_detected!("fma")),
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
            ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
        ];
        let names = units.iter().filter(|(_, is_there)| *is_there);
        names.map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH.to_owned()
}

fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().take(12).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// All arrays of a file, in the order of their names: headers may change, parameters may not.
fn parameters(desk: &Desk, name: &str, kind: Kind) -> String {
    let contents = Contents::<Value>::of_bytes(&desk.read(name), Path::new(name), kind).unwrap();
    let mut arrays = contents.arrays;
    arrays.sort_by(|a, b| a.name.cmp(&b.name));
    // Single numbers were no arrays when the digests were recorded.
    let arrays = arrays.iter().filter(|array| !array.shape.is_empty());
    let bytes = arrays.flat_map(|array| array.name.bytes().chain(version_1(array)));
    digest(&bytes.collect::<Vec<u8>>())
}

/// The bytes of an array in a file of version 1, where a counter was split into f32: Adam's time by 20 bits, others by 16.
fn version_1(array: &NamedArray) -> Vec<u8> {
    let ArrayValues::U64(counters) = &array.values else {
        return array.values.to_le_bytes();
    };
    let parts = counters.iter().flat_map(|&counter| {
        if array.name.contains("adam.time.") {
            return vec![counter >> 20, counter & 0xF_FFFF];
        }
        (0..4).map(|k| counter >> (16 * k) & 0xFFFF).collect()
    });
    parts.flat_map(|part| (part as f32).to_le_bytes()).collect()
}

/// Records without the numbers that are written down only since the digests were recorded.
fn without_later(text: &str) -> String {
    let mut kept = text.to_owned();
    for key in ["dropped_goals", "infeasible"] {
        let start = format!("\"{key}\":");
        while let Some(at) = kept.find(&start) {
            let length = kept[at..].find(',').map_or(0, |comma| comma + 1);
            assert!(length > 0, "{key} is the last number of its line");
            kept.replace_range(at..at + length, "");
        }
    }
    kept
}

fn golden(desk: &Desk, folder: &str, records: &[&str], kind: Kind) -> Golden {
    let path = |name: &str| format!("{folder}/{name}");
    let there = records
        .iter()
        .filter(|name| desk.path(&path(name)).exists());
    let mut digests: BTreeMap<String, String> = there
        .map(|name| {
            let text = without_later(&desk.text(&path(name)));
            ((*name).to_owned(), digest(text.as_bytes()))
        })
        .collect();
    let checkpoint = path("checkpoint.isochrone");
    digests.insert("parameters".to_owned(), parameters(desk, &checkpoint, kind));
    let metrics = without_later(&desk.text(&path("metrics.jsonl")));
    Golden {
        digests,
        last: serde_json::from_str(metrics.lines().last().unwrap()).unwrap(),
    }
}

fn trained(preset: &str) -> Golden {
    let desk = Desk::new();
    let run = desk.run(&format!("train {preset} --quick {SMALL} --out run"));
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    golden(&desk, "run", &TRAINING_RECORDS, Kind::Agent)
}

fn fitted(options: &str) -> Golden {
    let desk = Desk::with("maze.txt", "....\n###.\n....\n");
    desk.ok("collect maze.txt --episodes 60 --steps 60 --seed 7 -o walk.parquet");
    desk.ok(&format!(
        "fit walk.parquet --passes 5 -o d.isochrone {options}"
    ));
    golden(&desk, "d.run", &["metrics.jsonl"], Kind::Fit)
}

/// Every number of one is near that of the other; words and counts are equal.
fn is_near(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 0.05 * a.abs().max(b.abs()).max(1.0)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_near(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.keys().eq(b.keys()) && a.iter().all(|(key, value)| is_near(value, &b[key]))
        }
        (a, b) => a == b,
    }
}

fn check(name: &str, found: Golden) {
    let text = std::fs::read_to_string(file()).unwrap_or_else(|_| "{}".to_owned());
    let mut recorded: Recorded = serde_json::from_str(&text).unwrap_or_default();
    if std::env::var_os("ISOCHRONE_RECORD").is_some() {
        recorded.vector_units = vector_units();
        recorded.runs.insert(name.to_owned(), found);
        let text = serde_json::to_string_pretty(&recorded).unwrap() + "\n";
        return std::fs::write(file(), text).unwrap();
    }
    compare(name, &found, &recorded);
}

fn compare(name: &str, found: &Golden, recorded: &Recorded) {
    let Some(expected) = recorded.runs.get(name) else {
        panic!("{name} is not recorded");
    };
    if recorded.vector_units == vector_units() {
        assert_eq!(found, expected, "{name}");
    } else {
        assert!(is_near(&found.last, &expected.last), "{name}: {found:?}");
    }
}

#[test]
fn fits_give_the_recorded_numbers() {
    for (name, options) in FITS {
        check(&format!("fit {name}"), fitted(options));
    }
}

/// A run folder of the program that wrote version 1, stopped after one iteration of three, goes on to what that program's
/// unbroken run gave. Both are kept for ever: `ISOCHRONE_RECORD` does not touch them.
#[test]
fn a_training_of_version_1_resumes_to_the_same_bytes() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/version-1");
    let desk = Desk::new();
    std::fs::create_dir(desk.path("run")).unwrap();
    for entry in std::fs::read_dir(kept.join("run")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), desk.path("run").join(entry.file_name())).unwrap();
    }
    desk.ok("resume run iterations=3");
    let expected = std::fs::read(kept.join("expected.json")).unwrap();
    let expected: Recorded = serde_json::from_slice(&expected).unwrap();
    compare(
        "resumed",
        &golden(&desk, "run", &TRAINING_RECORDS, Kind::Agent),
        &expected,
    );
}

/// One test for each training: they take seconds, and run side by side.
macro_rules! trainings {
    ($($test:ident: $preset:literal,)*) => {
        $(
            #[test]
            fn $test() {
                check(concat!("train ", $preset), trained($preset));
            }
        )*
    };
}

trainings! {
    point_mass_by_the_euclidean_distance: "point-mass-paper",
    point_mass_on_policy: "point-mass-paper-on-policy",
    point_mass_off_policy: "point-mass-paper-off-policy",
    point_mass_with_action_noise: "point-mass-paper-action-noise",
    point_mass_with_whole_states: "point-mass-paper-full-off-policy",
    a_point_in_two_dimensions: "point-2d",
    maze_ant: "maze-ant-paper",
}
