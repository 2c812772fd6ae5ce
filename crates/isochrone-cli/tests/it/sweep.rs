//! Sweeps as a user meets them.

use crate::desk::Desk;
use std::process::Stdio;
use std::time::Duration;

const SWEEP: &str = r#"
base = "point-2d"
seeds = 3
set = [
  "iterations=4", "batch_steps=300", "horizon_steps=50", "new_goals=12", "old_goals=6", "initial_states=200",
  "on_policy_states=100", "updates_per_iteration=2", "evaluation.rollouts=1",
  "evaluation.horizon_steps=20", "evaluate_every=2",
]
[variants]
gan = ["generator.iterations=5", "generator.initial_iterations=5"]
uniform = ["generator=uniform"]
"#;

fn planned() -> Desk {
    let desk = Desk::with("sweep.toml", SWEEP);
    let said = desk.ok("sweep plan sweep.toml -o a");
    assert!(said.starts_with("a: 6 units\n"), "{said}");
    desk
}

#[test]
fn shares_do_every_unit_once_and_give_what_one_process_gives() {
    let desk = planned();
    desk.ok("sweep plan sweep.toml -o b");
    let said = desk.ok("sweep run a --threads 1");
    assert!(said.ends_with("6 units, 0 of them done before\n"), "{said}");
    // A share that is killed twice, once before its first unit has a checkpoint, and once later.
    for pause_ms in [5, 600] {
        let mut share = desk.command("sweep run b --shard 1/2 --threads 1");
        let mut share = share.stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        share.kill().unwrap();
        share.wait().unwrap();
    }
    for share in [0, 1] {
        let said = desk.ok(&format!("sweep run b --shard {share}/2 --threads 2"));
        assert!(said.contains("3 units, "), "{said}");
    }
    let again = desk.ok("sweep run b");
    assert_eq!(again, "6 units, 6 of them done before\n");
    for sweep in ["a", "b"] {
        desk.ok(&format!("sweep collect {sweep} -o {sweep}.csv"));
    }
    assert_eq!(desk.text("a.csv"), desk.text("b.csv"));
    assert_eq!(desk.table("a.csv").rows.len(), 6 * 3);
    let status = desk.ok("sweep status b --json");
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status[0]["variant"], "gan");
    assert_eq!(status[1]["done"], 3);
}

#[test]
fn units_are_never_changed() {
    let desk = planned();
    desk.ok("sweep plan sweep.toml -o a");
    desk.put("other.toml", SWEEP.replace("seeds = 3", "seeds = [7]"));
    let said = desk.refused("sweep plan other.toml -o a");
    assert!(said.contains("a holds another sweep already"), "{said}");
    let unit = "a/units/00002-gan-seed2.toml";
    desk.put(unit, desk.text(unit).replace("seed = 2", "seed = 9"));
    for command in ["sweep status a", "sweep run a --shard 2/6"] {
        let output = desk.run(command);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("was changed after it was planned"), "{said}");
    }
}

/// One damaged unit is named, and keeps nobody from the others; and work goes on when nobody reads what is said of it.
#[test]
fn others_go_on_without_a_damaged_unit() {
    let desk = planned();
    let mut deaf = desk.command("sweep run a --threads 1");
    let mut deaf = deaf.stdout(Stdio::piped()).spawn().unwrap();
    drop(deaf.stdout.take());
    assert!(deaf.wait().unwrap().success());
    let status = || -> serde_json::Value {
        serde_json::from_str(&desk.ok("sweep status a --json")).unwrap()
    };
    assert_eq!(
        (&status()[0]["done"], &status()[1]["done"]),
        (&3.into(), &3.into())
    );
    let checkpoint = "a/runs/00002-gan-seed2/checkpoint.isochrone";
    let bytes = desk.read(checkpoint);
    desk.put(checkpoint, &bytes[..bytes.len() / 2]);
    assert_eq!(
        (&status()[0]["done"], &status()[0]["damaged"]),
        (&2.into(), &1.into())
    );
    for command in ["sweep status a", "sweep collect a -o a.csv"] {
        let said = desk.ok(command);
        assert!(said.contains("00002-gan-seed2: "), "{said}");
        assert!(said.contains("is damaged; remove it, and"), "{said}");
    }
    assert_eq!(desk.table("a.csv").rows.len(), 5 * 3);
}

#[test]
fn scripts_name_every_share() {
    let desk = planned();
    let said = desk.ok("sweep emit slurm a --shards 4");
    assert!(said.contains("#SBATCH --array=0-3\n"), "{said}");
    assert!(
        said.contains("--shard \"$SLURM_ARRAY_TASK_ID/4\""),
        "{said}"
    );
    let said = desk.ok("sweep emit local a");
    assert!(
        said.contains("seq 0 5 |") && said.contains("--shard \"$1/6\""),
        "{said}"
    );
}

#[test]
fn what_is_no_sweep_is_refused() {
    let desk = Desk::with("sweep.toml", SWEEP);
    for (text, expected) in [
        ("base = \"point-2d\"", "missing field `seeds`"),
        ("base = \"point-2d\"\nseeds = 0", "these are 0 units"),
        (
            "base = \"point-2d\"\nseeds = -1",
            "seeds is a count or a list of whole numbers",
        ),
        (
            "base = \"point-2d\"\nseeds = 1\nset = [\"seed = 7\"]",
            "says what `seeds` says",
        ),
        (
            "base = \"point-3c\"\nseeds = 1",
            "did you mean \"point-3d\"?",
        ),
        (
            "base = \"point-2d\"\nseeds = 1\nset = [\"iteration=1\"]",
            "did you mean \"iterations\"?",
        ),
        (
            "base = \"point-2d\"\nseeds = 1\n[variants]\n\"a/b\" = []",
            "a variant is called \"a/b\"",
        ),
        (
            "base = \"point-2d\"\nseeds = 1\n[variants]\na = [\"learner.discount=2\"]",
            "discount is 2",
        ),
    ] {
        desk.put("bad.toml", text);
        let said = desk.refused("sweep plan bad.toml -o bad");
        assert!(said.contains(expected), "{text}: {said}");
        assert!(!desk.path("bad").exists());
    }
    for (arguments, expected) in [
        ("sweep run nowhere", "nowhere is not a sweep"),
        ("sweep run a --shard 2/2", "there is no 2"),
        ("sweep run a --shard half", "a shard is I/N"),
    ] {
        let said = desk.refused(arguments);
        assert!(said.contains(expected), "{arguments}: {said}");
    }
    desk.ok("sweep plan sweep.toml -o a");
    let said = desk.refused("sweep collect a -o a.csv");
    assert!(said.contains("none of the 6 units"), "{said}");
}
