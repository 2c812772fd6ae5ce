//! From logs to a distance and back: the commands as a user with trajectories meets them.

use crate::desk::{Desk, assert_svg};
use proptest::prelude::*;

/// A maze in which straight lines lie: the two ends of a U are near and far apart.
const U_MAZE: &str = "....\n###.\n....\n";

/// A desk with walks through the maze, as `collect` writes them.
fn walks(episodes: u32) -> Desk {
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
    assert!(said.ends_with(&info), "{info}");
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
        (first[0], first[3], first[4]),
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
    // What was written is data like any other.
    desk.ok("fit points.parquet --state observation.embedding -o e.isochrone --passes 1");
}

#[test]
fn a_distance_is_assessed_on_data_and_against_truth() {
    let desk = walks(300);
    desk.ok(&format!("{FIT} --passes 40"));
    let said = desk.ok("assess d.isochrone logs/*.parquet --maze maze.txt --from 0,0 --out report");
    for words in [
        "kept aside when it was fitted",
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
fn a_fit_that_was_stopped_goes_on_to_the_same_bytes() {
    for options in ["", "--target bootstrapped --radius 0.5"] {
        let desk = walks(60);
        let fit = format!("fit logs/walk.parquet --passes 200 --set chunk_rows=1000 {options}");
        desk.ok(&format!("{fit} -o whole.isochrone"));
        let mut running = desk
            .command(&format!("{fit} -o broken.isochrone"))
            .spawn()
            .unwrap();
        let metrics = desk.path("broken.run/metrics.jsonl");
        // As soon as something was learned, Ctrl-C.
        while std::fs::metadata(&metrics).map_or(0, |file| file.len()) < 1_000 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let pid = running.id().to_string();
        let killed = std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status();
        assert!(killed.unwrap().success());
        assert!(!running.wait().unwrap().success());
        let again = desk.refused(&format!("{fit} -o broken.isochrone"));
        assert!(
            again.contains("isochrone fit --resume broken.run"),
            "{again}"
        );
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
fn what_cannot_be_fitted_is_refused() {
    let desk = walks(20);
    desk.put("still.csv", "episode_index,x\n0,1\n0,1\n0,1\n1,1\n1,1\n");
    desk.put("nan.csv", "episode_index,x\n0,1\n0,NaN\n");
    desk.put("spec.toml", "dim = 3\n");
    let cases = [
        ("fit", "required"),
        (
            "fit logs/walk.parquet -o d.isochrone --target bootstrapped",
            "this target needs --radius",
        ),
        (
            "fit logs/walk.parquet -o d.isochrone --set dim=3",
            "did you mean \"dims\"?",
        ),
        (
            "fit logs/walk.parquet -o d.isochrone --spec spec.toml",
            "did you mean \"dims\"?",
        ),
        (
            "fit logs/walk.parquet -o d.isochrone --set p=0.5",
            "p is 0.5; it must be at least 1",
        ),
        ("fit logs/walk.parquet -o logs/walk.parquet", "named twice"),
        (
            "fit still.csv --state x -o d.isochrone",
            "no pair of different states",
        ),
        (
            "fit nan.csv --state x -o d.isochrone",
            "nan.csv, line 3, column \"x\": the value is NaN",
        ),
        (
            "fit logs/walk.parquet --state speed -o d.isochrone",
            "has no column \"speed\"",
        ),
        ("fit --resume logs", "logs is no run folder"),
        ("info logs/walk.parquet", "is no model file"),
        ("info nothing.isochrone", "cannot read nothing.isochrone"),
        ("collect nowhere -o a.parquet", "neither a file nor a world"),
    ];
    for (arguments, words) in cases {
        let said = desk.refused(arguments);
        assert!(said.contains(words), "{arguments}: {said}");
        let _ = std::fs::remove_dir_all(desk.path("d.run"));
    }
    desk.ok("fit logs/walk.parquet -o d.isochrone --passes 1");
    let cases = [
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
        ("nearest d.isochrone still.csv --to 1,2", "has no column"),
        ("assess d.isochrone", "assess it by what?"),
        (
            "assess d.isochrone logs/walk.parquet --out o --axes 0,7",
            "--axes must be two entries",
        ),
    ];
    for (arguments, words) in cases {
        let said = desk.refused(arguments);
        assert!(said.contains(words), "{arguments}: {said}");
    }
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
