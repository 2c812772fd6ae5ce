//! The worlds against stored numbers of the engine's own Python package; nothing else is needed to check them.
//!
//! `ISOCHRONE_WRITE_GOLDENS=1 cargo test -p isochrone-mujoco goldens` makes `tests/data/goldens.json` again, with
//! `tests/reference.py` on the models as this crate composes them. Do so when the physics are meant to change,
//! and say by how much: numbers pin the physics and leave colours and lights free.

use crate::python::{ask, task};
use crate::roster::{Body, World, worlds};
use isochrone::env::Successor;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;

/// Absolute, and relative to what is above one. The engine's own bits differ between machines; shaking the
/// start by 1e-14 moves no number here by more than 1e-12.
const TOLERANCE: f64 = 1e-9;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/goldens.json")
}

/// An ant flails for a second without falling. A point mass needs a second and a half to meet a far wall fast
/// enough to be put back, and four to be where the arenas differ; to the strip it is ten, and sixteen to the thin
/// spiral's long corridors. Multiples of 1/64, so that controls are short, exact decimals.
fn actions(world: &World) -> Vec<Vec<f32>> {
    let mut actions = match world.body {
        Body::PointMass => world.forceful_actions(match world.name {
            "point-mass-thin-spiral" => 800,
            "point-mass-one-way" => 500,
            _ => 200,
        }),
        Body::Ant(_) => world.random_actions(50, 0.75),
    };
    for a in actions.iter_mut().flatten() {
        *a = (*a * 64.0).round() / 64.0;
    }
    actions
}

/// The file, one line per step. Numbers are the shortest decimals that read back as the same 64 bits.
fn write() {
    let worlds = worlds();
    let tasks: Vec<Value> = worlds.iter().map(|w| task(w, &actions(w), &[])).collect();
    let (version, answers) = ask(&tasks);
    let mut entries = Vec::new();
    for ((world, task), answer) in worlds.iter().zip(&tasks).zip(&answers) {
        let rows = |rows: Vec<String>| format!("[\n{}\n]", rows.join(",\n"));
        let controls = task["controls"].as_array().unwrap().iter();
        let state = |bits: &Vec<u64>| {
            let numbers: Vec<f64> = bits.iter().copied().map(f64::from_bits).collect();
            json!(numbers).to_string()
        };
        entries.push(format!(
            "{}: {{\n\"control_per_action\": {},\n\"steps_in_contact_with_a_wall\": {},\n\"controls\": {},\n\"states\": {}\n}}",
            json!(world.name),
            world.strength(),
            answer.wall_contacts,
            rows(controls.map(Value::to_string).collect()),
            rows(answer.states.iter().map(state).collect()),
        ));
    }
    let (version, entries) = (json!(version), entries.join(",\n"));
    let text = format!("{{\n\"mujoco\": {version},\n\"worlds\": {{\n{entries}\n}}\n}}\n");
    fs::create_dir_all(path().parent().unwrap()).unwrap();
    fs::write(path(), text).unwrap();
}

fn read() -> (String, Map<String, Value>) {
    let text = fs::read_to_string(path()).unwrap();
    let told: Value = serde_json::from_str(&text).unwrap();
    let version = told["mujoco"].as_str().unwrap().to_owned();
    (version, told["worlds"].as_object().unwrap().clone())
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| {
        let numbers = row.as_array().unwrap().iter();
        numbers.map(|x| x.as_f64().unwrap()).collect()
    };
    value.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn every_world_keeps_to_its_goldens() {
    if std::env::var_os("ISOCHRONE_WRITE_GOLDENS").is_some() {
        write();
    }
    let (version, goldens) = read();
    let worlds = worlds();
    assert_eq!(goldens.len(), worlds.len());
    for world in worlds {
        let name = world.name;
        let golden = &goldens[name];
        assert_goes_through_collisions(&world, golden);
        let (controls, states) = (rows(&golden["controls"]), rows(&golden["states"]));
        assert!(controls.len() >= 50 && controls.len() == states.len());
        let unit = golden["control_per_action"].as_f64().unwrap();
        let mut simulated = world.make();
        simulated.begin();
        for (step, (controls, expected)) in controls.iter().zip(&states).enumerate() {
            let action: Vec<f32> = controls.iter().map(|c| (c / unit) as f32).collect();
            let successor = simulated.step(&action).unwrap();
            let found = simulated.state();
            assert_eq!(found.len(), expected.len(), "{name}");
            for (entry, (found, expected)) in found.iter().zip(expected).enumerate() {
                let off = (found - expected).abs() / expected.abs().max(1.0);
                assert!(
                    off <= TOLERANCE,
                    "{name}, step {step}, entry {entry}: {found}, MuJoCo {version} gave {expected}"
                );
            }
            let goes_on = matches!(successor, Successor::Continue(_));
            assert!(goes_on || step + 1 == states.len(), "{name} ended early");
        }
    }
}

/// Goldens of bodies that never met a wall would say nothing about walls.
fn assert_goes_through_collisions(world: &World, golden: &Value) {
    let name = world.name;
    let contacts = golden["steps_in_contact_with_a_wall"].as_u64().unwrap();
    assert_eq!(contacts > 0, world.arena.is_some(), "{name}");
    if world.body == Body::PointMass {
        // A fast body that stays where it was has been put back.
        let is_put_back =
            |pair: &[Vec<f64>]| pair[0][..2] == pair[1][..2] && pair[0][2].hypot(pair[0][3]) > 1.0;
        let states = rows(&golden["states"]);
        assert!(states.windows(2).any(is_put_back), "{name}");
    }
}
