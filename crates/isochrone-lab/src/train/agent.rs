//! A policy with its world: built from a spec, and from what a run has learned.

use super::checkpoint::{self, Checkpoint};
use super::clock::Clock;
use super::folder::{self, Manifest};
use super::records::Evaluation;
use super::spec::RunSpec;
use super::world::Ground;
use crate::cluster::Crew;
use crate::recognise;
use crate::run_folder::read_manifest;
use anyhow::{Context, Result, bail};
use isochrone::comm::Shards;
use isochrone::train::{IterationReport, PredictorReport, Team, TrainError, Training};
use std::path::Path;

/// A training and where it takes place.
pub(crate) struct Agent {
    pub(crate) spec: RunSpec,
    pub(crate) ground: Ground,
    pub(crate) training: Training,
    crew: Crew,
    shards: Shards,
    threads: usize,
}

impl Agent {
    /// An untrained one.
    pub(crate) fn new(spec: RunSpec, threads: usize) -> Result<Self> {
        Self::among(&Crew::Alone, spec, threads)
    }

    /// The same, with a share of its work: each rank has one, and they stay equal.
    pub(crate) fn among(crew: &Crew, spec: RunSpec, threads: usize) -> Result<Self> {
        spec.check()?;
        // Said in one sentence, before anything is built.
        let shards = Shards::new(spec.shards, crew.size())?;
        let ground = Ground::new(&spec, threads)?;
        let distance = ground.distance.clone();
        let training = Training::new(spec.train(), ground.field.clone(), distance)?;
        Ok(Self {
            crew: crew.clone(),
            shards,
            spec,
            ground,
            training,
            threads,
        })
    }

    /// The one of a run folder, as its checkpoint has it, for looking at; with so many rollouts per goal if not as many
    /// as its spec says.
    pub(crate) fn of_run(path: &Path, rollouts: Option<u32>, threads: usize) -> Result<Self> {
        let name = path.display();
        recognise::refuse_other_than_training(path)?;
        read_manifest::<Manifest>(path).with_context(|| format!("{name} is no training"))?;
        let Some(checkpoint) = checkpoint::read(path)? else {
            bail!("{name} has no checkpoint yet");
        };
        let mut spec = folder::agreed_spec(path, Some(&checkpoint.spec))?;
        spec.eval_rollouts = rollouts.map_or(spec.eval_rollouts, |n| n as usize);
        let mut agent = Self::new(spec, threads)?;
        agent.restore(&checkpoint)?;
        Ok(agent)
    }

    /// Takes over what was learned.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        let restored = self.training.restore(&checkpoint.state);
        restored.context("the checkpoint is not one of this spec's")
    }

    /// The processes that share this training.
    pub(crate) const fn crew(&self) -> &Crew {
        &self.crew
    }

    /// Refuses to go on where ranks hold different numbers.
    pub(crate) fn compare(&self) -> Result<()> {
        if self.crew.size() == 1 {
            return Ok(());
        }
        let state = self.training.save();
        Ok(self
            .crew
            .compare(&state.arrays, &[state.counters.env_steps])?)
    }

    /// A clock that knows its physics.
    pub(crate) fn clock<'c>(&self) -> Clock<'c> {
        Clock::new(self.ground.meter.clone(), self.threads)
    }

    /// Before the first iteration.
    pub(crate) fn prepare(
        &mut self,
        clock: &mut Clock<'_>,
    ) -> Result<Option<PredictorReport>, TrainError> {
        let team = team(&self.crew, self.shards, self.threads);
        let world = self.ground.source.as_mut();
        self.training.prepare(world, &team, clock)
    }

    /// One iteration.
    pub(crate) fn iterate(&mut self, clock: &mut Clock<'_>) -> Result<IterationReport, TrainError> {
        let team = team(&self.crew, self.shards, self.threads);
        let world = self.ground.source.as_mut();
        self.training.iterate(world, &team, clock)
    }

    /// Coverage now.
    pub(crate) fn evaluate(&mut self, clock: &mut Clock<'_>) -> Result<Evaluation> {
        clock.evaluation_begins();
        let team = team(&self.crew, self.shards, self.threads);
        let coverage = self.training.evaluate(self.ground.source.as_mut(), &team)?;
        Ok(Evaluation::of(&coverage, self.training.counters()))
    }
}

fn team(crew: &Crew, shards: Shards, threads: usize) -> Team<'_> {
    Team {
        comm: crew.comm(),
        shards,
        threads,
    }
}
