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
