//! How trainings begin in folders that are not empty, and end before they were to.

use crate::desk::Desk;
use crate::train::{TINY, terminated};

/// Runs a training until it has learned a little, and stops it; how many iterations it kept.
fn stopped(desk: &Desk, train: &str) -> u64 {
    let said = String::from_utf8(terminated(desk, train).stderr).unwrap();
    let (before, _) = said.split_once(" of 4000 iterations are kept").unwrap();
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_run_that_is_ended_where_it_stands_is_looked_at_there() {
    let desk = Desk::new();
    let rarely = format!("{TINY} evaluate_every=4000");
    let kept = stopped(
        &desk,
        &format!("train {rarely} iterations=4000 --out run --threads 1"),
    );
    let said = desk.ok(&format!("resume run iterations={kept}"));
    let expected = format!("run: {kept} iterations, ");
    assert!(said.starts_with(&expected), "{said}");
    desk.ok(&format!("train {rarely} iterations={kept} --out whole"));
    for file in ["checkpoint.isochrone", "metrics.jsonl", "eval.jsonl"] {
        let [a, b] = ["run", "whole"].map(|run| desk.read(&format!("{run}/{file}")));
        assert!(a == b, "{file}, ended at {kept}");
    }
    // Once is enough.
    desk.ok(&format!("resume run iterations={kept}"));
    assert_eq!(desk.text("run/eval.jsonl"), desk.text("whole/eval.jsonl"));
}

#[test]
fn a_spec_that_somebody_wrote_is_never_written_over() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("mine")).unwrap();
    let mine = "# the only copy\nworld = \"point-2d\"\n";
    desk.put("mine/spec.toml", mine);
    let said = desk.refused("train point-2d iterations=1 --out mine");
    assert!(said.contains("would be overwritten"), "{said}");
    assert_eq!(desk.text("mine/spec.toml"), mine);
}

/// A comma would shift the columns of tables, and a plus stands between the revisions of a manifest.
#[test]
fn revisions_are_told_once() {
    let desk = Desk::new();
    desk.ok(&format!("train {TINY} --out run --revision 1.0-dirty"));
    desk.ok("resume run iterations=7 --revision 1.0-dirty");
    let manifest = desk.text("run/manifest.json");
    assert!(
        manifest.contains("\"revision\": \"1.0-dirty\""),
        "{manifest}"
    );
    for broken in ["a,b", "1.0+dirty"] {
        let said = desk.refused(&format!("resume run iterations=8 --revision {broken}"));
        assert!(said.contains("without commas, pluses"), "{said}");
    }
}
