//! Goals that are a set, and different states at distance 0.

use super::fitted;
use crate::desk::Desk;
use serde_json::Value;

#[test]
fn the_distance_to_a_set_is_that_to_its_nearest_goal() {
    let desk = fitted();
    let steps = |to: &str| -> f64 {
        let said = desk.ok(&format!("distance d.isochrone --from 20,0.5 {to}"));
        said.split_whitespace().next().unwrap().parse().unwrap()
    };
    let (near, far) = (steps("--to 30,0.5"), steps("--to 45,0.5"));
    assert!(near < far);
    let both = steps("--to 45,0.5 --to 30,0.5");
    assert!((both - near).abs() < 1e-9, "{both} {near}");
    let said = desk.ok("distance d.isochrone --from 20,0.5 --to 45,0.5 --to 30,0.5");
    assert!(
        said.ends_with("steps to the nearest of 2 goals, number 1 from 0\n"),
        "{said}"
    );
    desk.put("goals.csv", "episode_index,x,y\n0,45,0.5\n0,30,0.5\n");
    assert!((steps("--to goals.csv") - near).abs() < 1e-9);
    // Of one episode the last state is its end.
    assert!((steps("--to goals.csv:ends") - near).abs() < 1e-9);

    desk.ok("distance d.isochrone a.csv --to goals.csv -o all.csv");
    let all = desk.table("all.csv");
    assert_eq!(all.header.last().unwrap(), "nearest_goal");
    let said = desk.ok("nearest d.isochrone a.csv --to goals.csv -k 40");
    let lines: Vec<&str> = said.lines().skip(1).collect();
    let near_frame = |from: u32| {
        lines.iter().any(|line| {
            let frame: u32 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
            frame.abs_diff(from) <= 1
        })
    };
    assert!(near_frame(30) && near_frame(45), "{said}");
}

#[test]
fn an_epsilon_for_goals_keeps_its_false_positive_rate() {
    let desk = fitted();
    let said = desk.ok("assess d.isochrone a.csv --all --to a.csv:ends --false-positives 0.1 --before-end 5 --json");
    let report: Value = serde_json::from_str(&said).unwrap();
    let found = &report["goal_epsilon"];
    let epsilon = found["epsilon"].as_f64().unwrap();
    assert_eq!(
        (found["goals"].as_u64(), found["before_end_steps"].as_u64()),
        (Some(20), Some(5))
    );
    // 44 of the 50 frames of each of the 20 episodes are more than five steps before the end.
    assert_eq!(found["negatives"], 880);
    desk.ok("distance d.isochrone a.csv --to a.csv:ends -o all.csv");
    let all = desk.table("all.csv");
    let frames = all.column("frame_index");
    let steps = all.column("distance_steps");
    let negatives = || {
        frames
            .iter()
            .zip(&steps)
            .filter(|(frame, _)| **frame < 44.0)
    };
    let within = negatives().filter(|(_, steps)| **steps < epsilon).count();
    assert!(
        (80..=88).contains(&within),
        "{within} of {}",
        negatives().count()
    );
    assert!(found["ends_reached"].as_f64().unwrap() > 0.95, "{found}");
    desk.refused(
        "assess d.isochrone a.csv --all --to a.csv:ends --before-end 18446744073709551615",
    );
    let said = desk.refused("assess d.isochrone a.csv --all --to a.csv:ends --before-end 50");
    assert!(
        said.contains("no episode is longer than 50 steps"),
        "{said}"
    );
    let said = desk.refused("assess d.isochrone a.csv --all --to a.csv:ends --false-positives 2");
    assert!(
        said.contains("a share lies between 0 and 1: 0.05 is 5 %"),
        "{said}"
    );
}

/// Walks whose mean times a potential makes negative, in the room of the README.
#[test]
fn bootstrapped_times_of_different_states_are_above_zero() {
    let maze = include_str!("../../../../../examples/mazes/u-room.txt");
    let desk = Desk::with("maze.txt", maze);
    desk.ok("collect maze.txt --episodes 200 --steps 200 -o walks.parquet");
    let fit = "fit walks.parquet --target bootstrapped --radius 0.5 --window 200 --passes 40";
    let at_zero = |model: &str| -> u64 {
        let json: Value = serde_json::from_str(&desk.ok(&format!("info {model} --json"))).unwrap();
        json["calibration"]["at_zero"]["at_zero"].as_u64().unwrap()
    };
    desk.ok(&format!("{fit} -o new.isochrone"));
    assert_eq!(at_zero("new.isochrone"), 0);
    let said = desk.ok(&format!("{fit} -o old.isochrone --set head=potential"));
    assert!(at_zero("old.isochrone") > 0);
    assert!(
        said.contains("distance 0 between different states: "),
        "{said}"
    );
    let said = desk.ok("assess old.isochrone walks.parquet");
    assert!(
        said.contains("distance 0 between different states: "),
        "{said}"
    );
}
