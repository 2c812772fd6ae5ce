//! What `fit` and its sisters refuse, and in which words.

use crate::fit::walks;

/// Settings of a fit that cannot be.
const SETTINGS: [(&str, &str); 26] = [
    (
        "--target bootstrapped",
        "this target needs a radius (--radius R, in Python radius=R)",
    ),
    ("--set dim=3", "did you mean \"dims\"?"),
    ("--set window=3", "did you mean \"window_steps\"?"),
    ("--spec spec.toml", "did you mean \"dims\"?"),
    ("--set p=0.5", "p is 0.5; it must be at least 1"),
    ("--state speed", "name the states, for example with --state"),
    ("--set dims=-1", "dims: "),
    ("--set batch=0", "batch is 0"),
    ("--set held_out=5", "held_out is 5"),
    ("--set p=1e30", "at most 100"),
    ("--set dims=1000000000000", "parameters"),
    ("--set hidden=[1000000000]", "parameters"),
    ("--set batch=1000000000000", "at most a million"),
    ("--window 18446744073709551615", "at most a billion"),
    ("--passes 9223372036854775807", "passes is"),
    ("--seed 18446744073709551615", "2⁶³"),
    ("--radius 2", "`window` has no radius"),
    (
        "--device gpu",
        "built without support for GPUs; build it with `cargo build --release -p isochrone-cli --features gpu`, or leave out --device",
    ),
    (
        "--set clip_frames=1",
        "clip_frames is 1; it must be at least 2",
    ),
    ("--set clip_frames=9999", "at most twice the batch"),
    (
        "--set clip_frames=8 --set sampler=each_first_hit",
        "all pairs of a clip weigh the same",
    ),
    (
        "--set clip_frames=8 --target geodesic",
        "only the targets `window` and `first_passage`",
    ),
    ("--set beta=2", "only the target `graph_drawing` has it"),
    (
        "--target graph_drawing --set head=potential",
        "`graph_drawing` has no direction",
    ),
    (
        "--target graph_drawing --window 5",
        "`graph_drawing` has no window",
    ),
    (
        "--target first_passage --radius 2 --window 5",
        "`first_passage` has no window",
    ),
];

/// Commands that cannot be, before anything was fitted.
const COMMANDS: [(&str, &str); 11] = [
    ("fit", "required"),
    ("fit logs/walk.parquet -o logs/walk.parquet", "named twice"),
    ("fit logs/walk.parquet -o logs", "cannot write"),
    (
        "fit logs/walk.parquet -o good.toml --spec good.toml",
        "named twice",
    ),
    (
        "fit still.csv --state x -o d.isochrone",
        "no two states of an episode",
    ),
    (
        "fit nan.csv --state x -o d.isochrone",
        "nan.csv, line 3, column \"x\": the value is NaN",
    ),
    ("fit --resume logs", "logs is not a run folder"),
    ("info logs/walk.parquet", "holds data, not a model"),
    (
        "info nothing.isochrone",
        "nothing.isochrone does not exist; name the model file",
    ),
    ("collect nowhere -o a.parquet", "neither a file nor a world"),
    ("collect maze.txt -o a.csv", "does not end in .parquet"),
];

/// Questions that a distance cannot answer.
const QUESTIONS: [(&str, &str); 12] = [
    (
        "distance d.isochrone --from 1,2,3 --to 1,2",
        "--from: the state has 3 entries",
    ),
    ("distance d.isochrone --to 1,2", "from where?"),
    (
        "distance d.isochrone --from x --to 1,2",
        "`x` is not a number",
    ),
    (
        "distance d.isochrone --from logs/walk.parquet:99999 --to 1,2",
        "there is no row 99999",
    ),
    (
        "distance d.isochrone logs/walk.parquet --to goal.csv:0 -o goal.csv",
        "goal.csv",
    ),
    (
        "distance d.isochrone --from 0,0 --to 1,2 -o steps.csv",
        "-o is for the table of data files",
    ),
    ("nearest d.isochrone still.csv --to 1,2", "has no column"),
    ("assess d.isochrone logs/walk.parquet --axes 0,1", "--out"),
    (
        "assess d.isochrone --maze maze.txt --axes 0,1 --out o",
        "--maze",
    ),
    ("assess d.isochrone", "assess it by what?"),
    (
        "assess d.isochrone logs/walk.parquet --out o --axes 0,7",
        "--axes must be two entries",
    ),
    (
        "assess d.isochrone --maze maze.txt --from=-5,0 --out o",
        "COLUMN,ROW",
    ),
];

#[test]
fn what_cannot_be_is_refused() {
    let desk = walks(20);
    desk.put("still.csv", "episode_index,x\n0,1\n0,1\n0,1\n1,1\n1,1\n");
    desk.put("nan.csv", "episode_index,x\n0,1\n0,NaN\n");
    desk.put(
        "goal.csv",
        "episode_index,observation.state.0,observation.state.1\n0,1,2\n0,1,2\n",
    );
    desk.put("spec.toml", "dim = 3\n");
    desk.put("good.toml", "dims = 3\n");
    let check = |arguments: &str, words: &str| {
        let said = desk.refused(arguments);
        assert!(said.contains(words), "{arguments}: {said}");
    };
    for (settings, words) in SETTINGS {
        check(
            &format!("fit logs/walk.parquet -o d.isochrone {settings}"),
            words,
        );
    }
    for (command, words) in COMMANDS {
        check(command, words);
    }
    assert!(!desk.path("d.isochrone").exists());
    assert_eq!(desk.text("good.toml"), "dims = 3\n");
    let _ = std::fs::remove_dir_all(desk.path("d.run"));
    desk.ok("fit logs/walk.parquet -o d.isochrone --passes 1");
    for (question, words) in QUESTIONS {
        check(question, words);
    }
}
