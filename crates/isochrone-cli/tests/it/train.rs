//! Training as a user meets it, on a world so small that a run takes a second.

#[path = "../../examples/kill_and_resume/kills.rs"]
mod kills;

use crate::desk::Desk;
use isochrone_files::model::{Contents, Kind};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

/// A tiny training; everything that a large one has is in it.
pub(crate) const TINY: &str = "point-2d iterations=6 batch_steps=300 horizon_steps=50 new_goals=12 old_goals=6 \
                    initial_states=200 on_policy_states=100 generator.iterations=5 generator.initial_iterations=5 \
                    updates_per_iteration=2 evaluation.rollouts=1 evaluation.horizon_steps=20 evaluate_every=2";

/// What repeats to the byte.
const RECORDS: [&str; 4] = [
    "checkpoint.isochrone",
    "metrics.jsonl",
    "eval.jsonl",
    "goals.jsonl",
];

/// Goals from a GAN with labels from new rollouts and a learned spread; the other choice of everything; and a distance
/// that is learned.
const METHODS: [&str; 3] = [
    "",
    "generator=action_noise labels=training_paths learner.std=fixed learner.baseline=mlp distance.radius_m=1.0 generator.tail_steps=20",
    "distance=off_policy distance.epsilon_steps=8 distance.tail_steps=20 distance.learning_rate=1e-3 \
     distance.initial_samples=400 distance.initial_epochs=2",
];

/// The tiny training with a method. Action noise has no GAN, and would refuse its settings.
fn tiny(method: &str) -> String {
    let gan = "generator.iterations=5 generator.initial_iterations=5";
    assert!(TINY.contains(gan));
    let is_gan = !method.contains("generator=action_noise");
    let base = if is_gan {
        TINY.to_owned()
    } else {
        TINY.replace(gan, "")
    };
    format!("{base} {method}")
}

fn assert_equal(desk: &Desk, runs: [&str; 2], files: &[&str], what: &str) {
    for file in files {
        let [a, b] = runs.map(|run| desk.read(&format!("{run}/{file}")));
        assert!(a == b, "{file}: {what}");
    }
}

/// The arrays of a checkpoint, by name.
fn tensors(desk: &Desk, run: &str) -> Vec<(String, Vec<u8>)> {
    let file = desk.path(&format!("{run}/checkpoint.isochrone"));
    let read = Contents::<serde_json::Value>::read(&file, Kind::Agent).unwrap();
    let arrays = read.arrays.into_iter();
    arrays.map(|a| (a.name, a.values.to_le_bytes())).collect()
}

#[test]
fn the_same_spec_gives_the_same_bytes_on_any_number_of_threads() {
    for method in METHODS {
        let desk = Desk::new();
        for (run, threads) in [("a", 1), ("b", 1), ("c", 2), ("d", 4)] {
            desk.ok(&format!(
                "train {} --threads {threads} --out {run}",
                tiny(method)
            ));
        }
        for run in ["b", "c", "d"] {
            assert_equal(&desk, ["a", run], &RECORDS, &format!("{run} {method}"));
            if method.contains("off_policy") {
                assert_equal(&desk, ["a", run], &["distance.jsonl"], run);
            }
        }
        desk.ok(&format!("train {} seed=1 --out other", tiny(method)));
        assert_ne!(tensors(&desk, "a"), tensors(&desk, "other"));
        // Something was learned, or equal bytes would mean nothing.
        let first = desk.text("a/metrics.jsonl");
        assert!(first.lines().count() == 6, "{first}");
        let still = first.matches("\"kl\":[0.0,0.0]").count();
        assert!(still < 6, "{first}");
    }
}

/// What is told of a learned distance: a line before the first iteration and one for each.
#[test]
fn a_learned_distance_is_told_of() {
    let desk = Desk::new();
    desk.ok(&format!("train {} --out run", tiny(METHODS[2])));
    let text = desk.text("run/distance.jsonl");
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 7, "{text}");
    for (iteration, line) in lines.iter().enumerate() {
        let number = |name: &str| line[name].as_f64().unwrap();
        assert_eq!(line["iteration"], iteration, "{line}");
        assert!((0.0..=1.0).contains(&number("sphere_share")), "{line}");
        assert!((0.0..=1.0).contains(&number("goal_sphere_share")), "{line}");
        assert!(number("mean_distance_steps") > 0.0, "{line}");
        assert!(number("loss") > 0.0 && number("pairs") > 0.0, "{line}");
        assert_eq!(number("drift") > 0.0, iteration > 0, "{line}");
    }
    desk.ok("plot run --csv table.csv");
    let table = desk.text("table.csv");
    let names = table.lines().next().unwrap();
    for name in ["false_reached", "sphere_share", "goal_sphere_share"] {
        assert!(names.contains(name), "{names}");
    }
    assert!(
        table.contains("point-2d,off_policy,position,goal_gan"),
        "{table}"
    );
}

