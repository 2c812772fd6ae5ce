//! The engine's own Python package, asked through `tests/reference.py`.

use crate::roster::{Body, World};
use isochrone_mujoco::{Arena, WallBox};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What the package makes of one task.
pub(crate) struct Answer {
    /// The state after each step, as bits.
    pub(crate) states: Vec<Vec<u64>>,
    /// Steps that ended inside a wall and were put back.
    pub(crate) put_backs: u64,
    /// Steps during which the floor pushed.
    pub(crate) pushed: u64,
    /// Steps that were solved with a contact with a wall.
    pub(crate) wall_contacts: u64,
}

/// A world, its actions and the steps before which to reset it, as the script reads it. Only the point mass
/// has the rule about centres inside walls, and is pushed by the floor.
pub(crate) fn task(world: &World, actions: &[Vec<f32>], resets: &[usize]) -> Value {
    let arena = world
        .arena
        .as_ref()
        .filter(|_| world.body == Body::PointMass);
    let mut cells = arena.map_or(Vec::new(), Arena::walls);
    let thin_walls: Vec<WallBox> = arena.into_iter().flat_map(Arena::thin_walls).collect();
    cells.truncate(cells.len() - thin_walls.len());
    let cells: Vec<_> = cells.iter().map(|wall| wall.centre_m).collect();
    let boxes = thin_walls.iter().map(|wall| [wall.centre_m, wall.half_m]);
    let thin_walls: Vec<_> = boxes.collect();
    let pushes = arena.map_or(Vec::new(), Arena::pushes);
    let controls: Vec<Vec<f64>> = actions.iter().map(|a| world.controls(a)).collect();
    json!({
        "xml": world.mjcf(), "start_qpos": world.start_qpos(), "walls": cells,
        "thin_walls": thin_walls, "pushes": pushes, "controls": controls, "resets": resets,
    })
}

/// The version of the package and its answers, from one process for all tasks: starting it takes longest.
pub(crate) fn ask(tasks: &[Value]) -> (String, Vec<Answer>) {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let python = here.join("../../third_party/mujoco/venv/bin/python");
    let mut child = Command::new(&python)
        .arg(here.join("tests/reference.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!(
                "{}: {error}; run scripts/setup-mujoco.sh --with-python",
                python.display()
            )
        });
    let text = serde_json::to_string(tasks).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the reference failed");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let answers: Vec<Answer> = list(&told["answers"]).iter().map(answer).collect();
    assert_eq!(answers.len(), tasks.len());
    (told["mujoco"].as_str().unwrap().to_owned(), answers)
}

fn answer(told: &Value) -> Answer {
    let bits = |row: &Value| list(row).iter().map(|x| x.as_u64().unwrap()).collect();
    Answer {
        states: list(&told["states"]).iter().map(bits).collect(),
        put_backs: told["put_backs"].as_u64().unwrap(),
        pushed: told["pushed"].as_u64().unwrap(),
        wall_contacts: told["wall_contacts"].as_u64().unwrap(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}
