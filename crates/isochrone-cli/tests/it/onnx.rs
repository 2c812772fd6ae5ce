//! Exported models as onnxruntime runs them.

use crate::desk::Desk;
use crate::tidy::root;
use std::process::Command;

/// Checks the model, runs it on the states of a table, and prints the steps to the goal, one a line.
const RUNNER: &str = r#"
import sys
import numpy, onnx, onnxruntime
onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
states = numpy.loadtxt(sys.argv[2], delimiter=",", skiprows=1, dtype=numpy.float32)[:, 1:]
goal = numpy.tile(numpy.array([[float(x) for x in sys.argv[3].split(",")]], dtype=numpy.float32), (len(states), 1))
steps, point = session.run(["steps", "point"], {"state": states, "goal": goal})
assert steps.shape == (len(states),) and point.shape[0] == len(states), (steps.shape, point.shape)
print("\n".join(repr(float(x)) for x in steps))
"#;

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
        let output = Command::new(root().join("third_party/checks/venv/bin/python"))
            .args(["-c", RUNNER])
            .args([desk.path("d.onnx"), desk.path("walk.csv")])
            .arg(&goal)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{spec}: {said}");
        let theirs = String::from_utf8(output.stdout).unwrap();
        let ours = desk.table("ours.csv").column("distance_steps");
        let mut worst = 0.0_f64;
        for (ours, theirs) in ours.iter().zip(theirs.lines()) {
            let theirs: f64 = theirs.parse().unwrap();
            worst = worst.max((ours - theirs).abs() / ours.abs().max(1.0));
        }
        assert_eq!(ours.len(), theirs.lines().count());
        assert!(worst <= 1e-5, "{spec}: {worst:e}");
    }
}
