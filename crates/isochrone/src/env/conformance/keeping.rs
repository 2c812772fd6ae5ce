//! Conformance tests of snapshots.

use super::{STEPS, Violation, observe, random_action, refused, run};
use crate::env::{Environment, Observation, Snapshot, StepError};
use crate::rng::{Purpose, Rng, Seed};

/// Checks that a snapshot is the complete state: the rest of the episode is the same after a restore, and a snapshot outside
/// an episode does not allow steps. `make` must return a fresh world at each call.
pub fn check_snapshot<E: Environment + Snapshot>(
    make: impl Fn() -> E,
    seed: Seed,
) -> Result<(), Violation> {
    let mut whole = make();
    let before = whole.save();
    check_idle(&make, &before, "a step from a state before the first reset")?;
    let episode = run(&mut whole, seed)?;
    let after = whole.save();
    if episode.len() <= STEPS {
        check_idle(&make, &after, "a step from a state after the end")?;
    }
    let (saved, mut actions) = halfway(&make, &episode, seed)?;
    let lengths = [before.len(), saved.len(), after.len()];
    if lengths != [saved.len(); 3] {
        return Err(Violation::UnequalStates { lengths });
    }
    let mut second = make();
    restore(&mut second, &saved)?;
    for (step, expected) in episode.iter().enumerate().skip(episode.len() / 2 + 1) {
        let action = random_action(&second, &mut actions);
        if observe(second.step(&action), step)? != *expected {
            let trial = "a restored world";
            return Err(Violation::NotDeterministic { step, trial });
        }
    }
    check_misfits(&make, &saved)
}

/// The state in the middle of an episode, and the random stream of the following actions.
fn halfway<E: Environment + Snapshot>(
    make: &impl Fn() -> E,
    episode: &[Observation],
    seed: Seed,
) -> Result<(Vec<f64>, Rng), Violation> {
    let mut world = make();
    let mut actions = seed.stream(Purpose::Act, 0, 0);
    world.reset(&mut seed.stream(Purpose::Reset, 0, 0));
    for step in 0..episode.len() / 2 {
        let action = random_action(&world, &mut actions);
        observe(world.step(&action), step)?;
    }
    Ok((world.save(), actions))
}

/// A running world that restores a snapshot without an episode refuses to step.
fn check_idle<E: Environment + Snapshot>(
    make: &impl Fn() -> E,
    saved: &[f64],
    what: &'static str,
) -> Result<(), Violation> {
    let mut world = make();
    world.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
    restore(&mut world, saved)?;
    let still = vec![0.0; world.action_spec().len()];
    refused(what, &world.step(&still), &StepError::AfterTerminal)
}

fn restore<E: Snapshot>(world: &mut E, saved: &[f64]) -> Result<(), Violation> {
    let what = "a world's own saved state";
    world.restore(saved).map_err(|error| Violation::NotRefused {
        what,
        answer: error.to_string(),
    })
}

/// Invalid snapshots are errors and change nothing.
fn check_misfits<E: Environment + Snapshot>(
    make: &impl Fn() -> E,
    saved: &[f64],
) -> Result<(), Violation> {
    let mut broken = saved.to_vec();
    broken[0] = f64::NAN;
    let misfits = [
        ("a state with a number too many", [saved, &[0.0]].concat()),
        ("a state with a number too few", saved[1..].to_vec()),
        ("a state that is not finite", broken),
    ];
    let mut world = make();
    for (what, misfit) in misfits {
        if world.restore(&misfit).is_ok() {
            let answer = "acceptance".to_owned();
            return Err(Violation::NotRefused { what, answer });
        }
        let still = vec![0.0; world.action_spec().len()];
        refused(
            "a step after a refused state",
            &world.step(&still),
            &StepError::AfterTerminal,
        )?;
    }
    Ok(())
}
