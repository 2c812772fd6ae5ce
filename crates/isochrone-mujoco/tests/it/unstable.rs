//! Physics that leave the numbers end an episode, not the process, and leave nothing behind.

use crate::process::{again, again_in, errand, folder};
use crate::roster::{Simulated, World, drive, named, worlds};
use isochrone::env::StepError;
use isochrone_mujoco::log::{AlreadyRouted, leave_alone};
use std::fs;

const STEPS: usize = 100;

/// The world's start with every velocity replaced. A snapshot is the time, the positions, the velocities and
/// more.
fn start_with_velocity(simulated: &mut dyn Simulated, positions: usize, velocity: f64) -> Vec<f64> {
    simulated.begin();
    let mut saved = simulated.save();
    let state = simulated.state();
    assert_eq!(saved[1..=state.len()], state, "the layout of a snapshot");
    saved[1 + positions..=state.len()].fill(velocity);
    saved
}

/// Breaks a world in several ways and resets it each time.
fn break_and_reset(world: &World) {
    let name = world.name;
    let actions = world.random_actions(STEPS, 1.0);
    let fresh = drive(&mut *world.make(), &actions).states;
    let mut used = world.make();
    // Beyond what is allowed, then beyond what f64 can square, then beyond what it can add.
    for velocity in [2e10, 1e200, f64::MAX] {
        let saved = start_with_velocity(&mut *used, world.start_qpos().len(), velocity);
        used.restore(&saved).unwrap();
        let answer = used.step(&actions[0]);
        assert!(
            matches!(answer, Err(StepError::Unstable { .. })),
            "{name} at {velocity:e}: {answer:?}"
        );
        let again = used.step(&actions[0]);
        assert_eq!(again, Err(StepError::AfterTerminal), "{name}");
        // The same bits as in a world to which nothing has happened.
        let after = drive(&mut *used, &actions).states;
        for (step, (after, fresh)) in after.iter().zip(&fresh).enumerate() {
            assert_eq!(after, fresh, "{name} after {velocity:e}, step {step}");
        }
    }
}

/// Each world in a process of its own: if the engine ended it, the failure would name the world. The engine would
/// append its warnings to a file in the working folder and print them; it is told not to.
#[test]
fn a_world_that_left_the_numbers_says_so_and_can_be_reset() {
    if let Some(name) = errand() {
        return break_and_reset(&named(&name));
    }
    let log = folder().join("MUJOCO_LOG.TXT");
    // It may be there from elsewhere, or not.
    let _ = fs::remove_file(&log);
    for world in worlds() {
        let test = "unstable::a_world_that_left_the_numbers_says_so_and_can_be_reset";
        again(test, world.name);
        assert!(!log.exists(), "{}: the engine wrote a file", world.name);
    }
}

/// Beside another user of the engine its messages are left alone: warnings go where the engine sends them.
#[test]
fn a_host_can_keep_the_messages() {
    let world = named("point-mass-room");
    if errand().is_some() {
        assert_eq!(leave_alone(), Ok(()));
        break_and_reset(&world);
        return assert_eq!(leave_alone(), Ok(()), "worlds were made since");
    }
    drop(world.make());
    assert_eq!(leave_alone(), Err(AlreadyRouted), "a world was made before");
    let folder = folder().join("host");
    fs::create_dir_all(&folder).unwrap();
    let log = folder.join("MUJOCO_LOG.TXT");
    let _ = fs::remove_file(&log);
    again_in(&folder, "unstable::a_host_can_keep_the_messages", "host");
    assert!(log.exists(), "the engine's own handler writes a file");
}
