//! Iterations with checkpoints. Stopped anywhere and resumed, a training gives the bytes of an uninterrupted one: records
//! after the last checkpoint are written again.
//!
//! On several ranks every rank runs this loop with its share of the work; only rank 0 has a [`RunWriter`].

use super::checkpoint::{self, Checkpoint, KnownBytes};
use super::clock::Clock;
use super::drift::DriftMonitor;
use super::line::{Line, State};
use super::records::Records;
use super::run::TrainingRun;
use crate::cluster::Answer;
use crate::exit::Stopped;
use crate::output;
use crate::stop::StopFlag;
use anyhow::{Result, bail};
use isochrone::train::{PredictorReport, TrainingError};
use isochrone_files::run_folder::RunFolder;
use isochrone_files::run_spec::RunSpec;
use std::path::Path;
use std::time::{Duration, Instant};

/// Checkpoints that take longer, those with a large replay buffer, are not written after every iteration.
const SHORT_CHECKPOINT: Duration = Duration::from_millis(500);
/// Of a run's time, at most this share goes into them.
const CHECKPOINT_SHARE: f64 = 0.05;

/// Trains from a checkpoint, or from the beginning, to the last iteration, with a line on the terminal.
pub(super) fn learn(
    folder: &RunFolder,
    agent: TrainingRun,
    checkpoint: Option<&Checkpoint>,
    threads: usize,
) -> Result<()> {
    let stop = StopFlag::install_for(agent.ranks().clone());
    let done = checkpoint.map_or(0, |c| c.state.counters.iteration);
    let line = Line::new(done, agent.spec.iterations)?;
    let writer = RunWriter::new(folder, &agent, checkpoint, threads, ProgressSink::On(&line))?;
    Work::new(agent, checkpoint, Some(writer), &stop)?.finish(checkpoint)
}

/// The same with a callback for every iteration instead of the progress line.
pub(super) fn learn_quietly(
    folder: &RunFolder,
    agent: TrainingRun,
    checkpoint: Option<&Checkpoint>,
    threads: usize,
    stop: &StopFlag,
    on_iteration: &dyn Fn(u64),
) -> Result<()> {
    let writer = RunWriter::new(
        folder,
        &agent,
        checkpoint,
        threads,
        ProgressSink::To(on_iteration),
    )?;
    Work::new(agent, checkpoint, Some(writer), stop)?.finish(checkpoint)
}

/// The same beside a leader.
pub(super) fn follow(agent: TrainingRun, checkpoint: Option<&Checkpoint>) -> Result<()> {
    let stop = StopFlag::install_for(agent.ranks().clone());
    Work::new(agent, checkpoint, None, &stop)?.finish(checkpoint)
}

/// Who hears of iterations.
#[derive(Clone, Copy)]
enum ProgressSink<'a> {
    On(&'a Line),
    To(&'a dyn Fn(u64)),
}

/// Where a run is written down.
struct RunWriter<'a> {
    folder: &'a RunFolder,
    records: Records,
    drift: Option<DriftMonitor>,
    sink: ProgressSink<'a>,
    last_checkpoint: Option<LastCheckpoint>,
}

/// When the last checkpoint was written, and how long that took.
#[derive(Clone, Copy)]
struct LastCheckpoint {
    end: Instant,
    took: Duration,
}

impl LastCheckpoint {
    fn is_recent(self) -> bool {
        let is_early = self.end.elapsed().mul_f64(CHECKPOINT_SHARE) < self.took;
        self.took > SHORT_CHECKPOINT && is_early
    }
}

impl<'a> RunWriter<'a> {
    fn new(
        folder: &'a RunFolder,
        agent: &TrainingRun,
        checkpoint: Option<&Checkpoint>,
        threads: usize,
        sink: ProgressSink<'a>,
    ) -> Result<Self> {
        let known = checkpoint.map_or(KnownBytes::default(), |c| c.known_bytes);
        Ok(Self {
            folder,
            drift: DriftMonitor::new(&agent.spec, folder),
            records: Records::open(folder, &agent.spec, known, threads)?,
            sink,
            last_checkpoint: None,
        })
    }

    /// Records first: a checkpoint knows only of what is on the disk.
    fn write_checkpoint(&mut self, agent: &TrainingRun) -> Result<()> {
        let start = Instant::now();
        let known_bytes = self.records.sync()?;
        checkpoint::write(self.folder, &agent.spec, agent.training.save(), known_bytes)?;
        self.last_checkpoint = Some(LastCheckpoint {
            end: Instant::now(),
            took: start.elapsed(),
        });
        Ok(())
    }

    const fn line(&self) -> Option<&'a Line> {
        match self.sink {
            ProgressSink::On(line) => Some(line),
            ProgressSink::To(_) => None,
        }
    }

    /// Warns, once, if the distance has changed so much that ε is another ball.
    fn watch(&mut self, report: &PredictorReport) {
        let warning = self.drift.as_mut().and_then(|drift| drift.warning(report));
        if let Some(warning) = warning {
            match self.sink {
                ProgressSink::On(line) => line.aside(|| output::warn(&warning)),
                ProgressSink::To(_) => output::warn(&warning),
            }
        }
    }

    fn tell(&self, state: &State, spent: &super::Spent) {
        match self.sink {
            ProgressSink::On(line) => line.advance(state, spent),
            ProgressSink::To(on_iteration) => on_iteration(state.iteration),
        }
    }
}

struct Work<'a> {
    agent: TrainingRun,
    clock: Clock<'a>,
    writer: Option<RunWriter<'a>>,
    stop: &'a StopFlag,
    coverage: Option<f64>,
}

