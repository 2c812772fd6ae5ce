//! Robot logs: progress, bad episodes and "is it done?", as a user with a folder of logs meets them.

use crate::desk::Desk;
use isochrone_files::data::{Columns, DataSource};
use std::fmt::Write as _;
use std::num::NonZeroUsize;

const GOOD: usize = 40;
const STOPPED: usize = 6;
const STEPS: usize = 50;
/// What the log calls its first episode and its first row.
const FIRST_EPISODE: usize = 300;
const FIRST_INDEX: usize = 12_290;

/// Walks along a line, no two of which are equal; the last ones stop half-way.
fn log() -> String {
    let mut text = "index,episode_index,frame_index,x,y\n".to_owned();
    let mut index = FIRST_INDEX;
    for episode in 0..GOOD + STOPPED {
        for frame in 0..=STEPS {
            let stops = if episode < GOOD {
                STEPS
            } else {
                15 + 3 * (episode - GOOD)
            };
            let sway = ((7 * frame + 3 * episode) % 10) as f64 / 50.0 + episode as f64 / 5e3;
            let x = frame.min(stops) as f64 + sway;
            let number = FIRST_EPISODE + episode;
            writeln!(text, "{index},{number},{frame},{x},{sway}").unwrap();
            index += 1;
        }
    }
    text
}

fn desk() -> Desk {
    let desk = Desk::with("log.csv", log());
    desk.ok("fit log.csv --state x,y -o d.isochrone --set held_out=0.3 --passes 60");
    desk
}

/// The columns of a file of progress, row by row, with the source's numbers.
fn rows(desk: &Desk, file: &str) -> Vec<(i64, i64, Vec<f32>)> {
    let names = [
        "progress_sparse",
        "steps_to_go",
        "steps_to_go_low",
        "steps_to_go_high",
    ];
    let columns = Columns {
        state: names.map(str::to_owned).to_vec(),
        ..Columns::default()
    };
    let path = desk.path(file).display().to_string();
    let source = DataSource::open(&[path], columns.labelled()).unwrap();
    let mut rows = Vec::new();
    for piece in source.pieces(NonZeroUsize::new(1_000).unwrap()) {
        let piece = piece.unwrap();
        let labels = piece.labels.as_ref().unwrap();
        let values = piece.states.as_f32().unwrap().chunks_exact(4);
        for (values, index) in values.zip(&labels.indices) {
            rows.push((labels.episode, *index, values.to_vec()));
        }
    }
    rows
}

#[test]
fn progress_has_the_rows_and_the_numbers_of_the_log() {
    let desk = desk();
    let said = desk.ok("progress d.isochrone log.csv -o p.parquet");
    let frames = (GOOD + STOPPED) * (STEPS + 1);
    let expected = format!(
        "wrote p.parquet: progress of {frames} frames in 46 episodes, towards the end of its own"
    );
    assert!(said.starts_with(&expected), "{said}");
    assert!(said.contains("hold 80 % of frames"), "{said}");
    let found = rows(&desk, "p.parquet");
    assert_eq!(found.len(), frames);
    for (at, (episode, index, values)) in found.iter().enumerate() {
        assert_eq!(*index, i64::try_from(FIRST_INDEX + at).unwrap());
        let number = FIRST_EPISODE + at / (STEPS + 1);
        assert_eq!(*episode, i64::try_from(number).unwrap());
        assert!((0.0..=1.0).contains(&values[0]), "{values:?}");
        assert!(
            values[2] <= values[1] && values[1] <= values[3],
            "{values:?}"
        );
    }
    // From the start of a good episode to its end.
    let good: Vec<f32> = found[..=STEPS]
        .iter()
        .map(|(.., values)| values[0])
        .collect();
    assert!(
        good[0] == 0.0 && good[STEPS] >= 1.0 && good[25] > 0.3 && good[25] < 0.7,
        "{good:?}"
    );
    // Towards where others end, one that stopped does not arrive.
    desk.ok("progress d.isochrone log.csv -o to.parquet --to 50.1,0.1");
    let towards = rows(&desk, "to.parquet");
    let last = |episode: usize| towards[(episode + 1) * (STEPS + 1) - 1].2[0];
    assert!(
        last(0) > 0.95 && last(GOOD) < 0.6,
        "{} {}",
        last(0),
        last(GOOD)
    );
}

#[test]
fn bad_episodes_are_named_as_their_log_names_them() {
    let desk = desk();
    let said = desk.ok("episodes d.isochrone log.csv -o e.csv --worst 6");
    let worst: Vec<usize> = (said.lines().skip(1).take(STOPPED))
        .map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(
        worst.iter().all(|&episode| episode >= FIRST_EPISODE + GOOD),
        "{said}"
    );
    assert!(
        said.contains("steps from where episodes usually end"),
        "{said}"
    );
    assert!(
        said.contains("6 of 46 episodes are unlike the others"),
        "{said}"
    );
    let table = desk.table("e.csv");
    assert_eq!(table.rows.len(), GOOD + STOPPED);
    let said = desk.ok("episodes d.isochrone log.csv --to 50.1,0.1 --worst 1");
    assert!(said.contains("steps from the nearest goal"), "{said}");
}

