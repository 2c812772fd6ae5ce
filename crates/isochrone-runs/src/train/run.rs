//! A policy with its world: built from a spec, and from what a run has learned.

use super::checkpoint::{self, Checkpoint};
use super::clock::Clock;
use super::folder::{self, Manifest};
use super::records::Evaluation;
use super::world::BuiltWorld;
use crate::cluster::Ranks;
use anyhow::{Context, Result, bail};
use isochrone::comm::{Shards, Workers};
use isochrone::train::{IterationReport, PredictorReport, Training, TrainingError};
use isochrone_files::path_kind;
use isochrone_files::run_folder::read_manifest;
use isochrone_files::run_spec::RunSpec;
use std::path::Path;

/// A training with its world, its ranks and its threads.
#[derive(Debug)]
pub struct TrainingRun {
    /// Its settings.
    pub spec: RunSpec,
    /// Its world.
    pub built: BuiltWorld,
    /// The loop.
    pub training: Training,
    ranks: Ranks,
    shards: Shards,
    threads: usize,
}

impl TrainingRun {
    /// An untrained one.
    pub fn new(spec: RunSpec, threads: usize) -> Result<Self> {
        Self::among(&Ranks::Single, spec, threads)
    }

    /// The same, with a share of its work: each rank has one, and they stay equal.
    pub fn among(ranks: &Ranks, spec: RunSpec, threads: usize) -> Result<Self> {
        spec.check()?;
        // Said in one sentence, before anything is built.
        let shards = Shards::new(spec.agent.shards, ranks.size())?;
        let built = BuiltWorld::new(&spec, threads)?;
        let training = Training::new(spec.agent.clone(), built.setup.clone())?;
        Ok(Self {
            ranks: ranks.clone(),
            shards,
            spec,
            built,
            training,
            threads,
        })
    }

    /// The one of a run folder, as its checkpoint has it, for looking at; with so many rollouts per goal if not as many
    /// as its spec says.
    pub fn of_run(path: &Path, rollouts: Option<u32>, threads: usize) -> Result<Self> {
        let name = path.display();
        path_kind::refuse_other_than_training(path)?;
        read_manifest::<Manifest>(path).with_context(|| format!("{name} is not a training"))?;
        let Some(checkpoint) = checkpoint::read(path)? else {
            bail!("{name} has no checkpoint yet");
        };
        let mut spec = folder::agreed_spec(path, Some(&checkpoint.spec))?;
        let evaluation = &mut spec.agent.evaluation;
        evaluation.rollouts = rollouts.map_or(evaluation.rollouts, |n| n as usize);
        let mut agent = Self::new(spec, threads)?;
        agent.restore(&checkpoint)?;
        Ok(agent)
    }

    /// Takes over what was learned.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        let restored = self.training.restore(&checkpoint.state);
        restored.context("the checkpoint is not one of this spec's")
    }

    /// The processes that share this training.
    pub const fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// Refuses to go on where ranks hold different numbers.
    pub fn compare(&self) -> Result<()> {
        if self.ranks.size() == 1 {
            return Ok(());
        }
        let state = self.training.save();
        Ok(self
            .ranks
            .compare(&state.arrays, &[state.counters.env_steps])?)
    }

    /// A clock that knows its physics.
    pub fn clock<'c>(&self) -> Clock<'c> {
        Clock::new(self.built.meter.clone(), self.threads)
    }

    /// Before the first iteration.
    pub fn prepare(
        &mut self,
        clock: &mut Clock<'_>,
    ) -> Result<Option<PredictorReport>, TrainingError> {
        let workers = workers(&self.ranks, self.shards, self.threads);
        let world = self.built.source.as_mut();
        self.training.prepare(world, &workers, clock)
    }

    /// One iteration.
    pub fn iterate(&mut self, clock: &mut Clock<'_>) -> Result<IterationReport, TrainingError> {
        let workers = workers(&self.ranks, self.shards, self.threads);
        let world = self.built.source.as_mut();
        self.training.iterate(world, &workers, clock)
    }

    /// Coverage now.
    pub fn evaluate(&mut self, clock: &mut Clock<'_>) -> Result<Evaluation> {
        clock.evaluation_begins();
        let workers = workers(&self.ranks, self.shards, self.threads);
        let (training, world) = (&self.training, self.built.source.as_mut());
        let alone = training.evaluate(world, &workers)?;
        let planned = training.evaluate_planned(world, &workers)?;
        Ok(Evaluation::of(
            &alone,
            planned.as_ref(),
            &self.spec.agent.evaluation,
            training.counters(),
        ))
    }
}

fn workers(ranks: &Ranks, shards: Shards, threads: usize) -> Workers<'_> {
    Workers {
        comm: ranks.comm(),
        shards,
        threads,
    }
}
