//! `isochrone bench`: what it prints, and that it times what the commands compute.

use crate::desk::{Desk, assert_close, maze_text};
use isochrone::maze::Maze;

/// The timed operations are the ones the other commands use: their numbers agree.
#[test]
fn the_benchmark_times_what_the_commands_compute() {
    let desk = Desk::new();
    let said = desk.ok("bench exact --states 3000 --json --values v");
    let results: serde_json::Value = serde_json::from_str(&said).unwrap();
    let results = results.as_array().unwrap();
    let maze = Maze::rooms(3000).unwrap();
    let names: Vec<&str> = results
        .iter()
        .filter_map(|r| r["operation"].as_str())
        .collect();
    let expected =
        "factor query diagonal factor+query factor+diagonal+query spectral spectral-no-factor";
    assert_eq!(names.join(" "), expected);
    for result in results {
        assert_eq!(result["states"], maze.n_states());
        assert!(result["cpu_s"].as_f64().unwrap() > 0.0, "{result}");
        assert!(!cfg!(target_os = "linux") || result["peak_mb"].as_f64().unwrap() > 1.0);
    }
    desk.put("rooms.txt", maze_text(&maze));
    let middle = maze.n_states() / 2;
    desk.ok(&format!("exact rooms.txt --from {middle} -o t.csv"));
    let found = desk.table("v/commute.csv").column("commute");
    assert_close("commute", &found, &desk.table("t.csv").column("commute"));
    // Eigenvectors have length one, so each scaled coordinate's sum of squares is 1/λ.
    desk.ok("spectral rooms.txt --dims 32 -o x.csv");
    let table = desk.table("x.csv");
    let lambda = |k| {
        1.0 / table
            .column(&format!("x{k}"))
            .iter()
            .map(|x| x * x)
            .sum::<f64>()
    };
    let expected: Vec<f64> = (1..=32).map(lambda).collect();
    let found = desk.table("v/eigenvalues.csv").column("eigenvalue");
    assert_close("eigenvalues", &found, &expected);
}

/// Both loops learn, and each is timed.
#[test]
fn a_training_step_is_measured_beside_burns_own() {
    let desk = Desk::new();
    let said = desk.ok("bench distance --batches 32,500 --pairs 2000 --rounds 2 --json");
    let results: serde_json::Value = serde_json::from_str(&said).unwrap();
    let results = results.as_array().unwrap();
    let sizes = |key| {
        results
            .iter()
            .map(|r| r[key].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes("batch"), [32, 500]);
    assert_eq!(sizes("steps"), [63, 4]);
    for times in results.iter().flat_map(|r| [r, &r["wall"]]) {
        let middle = |key| times[key]["median"].as_f64().unwrap();
        let keys = "ours_us step_us burn_us burn_differences_us matmul_us";
        for key in keys.split(' ') {
            assert!(middle(key) > 1.0, "{times}");
            assert!(times[key]["min"].as_f64() <= times[key]["max"].as_f64());
        }
        // A short run on a busy machine: only the order of magnitude is sure.
        assert!((0.02..50.0).contains(&middle("ratio_to_burn")), "{times}");
        assert!(middle("matmul_us") < middle("burn_us"), "{times}");
        assert!(times["pairs_per_s"].as_f64().unwrap() > 1000.0, "{times}");
    }
    let said = desk.ok("bench distance --batches 32 --pairs 320 --rounds 1");
    assert!(said.contains("Burn ÷ ours"), "{said}");
}
