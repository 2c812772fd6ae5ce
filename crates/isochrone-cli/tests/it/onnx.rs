//! Exported models as onnxruntime runs them.

use crate::desk::Desk;
use crate::tidy::root;
use isochrone_files::policy::PolicyModel;
use std::path::PathBuf;
use std::process::Command;

/// Checks the model and opens it.
const SESSION: &str = r#"
import sys
import numpy, onnx, onnxruntime
onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
"#;

/// Prints the steps from the states of a table to the goal, one a line.
const DISTANCE: &str = r#"
states = numpy.loadtxt(sys.argv[2], delimiter=",", skiprows=1, dtype=numpy.float32)[:, 1:]
goal = numpy.tile(numpy.array([[float(x) for x in sys.argv[3].split(",")]], dtype=numpy.float32), (len(states), 1))
steps, point = session.run(["steps", "point"], {"state": states, "goal": goal})
assert steps.shape == (len(states),) and point.shape[0] == len(states), (steps.shape, point.shape)
print("\n".join(repr(float(x)) for x in steps))
"#;

/// Prints all entries of the actions for a table of states with goals beside them, one a line.
const POLICY: &str = r#"
rows = numpy.loadtxt(sys.argv[2], delimiter=",", dtype=numpy.float32)
state, goal = (numpy.ascontiguousarray(half) for half in numpy.split(rows, 2, axis=1))
(actions,) = session.run(["action"], {"state": state, "goal": goal})
print("\n".join(repr(float(x)) for x in actions.ravel()))
"#;

/// The numbers that a script prints of an exported model.
fn onnxruntime(script: &str, model: PathBuf, table: PathBuf, goal: &str) -> Vec<f64> {
    let output = Command::new(root().join("third_party/checks/venv/bin/python"))
        .args(["-c", &[SESSION, script].concat()])
        .args([model, table])
        .arg(goal)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.lines().map(|line| line.parse().unwrap()).collect()
}

/// The largest difference, relative where numbers exceed 1.
fn worst(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let pairs = ours.iter().zip(theirs);
    let errors = pairs.map(|(ours, theirs)| (ours - theirs).abs() / ours.abs().max(1.0));
    errors.fold(0.0, f64::max)
}

/// A walk in three dimensions, as text: the second `size` times larger than the first, the third as far from zero.
fn table(size: f64) -> String {
    let mut lines = vec!["episode_index,x,y,z".to_owned()];
    for episode in 0..20 {
        for step in 0..60 {
            let t = f64::from(episode * 60 + step);
            let (x, y, z) = (
                (t / 9.0).sin(),
                size * (t / 7.0).cos(),
                size + (t / 31.0).sin(),
            );
            lines.push(format!("{episode},{x},{y},{z}"));
        }
    }
    lines.join("\n") + "\n"
}

/// Every head and norm, within 1e-5 of the distance (and of one step, below which rounding of the points shows).
#[test]
fn onnxruntime_agrees() {
    let specs = [
        (1e4, ""),
        (1.0, "--set inputs=raw --set hidden=[16,16] --set p=2"),
        (1e3, "--target bootstrapped --radius 100"),
        (1e2, "--set p=3 --set q=0.5 --set head=potential"),
        (1e2, "--set p=100"),
        (1e2, "--set p=7 --set head=quasimetric"),
        (1e2, "--set fourier_features=24 --set fourier_frequency=3"),
    ];
    for (size, spec) in specs {
        let desk = Desk::with("walk.csv", table(size));
        desk.ok(&format!(
            "fit walk.csv --state x,y,z -o d.isochrone --passes 4 {spec}"
        ));
        desk.ok("export d.isochrone --onnx d.onnx");
        let goal = format!("0.5,{},{}", 0.3 * size, size + 0.25);
        desk.ok(&format!(
            "distance d.isochrone walk.csv --to {goal} -o ours.csv"
        ));
        let theirs = onnxruntime(DISTANCE, desk.path("d.onnx"), desk.path("walk.csv"), &goal);
        let ours = desk.table("ours.csv").column("distance_steps");
        let worst = worst(&ours, &theirs);
        assert!(worst <= 1e-5, "{spec}: {worst:e}");
    }
}

/// Images of odd sides, strided and not, normalised by running means and variances.
#[test]
fn onnxruntime_agrees_on_images() {
    let pixels: Vec<String> = (0..7 * 5 * 2).map(|pixel| format!("p{pixel}")).collect();
    let names = pixels.join(",");
    let mut lines = vec![format!("episode_index,{names}")];
    for row in 0..400 {
        let byte = |pixel| {
            let t = f64::from(row) / 3.0 + f64::from(pixel);
            (127.5 * (1.0 + t.sin())).round().to_string()
        };
        let bytes: Vec<String> = (0..pixels.len() as u16).map(byte).collect();
        lines.push(format!("{},{}", row / 40, bytes.join(",")));
    }
    let desk = Desk::with("walk.csv", lines.join("\n") + "\n");
    desk.ok(&format!(
        "fit walk.csv --state {names} --set image=[7,5,2] --set channels=[6,4] --set strides=[1,2] --set hidden=[8] --target window \
         --set clip_frames=8 --set batch=32 --passes 6 -o d.isochrone"
    ));
    desk.ok("export d.isochrone --onnx d.onnx");
    let goal: Vec<&str> = lines[17].split(',').skip(1).collect();
    let goal = goal.join(",");
    desk.ok(&format!(
        "distance d.isochrone walk.csv --to {goal} -o ours.csv"
    ));
    let theirs = onnxruntime(DISTANCE, desk.path("d.onnx"), desk.path("walk.csv"), &goal);
    let ours = desk.table("ours.csv").column("distance_steps");
    let worst = worst(&ours, &theirs);
    assert!(worst <= 1e-4, "{worst:e}");
    assert!(ours.iter().any(|steps| *steps > 1.0), "{ours:?}");
}

#[test]
fn onnxruntime_agrees_on_a_cloned_policy() {
    let desk = Desk::new();
    desk.ok("collect point-mass --episodes 20 --steps 50 -o ball.parquet");
    desk.ok(
        "clone ball.parquet -o p.isochrone --updates 200 --batch 64 --hidden 32,16 --max-lag 6",
    );
    let said = desk.ok("export p.isochrone --onnx p.onnx");
    assert!(said.contains("output `action` (N × "), "{said}");
    let policy = PolicyModel::read(&desk.path("p.isochrone")).unwrap().policy;
    let width = policy.inputs();
    let rows: Vec<Vec<f32>> = (0..200_u16)
        .map(|row| {
            let entry = |k| (f32::from(row) * (k as f32 + 1.0)).sin();
            (0..2 * width).map(entry).collect()
        })
        .collect();
    let lines = rows.iter().map(|row| {
        let entries: Vec<String> = row.iter().map(f32::to_string).collect();
        entries.join(",") + "\n"
    });
    desk.put("pairs.csv", lines.collect::<String>());
    let actions = rows.iter().flat_map(|row| {
        let (state, goal) = row.split_at(width);
        policy.act(state, goal).unwrap()
    });
    let ours: Vec<f64> = actions.map(f64::from).collect();
    assert!(ours.iter().any(|action| (action - ours[0]).abs() > 0.1));
    let theirs = onnxruntime(POLICY, desk.path("p.onnx"), desk.path("pairs.csv"), "");
    let worst = worst(&ours, &theirs);
    assert!(worst <= 1e-5, "{worst:e}");
}
