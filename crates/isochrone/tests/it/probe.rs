//! Probe worlds: five tiny worlds, each of which tests one more ability of a learner.
//!
//! A learner that fails on one of them is broken in a known place; see `probes.rs`. A world shows
//! `[cue, arrived]`; the goal is `arrived = 1`.
//!
//! | probe | what happens | what must be learned |
//! |---|---|---|
//! | value | one step, always arrives | V = 1 |
//! | observation | one step, arrives if the cue is +1 | V = 1 or 0 by the cue |
//! | discount | two steps, always arrives | V = γ, then 1 |
//! | policy | one step, arrives if the action is above 0 | act above 0 |
//! | both | one step, arrives if action and cue agree in sign | act by the cue |

use isochrone::env::{ActionSpec, Environment, Observation, ObservationSpec, StepError, Successor};
use isochrone::rng::Rng;
use rand::RngExt;

/// Which probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Faculty {
    /// Values at all.
    Value,
    /// Values that depend on the observation.
    Observation,
    /// Discounted values over two steps.
    Discount,
    /// Learning an action.
    Policy,
    /// Actions that depend on the observation.
    Both,
}

/// A probe world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Probe {
    faculty: Faculty,
    cue: f32,
    /// Steps taken; `None` outside an episode.
    steps: Option<usize>,
}

impl Probe {
    /// The world that asks for this faculty.
    pub(crate) const fn new(faculty: Faculty) -> Self {
        Self {
            faculty,
            cue: 0.0,
            steps: None,
        }
    }

    fn see(&self, arrived: f32) -> Observation {
        Observation::F32(vec![self.cue, arrived])
    }
}

impl Environment for Probe {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(2)
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(1, 1.0)
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        self.cue = match self.faculty {
            Faculty::Observation | Faculty::Both if rng.random::<bool>() => 1.0,
            Faculty::Observation | Faculty::Both => -1.0,
            Faculty::Value | Faculty::Discount | Faculty::Policy => 0.0,
        };
        self.steps = Some(0);
        self.see(0.0)
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let action = self.action_spec().clip(action)?[0];
        let steps = self.steps.ok_or(StepError::AfterTerminal)? + 1;
        if self.faculty == Faculty::Discount && steps == 1 {
            self.steps = Some(steps);
            self.cue = 1.0;
            return Ok(Successor::Continue(self.see(0.0)));
        }
        let is_there = match self.faculty {
            Faculty::Value | Faculty::Discount => true,
            Faculty::Observation => self.cue > 0.0,
            Faculty::Policy => action > 0.0,
            Faculty::Both => action * self.cue > 0.0,
        };
        self.steps = None;
        Ok(Successor::Terminal(self.see(f32::from(u8::from(is_there)))))
    }
}
