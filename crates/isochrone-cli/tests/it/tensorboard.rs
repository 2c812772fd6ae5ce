//! Event files as TensorBoard's own package reads them.

use crate::desk::Desk;
use crate::tidy::root;
use isochrone_files::tensorboard::Events;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Reads a folder as TensorBoard does. Without TensorFlow the package takes its own reader, which checks checksums.
const READER: &str = r#"
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
read = EventAccumulator(sys.argv[1]).Reload()
scalars = {
    tag: [[e.step, e.wall_time, e.value] for e in read.Scalars(tag)]
    for tag in read.Tags()["scalars"]
}
first = read.FirstEventTimestamp()
print(json.dumps({"scalars": scalars, "first": first}))
"#;

fn read_back(folder: &Path) -> Value {
    let python = root().join("third_party/checks/venv/bin/python");
    let output = Command::new(&python)
        .args(["-c", READER])
        .arg(folder)
        .output()
        .unwrap_or_else(|error| {
            let what = python.display();
            panic!("{what}: {error}; run scripts/setup-python-checks.sh")
        });
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a fit shows is what its metrics say.
#[test]
fn tensorboard_reads_a_fit() {
    let desk = Desk::with("maze.txt", "....\n###.\n....\n");
    desk.ok("collect maze.txt --episodes 20 --steps 30 -o walk.parquet");
    desk.ok("fit walk.parquet -o d.isochrone --passes 5");
    let read = read_back(&desk.path("d.run"));
    let shown = read["scalars"]["train/loss"].as_array().unwrap();
    let metrics = desk.text("d.run/metrics.jsonl");
    let told: Vec<Value> = (metrics.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((shown.len(), told.len()), (5, 5));
    for (shown, told) in shown.iter().zip(&told) {
        assert_eq!(shown[0], told["update"]);
        let (shown, told) = (shown[2].as_f64().unwrap(), told["loss"].as_f64().unwrap());
        assert!((shown - told).abs() <= 1e-6 * told.abs(), "{shown} {told}");
    }
}

#[test]
fn tensorboard_reads_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut events = Events::create(folder.path(), 1000.25).unwrap();
    events.scalar("loss", 0, 0.5, 1001.0).unwrap();
    events.scalar("loss", 1, -0.25, 1002.5).unwrap();
    events
        .scalar("größe/ε", 3_000_000_000, 1e-30, 1003.0)
        .unwrap();
    // Longer than one byte of length can say.
    let long = "word ".repeat(100);
    events.scalar(&long, 0, 2.0, 1005.0).unwrap();
    drop(events);
    // The same run goes on a moment later.
    let mut events = Events::create(folder.path(), 1000.5).unwrap();
    events.scalar("loss", 2, 0.125, 1006.0).unwrap();
    events.flush().unwrap();
    let read = read_back(folder.path());
    assert_eq!(read["first"], json!(1000.25));
    let losses = json!([[0, 1001.0, 0.5], [1, 1002.5, -0.25], [2, 1006.0, 0.125]]);
    assert_eq!(read["scalars"]["loss"], losses);
    let tiny = json!([[3_000_000_000_u64, 1003.0, f64::from(1e-30_f32)]]);
    assert_eq!(read["scalars"]["größe/ε"], tiny);
    assert_eq!(read["scalars"][&long], json!([[0, 1005.0, 2.0]]));
}
