//! From logs to a distance and back: the commands as a user with trajectories meets them.

use crate::desk::{Desk, assert_svg};
use proptest::prelude::*;

/// A maze in which straight lines lie: the two ends of a U are near and far apart.
const U_MAZE: &str = "....\n###.\n....\n";

/// A desk with walks through the maze, as `collect` writes them.
pub(crate) fn walks(episodes: u32) -> Desk {
    let desk = Desk::with("maze.txt", U_MAZE);
    let said = desk.ok(&format!(
        "collect maze.txt --episodes {episodes} --steps 60 --seed 7 -o logs/walk.parquet"
    ));
    let states = episodes * 61;
    assert_eq!(
        said,
        format!("wrote logs/walk.parquet: {episodes} episodes, {states} states\n")
    );
    desk
}

const FIT: &str = "fit logs/*.parquet --state observation.state --episode episode_index -o d.isochrone --window 30";

#[test]
fn the_commands_of_the_guide_work_as_pasted() {
    let desk = walks(300);
    let said = desk.ok(&format!("{FIT} --passes 40"));
    assert!(said.starts_with("wrote d.isochrone\n\ndistance     window: mean steps until"));
    let info = desk.ok("info d.isochrone");
    assert!(said.contains(&info), "{info}");
    assert!(said.contains("next:\n  isochrone episodes d.isochrone logs/*.parquet --report"));
    assert!(info.contains("held out"), "{info}");
    let json: serde_json::Value =
        serde_json::from_str(&desk.ok("info d.isochrone --json")).unwrap();
    assert_eq!(json["training"]["passes"], 40);

    // Across the wall is far, along the corridor is near: a straight line says the opposite.
    let steps = |from: &str, to: &str| -> f64 {
        let said = desk.ok(&format!("distance d.isochrone --from {from} --to {to}"));
        said.strip_suffix(" steps\n").unwrap().parse().unwrap()
    };
    let (across, along) = (steps("0,0", "0,2"), steps("0,0", "2,0"));
    assert!(across > 1.5 * along, "{across} across, {along} along");

    let said = desk.ok("nearest d.isochrone logs/*.parquet --to 0,2 -k 3");
    let first: Vec<&str> = said.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(
        (first[0], first[5], first[6]),
        ("0", "0", "2.0000"),
        "{said}"
    );

    desk.ok("distance d.isochrone logs/*.parquet --to 0,2 -o all.csv");
    let all = desk.table("all.csv");
    assert_eq!(all.rows.len(), 300 * 61);
    let goal = "--to logs/walk.parquet:0";
    assert_eq!(
        desk.ok(&format!(
            "distance d.isochrone --from logs/walk.parquet:0 {goal}"
        )),
        "0 steps\n"
    );

    let said = desk.ok("embed d.isochrone logs/*.parquet -o points.parquet");
    assert!(said.starts_with("wrote points.parquet: 18300 points in column observation.embedding"));
    // A shard of two equal files is one of them.
    std::fs::create_dir(desk.path("two")).unwrap();
    for copy in ["two/a.parquet", "two/b.parquet"] {
        desk.put(copy, desk.read("logs/walk.parquet"));
    }
    for (shard, copy) in [(0, "a"), (1, "b")] {
        let embed = format!("embed d.isochrone two/*.parquet -o part.parquet --shard {shard}/2");
        desk.ok(&embed);
        desk.ok(&format!(
            "embed d.isochrone two/{copy}.parquet -o alone.parquet"
        ));
        let part = desk.read(&format!("part-0000{shard}-of-00002.parquet"));
        assert!(part == desk.read("alone.parquet"), "shard {shard}");
    }
    let said = desk.refused("embed d.isochrone two/*.parquet -o part.parquet --shard 0/3");
    assert!(said.contains("there are 2 files for 3 shards"), "{said}");
    // What was written is data like any other.
    desk.ok("fit points.parquet --state observation.embedding -o e.isochrone --passes 1");
}

