//! An agent in a world of your own: a turntable that stops before a full turn.
//!
//! ```bash
//! cargo run --release -p isochrone-lab --example own_environment
//! ```
//!
//! It is seen as a point on a circle. The two ends of its way look 40° apart, and are almost a whole turn: nobody
//! says so, the agent finds out. `examples/python/own_environment.py` is its sister in Python.
#![expect(
    clippy::print_stdout,
    reason = "an example that says nothing shows nothing"
)]

use isochrone::env::{ActionSpec, Environment, Observation, ObservationSpec, StepError, Successor};
use isochrone::rng::Rng;
use isochrone::rollout::Threads;
use isochrone::train::Blind;
use isochrone_lab::train::{OwnTraining, OwnWorld};
use rand::RngExt;
use std::error::Error;

/// Where it stops, on either side.
const STOP_DEGREES: f32 = 160.0;
/// The most that it turns in a step.
const TURN_DEGREES: f32 = 6.0;
const STEPS: u64 = 150_000;

/// Dynamics and nothing else: goals, rewards and time limits are the training's.
#[derive(Clone, Default)]
struct Turntable {
    degrees: f32,
}

impl Turntable {
    fn observe(&self) -> Observation {
        Observation::F32(on_the_circle(self.degrees).to_vec())
    }
}

impl Environment for Turntable {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(2)
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(1, 1.0)
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        self.degrees = rng.random_range(-STOP_DEGREES..STOP_DEGREES);
        self.observe()
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let action = self.action_spec().clip(action)?;
        let turned = self.degrees + TURN_DEGREES * action[0];
        self.degrees = turned.clamp(-STOP_DEGREES, STOP_DEGREES);
        Ok(Successor::Continue(self.observe()))
    }
}

fn on_the_circle(degrees: f32) -> [f32; 2] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    [cos, sin]
}

fn main() -> Result<(), Box<dyn Error>> {
    let world = OwnWorld {
        observation_length: 2,
        actions: 1,
        goal_entries: vec![0, 1],
        goal_centre: vec![0.0, 0.0],
        goal_half_width: vec![1.0, 1.0],
    };
    let mut tables = Threads::new(2, Turntable::default);
    let settings = [
        "seed=0",
        "epsilon_steps=5",
        "horizon_steps=100",
        "batch_steps=2000",
        // As Python sets them: five times ε, and a tenth of the goals' half width.
        "tail_steps=25",
        "archive_spacing_m=0.1",
    ];
    let mut agent = OwnTraining::new(world, &settings.map(str::to_owned))?;
    while agent.env_steps() < STEPS {
        let (metrics, _) = agent.iterate(&mut tables, &mut Blind)?;
        let told: serde_json::Value = serde_json::from_str(&metrics)?;
        let (steps, goals) = (&told["env_steps"], &told["intermediate"]);
        println!("{steps} steps, {goals} goals neither too easy nor too hard");
    }
    let Some(model) = agent.distance()? else {
        return Ok(());
    };
    for (from, to) in [(155.0, 105.0), (155.0, -155.0)] {
        let steps = model
            .distance
            .symmetric(&on_the_circle(from), &on_the_circle(to));
        println!("{from:>4}° to {to:>4}°: {steps:.0} steps");
    }
    Ok(())
}
