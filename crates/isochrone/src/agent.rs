//! A goal-conditioned agent in your own environment: settings, goal setup, and the paper's training loop.
//!
//! ```text
//! let mut agent = Agent::new(spec, GoalSetup::of(&environment, &[0, 1], range)?)?;
//! agent.learn(&mut source, 100_000, &mut NoObserver)?;
//! let action = agent.act(&observation, &goal)?;
//! ```
//!
//! [`Agent::save`] and [`Agent::restore`] use arrays; `isochrone-files` writes them to files.

use crate::comm::{Shards, Single, Workers};
use crate::distance::Distance;
use crate::env::Observation;
use crate::evaluate::Coverage;
use crate::learner::LearnerError;
use crate::nn::NamedArrayError;
use crate::rng::{Purpose, Seed};
use crate::rollout::EpisodeSource;
pub use crate::train::AgentSpec;
use crate::train::{
    Counters, GoalSetup, IterationReport, Observer, Pursuit, Training, TrainingError,
    TrainingState, Trial,
};

/// A policy in training, with its settings and its goal setup.
#[derive(Debug)]
pub struct Agent {
    spec: AgentSpec,
    setup: GoalSetup,
    training: Training,
    shards: Shards,
}

impl Agent {
    /// An untrained agent.
    pub fn new(spec: AgentSpec, setup: GoalSetup) -> Result<Self, TrainingError> {
        Ok(Self {
            training: Training::new(spec.clone(), setup.clone())?,
            shards: Shards::new(spec.shards, 1)?,
            spec,
            setup,
        })
    }

    /// Its settings.
    pub const fn spec(&self) -> &AgentSpec {
        &self.spec
    }

    /// Its goal setup.
    pub const fn setup(&self) -> &GoalSetup {
        &self.setup
    }

    /// The training loop.
    pub const fn training(&self) -> &Training {
        &self.training
    }

    /// Totals so far.
    pub const fn counters(&self) -> Counters {
        self.training.counters()
    }

    /// Whether an iteration has been completed.
    pub const fn has_learned(&self) -> bool {
        self.counters().iteration > 0
    }

    /// Iterates until the environment has taken `env_steps` more steps; returns a report per iteration.
    pub fn learn(
        &mut self,
        source: &mut dyn EpisodeSource,
        env_steps: u64,
        observer: &mut dyn Observer,
    ) -> Result<Vec<IterationReport>, TrainingError> {
        let last = self.counters().env_steps + env_steps;
        let mut reports = Vec::new();
        while self.counters().env_steps < last {
            reports.push(self.iterate(source, observer)?);
        }
        Ok(reports)
    }

    /// One iteration of the loop. After an error or a stop the agent is unchanged.
    pub fn iterate(
        &mut self,
        source: &mut dyn EpisodeSource,
        observer: &mut dyn Observer,
    ) -> Result<IterationReport, TrainingError> {
        let before = self.has_learned().then(|| self.training.save());
        let report = self.advance(source, observer);
        if report.is_err() {
            match before {
                Some(state) => self.training.restore(&state)?,
                None => *self = Self::new(self.spec.clone(), self.setup.clone())?,
            }
        }
        report
    }

    fn advance(
        &mut self,
        source: &mut dyn EpisodeSource,
        observer: &mut dyn Observer,
    ) -> Result<IterationReport, TrainingError> {
        let workers = self.workers();
        if !self.has_learned() {
            self.training.prepare(source, &workers, observer)?;
        }
        self.training.iterate(source, &workers, observer)
    }

    /// The policy's action, without exploration noise.
    pub fn act(&self, observation: &Observation, goal: &[f32]) -> Result<Vec<f32>, TrainingError> {
        let actor = self.training.learner().greedy_actor()?;
        let setup = &self.setup;
        let checked = actor.check(&setup.observation, goal.len(), &setup.action);
        checked.map_err(LearnerError::from)?;
        let mut action = vec![0.0; setup.action.len()];
        // The noise is zero; the stream is never used.
        let mut rng = Seed(0).stream(Purpose::Act, 0, 0);
        actor.act(observation, goal, &mut rng, &mut Vec::new(), &mut action);
        Ok(action)
    }

    /// Begins to pursue a goal by waypoints; the action is `act(observation, pursuit.waypoint())`. Without a planner the
    /// waypoint is the goal.
    pub fn pursue(
        &self,
        observation: &Observation,
        goal: &[f32],
    ) -> Result<Pursuit, TrainingError> {
        let seen = observation.as_f32().unwrap_or_default();
        self.training.pursue(seen, goal)
    }

    /// The next waypoint, after a step that led to this observation.
    pub fn advance_pursuit(
        &self,
        pursuit: &mut Pursuit,
        observation: &Observation,
    ) -> Result<(), TrainingError> {
        let seen = observation.as_f32().unwrap_or_default();
        self.training.advance(pursuit, seen)
    }

    /// Evaluates the policy on given goals.
    pub fn attempt(
        &self,
        source: &mut dyn EpisodeSource,
        trial: &Trial<'_>,
    ) -> Result<Coverage, TrainingError> {
        self.training.attempt(trial, source, &self.workers())
    }

    /// The current distance, in goal space.
    pub fn distance(&self) -> &dyn Distance {
        self.training.distance()
    }

    /// Its complete state, as named arrays.
    pub fn save(&self) -> TrainingState {
        self.training.save()
    }

    /// Restores what [`Agent::save`] returned. Training continues byte for byte as if it had not stopped.
    pub fn restore(&mut self, state: &TrainingState) -> Result<(), NamedArrayError> {
        self.training.restore(state)
    }

    const fn workers(&self) -> Workers<'static> {
        Workers {
            comm: &Single,
            shards: self.shards,
            threads: 1,
        }
    }
}