#[test]
fn a_distance_is_assessed_on_data_and_against_truth() {
    let desk = walks(300);
    desk.ok(&format!("{FIT} --passes 40"));
    let said = desk.ok("assess d.isochrone logs/*.parquet --maze maze.txt --from 0,0 --out report");
    for words in [
        "held out when it was fitted",
        "calibration: ",
        "triangle inequality: broken by ",
        "one-way structure, over neighbouring states",
        "ε for \"reached\"",
        "Against exact truth: 9 states, 9 goals",
        "greedy descent: ",
    ] {
        assert!(said.contains(words), "{words} is not in:\n{said}");
    }
    let report: serde_json::Value = serde_json::from_str(&desk.text("report/report.json")).unwrap();
    // Along a corridor any order of time is the order of steps.
    let rank = &report["on_maze"]["shortest"]["per_goal"]["mean"];
    assert!(rank.as_f64().unwrap() > 0.95, "{rank}");
    assert_eq!(report["on_maze"]["descent"]["success"], 1.0);
    assert_eq!(report["on_data"]["which"], "held_out");
    assert_svg(&desk.text("report/map.svg"));
    assert_svg(&desk.text("report/calibration.svg"));
    let all = desk.ok("assess d.isochrone logs/*.parquet --all");
    assert!(all.contains("300 episodes"), "{all}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let desk = walks(40);
    let fit = |options: &str, file: &str| {
        desk.ok(&format!(
            "fit logs/walk.parquet --passes 3 -o {file} {options}"
        ));
        desk.read(file)
    };
    let files = [
        "",
        "--target bootstrapped --radius 0.5",
        "--target first_passage --radius 0.5",
    ];
    for options in files {
        let first = fit(options, "a.isochrone");
        assert!(first == fit(options, "b.isochrone"), "{options}");
        assert!(first != fit(&format!("{options} --seed 1"), "c.isochrone"));
        assert_eq!(
            desk.read("a.run/metrics.jsonl"),
            desk.read("b.run/metrics.jsonl")
        );
    }
}

#[test]
fn a_fit_that_was_stopped_resumes_to_the_same_bytes() {
    for options in ["", "--target bootstrapped --radius 0.5"] {
        let desk = walks(60);
        let fit = format!("fit logs/walk.parquet --passes 200 --set chunk_rows=1000 {options}");
        desk.ok(&format!("{fit} -o whole.isochrone"));
        let broken = format!("{fit} -o broken.isochrone");
        let output = desk.signalled(&broken, "broken.run/metrics.jsonl", "-INT");
        assert!(!output.status.success());
        let again = desk.refused(&broken);
        assert!(
            again.contains("isochrone fit --resume broken.run"),
            "{again}"
        );
        let spec = desk.text("broken.run/spec.toml");
        desk.put(
            "broken.run/spec.toml",
            spec.replace("passes = 200", "passes = 1"),
        );
        let said = desk.refused("fit --resume broken.run");
        assert!(said.contains("differs from the spec of"), "{said}");
        desk.put("broken.run/spec.toml", spec);
        desk.ok("fit --resume broken.run");
        assert_eq!(
            desk.read("whole.isochrone"),
            desk.read("broken.isochrone"),
            "{options}"
        );
        for file in ["metrics.jsonl", "checkpoint.isochrone", "spec.toml"] {
            let read = |run: &str| desk.read(&format!("{run}.run/{file}"));
            assert!(read("whole") == read("broken"), "{file} {options}");
        }
    }
}

/// The fewest steps, also between states that no episode has both of; stopped and resumed to the same bytes.
#[test]
fn a_geodesic_distance_knows_the_fewest_steps() {
    let u = "........\n........\n######..\n........\n........\n";
    let desk = Desk::with("u.txt", u);
    desk.ok("collect u.txt --episodes 400 --steps 12 --seed 3 -o walk.parquet");
    let fit = "fit walk.parquet --target geodesic --set hidden=[64,64] --set hop_steps=4 --set chunk_rows=500 --passes 60";
    desk.ok(&format!("{fit} -o whole.isochrone"));
    let steps = |from: &str, to: &str| -> f64 {
        let said = desk.ok(&format!("distance whole.isochrone --from {from} --to {to}"));
        said.strip_suffix(" steps\n").unwrap().parse().unwrap()
    };
    // From the end of one arm to that of the other: 6 across, 2 down, 6 back.
    let across = steps("0,1", "0,3");
    assert!((across - 14.0).abs() < 2.1, "{across}");
    desk.ok("assess whole.isochrone --maze u.txt --out report");
    let report: serde_json::Value = serde_json::from_str(&desk.text("report/report.json")).unwrap();
    let rank = report["on_maze"]["shortest"]["per_goal"]["mean"]
        .as_f64()
        .unwrap();
    assert!(rank > 0.97, "{rank}");

    let broken = format!("{fit} -o broken.isochrone");
    let output = desk.signalled(&broken, "broken.run/metrics.jsonl", "-INT");
    assert_eq!(output.status.code(), Some(75));
    desk.ok("fit --resume broken.run");
    assert!(desk.read("whole.isochrone") == desk.read("broken.isochrone"));

    let refusals = [
        (
            "--target window --set landmarks=10",
            "only the target `geodesic` has a roadmap",
        ),
        (
            "--target geodesic --set landmarks=0",
            "landmarks is 0; it must be at least 1",
        ),
        (
            "--target geodesic --radius 1",
            "the target `geodesic` has no radius",
        ),
    ];
    for (arguments, reason) in refusals {
        let said = desk.refused(&format!("fit walk.parquet -o x.isochrone {arguments}"));
        assert!(said.contains(reason), "{arguments}: {said}");
    }
}

#[test]
fn the_papers_predictor_is_a_spec() {
    let desk = walks(20);
    let spec = crate::tidy::root().join("experiments/base/paper-predictor.toml");
    desk.put("paper.toml", std::fs::read(spec).unwrap());
    desk.ok("fit logs/walk.parquet -o d.isochrone --spec paper.toml --passes 1");
    let about: serde_json::Value =
        serde_json::from_str(&desk.ok("info d.isochrone --json")).unwrap();
    let paper = isochrone::embedding::DistanceSpec::paper(2, 500);
    let mut spec: isochrone::embedding::DistanceSpec =
        serde_json::from_value(about["spec"].clone()).unwrap();
    // A rate that falls from 1e-5 to 1e-5 is constant.
    assert!((spec.learning_rate.at(7) - 1e-5).abs() < 1e-20);
    spec.learning_rate = paper.learning_rate;
    assert_eq!(spec, paper);
}

#[test]
fn a_run_folder_is_never_more_than_ours() {
    let desk = walks(20);
    std::fs::create_dir(desk.path("proj")).unwrap();
    desk.put("proj/manifest.json", "{}");
    desk.put("proj/precious.csv", "mine");
    let said = desk.refused("fit logs/walk.parquet -o d.isochrone --run proj");
    assert!(said.contains("is not the run folder of a fit"), "{said}");
    assert_eq!(desk.text("proj/precious.csv"), "mine");
    // A fit that was killed before it began is in nobody's way.
    std::fs::create_dir(desk.path("d.run")).unwrap();
    desk.put("d.run/lock", "");
    desk.put("d.run/manifest.json.4711-0.partial", "{");
    // A second fit into a finished folder replaces what the first wrote, and nothing else.
    desk.ok("fit logs/walk.parquet -o d.isochrone --passes 1");
    assert!(
        !desk
            .names("d.run")
            .iter()
            .any(|name| name.contains(".partial"))
    );
    desk.put("d.run/notes.txt", "mine");
    let before = desk.read("d.run/checkpoint.isochrone");
    desk.refused("fit logs/walk.parquet -o d.isochrone --set batch=0");
    assert!(desk.read("d.run/checkpoint.isochrone") == before);
    desk.ok("fit logs/walk.parquet -o d.isochrone --passes 2");
    assert_eq!(desk.text("d.run/notes.txt"), "mine");
    let said = desk.refused("fit d.run/notes.txt -o x.isochrone --run d.run");
    assert!(said.contains("notes.txt"), "{said}");
}

#[test]
fn two_fits_do_not_share_a_folder() {
    let desk = walks(60);
    let fit = "fit logs/walk.parquet -o d.isochrone --passes 100000";
    let mut running = desk.command(fit).spawn().unwrap();
    while !desk.path("d.run/metrics.jsonl").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let said = desk.refused(fit);
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(said.contains("another fit is running in d.run"), "{said}");
}

/// Held-out episodes are found again file by file, in any order; other files are other data.
#[test]
fn assess_knows_what_was_learned_from() {
    let desk = walks(200);
    desk.ok("collect maze.txt --episodes 150 --steps 60 --seed 8 -o logs/more.parquet");
    desk.ok("fit logs/walk.parquet logs/more.parquet -o d.isochrone --passes 1");
    let which = |files: &str| {
        let said = desk.ok(&format!("assess d.isochrone {files} --json"));
        let report: serde_json::Value = serde_json::from_str(&said).unwrap();
        let found = &report["on_data"];
        (
            found["which"].as_str().unwrap().to_owned(),
            found["episodes"].as_u64().unwrap(),
        )
    };
    let (both, count) = which("logs/walk.parquet logs/more.parquet");
    let (swapped, again) = which("logs/more.parquet logs/walk.parquet");
    assert_eq!(
        (both.as_str(), swapped.as_str(), count),
        ("held_out", "held_out", again)
    );
    let (_, first) = which("logs/walk.parquet");
    let (_, second) = which("logs/more.parquet");
    assert_eq!(first + second, count);
    std::fs::create_dir(desk.path("other")).unwrap();
    desk.ok("collect maze.txt --episodes 30 --steps 60 --seed 9 -o other/walk.parquet");
    assert_eq!(which("other/walk.parquet"), ("all".to_owned(), 30));
    let said = desk.refused("assess d.isochrone logs/walk.parquet other/walk.parquet");
    assert!(said.contains("some of these files"), "{said}");
}

/// A wheel that turns one way only: said where there are data enough to say it, and not before.
#[test]
fn one_way_structure_is_found_or_not_claimed() {
    let ring = |episodes: usize, back: usize| {
        let mut lines = vec!["episode_index,x".to_owned()];
        for episode in 0..episodes {
            let mut at = episode % 7;
            for step in 0..300 {
                lines.push(format!("{episode},{at}"));
                let is_back = back > 0 && (step * 7 + episode * 3) % 10 < back;
                at = (at + if is_back { 6 } else { 1 }) % 7;
            }
        }
        lines.join("\n") + "\n"
    };
    let verdict = |table: String| {
        let desk = Desk::with("ring.csv", table);
        desk.warned("fit ring.csv --state x -o d.isochrone --passes 1 --window 40");
        let said = desk.ok("assess d.isochrone ring.csv --all --json");
        let report: serde_json::Value = serde_json::from_str(&said).unwrap();
        report["on_data"]["one_way"]["verdict"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(verdict(ring(60, 0)), "current");
    assert_eq!(verdict(ring(2, 0)), "unknown");
}

/// Down a slope by 0.6, up by 0.2: few states that never come back are compared by landmarks.
#[test]
fn a_slope_is_found_where_no_state_comes_back() {
    let mut lines = vec!["episode_index,x,y".to_owned()];
    let mut bits = 1_u64;
    let mut share = || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (bits >> 40) as f64 / (1_u64 << 24) as f64
    };
    for episode in 0..150 {
        let mut x = 10.0 * share();
        for _ in 0..200 {
            lines.push(format!("{episode},{x:.5},{:.5}", share()));
            let is_down = share() < 0.5;
            x += if is_down { 0.6 } else { -0.2 } + 0.2 * share() - 0.1;
            x = if x < 0.0 { -x } else { x.min(20.0 - x) };
        }
    }
    let desk = Desk::with("slope.csv", lines.join("\n") + "\n");
    desk.warned("fit slope.csv --state x,y -o s.isochrone --passes 1 --target window --window 20");
    let report: serde_json::Value =
        serde_json::from_str(&desk.ok("assess s.isochrone slope.csv --json")).unwrap();
    let one_way = &report["on_data"]["one_way"];
    assert_eq!(one_way["compared"], "landmarks", "{one_way}");
    assert_eq!(one_way["verdict"], "potential", "{one_way}");
}

/// However little memory there is, windows are as long as asked for, or the fit is refused.
#[test]
fn windows_are_not_cut_by_the_memory() {
    let desk = walks(80);
    let mean = |options: &str| {
        desk.ok(&format!(
            "fit logs/walk.parquet -o d.isochrone --passes 1 --window 50 {options}"
        ));
        let metrics = desk.text("d.run/metrics.jsonl");
        let line: serde_json::Value =
            serde_json::from_str(metrics.lines().next().unwrap()).unwrap();
        line["mean_target_steps"].as_f64().unwrap()
    };
    let (usual, small) = (mean(""), mean("--set streams=64 --set shuffle_mb=1"));
    assert!((usual / small - 1.0).abs() < 0.1, "{usual} {small}");
    let said = desk.refused(
        "fit logs/walk.parquet -o d.isochrone --window 50 --set streams=5000 --set shuffle_mb=1",
    );
    assert!(said.contains("5000 streams"), "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Numbers of any size: a distance or a sentence, never a panic.
    #[test]
    fn no_number_makes_a_command_panic(
        rows in proptest::collection::vec((0..3_u8, any::<f32>(), -1e3..1e3_f32), 2..40),
    ) {
        let mut rows = rows;
        rows.sort_by_key(|row| row.0);
        let lines: Vec<String> = rows.iter().map(|(e, x, y)| format!("{e},{x},{y}")).collect();
        let desk = Desk::with("a.csv", format!("episode_index,x,y\n{}\n", lines.join("\n")));
        for target in ["window", "bootstrapped --radius 1"] {
            let fit = format!("fit a.csv --state x,y -o d.isochrone --passes 2 --target {target}");
            for command in [&fit, "assess d.isochrone a.csv --all --out r", "nearest d.isochrone a.csv --to 0,0"] {
                let output = desk.run(command);
                let said = String::from_utf8_lossy(&output.stderr);
                prop_assert!(!said.contains("panicked"), "{}: {}", command, said);
                prop_assert!(output.status.code().is_some_and(|code| code < 2), "{}: {}", command, said);
            }
        }
    }
}

/// Graph drawing learns no steps, and nothing says that it does.
#[test]
fn graph_drawing_has_no_steps() {
    let desk = Desk::new();
    desk.ok("collect point-mass --episodes 40 --steps 40 -o walk.parquet");
    let said = desk.ok(
        "fit walk.parquet --target graph_drawing --set beta=2 --set held_out=0.2 --passes 3 -o g.isochrone",
    );
    assert!(
        said.contains("none: only which of two distances is larger"),
        "{said}"
    );
    assert!(said.contains("so it has no error in steps"), "{said}");
    assert!(!said.contains("next:"), "{said}");
    desk.ok("nearest g.isochrone walk.parquet --to walk.parquet:3 -k 1");
    let said = desk.refused("assess g.isochrone walk.parquet");
    assert!(said.contains("not fitted to steps"), "{said}");
}