#[test]
fn looking_more_often_changes_nothing() {
    for method in METHODS {
        let desk = Desk::new();
        desk.ok(&format!(
            "train {} evaluate_every=1 --out often",
            tiny(method)
        ));
        desk.ok(&format!(
            "train {} evaluate_every=10 --out seldom",
            tiny(method)
        ));
        assert_equal(&desk, ["often", "seldom"], &["metrics.jsonl"], method);
        assert_eq!(tensors(&desk, "often"), tensors(&desk, "seldom"));
        let evaluations = |run: &str| desk.text(&format!("{run}/eval.jsonl")).lines().count();
        assert_eq!((evaluations("often"), evaluations("seldom")), (7, 2));
    }
}

#[test]
fn a_training_that_is_killed_resumes_to_the_same_bytes() {
    for (seed, method) in METHODS.into_iter().enumerate() {
        let desk = Desk::new();
        let arguments = format!("{} iterations=12", tiny(method));
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let trial = kills::Trial {
            binary: Path::new(env!("CARGO_BIN_EXE_isochrone")),
            desk: &desk.path(""),
            arguments: &arguments,
            kills: 5,
            seed: seed as u64,
        };
        let record = trial.run().unwrap();
        assert_eq!(record.kills, 5);
        assert!(record.different.is_empty(), "{record:?}");
    }
}

/// Runs a training in the folder `run` until it has learned a little, and stops it.
pub(crate) fn terminated(desk: &Desk, train: &str) -> Output {
    desk.signalled(train, "run/metrics.jsonl", "-TERM")
}

#[test]
fn a_signal_leaves_a_folder_to_go_on_with() {
    let desk = Desk::new();
    desk.ok(&format!("train {TINY} iterations=40 --out whole"));
    let train = format!("train {TINY} iterations=40 --out run");
    let output = terminated(&desk, &train);
    let said = String::from_utf8(output.stderr).unwrap();
    // What schedulers know as "try again later".
    assert_eq!(output.status.code(), Some(75));
    assert!(said.contains("of 40 iterations are kept"), "{said}");
    assert!(said.ends_with("isochrone resume run\n"), "{said}");
    let again = desk.refused(&train);
    assert!(again.contains("isochrone resume run"), "{again}");
    desk.ok("resume run --threads 1");
    assert_equal(&desk, ["whole", "run"], &RECORDS, "after a signal");
}

/// A disk without room, played by a limit on the size of files: the checkpoint before stays as it is.
#[test]
fn a_full_disk_leaves_the_last_good_checkpoint() {
    let desk = Desk::new();
    desk.ok(&format!("train {TINY} --out whole"));
    desk.ok(&format!("train {TINY} iterations=4 --out run"));
    let before = desk.read("run/checkpoint.isochrone");
    // In kilobytes; less than a checkpoint, more than any line. A limit ends a process unless it ignores the signal.
    let room_kb = before.len() / 2 / 1024;
    let resume = desk.command("resume run iterations=6");
    let mut limited = Command::new("bash");
    limited.current_dir(desk.path("")).arg("-c");
    limited
        .arg(format!("trap '' XFSZ; ulimit -f {room_kb}; exec \"$@\""))
        .arg("bash");
    limited.arg(resume.get_program()).args(resume.get_args());
    let output = limited.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(said.contains("cannot write"), "{said}");
    assert!(said.contains("checkpoint.isochrone"), "{said}");
    assert_eq!(desk.read("run/checkpoint.isochrone"), before);
    assert!(
        !desk
            .names("run")
            .iter()
            .any(|name| name.contains(".partial"))
    );
    desk.ok("resume run iterations=6");
    assert_equal(&desk, ["whole", "run"], &RECORDS, "after a full disk");
}

