//! Iterations with checkpoints. Stopped anywhere and resumed, a training gives the bytes of the unbroken one: what a
//! stopped run wrote after its last checkpoint is written again.

use super::agent::Agent;
use super::checkpoint::{self, Checkpoint, KnownBytes};
use super::clock::Clock;
use super::line::{Line, State};
use super::records::{Evaluation, Records};
use super::spec::RunSpec;
use crate::run_folder::RunFolder;
use crate::stop::StopSign;
use anyhow::{Result, bail};
use isochrone::train::TrainError;
use std::path::Path;

/// Goes on from a checkpoint, or from nothing, to the last iteration, with a line on the terminal.
pub(super) fn learn(
    folder: &RunFolder,
    agent: Agent,
    checkpoint: Option<&Checkpoint>,
    threads: usize,
) -> Result<()> {
    let stop = StopSign::hang_out();
    let done = checkpoint.map_or(0, |c| c.state.counters.iteration);
    let line = Line::new(done, agent.spec.iterations)?;
    let told = Told::On(&line);
    Work::begin_or_go_on(folder, agent, checkpoint, threads, &stop, told)?.finish()
}

/// The same with whoever is told of every iteration instead of the line.
pub(super) fn learn_quietly(
    folder: &RunFolder,
    agent: Agent,
    checkpoint: Option<&Checkpoint>,
    threads: usize,
    stop: &StopSign,
    told: &dyn Fn(u64),
) -> Result<()> {
    let told = Told::To(told);
    Work::begin_or_go_on(folder, agent, checkpoint, threads, stop, told)?.finish()
}

/// Who hears of iterations.
#[derive(Clone, Copy)]
enum Told<'a> {
    On(&'a Line),
    To(&'a dyn Fn(u64)),
}

struct Work<'a> {
    folder: &'a RunFolder,
    agent: Agent,
    records: Records,
    clock: Clock<'a>,
    told: Told<'a>,
    stop: &'a StopSign,
    coverage: Option<f64>,
}

impl<'a> Work<'a> {
    /// Everything up to the first iteration that is missing.
    fn begin_or_go_on(
        folder: &'a RunFolder,
        mut agent: Agent,
        checkpoint: Option<&Checkpoint>,
        threads: usize,
        stop: &'a StopSign,
        told: Told<'a>,
    ) -> Result<Self> {
        if let Some(checkpoint) = checkpoint {
            agent.restore(checkpoint)?;
        }
        let known = checkpoint.map_or(KnownBytes::default(), |c| c.known_bytes);
        let line = match told {
            Told::On(line) => Some(line),
            Told::To(_) => None,
        };
        let mut work = Self {
            folder,
            clock: agent.clock().for_run(stop, line),
            records: Records::open(folder, &agent.spec, known, threads)?,
            told,
            stop,
            coverage: None,
            agent,
        };
        if checkpoint.is_none() {
            work.begin()?;
        }
        Ok(work)
    }

    fn finish(mut self) -> Result<()> {
        while self.agent.training.counters().iteration < self.agent.spec.iterations {
            self.iterate()?;
        }
        Ok(())
    }

    /// Everything before the first iteration.
    fn begin(&mut self) -> Result<()> {
        let prepared = self.agent.prepare(&mut self.clock);
        let learned = self.unless_stopped(prepared)?;
        let at = self.agent.training.counters();
        if let Some(learned) = learned {
            self.records.learned(&learned, at)?;
        }
        self.evaluate()?;
        let spent = self.clock.take();
        self.records.took(at, at.env_steps, &spent)?;
        self.save()
    }

    fn iterate(&mut self) -> Result<()> {
        let before = self.agent.training.counters();
        let report = self.agent.iterate(&mut self.clock);
        let report = self.unless_stopped(report)?;
        let metrics = self.records.iterated(&report)?;
        if is_due(&self.agent.spec, report.iteration) {
            self.evaluate()?;
        }
        let spent = self.clock.take();
        let steps = report.counters.env_steps - before.env_steps;
        let steps_per_s = self.records.took(report.counters, steps, &spent)?;
        let state = State {
            iteration: report.iteration,
            coverage: self.coverage,
            success: metrics.last_success(),
            steps_per_s,
        };
        match self.told {
            Told::On(line) => line.advance(&state, &spent),
            Told::To(told) => told(report.iteration),
        }
        self.save()
    }

    /// Before the checkpoint that knows of it.
    fn evaluate(&mut self) -> Result<()> {
        let evaluation: Evaluation = self.agent.evaluate(&mut self.clock)?;
        self.coverage = Some(evaluation.coverage);
        self.records.evaluated(&evaluation)
    }

    /// Records first: a checkpoint knows only of what is on the disk.
    fn save(&mut self) -> Result<()> {
        let known_bytes = self.records.sync()?;
        let state = self.agent.training.save();
        checkpoint::write(self.folder, &self.agent.spec, state, known_bytes)?;
        let iteration = self.agent.training.counters().iteration;
        if self.stop.is_raised() && iteration < self.agent.spec.iterations {
            bail!("{}", self.how_to_go_on());
        }
        Ok(())
    }

    fn unless_stopped<T>(&self, result: Result<T, TrainError>) -> Result<T> {
        match result {
            Err(TrainError::Stopped) => bail!("{}", self.how_to_go_on()),
            result => Ok(result?),
        }
    }

    fn how_to_go_on(&self) -> String {
        let done = checkpoint::read(self.folder.path()).ok().flatten();
        let done = done.map_or(0, |checkpoint| checkpoint.state.counters.iteration);
        how_to_go_on(self.folder.path(), done, self.agent.spec.iterations)
    }
}

/// Coverage is measured every so often, and at the end.
const fn is_due(spec: &RunSpec, iteration: u64) -> bool {
    iteration.is_multiple_of(spec.evaluate_every) || iteration == spec.iterations
}

fn how_to_go_on(folder: &Path, done: u64, iterations: u64) -> String {
    format!(
        "stopped; {done} of {iterations} iterations are kept. Go on with them:\n  isochrone resume {}",
        folder.display()
    )
}
