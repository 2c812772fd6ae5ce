//! A window is held against the length of episodes, and a fit is judged beyond it.

use super::straight_ways;
use crate::desk::Desk;
use serde_json::Value;
use std::fmt::Write as _;

fn info(desk: &Desk, model: &str) -> Value {
    serde_json::from_str(&desk.ok(&format!("info {model} --json"))).unwrap()
}

#[test]
fn a_window_is_chosen_by_the_length_of_episodes() {
    // Most steps are in the long episodes, however many break off.
    let mut log = straight_ways(0..300, 8);
    let longer = straight_ways(300..320, 401);
    log += longer.split_once('\n').unwrap().1;
    let desk = Desk::with("a.csv", log);
    let said = desk.ok("fit a.csv --state x,y -o d.isochrone --passes 1 --target window");
    let expected = "window: 400 steps, because 90 % of all steps are in episodes of 400 steps or fewer (320 episodes)";
    assert!(said.starts_with(expected), "{said}");
    let target = &info(&desk, "d.isochrone")["spec"]["objective"]["regression"]["target"];
    assert_eq!(target["window"]["steps"], 400);
    // The memory for shuffling bounds it.
    let small = "--set shuffle_mb=1";
    let said = desk.ok(&format!(
        "fit a.csv --state x,y -o m.isochrone --passes 1 --target window {small}"
    ));
    let expected =
        "no longer one is chosen; episodes have 400 steps, and --window 400 takes more memory";
    assert!(
        said.starts_with("window: ") && said.contains(expected),
        "{said}"
    );
}

#[test]
fn a_window_that_is_too_short_is_warned_of_and_judged_beyond_itself() {
    let desk = Desk::with("a.csv", straight_ways(0..20, 301));
    let (said, warning) =
        desk.warned("fit a.csv --state x,y -o d.isochrone --window 30 --passes 20");
    let expected = "the window is 30 steps, but typical episodes have 300";
    assert!(warning.contains(expected), "{warning}");
    assert!(
        said.contains("beyond the window: rank correlation"),
        "{said}"
    );
    let found = &info(&desk, "d.isochrone")["calibration"]["within_episodes"];
    assert!(found["beyond_window"]["pairs"].as_u64().unwrap() > 1_000);
    assert!(
        found["progress"]["median"].as_f64().unwrap() > 0.9,
        "{found}"
    );
    let said = desk.ok("assess d.isochrone a.csv");
    assert!(
        said.contains("\nverdict: it follows episodes from start to end"),
        "{said}"
    );
    assert!(
        said.contains("  beyond the window: rank correlation"),
        "{said}"
    );
}

/// First passages have no window, but pieces of episodes that the memory for shuffling bounds.
#[test]
fn first_passages_within_pieces_are_told() {
    let fit = "fit a.csv --state x,y -o d.isochrone --passes 1 --target first_passage --radius 1 --set shuffle_mb=1";
    let told = |steps: u32| {
        format!(
            "first passages are counted within pieces of 224 states, and typical episodes have {steps} steps"
        )
    };
    let desk = Desk::with("a.csv", straight_ways(0..20, 601));
    let (_, warning) = desk.warned(fit);
    assert!(warning.contains(&told(600)), "{warning}");
    let desk = Desk::with("a.csv", straight_ways(0..20, 301));
    let said = desk.ok(fit);
    assert!(said.contains(&told(300)), "{said}");
    let desk = Desk::with("a.csv", straight_ways(0..20, 224));
    assert!(!desk.ok(fit).contains("within pieces"));
}

/// Ways to a goal at which an episode then rests, jittering, for four fifths of its time.
fn resting_ways() -> String {
    let mut text = "episode_index,x,y\n".to_owned();
    for episode in 0..40_u32 {
        let goal = 10.0 + (episode % 7) as f32;
        for frame in 0..200_u32 {
            let jitter = 0.4 * ((frame * 37 + episode * 11) % 10) as f32 / 10.0;
            let x = (0.5 * frame as f32).min(goal) + jitter;
            let _ = writeln!(text, "{episode},{x},{}", jitter * 0.5);
        }
    }
    text
}

#[test]
fn resting_at_a_goal_does_not_condemn_a_good_fit() {
    let desk = Desk::with("a.csv", resting_ways());
    desk.ok("fit a.csv --state x,y -o d.isochrone --passes 150");
    let calibration = &info(&desk, "d.isochrone")["calibration"];
    let number = |value: &Value| value.as_f64().unwrap();
    let with_rest = number(&calibration["spearman"]);
    let within = &calibration["within_episodes"];
    assert!(with_rest < 0.6, "{with_rest}");
    assert!(number(&within["at_rest"]) > 0.7, "{within}");
    assert!(number(&within["spearman"]) > 0.8, "{within}");
    assert!(number(&within["progress"]["median"]) > 0.9, "{within}");
    let said = desk.ok("assess d.isochrone a.csv");
    assert!(said.contains("verdict: it follows episodes"), "{said}");
}

#[test]
fn a_distance_that_knows_nothing_is_condemned() {
    // Frames in no order: nothing can be learned of time.
    let mut text = "episode_index,x\n".to_owned();
    let mut state = 12_345_u32;
    for row in 0..8_000_u32 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let _ = writeln!(text, "{},{}", row / 200, state >> 8);
    }
    let desk = Desk::with("a.csv", text);
    let said = desk.ok("fit a.csv --state x -o d.isochrone --passes 20");
    assert!(
        said.contains("verdict      do not compare states by it: "),
        "{said}"
    );
    assert!(!said.contains("rest where their episode ends"), "{said}");
}
