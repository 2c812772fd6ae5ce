//! Trains an agent in an environment of its own: a point that moves in a square, a tenth of a metre per step.
//!
//! ```bash
//! cargo run --release -p example-agent
//! ```
//!
//! The environment has no reward, no distance and no success test: the agent learns the distance in steps and uses it as
//! both. `examples/python/own_environment.py` does the same in Python.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use isochrone::agent::Agent;
use isochrone::env::{ActionSpec, Environment, Observation, ObservationSpec, StepError, Successor};
use isochrone::goal::GoalRange;
use isochrone::rng::Rng;
use isochrone::rollout::Threads;
use isochrone::train::{GoalSetup, NoObserver};
use isochrone_files::run_spec::RunSpec;

#[derive(Clone, Default)]
struct Square([f32; 2]);

impl Environment for Square {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(2)
    }
    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(2, 1.0)
    }
    fn reset(&mut self, _rng: &mut Rng) -> Observation {
        self.0 = [0.0; 2];
        Observation::F32(self.0.to_vec())
    }
    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let action = self.action_spec().clip(action)?;
        self.0 = [0, 1].map(|k| (self.0[k] + 0.1 * action[k]).clamp(-1.0, 1.0));
        Ok(Successor::Continue(Observation::F32(self.0.to_vec())))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut spec = RunSpec::preset("own")?.agent;
    spec.horizon_steps = 60;
    let range = GoalRange::new(vec![0.0; 2], vec![1.0; 2])?;
    let mut agent = Agent::new(spec, GoalSetup::of(&Square::default(), &[0, 1], range)?)?;
    let mut squares = Threads::new(2, Square::default);
    agent.learn(&mut squares, 100_000, &mut NoObserver)?;
    let goal = [0.8, -0.4];
    let steps = agent.distance().between(&[0.0, 0.0], &goal)?;
    let action = agent.act(&Observation::F32(vec![0.0; 2]), &goal)?;
    println!("{steps:.0} steps to {goal:?}, first action {action:.2?}");
    Ok(())
}
