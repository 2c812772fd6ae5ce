//! A saved state outlives the process that saved it.

use crate::process::{again, errand, folder};
use crate::roster::{Body, Simulated, named, worlds};
use isochrone::env::{Environment as _, Snapshot as _, SnapshotError, StepError, Successor};
use isochrone::rng::{Purpose, Seed};
use isochrone_mujoco::WorldName;
use std::fmt::LowerHex;
use std::fs;
use std::path::PathBuf;

const MAX_STEPS: usize = 400;

fn hex<T: LowerHex>(bits: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = bits.into_iter().map(|b| format!("{b:x}")).collect();
    words.join(" ")
}

fn from_hex(line: &str) -> impl Iterator<Item = u64> {
    line.split(' ')
        .map(|word| u64::from_str_radix(word, 16).unwrap())
}

/// Steps until the actions or the episode end. A line per step: how it went on, what was seen and the whole
/// state, in bits.
fn go_on(world: &mut dyn Simulated, actions: &[Vec<f32>]) -> Vec<String> {
    let mut lines = Vec::new();
    for action in actions {
        let successor = world.step(action).unwrap();
        let ends = matches!(successor, Successor::Terminal(_));
        let seen = successor.observation().as_f32().unwrap();
        let (seen, state) = (hex(seen.iter().map(|x| x.to_bits())), world.state_bits());
        lines.push(format!("ends {ends}; seen {seen}; state {}", hex(state)));
        if ends {
            break;
        }
    }
    lines
}

/// The saved state and the actions to come, a line each.
fn letter(saved: &[f64], actions: &[Vec<f32>]) -> String {
    let mut lines = vec![hex(saved.iter().map(|x| x.to_bits()))];
    lines.extend(actions.iter().map(|a| hex(a.iter().map(|x| x.to_bits()))));
    lines.join("\n")
}

fn letter_path(name: &str) -> PathBuf {
    folder().join(format!("{name}.letter"))
}

fn answer_path(name: &str) -> PathBuf {
    folder().join(format!("{name}.answer"))
}

/// The new process: reads the letter, goes on, and leaves the answer beside it.
fn answer(name: &str) {
    let letter = fs::read_to_string(letter_path(name)).unwrap();
    let mut lines = letter.lines();
    let saved: Vec<f64> = from_hex(lines.next().unwrap())
        .map(f64::from_bits)
        .collect();
    let action = |line| from_hex(line).map(|bits| f32::from_bits(u32::try_from(bits).unwrap()));
    let actions: Vec<Vec<f32>> = lines.map(|line| action(line).collect()).collect();
    let mut simulated = named(name).make();
    simulated.restore(&saved).unwrap();
    let told = go_on(&mut *simulated, &actions).join("\n");
    fs::write(answer_path(name), told).unwrap();
}

fn ask_a_new_process(name: &str, letter: &str) -> Vec<String> {
    // An answer of an earlier run must not pass for this one's.
    let _ = fs::remove_file(answer_path(name));
    fs::write(letter_path(name), letter).unwrap();
    again(
        "snapshot::an_episode_saved_halfway_goes_on_bit_equal_in_a_new_process",
        name,
    );
    let told = fs::read_to_string(answer_path(name)).unwrap();
    told.lines().map(str::to_owned).collect()
}

#[test]
fn an_episode_saved_halfway_goes_on_bit_equal_in_a_new_process() {
    if let Some(name) = errand() {
        return answer(&name);
    }
    for world in worlds() {
        let name = world.name;
        let actions = match world.body {
            Body::PointMass => world.forceful_actions(MAX_STEPS),
            Body::Ant(_) => world.random_actions(MAX_STEPS, 1.0),
        };
        let mut whole = world.make();
        whole.begin();
        let episode = go_on(&mut *whole, &actions);
        let half = episode.len() / 2;
        assert!(half >= 20, "{name} ended after {} steps", episode.len());
        let mut first = world.make();
        first.begin();
        go_on(&mut *first, &actions[..half]);
        let letter = letter(&first.save(), &actions[half..]);
        let told = ask_a_new_process(name, &letter);
        assert_eq!(told.len(), episode.len() - half, "{name}");
        for (step, (told, expected)) in (half..).zip(told.iter().zip(&episode[half..])) {
            assert_eq!(told, expected, "{name}, step {step}");
        }
    }
}

/// A state keeps that there is nothing to step in it, in worlds that fell and in worlds that were never begun.
#[test]
fn a_state_saved_after_the_end_refuses_a_step() {
    for world in worlds() {
        let name = world.name;
        let actions = world.forceful_actions(MAX_STEPS);
        let mut first = world.make();
        let mut ends = vec![first.save()];
        first.begin();
        let ended = go_on(&mut *first, &actions).len() < MAX_STEPS;
        assert_eq!(ended, world.body != Body::PointMass, "{name}");
        if ended {
            ends.push(first.save());
        }
        for saved in ends {
            let mut second = world.make();
            second.begin();
            second.restore(&saved).unwrap();
            let answer = second.step(&actions[0]);
            assert_eq!(answer, Err(StepError::AfterTerminal), "{name}");
            second.begin();
            assert!(second.step(&actions[0]).is_ok(), "{name}");
        }
    }
}

/// Clones are copies: halfway through an episode, and after its end.
#[test]
fn a_clone_goes_on_bit_equal() {
    for (name, roster) in WorldName::ALL.into_iter().zip(worlds()) {
        let actions = roster.forceful_actions(MAX_STEPS);
        let mut first = name.build().unwrap();
        first.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
        for action in &actions[..5] {
            first.step(action).unwrap();
        }
        let mut second = first.clone();
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        for (step, action) in actions.iter().enumerate().skip(5) {
            let answers = (first.step(action), second.step(action));
            assert_eq!(answers.0, answers.1, "{name}, step {step}");
            assert_eq!(bits(&first.save()), bits(&second.save()), "{name}, {step}");
            if !matches!(answers.0, Ok(Successor::Continue(_))) {
                break;
            }
        }
        let ended = first.step(&actions[0]) == Err(StepError::AfterTerminal);
        assert_eq!(ended, roster.body != Body::PointMass, "{name}");
        let answer = first.clone().step(&actions[0]);
        assert_eq!(answer == Err(StepError::AfterTerminal), ended, "{name}");
    }
}

/// The rooms of the point mass have states of equal length, and so have the four ants.
#[test]
fn states_of_other_worlds_are_refused() {
    for (from, to) in worlds()
        .iter()
        .flat_map(|a| worlds().into_iter().map(move |b| (a.name, b)))
    {
        let mut first = named(from).make();
        first.begin();
        let mut second = to.make();
        second.begin();
        let (saved, before) = (first.save(), second.save());
        let answer = second.restore(&saved);
        if from == to.name {
            assert_eq!(answer, Ok(()), "{from}");
        } else if saved.len() == before.len() {
            assert_eq!(answer, Err(SnapshotError::OtherWorld), "{from} {}", to.name);
        } else {
            let (got, expected) = (saved.len(), before.len());
            assert_eq!(answer, Err(SnapshotError::Length { got, expected }));
        }
        assert_eq!(second.save(), before, "{from} {}", to.name);
    }
    let mut point = named("point-mass-u").make();
    let mut saved = point.save();
    saved[2] = f64::INFINITY;
    let answer = point.restore(&saved);
    assert_eq!(answer, Err(SnapshotError::NonFinite { entry: 2 }));
}
