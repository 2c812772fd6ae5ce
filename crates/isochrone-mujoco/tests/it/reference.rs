//! The worlds against the engine's own Python package: every bit of every position and velocity.

use isochrone::env::{Environment, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::{Ant, Arena, Integrator, PointMass};
use rand::RngExt;
use serde_json::json;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const STEPS: usize = 1_000;

/// A task for the reference: the model, where it starts, its controls and its walls.
struct Task {
    xml: String,
    start_qpos: Vec<f64>,
    walls: Vec<[f64; 2]>,
    controls: Vec<Vec<f64>>,
}

/// What the Python package makes of it, as bits.
fn reference(task: &Task) -> Vec<Vec<u64>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("third_party/mujoco/venv/bin/python");
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference.py");
    let mut child = Command::new(&python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{}: {error}; run scripts/setup-mujoco.sh", python.display())
        });
    let text = json!({
        "xml": task.xml, "start_qpos": task.start_qpos, "walls": task.walls, "controls": task.controls,
    });
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.to_string().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the reference failed");
    let lines = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        line.split(' ')
            .map(|hex| parse_hex(hex).to_bits())
            .collect()
    };
    lines.lines().map(line).collect()
}

/// Python's `float.hex`: `-0x1.8p+1`.
fn parse_hex(text: &str) -> f64 {
    let (sign, rest) = text
        .strip_prefix('-')
        .map_or((1.0, text), |rest| (-1.0, rest));
    let (mantissa, exponent) = rest
        .strip_prefix("0x")
        .and_then(|r| r.split_once('p'))
        .unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let places = 4 * i32::try_from(fraction.len()).unwrap();
    sign * digits as f64 * 2_f64.powi(exponent) * 2_f64.powi(-places)
}

fn random_actions(length: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
    (0..STEPS)
        .map(|_| {
            (0..length)
                .map(|_| 2.0 * rng.random::<f32>() - 1.0)
                .collect()
        })
        .collect()
}

/// Steps a world as long as it goes on; what `state` reads after each step, as bits.
fn ours<E: Environment>(
    world: &mut E,
    actions: &[Vec<f32>],
    state: impl Fn(&E) -> Vec<f64>,
) -> Vec<Vec<u64>> {
    world.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
    let mut states = Vec::new();
    for action in actions {
        let successor = world.step(action).unwrap();
        states.push(state(world).iter().map(|x| x.to_bits()).collect());
        if matches!(successor, Successor::Terminal(_)) {
            break;
        }
    }
    states
}

fn compare(name: &str, ours: &[Vec<u64>], reference: &[Vec<u64>], least: usize) {
    assert!(
        ours.len() >= least,
        "{name} ended after {} steps",
        ours.len()
    );
    for (step, (a, b)) in ours.iter().zip(reference).enumerate() {
        assert_eq!(a, b, "{name}, step {step}");
    }
}

#[test]
fn point_mass_is_bit_equal() {
    for (name, text) in [
        ("figure-eight", Arena::FIGURE_EIGHT),
        ("spiral", Arena::SPIRAL),
        ("u", Arena::U),
        ("room", Arena::ROOM),
    ] {
        let arena: Arena = text.parse().unwrap();
        // Pushed one way for a while, so that walls are met.
        let mut actions = random_actions(2, 7);
        for (step, action) in actions.iter_mut().enumerate() {
            action[0] += [1.0, -1.0][step / 150 % 2];
        }
        let clipped = |a: &f32| 2.0 * f64::from(a.clamp(-1.0, 1.0));
        let task = Task {
            xml: PointMass::mjcf(&arena),
            start_qpos: vec![0.0; 2],
            walls: arena.wall_centres_m(),
            controls: actions
                .iter()
                .map(|a| a.iter().map(clipped).collect())
                .collect(),
        };
        let mut world = PointMass::new(arena).unwrap();
        let states = ours(&mut world, &actions, |w| [w.qpos(), w.qvel()].concat());
        compare(name, &states, &reference(&task), STEPS);
    }
}

#[test]
fn ants_are_bit_equal() {
    let u: Arena = Arena::U.parse().unwrap();
    for integrator in [Integrator::Rk4, Integrator::ImplicitFast] {
        for (name, arena) in [("free ant", None), ("maze ant", Some(&u))] {
            // Gentle enough to stay up.
            let mut actions = random_actions(8, 3);
            actions.iter_mut().flatten().for_each(|a| *a *= 0.1);
            let task = Task {
                xml: Ant::mjcf(arena, integrator),
                start_qpos: Ant::START_QPOS.to_vec(),
                walls: Vec::new(),
                controls: actions
                    .iter()
                    .map(|a| a.iter().map(|x| 150.0 * f64::from(*x)).collect())
                    .collect(),
            };
            let mut world = match arena {
                Some(arena) => Ant::in_arena(arena.clone(), integrator).unwrap(),
                None => Ant::free(integrator).unwrap(),
            };
            let states = ours(&mut world, &actions, |w| [w.qpos(), w.qvel()].concat());
            compare(name, &states, &reference(&task), 100);
        }
    }
}
