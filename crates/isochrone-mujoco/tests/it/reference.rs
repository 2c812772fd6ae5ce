//! The worlds against the engine's own Python package: every bit of every position and velocity.

use crate::python::{Answer, ask, task};
use crate::roster::{Body, World, drive, worlds};

const STEPS: usize = 1_000;

/// What a comparison went through, to see that it was worth something.
struct Passed {
    /// Resets that were followed by a step.
    resets: usize,
    answer: Answer,
}

/// Steps every world of a kind through what `actions` gives for it, here and in Python, and holds every state
/// of one against the other.
fn compare(
    is_wanted: impl Fn(&World) -> bool,
    actions: impl Fn(&World) -> Vec<Vec<f32>>,
) -> Vec<(World, Passed)> {
    let worlds: Vec<World> = worlds().into_iter().filter(is_wanted).collect();
    let (mut runs, mut tasks) = (Vec::new(), Vec::new());
    for world in &worlds {
        let actions = actions(world);
        let run = drive(&mut *world.make(), &actions);
        tasks.push(task(world, &actions, &run.resets));
        runs.push(run);
    }
    let (_, answers) = ask(&tasks);
    let mut passed = Vec::new();
    for ((world, run), answer) in worlds.into_iter().zip(runs).zip(answers) {
        let lengths = (run.states.len(), answer.states.len());
        assert_eq!(lengths, (STEPS, STEPS), "{}", world.name);
        for (step, (ours, theirs)) in run.states.iter().zip(&answer.states).enumerate() {
            assert_eq!(ours, theirs, "{}, step {step}", world.name);
        }
        let resets = run.resets.iter().filter(|&&step| step < STEPS).count();
        passed.push((world, Passed { resets, answer }));
    }
    passed
}

fn is_point(world: &World) -> bool {
    world.body == Body::PointMass
}

fn is_ant(world: &World) -> bool {
    !is_point(world)
}

#[test]
fn a_thousand_random_steps_of_every_point_mass_are_bit_equal() {
    for (world, passed) in compare(is_point, |world| world.random_actions(STEPS, 1.0)) {
        assert!(passed.answer.wall_contacts > 0, "{}", world.name);
    }
}

#[test]
fn a_thousand_steps_of_every_point_mass_that_runs_into_walls_are_bit_equal() {
    for (world, passed) in compare(is_point, |world| world.forceful_actions(STEPS)) {
        let put_backs = passed.answer.put_backs;
        assert!(put_backs > 0, "{}: never put back", world.name);
        let has_pushes = world.arena.is_some_and(|arena| arena.push_n().is_some());
        assert_eq!(passed.answer.pushed > 0, has_pushes, "{}", world.name);
    }
}

/// At full strength and so gently that they keep their feet; in the maze both ways lead into walls.
#[test]
fn a_thousand_random_steps_of_every_ant_are_bit_equal() {
    for strength in [1.0, 0.1] {
        for (world, passed) in compare(is_ant, |world| world.random_actions(STEPS, strength)) {
            let touches = passed.answer.wall_contacts > 0;
            assert_eq!(touches, world.arena.is_some(), "{}", world.name);
        }
    }
}

#[test]
fn a_thousand_steps_of_every_ant_that_leaps_and_falls_are_bit_equal_across_its_resets() {
    for (world, passed) in compare(is_ant, |world| world.forceful_actions(STEPS)) {
        assert!(passed.resets > 0, "{}: never reset", world.name);
    }
}