impl<'a> Work<'a> {
    fn new(
        mut agent: TrainingRun,
        checkpoint: Option<&Checkpoint>,
        writer: Option<RunWriter<'a>>,
        stop: &'a StopFlag,
    ) -> Result<Self> {
        if let Some(checkpoint) = checkpoint {
            agent.restore(checkpoint)?;
        }
        let line = writer.as_ref().and_then(RunWriter::line);
        Ok(Self {
            clock: agent.clock().for_run(stop, line),
            agent,
            writer,
            stop,
            coverage: None,
        })
    }

    /// Everything that is missing.
    fn finish(mut self, checkpoint: Option<&Checkpoint>) -> Result<()> {
        if checkpoint.is_none() {
            self.begin()?;
        }
        while self.agent.training.counters().iteration < self.agent.spec.iterations {
            self.iterate()?;
        }
        match checkpoint {
            Some(checkpoint) => self.look_at_the_end(checkpoint),
            None => Ok(()),
        }
    }

    /// A run that is ended where it stands was perhaps not to be looked at there.
    fn look_at_the_end(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        if !is_unseen(checkpoint, self.agent.spec.iterations) {
            return Ok(());
        }
        self.evaluate()?;
        self.save()
    }

    /// Everything before the first iteration.
    fn begin(&mut self) -> Result<()> {
        let prepared = self.agent.prepare(&mut self.clock);
        let learned = self.unless_stopped(prepared)?;
        let at = self.agent.training.counters();
        if let (Some(writer), Some(learned)) = (&mut self.writer, learned) {
            writer.records.learned(&learned, at)?;
            writer.watch(&learned);
        }
        self.evaluate()?;
        let spent = self.clock.take();
        let traffic = self.agent.ranks().traffic();
        if let Some(writer) = &mut self.writer {
            writer.records.took(at, at.env_steps, &spent, traffic)?;
        }
        self.save()
    }

    fn iterate(&mut self) -> Result<()> {
        let before = self.agent.training.counters();
        let report = self.agent.iterate(&mut self.clock);
        let report = self.unless_stopped(report)?;
        let metrics = self.writer.as_mut();
        let metrics = metrics.map(|writer| writer.records.iterated(&report));
        let metrics = metrics.transpose()?;
        if is_due(&self.agent.spec, report.iteration) {
            self.evaluate()?;
        }
        let spent = self.clock.take();
        let steps = report.counters.env_steps - before.env_steps;
        let traffic = self.agent.ranks().traffic();
        if let (Some(writer), Some(metrics)) = (&mut self.writer, metrics) {
            let at = report.counters;
            let steps_per_s = writer.records.took(at, steps, &spent, traffic)?;
            let state = State {
                iteration: report.iteration,
                coverage: self.coverage,
                success: metrics.last_success(),
                steps_per_s,
            };
            writer.tell(&state, &spent);
            if let Some(predictor) = &report.predictor {
                writer.watch(predictor);
            }
        }
        self.save()
    }

    /// Before the checkpoint that knows of it.
    fn evaluate(&mut self) -> Result<()> {
        let evaluation = self.agent.evaluate(&mut self.clock)?;
        self.coverage = Some(evaluation.coverage);
        match &mut self.writer {
            Some(writer) => writer.records.evaluated(&evaluation),
            None => Ok(()),
        }
    }

    /// Writes a checkpoint, unless the last one is recent and the run goes on. None is written that ranks do not agree on.
    fn save(&mut self) -> Result<()> {
        let goes_on = self.agent.training.counters().iteration < self.agent.spec.iterations;
        let is_stopped = self.stop.poll_all_ranks();
        if self.is_checkpoint_due() || !goes_on || is_stopped {
            self.agent.compare()?;
            if let Some(writer) = &mut self.writer {
                writer.write_checkpoint(&self.agent)?;
            }
        }
        if is_stopped && goes_on {
            bail!(self.stopped());
        }
        Ok(())
    }

    /// Whether enough time has passed on rank 0. A collective call.
    fn is_checkpoint_due(&self) -> bool {
        let is_recent = |writer: &RunWriter<'_>| {
            writer
                .last_checkpoint
                .is_some_and(LastCheckpoint::is_recent)
        };
        let mine = match &self.writer {
            Some(writer) if !is_recent(writer) => Answer::Yes,
            _ => Answer::No,
        };
        self.agent.ranks().any(mine) == Answer::Yes
    }

    fn unless_stopped<T>(&self, result: Result<T, TrainingError>) -> Result<T> {
        match result {
            Err(TrainingError::Stopped) => bail!(self.stopped()),
            result => Ok(result?),
        }
    }

    /// How to resume; rank 0 knows.
    fn stopped(&self) -> Stopped {
        let Some(writer) = &self.writer else {
            return Stopped("stopped".to_owned());
        };
        let done = checkpoint::read(writer.folder.path()).ok().flatten();
        let done = done.map_or(0, |checkpoint| checkpoint.state.counters.iteration);
        how_to_resume(writer.folder.path(), done, self.agent.spec.iterations)
    }
}

/// Coverage is measured every so often, and at the end.
const fn is_due(spec: &RunSpec, iteration: u64) -> bool {
    iteration.is_multiple_of(spec.evaluate_every) || iteration == spec.iterations
}

/// Is this the end of a run of so many iterations, and was it not looked at because more were to come?
pub(super) const fn is_unseen(checkpoint: &Checkpoint, iterations: u64) -> bool {
    let at = checkpoint.state.counters.iteration;
    at == iterations && !is_due(&checkpoint.spec, at)
}

fn how_to_resume(folder: &Path, done: u64, iterations: u64) -> Stopped {
    Stopped(format!(
        "stopped; {done} of {iterations} iterations are kept. Resume:\n  isochrone resume {}",
        folder.display()
    ))
}
