//! `clone` as typed: repeated, interrupted and resumed, refused.

use crate::desk::Desk;

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let desk = Desk::new();
    let settings = "--updates 300 --batch 64 --hidden 32 --max-lag 6";
    desk.ok("collect point-mass --episodes 20 --steps 50 -o ball.parquet");
    let said = desk.ok(&format!("clone ball.parquet -o a.isochrone {settings}"));
    assert!(said.contains("cloned from 1000 steps"), "{said}");
    desk.ok(&format!("clone ball.parquet -o b.isochrone {settings}"));
    assert_eq!(desk.read("a.isochrone"), desk.read("b.isochrone"));
    assert_eq!(desk.text("a.run/metrics.jsonl").lines().count(), 3);
    let refusals = [
        (
            "clone ball.parquet -o c.isochrone --action nothing",
            "no column \"nothing\"",
        ),
        (
            "clone ball.parquet -o c.isochrone --batch 0",
            "batch is 0; it must be at least 1",
        ),
        (
            "distance a.isochrone --from 1,1,1,1 --to 1,2,1,1",
            "cloned policy",
        ),
    ];
    for (command, reason) in refusals {
        let said = desk.refused(command);
        assert!(said.contains(reason), "{command}: {said}");
    }
}

#[test]
fn a_clone_that_was_stopped_resumes_to_the_same_bytes() {
    let desk = Desk::new();
    desk.ok("collect point-mass --episodes 20 --steps 50 -o ball.parquet");
    let clone = "clone ball.parquet --updates 20000 --batch 16 --hidden 16 --max-lag 6";
    desk.ok(&format!("{clone} -o whole.isochrone"));
    let broken = format!("{clone} -o broken.isochrone");
    let output = desk.signalled(&broken, "broken.run/metrics.jsonl", "-INT");
    // The exit code of a run that can be resumed.
    assert_eq!(output.status.code(), Some(75));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("of 20000 updates"), "{said}");
    assert!(
        said.ends_with("isochrone clone --resume broken.run\n"),
        "{said}"
    );
    let again = desk.refused(&broken);
    assert!(
        again.contains("isochrone clone --resume broken.run"),
        "{again}"
    );
    let spec = desk.text("broken.run/spec.toml");
    desk.put(
        "broken.run/spec.toml",
        spec.replace("updates = 20000", "updates = 20001"),
    );
    let said = desk.refused("clone --resume broken.run");
    assert!(said.contains("differs from the spec of"), "{said}");
    desk.put("broken.run/spec.toml", spec);
    desk.ok("clone --resume broken.run");
    assert!(desk.read("whole.isochrone") == desk.read("broken.isochrone"));
    for file in ["metrics.jsonl", "spec.toml"] {
        let read = |run: &str| desk.read(&format!("{run}.run/{file}"));
        assert!(read("whole") == read("broken"), "{file}");
    }
    // A finished run may be replaced.
    desk.ok(&broken);
}

#[test]
fn data_that_changed_are_not_resumed() {
    let desk = Desk::new();
    desk.ok("collect point-mass --episodes 5 --steps 50 -o ball.parquet");
    desk.ok("clone ball.parquet -o a.isochrone --updates 10 --batch 4 --hidden 4");
    desk.ok("collect point-mass --episodes 5 --steps 50 --seed 1 -o ball.parquet");
    let said = desk.refused("clone --resume a.run");
    assert!(
        said.contains("ball.parquet is not the file it was when the cloning began"),
        "{said}"
    );
}

/// What a resumed run reads from its folder cannot be given again.
#[test]
fn resume_takes_no_other_argument() {
    let desk = Desk::new();
    let shared = [
        "a.parquet",
        "-o a.isochrone",
        "--state x",
        "--episode e",
        "--seed 1",
        "--run a",
    ];
    let of_fits = [
        "--target window",
        "--window 5",
        "--radius 1",
        "--passes 1",
        "--spec a.toml",
        "--set dims=2",
    ];
    let of_clones = [
        "--action a",
        "--max-lag 5",
        "--updates 1",
        "--batch 1",
        "--hidden 4",
    ];
    for (command, own) in [("fit", &of_fits[..]), ("clone", &of_clones[..])] {
        for argument in shared.iter().chain(own) {
            let said = desk.refused(&format!("{command} --resume run {argument}"));
            assert!(
                said.contains("cannot be used with"),
                "{command} {argument}: {said}"
            );
        }
    }
}
