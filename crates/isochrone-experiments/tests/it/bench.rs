//! `bench`: what it prints, and that it times what the commands compute.

use crate::desk::{Desk, assert_close, maze_text};
use isochrone::maze::Maze;
use serde_json::Value;

/// Runs the `isochrone` command in this process, on files of the desk.
fn isochrone(desk: &Desk, arguments: &str) {
    let at_desk = |word: &str| {
        let path = desk.path(word);
        let is_file = path.extension().is_some();
        if is_file {
            path.into_os_string()
        } else {
            word.into()
        }
    };
    let words = arguments.split(' ').map(at_desk);
    let code = isochrone_cli::command::run(std::iter::once("isochrone".into()).chain(words));
    assert_eq!(code, 0, "{arguments}");
}

/// A JSON array.
fn list(said: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(said).unwrap();
    value.as_array().unwrap().clone()
}

const SMALL: &str = "iterations=2 batch_steps=300 horizon_steps=50 new_goals=12 old_goals=6 initial_states=200 \
                     on_policy_states=100 generator.iterations=5 generator.initial_iterations=5 updates_per_iteration=2 \
                     evaluation.rollouts=2 evaluation.horizon_steps=20 evaluate_every=1";

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
    isochrone(&desk, &format!("exact rooms.txt --from {middle} -o t.csv"));
    let found = desk.table("v/commute.csv").column("commute");
    assert_close("commute", &found, &desk.table("t.csv").column("commute"));
    // Eigenvectors have length one, so each scaled coordinate's sum of squares is 1/λ.
    isochrone(&desk, "spectral rooms.txt --dims 32 -o x.csv");
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
        let keys = "ours_us burn_us burn_differences_us matmul_us";
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

#[test]
fn an_update_of_sac_is_measured_beside_its_products() {
    let desk = Desk::new();
    let said = desk.ok("bench sac --hidden 16 --batch 8 --updates 2 --rounds 1 --json");
    let found: Value = serde_json::from_str(&said).unwrap();
    let median = |name: &str| found[name]["median"].as_f64().unwrap();
    assert!(median("update_us") > median("products_us"), "{said}");
    assert!(median("products_us") > 0.0, "{said}");
}

#[test]
fn rollouts_are_measured_beside_the_engine() {
    let desk = Desk::new();
    let said = desk.ok("bench rollout --worlds point-mass,maze-ant-fast --threads 1,2 --steps 2000 --rounds 2 --json");
    let results = list(&said);
    let runs: Vec<(&str, u64)> = results
        .iter()
        .map(|r| (r["world"].as_str().unwrap(), r["threads"].as_u64().unwrap()))
        .collect();
    let expected = [
        ("point-mass", 1),
        ("point-mass", 2),
        ("maze-ant-fast", 1),
        ("maze-ant-fast", 2),
    ];
    assert_eq!(runs, expected);
    for result in &results {
        let number = |key: &str| result[key].as_f64().unwrap();
        assert!(number("bare_steps_per_s") > 100.0, "{result}");
        assert!(number("rollout_steps_per_s") > 100.0, "{result}");
        // Two thousand steps on a busy machine: only the order of magnitude is sure.
        assert!((0.02..50.0).contains(&number("ratio")), "{result}");
        assert!(number("rollout_steps_per_cpu_s") > 100.0, "{result}");
        assert!(number("bare_steps_per_cpu_s") > 100.0, "{result}");
    }
}

#[test]
fn endurance_counts_what_happens() {
    let desk = Desk::new();
    let said =
        desk.ok("bench endurance --worlds point-mass-room,free-ant-fast --steps 30000 --json");
    let results = list(&said);
    for result in &results {
        let count = |key: &str| result[key].as_u64().unwrap();
        assert!(count("steps") >= 30_000, "{result}");
        assert_eq!(count("instabilities"), 0, "{result}");
        assert!(count("episodes") >= 60, "{result}");
    }
    assert_eq!(results[0]["falls"], 0, "a sphere does not fall");
    assert!(results[1]["falls"].as_u64().unwrap() > 0, "an ant does");
}

#[test]
fn a_planner_is_measured_beside_none() {
    let desk = Desk::new();
    let small = SMALL.split_whitespace();
    let small = small.filter(|s| !s.starts_with("generator"));
    let set: Vec<String> = small.map(|s| format!("--set {s}")).collect();
    let said = desk.ok(&format!(
        "bench waypoints --worlds point-mass --threads 1 --rounds 2 --json {}",
        set.join(" ")
    ));
    let results: Value = serde_json::from_str(&said).unwrap();
    let number = |key: &str| results[0][key].as_f64().unwrap();
    assert!(number("planned_steps_per_s") > 0.0 && number("plain_steps_per_s") > 0.0);
    assert!(number("ratio") > 0.0, "{results}");
}

#[test]
fn training_is_measured_beside_the_bare_engine() {
    let desk = Desk::new();
    let set: Vec<String> = SMALL
        .split_whitespace()
        .map(|s| format!("--set {s}"))
        .collect();
    let bench = format!(
        "bench train --worlds point-mass --threads 1,2 --rounds 2 --steps 2000 {}",
        set.join(" ")
    );
    let said = desk.ok(&format!("{bench} --json"));
    let results: Value = serde_json::from_str(&said).unwrap();
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (result, threads) in results.iter().zip([1, 2]) {
        assert_eq!(
            (&result["world"], result["threads"].as_u64()),
            (&"point-mass".into(), Some(threads))
        );
        let number = |key: &str| result[key].as_f64().unwrap();
        assert!(
            number("bare_steps_per_s") > number("train_steps_per_s"),
            "{result}"
        );
        assert!(number("ratio") > 0.0 && number("ratio") < 1.0, "{result}");
        let shares = result["shares"].as_object().unwrap();
        let names: Vec<&str> = shares.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "distance",
                "evaluation",
                "goals",
                "physics",
                "policy",
                "update"
            ]
        );
        let total: f64 = shares.values().filter_map(Value::as_f64).sum();
        assert!((total - 1.0).abs() < 0.01, "{result}");
        assert_eq!(shares["evaluation"], 0.0);
    }
    let said = desk.ok(&bench);
    assert!(said.contains("where the time goes"), "{said}");
}

#[test]
fn no_states() {
    refused("bench exact --states 0 --operations query");
}

/// More states than can be numbered: refused before they are built.
#[test]
fn too_many_states() {
    refused("bench exact --states 100000000000000 --operations query");
    refused("bench exact --states 18446744073709551615 --operations query");
}

/// One line on standard error, nothing else.
fn refused(arguments: &str) {
    let said = Desk::new().refused(arguments);
    assert!(
        said.starts_with("isochrone: ") || said.starts_with("error: "),
        "{said}"
    );
}
