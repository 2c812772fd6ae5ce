//! Names of files: endings that would lie, and folders and files of another kind.

use super::fitted;

#[test]
fn every_command_that_writes_checks_the_ending() {
    let desk = fitted();
    desk.put("maze.txt", "...\n");
    for (command, ending) in [
        ("fit a.csv --state x,y -o d.onnx", "isochrone"),
        ("fit a.csv --state x,y -o d", "isochrone"),
        ("distance d.isochrone a.csv --to 1,1 -o d.parquet", "csv"),
        ("embed d.isochrone a.csv -o d.csv", "parquet"),
        ("export d.isochrone --onnx d.pt", "onnx"),
        ("collect maze.txt -o d.csv", "parquet"),
        ("exact maze.txt --from 0 -o d.txt", "csv"),
        ("spectral maze.txt --dims 1 -o d.npz", "csv"),
        ("plot runs/none --csv d.txt", "csv"),
        ("sweep collect none -o d.json", "csv"),
    ] {
        let said = desk.refused(command);
        let told =
            format!("does not end in .{ending}, which is what is written; name it d.{ending}");
        assert!(said.contains(&told), "{command}: {said}");
    }
}

/// What standard output leads to is written to, whatever it is called; and who stops reading makes no error.
#[test]
fn standard_output_has_no_ending() {
    let desk = fitted();
    let out = std::fs::File::create(desk.path("out.txt")).unwrap();
    let mut command = desk.command("distance d.isochrone a.csv --to 1,0.5 -o /dev/stdout");
    assert!(command.stdout(out).status().unwrap().success());
    assert!(desk.text("out.txt").starts_with("file,episode_index,"));
    let mut running = desk
        .command("distance d.isochrone a.csv --to 1,0.5 -o /dev/stdout")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(running.stdout.take());
    let output = running.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn folders_and_files_are_recognised() {
    let desk = fitted();
    desk.ok("train point-2d iterations=1 --quick --out runs/a");
    for (command, told) in [
        (
            "info d.run",
            "d.run is the folder of a fit; the model that it wrote",
        ),
        ("info a.csv", "isochrone fit a.csv -o a.isochrone"),
        ("info runs/a", "isochrone evaluate runs/a"),
        ("info runs", "isochrone plot runs/* -o coverage.svg"),
        (
            "info runs/a/checkpoint.isochrone",
            "models are what `isochrone fit -o FILE` writes",
        ),
        ("assess runs/a a.csv", "isochrone evaluate runs/a"),
        ("nearest a.csv a.csv --to 1,1", "holds data, not a model"),
        (
            "evaluate d.run",
            "the folder of a fit, not of a training; what it learned:\n  isochrone info ",
        ),
        (
            "plot d.run -o x.svg",
            "the folder of a fit, not of a training",
        ),
        ("evaluate d.isochrone", "isochrone info d.isochrone"),
        ("plot a.csv -o x.svg", "a.csv holds data, not a training"),
        (
            "plot runs -o x.svg",
            "runs is not a training; it holds one: name runs/*",
        ),
        ("evaluate runs/b", "runs/b does not exist"),
        ("resume d.run", "the folder of a fit, not of a training"),
        (
            "train CartPole-v1",
            "From Python, if its actions are numbers (Box):\n  agent = isochrone.Isochrone(gymnasium.make(\"CartPole-v1\"))",
        ),
        ("train nonsense", "presets begin with free-ant, maze-ant"),
        (
            "fit a.csv --state x,y --episode episode -o e.isochrone",
            "did you mean \"episode_index\"?",
        ),
        (
            "fit a.csv --state x,y --episode episodes_index -o e.isochrone",
            "did you mean \"episode_index\"?",
        ),
    ] {
        let said = desk.refused(command);
        assert!(said.contains(told), "{command}: {said}");
    }
}