#[test]
fn a_success_test_is_saved_into_the_model() {
    let desk = desk();
    // The ends of good episodes, as a person would pick them.
    let log = log();
    let good = log.lines().take(1 + GOOD * (STEPS + 1));
    desk.put("good.csv", good.collect::<Vec<_>>().join("\n"));
    let before = desk.read("d.isochrone");
    let said = desk
        .ok("reached d.isochrone --goals good.csv:ends --episodes log.csv --false-positives 0.02");
    assert!(said.contains("steps to the nearest of 40 goals"), "{said}");
    assert!(before != desk.read("d.isochrone"));
    let about: serde_json::Value =
        serde_json::from_str(&desk.ok("info d.isochrone --json")).unwrap();
    assert_eq!(about["reached"]["goals"], 40);
    assert!(about["reached"]["false_positives"].as_f64().unwrap() <= 0.02);
    assert!(desk.ok("info d.isochrone").contains("reached"));
    let before = desk.ok("info d.isochrone --json");
    desk.ok("fit --resume d.run");
    assert_eq!(before, desk.ok("info d.isochrone --json"));
    // A damaged file is no obstacle.
    desk.put("d.isochrone", "damaged");
    desk.ok("fit --resume d.run");
    assert!(!desk.ok("info d.isochrone").contains("reached"));
    desk.ok("reached d.isochrone --goals good.csv:ends --episodes log.csv --false-positives 0.02");
    // It still is the distance it was.
    desk.ok("progress d.isochrone log.csv -o p.parquet");
    let said = desk.refused("reached d.isochrone --goals 50,0");
    assert!(said.contains("--episodes"), "{said}");
}

#[test]
fn a_lerobot_folder_is_one_data_set() {
    let desk = desk();
    for folder in ["set/meta", "set/data/chunk-000"] {
        std::fs::create_dir_all(desk.path(folder)).unwrap();
    }
    let said = desk.refused("progress d.isochrone set -o p.parquet");
    assert!(said.contains("folder"), "{said}");
    desk.put("set/meta/info.json", "{}");
    let said = desk.refused("progress d.isochrone set -o p.parquet");
    assert!(said.contains("*.parquet"), "{said}");
    desk.put("maze.txt", "....\n###.\n....\n");
    desk.ok(
        "collect maze.txt --episodes 30 --steps 20 --seed 1 -o set/data/chunk-000/file-000.parquet",
    );
    desk.ok("fit set -o maze.isochrone --passes 2");
    let said = desk.ok("progress maze.isochrone set -o p.parquet");
    assert!(
        said.contains("progress of 630 frames in 30 episodes"),
        "{said}"
    );
}

#[test]
fn a_clock_and_actions_among_the_states_are_warned_of() {
    let desk = desk();
    let (_, said) = desk.warned("fit log.csv --state x,y,frame_index -o t.isochrone --passes 1");
    assert!(
        said.contains("(\"frame_index\"): it rises by about the same amount"),
        "{said}"
    );
    let log = log();
    // A real clock jitters from the first frame on, and now and then a frame is late.
    let ticks = log.lines().enumerate().map(|(at, line)| {
        let frame = line
            .split(',')
            .nth(2)
            .and_then(|frame| frame.parse::<f64>().ok());
        let time = frame.map_or("seconds".to_owned(), |frame| {
            let late = if at % 97 == 0 && frame > 0.0 {
                0.4
            } else {
                0.0
            };
            (0.02 * (frame + 0.1 * ((7 * at) % 5) as f64 + late)).to_string()
        });
        format!("{line},{time}\n")
    });
    desk.put("ticks.csv", ticks.collect::<String>());
    let (_, said) = desk.warned("fit ticks.csv --state x,y,seconds -o t.isochrone --passes 1");
    assert!(
        said.contains("a clock in the states (\"seconds\")"),
        "{said}"
    );
    let mut lines = log.lines();
    let mut acted = format!("{},action\n", lines.next().unwrap());
    for line in lines {
        let x = line.split(',').nth(3).unwrap();
        writeln!(acted, "{line},{x}").unwrap();
    }
    desk.put("acted.csv", acted);
    let (_, said) = desk.warned("fit acted.csv --state x,y -o a.isochrone --passes 1");
    assert!(
        said.contains("(\"x\"): it equals the action of the same frame"),
        "{said}"
    );
}

#[test]
fn a_report_is_one_page_with_everything_in_it() {
    let desk = desk();
    let said = desk.ok("episodes d.isochrone log.csv --report report.html");
    assert!(said.contains("wrote report.html"), "{said}");
    let page = desk.text("report.html");
    assert!(
        !page.contains("http://")
            || !page
                .replace("http://www.w3.org/2000/svg", "")
                .contains("http")
    );
    let data = page.split("type=\"application/json\">").nth(1).unwrap();
    let data = data.split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["episodes"].as_array().unwrap().len(), 20);
    assert!(
        data["episodes"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("usually end")
    );
    assert_eq!(data["map"]["axes"][0], "x");
    let states = data["map"]["points"].as_array().unwrap().len();
    assert!((1_000..=2_500).contains(&states), "{states}");
    assert_eq!(data["map"]["xy"].as_array().unwrap().len(), states);
    // The worst curves first; none of them arrives.
    let curves = data["curves"].as_array().unwrap();
    let last = |curve: usize| {
        curves[curve]["steps"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .as_f64()
            .unwrap()
    };
    assert!(
        last(0) > 20.0 && last(curves.len() - 1) < 5.0,
        "{} {}",
        last(0),
        last(curves.len() - 1)
    );
    desk.ok("assess d.isochrone log.csv --out assessed");
    assert!(
        desk.text("assessed/report.html")
            .contains("application/json")
    );
    let said = desk.refused("progress d.isochrone log.csv -o p.parquet --report page.pdf");
    assert!(said.contains(".html"), "{said}");
}
