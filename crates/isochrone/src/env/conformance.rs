//! Conformance tests that every world must pass, native or simulated.

mod keeping;

pub use keeping::check_snapshot;

use super::{Environment, Observation, StepError, Successor};
use crate::rng::{Purpose, Rng, Seed};
use rand::RngExt;

/// Steps per trial.
const STEPS: usize = 200;

/// A rule that a world violated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// An empty or inverted specification.
    #[error("the specification is unusable: {what}")]
    Spec {
        /// What is wrong.
        what: String,
    },
    /// An observation that is not as specified.
    #[error("after {step} steps the observation is not as specified: {what}")]
    Observation {
        /// Number of steps taken.
        step: usize,
        /// What is wrong.
        what: String,
    },
    /// The same stream and actions gave different observations.
    #[error("after {step} steps two runs of the same episode differ ({trial})")]
    NotDeterministic {
        /// Number of steps taken.
        step: usize,
        /// The comparison that failed.
        trial: &'static str,
    },
    /// An invalid call was accepted, or failed with the wrong error.
    #[error("{what} was answered with {answer}")]
    NotRefused {
        /// The invalid call.
        what: &'static str,
        /// The actual result.
        answer: String,
    },
    /// The world truncated an episode; only the rollout may do that.
    #[error("the world truncated itself after {step} steps")]
    Truncated {
        /// Number of steps taken.
        step: usize,
    },
    /// Snapshots that differ in length.
    #[error("states saved before, in and after an episode have {lengths:?} numbers")]
    UnequalStates {
        /// Lengths of the three snapshots.
        lengths: [usize; 3],
    },
    /// No observation changed.
    #[error("no observation changed in {STEPS} random steps")]
    Motionless,
}

/// Checks a world made by `make`, which must return a fresh one at each call.
pub fn check<E: Environment>(make: impl Fn() -> E, seed: Seed) -> Result<(), Violation> {
    check_spec(&make())?;
    let episode = run(&mut make(), seed)?;
    if episode.iter().all(|seen| *seen == episode[0]) {
        return Err(Violation::Motionless);
    }
    compare(&episode, &run(&mut make(), seed)?, "two fresh worlds")?;
    let mut used = make();
    run(&mut used, Seed(seed.0 ^ 1))?;
    compare(&episode, &run(&mut used, seed)?, "a used world")?;
    compare(
        &episode,
        &run_beside_another(&make, seed)?,
        "a world stepped beside another",
    )?;
    check_refusals(&make, seed)
}

fn check_spec<E: Environment>(world: &E) -> Result<(), Violation> {
    let broken = |what: &str| {
        Err(Violation::Spec {
            what: what.to_owned(),
        })
    };
    let (seen, done) = (world.observation_spec(), world.action_spec());
    if seen.is_empty() {
        return broken("an observation holds nothing");
    }
    if done.is_empty() || done.low.len() != done.high.len() {
        return broken("an action has no entries, or bounds of unequal length");
    }
    let is_range = |(low, high): (&f32, &f32)| low.is_finite() && high.is_finite() && low < high;
    if !done.low.iter().zip(&done.high).all(is_range) {
        return broken("a bound of the actions is not finite, or low is not below high");
    }
    Ok(())
}

/// The observations of one episode of random actions, from the reset on.
fn run<E: Environment>(world: &mut E, seed: Seed) -> Result<Vec<Observation>, Violation> {
    let mut actions = seed.stream(Purpose::Act, 0, 0);
    let mut episode = vec![world.reset(&mut seed.stream(Purpose::Reset, 0, 0))];
    check_observation(world, &episode[0], 0)?;
    for step in 1..=STEPS {
        let action = random_action(world, &mut actions);
        let successor = world.step(&action);
        let ends = matches!(successor, Ok(Successor::Terminal(_)));
        let seen = observe(successor, step)?;
        check_observation(world, &seen, step)?;
        episode.push(seen);
        if ends {
            let again = world.step(&action);
            return refused("a step after the end", &again, &StepError::AfterTerminal)
                .map(|()| episode);
        }
    }
    Ok(episode)
}

