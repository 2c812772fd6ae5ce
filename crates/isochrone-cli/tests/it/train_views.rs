//! What can be seen of a training: coverage again, figures, tables, films, and where the time goes.

use crate::desk::{Desk, assert_png, assert_svg};
use serde_json::Value;

/// Small enough for a moment, in the two kinds of worlds.
const SMALL: &str = "iterations=2 batch_steps=300 horizon_steps=50 new_goals=12 old_goals=6 initial_states=200 \
                     on_policy_states=100 generator.iterations=5 generator.initial_iterations=5 updates_per_iteration=2 \
                     evaluation.rollouts=2 evaluation.horizon_steps=20 evaluate_every=1";

fn last_evaluation(desk: &Desk, run: &str) -> Value {
    let text = desk.text(&format!("{run}/eval.jsonl"));
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

/// Looking again finds what the run itself found, and more rollouts are other rollouts.
#[test]
fn coverage_is_measured_again() {
    let desk = Desk::new();
    desk.ok(&format!("train point-2d {SMALL} --out run"));
    let json = |options: &str| -> Value {
        serde_json::from_str(&desk.ok(&format!("evaluate run --json {options}"))).unwrap()
    };
    let (found, recorded) = (json("--threads 1"), last_evaluation(&desk, "run"));
    for key in [
        "iteration",
        "coverage",
        "eval_steps",
        "success",
        "env_steps",
    ] {
        assert_eq!(found[key], recorded[key], "{key}");
    }
    assert_eq!(found["goals"].as_array().unwrap().len(), 200);
    assert_eq!(found, json("--threads 3"));
    let more = json("--rollouts 5");
    assert_eq!(more["rollouts"], 5);
    assert!(more["eval_steps"].as_u64() > found["eval_steps"].as_u64());
    let said = desk.ok("evaluate run");
    assert!(said.contains("200 goals, 2 rollouts each"), "{said}");
    let small = SMALL.replace("generator.iterations=5 generator.initial_iterations=5", "");
    let planned = "generator=frontier planner=waypoints evaluation.long_horizon_steps=40";
    desk.ok(&format!("train point-2d {small} {planned} --out planned"));
    let said = desk.ok("evaluate planned");
    let is_told = |line: &str| {
        said.lines()
            .any(|l| l.starts_with(line) && l.contains("in 40 steps)"))
    };
    assert!(is_told("policy alone: coverage 0."), "{said}");
    assert!(is_told("with its planner: coverage 0."), "{said}");
    desk.ok("plot planned -o planned.svg");
    let svg = desk.text("planned.svg");
    for words in ["with planner: point-2d", "point-2d, with planner"] {
        assert!(svg.contains(words), "{words}");
    }
    let said = desk.refused("evaluate nowhere");
    assert!(said.contains("nowhere does not exist"), "{said}");
}

#[test]
fn trainings_are_drawn_and_written_as_a_table() {
    let desk = Desk::new();
    for seed in 0..3 {
        desk.ok(&format!(
            "train point-2d {SMALL} seed={seed} --out a{seed} --revision abc"
        ));
    }
    let small = SMALL.replace("generator.iterations=5 generator.initial_iterations=5", "");
    desk.ok(&format!("train point-2d {small} generator=uniform --out b"));
    desk.ok(&format!("train point-mass-paper {SMALL} --out c"));
    desk.ok(&format!("train point-3d {SMALL} --out d"));
    let said = desk.ok("plot a0 a1 a2 b c d -o fig.svg --csv results.csv");
    let lines: Vec<&str> = said.lines().collect();
    let expected = [
        "wrote results.csv",
        "wrote fig.svg",
        "point-2d generator=goal_gan (3 seeds): coverage 0.",
        "point-2d generator=uniform (1 seed): coverage 0.",
        "point-mass-paper (1 seed): coverage 0.",
        "point-3d (1 seed): coverage 0.",
    ];
    let pairs = lines.iter().zip(expected);
    pairs.for_each(|(line, start)| assert!(line.starts_with(start), "{said}"));
    let svg = desk.text("fig.svg");
    assert_svg(&svg);
    for words in [
        "iteration",
        "intermediate (",
        "x (m)",
        "share that reach it",
        "(3 seeds)",
    ] {
        assert!(svg.contains(words), "{words}");
    }
    desk.ok("plot a0 -o fig.png");
    assert_png(&desk.read("fig.png"));

    let table = desk.table("results.csv");
    let expected = "world,method,goal_space,generator,seed,iteration,steps,env_steps,planner,coverage,coverage_1000,\
                    eval_epsilon_m,eval_steps,false_reached,entropy,kl,reached_share,easy_share,intermediate_share,\
                    hard_share,infeasible_share,hops,waypoints_reached,sphere_share,goal_sphere_share,revision,\
                    spec_hash,method_hash";
    assert_eq!(table.header.join(","), expected);
    assert_eq!(table.rows.len(), 6 * 3);
    let first = &table.rows[2];
    assert_eq!(first[..5].join(","), "point-2d,l2,position,goal_gan,0");
    assert_eq!(
        first[9].parse::<f64>().ok(),
        last_evaluation(&desk, "a0")["coverage"].as_f64()
    );
    assert_eq!((first[25].as_str(), first[26].len()), ("abc", 12));
    // Steps learned from are fewer than all steps.
    let (steps, all) = (table.column("steps"), table.column("env_steps"));
    assert!(steps.iter().zip(&all).all(|(s, a)| s <= a));
    assert!(steps[2] < all[2], "labels count");

    for (arguments, expected) in [
        ("plot a0", "name a figure to draw with -o"),
        ("plot a0 -o fig.jpg", "must end in .svg or .png"),
        ("plot a0 nowhere -o fig.svg", "nowhere does not exist"),
        ("plot a0 -o a.svg --csv a.svg", "is named twice"),
    ] {
        let said = desk.refused(arguments);
        assert!(said.contains(expected), "{arguments}: {said}");
    }
}

/// A film shows the goal that is asked for, and the next one when it is reached.
#[test]
fn a_policy_is_filmed() {
    let desk = Desk::new();
    desk.ok(&format!("train point-mass-paper {SMALL} --out run"));
    let said = desk.ok("render --run run -o film.gif --size 32 --steps 100 --view top");
    assert!(said.contains("the policy of run"), "{said}");
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let film = desk.read("film.gif");
    let mut decoder = options.read_info(&film[..]).unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames.push(frame.buffer.to_vec());
    }
    assert_eq!(frames.len(), 51);
    // 20 steps without success, and another goal is on the floor.
    let is_green = |pixel: &[u8]| pixel[1] > pixel[0].saturating_add(15) && pixel[1] > pixel[2];
    let goals = |frame: &[u8]| -> Vec<usize> {
        let pixels = frame.chunks_exact(4).enumerate();
        pixels
            .filter(|(_, p)| is_green(p))
            .map(|(at, _)| at)
            .collect()
    };
    assert!(frames.iter().all(|frame| !goals(frame).is_empty()));
    assert_ne!(goals(&frames[0]), goals(&frames[50]));
    desk.ok("render --run run -o film2.gif --size 32 --steps 100 --view top");
    assert!(film == desk.read("film2.gif"));
    desk.ok(&format!("train point-2d {SMALL} --out flat"));
    let said = desk.refused("render --run flat -o film.gif");
    assert!(said.contains("there are no pictures of point-2d"), "{said}");
    let said = desk.refused("render -o film.gif");
    assert!(said.contains("WORLD"), "{said}");
}
