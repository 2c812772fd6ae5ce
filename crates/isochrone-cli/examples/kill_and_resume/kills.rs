//! Trainings that are killed at random moments and gone on with, against one that was left alone.

use isochrone::rng::{Purpose, Rng, Seed};
use rand::RngExt;
use serde::Serialize;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// There only where a distance is learned.
const OPTIONAL: &str = "distance.jsonl";
/// What must be equal in the end.
const FILES: [&str; 6] = [
    "checkpoint.isochrone",
    "metrics.jsonl",
    "eval.jsonl",
    "goals.jsonl",
    "spec.toml",
    OPTIONAL,
];
/// The longest time between two kills, as a share of the unbroken run's.
const LONGEST_SHARE: f64 = 0.25;

/// What to do.
#[derive(Debug)]
pub(crate) struct Trial<'a> {
    /// The command.
    pub(crate) binary: &'a Path,
    /// An empty folder.
    pub(crate) desk: &'a Path,
    /// Of `isochrone train`.
    pub(crate) arguments: &'a [String],
    /// In all.
    pub(crate) kills: u32,
    /// Of the moments.
    pub(crate) seed: u64,
}

/// What came of it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Record {
    pub(crate) arguments: Vec<String>,
    pub(crate) kills: u32,
    /// Runs that the kills were spread over; a run that is done makes way for another.
    pub(crate) runs: u32,
    /// Kills before there was anything to go on with.
    pub(crate) kills_before_the_beginning: u32,
    pub(crate) unbroken_s: f64,
    /// Files that were not those of the unbroken run.
    pub(crate) different: Vec<String>,
}

impl Trial<'_> {
    /// Kills and resumes until all kills are spent, and compares every run that is done.
    pub(crate) fn run(&self) -> io::Result<Record> {
        let start = Instant::now();
        let ended = self.train("whole")?.wait()?;
        if !ended.success() {
            return Err(io::Error::other("the unbroken run failed"));
        }
        let mut record = Record {
            arguments: self.arguments.to_vec(),
            unbroken_s: start.elapsed().as_secs_f64(),
            ..Record::default()
        };
        let mut rng = Seed(self.seed).stream(Purpose::Act, 0, 0);
        while record.kills < self.kills {
            record.runs += 1;
            let name = format!("broken{}", record.runs);
            self.break_and_mend(&name, &mut record, &mut rng)?;
            self.compare(&name, &mut record)?;
        }
        Ok(record)
    }

    /// One run to its end.
    fn break_and_mend(&self, name: &str, record: &mut Record, rng: &mut Rng) -> io::Result<()> {
        let longest_s = LONGEST_SHARE * record.unbroken_s;
        loop {
            let has_begun = self.desk.join(name).join("manifest.json").exists();
            let mut child = if has_begun {
                self.resume(name)?
            } else {
                self.train(name)?
            };
            if record.kills < self.kills {
                std::thread::sleep(Duration::from_secs_f64(longest_s * rng.random::<f64>()));
                if child.try_wait()?.is_none() {
                    // On Unix this is SIGKILL: nothing can be caught or finished.
                    child.kill()?;
                    child.wait()?;
                    record.kills += 1;
                    let begun = self.desk.join(name).join("checkpoint.isochrone").exists();
                    record.kills_before_the_beginning += u32::from(!begun);
                    continue;
                }
            }
            let ended = child.wait()?;
            if !ended.success() {
                return Err(io::Error::other(format!("{name} could not go on: {ended}")));
            }
            return Ok(());
        }
    }

    fn compare(&self, name: &str, record: &mut Record) -> io::Result<()> {
        let whole = self.desk.join("whole");
        let is_there = |file: &&str| *file != OPTIONAL || whole.join(file).exists();
        for file in FILES.into_iter().filter(is_there) {
            let whole = fs::read(whole.join(file))?;
            if fs::read(self.desk.join(name).join(file))? != whole {
                record.different.push(format!("{name}/{file}"));
            }
        }
        Ok(())
    }

    fn train(&self, out: &str) -> io::Result<Child> {
        let mut command = self.command("train");
        command.args(self.arguments).args(["--out", out]).spawn()
    }

    fn resume(&self, run: &str) -> io::Result<Child> {
        self.command("resume").arg(run).spawn()
    }

    fn command(&self, what: &str) -> Command {
        let mut command = Command::new(self.binary);
        command.current_dir(self.desk).arg(what);
        command.stdout(Stdio::null());
        command
    }
}