/// The same episode while a second world of the same kind runs another one: worlds share no state.
fn run_beside_another<E: Environment>(
    make: &impl Fn() -> E,
    seed: Seed,
) -> Result<Vec<Observation>, Violation> {
    let (mut world, mut other) = (make(), make());
    let mut actions = seed.stream(Purpose::Act, 0, 0);
    let mut noise = seed.stream(Purpose::Act, 1, 0);
    let mut episode = vec![world.reset(&mut seed.stream(Purpose::Reset, 0, 0))];
    other.reset(&mut seed.stream(Purpose::Reset, 1, 0));
    for step in 1..=STEPS {
        let action = random_action(&world, &mut actions);
        let successor = world.step(&action);
        let ends = matches!(successor, Ok(Successor::Terminal(_)));
        episode.push(observe(successor, step)?);
        if ends {
            break;
        }
        let action = random_action(&other, &mut noise);
        if !matches!(other.step(&action), Ok(Successor::Continue(_))) {
            other.reset(&mut seed.stream(Purpose::Reset, 1, step as u64));
        }
    }
    Ok(episode)
}

fn random_action<E: Environment>(world: &E, rng: &mut Rng) -> Vec<f32> {
    let spec = world.action_spec();
    let bounds = spec.low.iter().zip(&spec.high);
    bounds
        .map(|(low, high)| low + (high - low) * rng.random::<f32>())
        .collect()
}

fn observe(
    answer: Result<Successor<Observation>, StepError>,
    step: usize,
) -> Result<Observation, Violation> {
    match answer {
        Ok(Successor::Continue(seen) | Successor::Terminal(seen)) => Ok(seen),
        Ok(Successor::Truncated(_)) => Err(Violation::Truncated { step }),
        Err(error) => Err(Violation::NotRefused {
            what: "a legal action",
            answer: error.to_string(),
        }),
    }
}

fn check_observation<E: Environment>(
    world: &E,
    seen: &Observation,
    step: usize,
) -> Result<(), Violation> {
    let spec = world.observation_spec();
    let broken = |what: String| Err(Violation::Observation { step, what });
    if seen.dtype() != spec.dtype || seen.len() != spec.len() {
        return broken(format!("{} entries of {:?}", seen.len(), seen.dtype()));
    }
    let values = seen.as_f32().unwrap_or_default();
    match values.iter().position(|value| !value.is_finite()) {
        Some(entry) => broken(format!("entry {entry} is {}", values[entry])),
        None => Ok(()),
    }
}

fn compare(a: &[Observation], b: &[Observation], trial: &'static str) -> Result<(), Violation> {
    let differs = a.iter().zip(b).position(|(a, b)| a != b);
    match differs.or((a.len() != b.len()).then(|| a.len().min(b.len()))) {
        Some(step) => Err(Violation::NotDeterministic { step, trial }),
        None => Ok(()),
    }
}

/// Invalid calls return errors and change nothing.
fn check_refusals<E: Environment>(make: &impl Fn() -> E, seed: Seed) -> Result<(), Violation> {
    let mut world = make();
    let length = world.action_spec().len();
    let still = vec![0.0; length];
    refused(
        "a step before the first reset",
        &world.step(&still),
        &StepError::AfterTerminal,
    )?;
    let expected = run(&mut make(), seed)?;
    world.reset(&mut seed.stream(Purpose::Reset, 0, 0));
    for value in [f32::NAN, f32::INFINITY] {
        let mut action = still.clone();
        action[length - 1] = value;
        let answer = world.step(&action);
        if !matches!(answer, Err(StepError::NonFiniteAction { entry, .. }) if entry == length - 1) {
            return Err(not_refused("an action that is not finite", &answer));
        }
    }
    let got = length + 1;
    let too_long = world.step(&vec![0.0; got]);
    refused(
        "an action too long",
        &too_long,
        &StepError::ActionLength {
            got,
            expected: length,
        },
    )?;
    let action = random_action(&world, &mut seed.stream(Purpose::Act, 0, 0));
    if observe(world.step(&action), 1)? == expected[1] {
        Ok(())
    } else {
        let trial = "a world that refused three actions";
        Err(Violation::NotDeterministic { step: 1, trial })
    }
}

fn refused(
    what: &'static str,
    answer: &Result<Successor<Observation>, StepError>,
    reason: &StepError,
) -> Result<(), Violation> {
    if answer.as_ref() == Err(reason) {
        Ok(())
    } else {
        Err(not_refused(what, answer))
    }
}

fn not_refused(
    what: &'static str,
    answer: &Result<Successor<Observation>, StepError>,
) -> Violation {
    let answer = match answer {
        Ok(_) => "a step".to_owned(),
        Err(error) => error.to_string(),
    };
    Violation::NotRefused { what, answer }
}