#[test]
fn a_training_that_is_done_can_go_on_for_longer() {
    let desk = Desk::new();
    desk.ok(&format!("train {TINY} --out whole"));
    desk.ok(&format!("train {TINY} iterations=4 --out run"));
    desk.ok("resume run iterations=6");
    assert_equal(&desk, ["whole", "run"], &RECORDS, "after an extension");
    assert_eq!(desk.text("whole/spec.toml"), desk.text("run/spec.toml"));
    assert_eq!(
        desk.text("whole/manifest.json"),
        desk.text("run/manifest.json")
    );
    let said = desk.refused("resume run distance.radius_m=2");
    assert!(
        said.contains("only iterations and evaluate_every"),
        "{said}"
    );
    let changed = desk
        .text("run/spec.toml")
        .replace("lambda = 1.0", "lambda = 0.9");
    desk.put("run/spec.toml", changed);
    let said = desk.refused("resume run iterations=8");
    assert!(said.contains("differs from the spec of"), "{said}");
}

#[test]
fn what_is_wrong_is_told_before_anything_is_made() {
    let desk = Desk::new();
    for (arguments, expected) in [
        ("point-2d iteration=3", "did you mean \"iterations\"?"),
        ("point-3c", "did you mean \"point-3d\"?"),
        ("nowhere.toml", "cannot read nowhere.toml"),
        (
            "xylophone",
            "presets begin with free-ant, maze-ant, point-2d, ",
        ),
        ("point-2d world=point-9d", "there is no world `point-9d`"),
        (
            "point-2d generator=gan",
            "generator has no kind \"gan\"; did you mean",
        ),
        (
            "point-2d learner.discount=2",
            "discount is 2; it must be from 0 to 1",
        ),
        ("point-2d batch_steps=0", "batch_steps is 0"),
        ("point-2d learner.hidden=[0]", "hidden is 0; it must be"),
        (
            "point-mass-off-policy distance.target=separated_window distance.target.steps=500",
            "distance.target.steps is 500; it must be shorter than the trajectories",
        ),
        (
            "point-mass-off-policy distance.target=separated_window distance.target.far_share=2",
            "far_share is 2; it must be in 0…1",
        ),
        ("point-2d distance.radius_m=-1", "radius_m is -1"),
        ("point-2d seed=-1", "seed"),
        (
            "point-2d labels.min=0.9 labels.max=0.1",
            "labels.max is 0.1; it must be above min",
        ),
        (
            "point-2d iterations=2.5",
            "iterations: invalid type: floating point `2.5`, expected a whole number, 0 or more",
        ),
        (
            "point-mass-off-policy distance.epsilon=30",
            "epsilon is 30; it must be one of the kinds adaptive, share, steps; did you mean epsilon_steps=30?",
        ),
        ("point-2d generator.noise_std_m=-1", "noise"),
        (
            "point-2d generator.size=0 generator=action_noise",
            "size is 0",
        ),
    ] {
        let said = desk.refused(&format!("train {arguments} --out run"));
        assert!(said.contains(expected), "{arguments}: {said}");
        assert!(!desk.path("run").exists(), "{arguments}");
    }
    std::fs::create_dir(desk.path("mine")).unwrap();
    desk.put("mine/precious.txt", "mine");
    let said = desk.refused("train point-2d --out mine");
    assert!(said.contains("is not a training"), "{said}");
    let said = desk.refused("resume mine");
    assert!(said.contains("is not the folder of a training"), "{said}");
}

#[test]
fn two_trainings_do_not_share_a_folder() {
    let desk = Desk::new();
    let mut running = desk.command(&format!("train {TINY} iterations=100000 --out run"));
    let mut running = running.spawn().unwrap();
    while !desk.path("run/checkpoint.isochrone").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let said = desk.refused("resume run");
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(
        said.contains("another training is running in run"),
        "{said}"
    );
}

#[test]
fn a_quick_run_says_what_it_gives_up() {
    let desk = Desk::new();
    let said = desk.ok("train point-2d --quick iterations=1 seed=5");
    assert!(
        said.starts_with("quick: 5 iterations instead of 100, "),
        "{said}"
    );
    assert!(
        said.contains("runs/point-2d-seed5: 1 iterations, "),
        "{said}"
    );
    assert!(
        std::fs::metadata(desk.path("runs/point-2d-seed5/checkpoint.isochrone"))
            .unwrap()
            .len()
            < 5_000_000
    );
}

#[test]
fn what_is_done_is_not_undone() {
    let desk = Desk::new();
    desk.ok(&format!("train {TINY} --out run --revision one"));
    let said = desk.refused("resume run iterations=2");
    assert!(
        said.contains("iterations is 2, but 6 are done already"),
        "{said}"
    );
    desk.ok("resume run iterations=7 --revision two");
    let manifest = desk.text("run/manifest.json");
    assert!(manifest.contains("\"one+two\""), "{manifest}");
    let said = desk.refused("plot run run -o figure.svg");
    assert!(said.contains("have seed 0"), "{said}");
}
