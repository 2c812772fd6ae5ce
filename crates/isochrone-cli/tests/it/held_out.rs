//! What is measured on held-out episodes: only what was not learned from, and always something learned.

use crate::desk::Desk;
use crate::first_use::{fitted, straight_ways};
use crate::fit::walks;
use isochrone_files::held_out::HeldOut;
use serde_json::{Value, json};

fn drawn(seed: u64, share: f64) -> HeldOut {
    HeldOut {
        seed,
        share,
        also: None,
        never: None,
    }
}

fn json_of(desk: &Desk, command: &str) -> Value {
    serde_json::from_str(&desk.ok(command)).unwrap()
}

/// A file under two names: what is held out in one is learned from in the other, and measures nothing.
#[test]
fn copies_of_what_was_learned_from_measure_nothing() {
    let desk = walks(40);
    desk.put("logs/copy.parquet", desk.read("logs/walk.parquet"));
    let is_unseen = |held_out: &HeldOut, episode: u64| {
        held_out.contains(episode) && held_out.contains((episode + 40) % 80)
    };
    let has_unseen = |seed: &u64| (0..40).any(|episode| is_unseen(&drawn(*seed, 0.3), episode));
    let seed = (0..100).find(has_unseen).unwrap();
    let files = "logs/walk.parquet logs/copy.parquet";
    let (said, warning) = desk.warned(&format!(
        "fit {files} --window 30 --passes 2 --set held_out=0.3 --seed {seed} -o d.isochrone"
    ));
    let about = json_of(&desk, "info d.isochrone --json");
    let training = &about["training"];
    let held_out: HeldOut = serde_json::from_value(training["held_out"].clone()).unwrap();
    let all: Vec<u64> = (0..80).filter(|at| held_out.contains(*at)).collect();
    let (unseen, copies): (Vec<u64>, Vec<u64>) =
        all.iter().partition(|at| is_unseen(&held_out, **at));
    assert_eq!(training["copies"], json!(copies));
    let told = format!(
        "of {} held-out episodes {} are also among those that are learned from",
        all.len(),
        copies.len()
    );
    assert!(warning.contains(&told), "{warning}");
    let told = format!("pairs in {} episodes", unseen.len());
    assert!(said.contains(&told), "{said}");
    let report = json_of(&desk, &format!("assess d.isochrone {files} --json"));
    assert_eq!(report["on_data"]["which"], "held_out");
    assert_eq!(report["on_data"]["episodes"], json!(unseen.len()));
}

/// Whatever the draws say, one episode is learned from.
#[test]
fn one_episode_is_left_to_learn_from() {
    let desk = Desk::with("one.csv", straight_ways(0..1, 50));
    let seed = (0..1_000).find(|seed| drawn(*seed, 0.05).contains(0));
    let fit = format!(
        "fit one.csv --state x,y --passes 1 --seed {} -o d.isochrone",
        seed.unwrap()
    );
    let (_, warning) = desk.warned(&fit);
    assert!(warning.contains("there is one episode: none is held out"));
    let training = &json_of(&desk, "info d.isochrone --json")["training"];
    assert_eq!(
        (&training["episodes"], &training["held_out_episodes"]),
        (&json!(1), &json!(0))
    );

    desk.put("two.csv", straight_ways(0..2, 50));
    let both = |seed: &u64| (0..2).all(|episode| drawn(*seed, 0.9).contains(episode));
    let seed = (0..1_000).find(both).unwrap();
    let fit = format!(
        "fit two.csv --state x,y --window 20 --passes 1 --set held_out=0.9 --seed {seed} -o e.isochrone"
    );
    let output = desk.run(&fit);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let training = &json_of(&desk, "info e.isochrone --json")["training"];
    assert_eq!(
        (&training["episodes"], &training["held_out_episodes"]),
        (&json!(1), &json!(1))
    );
}

/// Episodes of one row, and at rest, have no pair of states.
#[test]
fn episodes_without_a_pair_are_assessed_in_a_sentence() {
    let desk = fitted();
    let header = "episode_index,x,y\n";
    let rows = |rows: &str| format!("{header}{rows}");
    desk.put("single.csv", rows("0,1,0.5\n1,2,0.5\n2,9,0.5\n"));
    let rest = ["0,20,0.5\n", "1,20,0.5\n", "2,20,0.5\n"].map(|row| row.repeat(4));
    desk.put("rest.csv", rows(&rest.concat()));
    for file in ["single.csv", "rest.csv"] {
        let said = desk.ok(&format!("assess d.isochrone {file}"));
        let told = "verdict: nothing can be said: the episodes show no pair of states";
        assert!(said.contains(told), "{said}");
        assert!(said.contains("ε: no step moves"), "{said}");
        let report = json_of(&desk, &format!("assess d.isochrone {file} --json"));
        assert_eq!(report["on_data"]["calibration"]["n_observations"], 0);
    }
}

/// The error of unconditional times is relative to the bins that it is of.
#[test]
fn the_error_of_unconditional_times_knows_its_bins() {
    let desk = walks(80);
    desk.ok(
        "fit logs/walk.parquet --target bootstrapped --radius 0.5 --window 30 --passes 3 --set held_out=0.2 -o d.isochrone",
    );
    let about = json_of(&desk, "info d.isochrone --json");
    let found = &about["calibration"];
    assert!(found["censored"].as_u64().unwrap() > 0, "{found}");
    assert_eq!(
        found["error_steps"].is_null(),
        found["relative_error"].is_null(),
        "{found}"
    );
}
