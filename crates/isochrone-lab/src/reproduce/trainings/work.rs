//! Which runs there are, and those that are missing.

use super::arm::Arm;
use crate::progress::Waiting;
use crate::reproduce::runs::run_all;
use crate::reproduce::{Effort, Size};
use crate::stop::StopSign;
use crate::train::table::{self, EvaluationRow};
use crate::train::{History, run_to_end};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// What was run before.
const COMMITTED: [&str; 3] = [
    include_str!("../../../../../experiments/coverage-xy/results.csv"),
    include_str!("../../../../../experiments/coverage-full/results.csv"),
    include_str!("../../../../../experiments/goal-generation/results.csv"),
];

/// Evaluations of runs, by what was asked of them.
pub(super) struct Runs {
    rows: Vec<EvaluationRow>,
    folder: PathBuf,
    seeds: u64,
}

impl Runs {
    /// Those that are known already.
    pub(super) fn known(effort: &Effort) -> Result<Self> {
        let mut rows: Vec<EvaluationRow> = Vec::new();
        if effort.size == Size::Full {
            for text in COMMITTED {
                for row in table::of_csv(text)? {
                    let is_known = |known: &EvaluationRow| {
                        (&known.spec_hash, known.iteration) == (&row.spec_hash, row.iteration)
                    };
                    if !rows.iter().any(is_known) {
                        rows.push(row);
                    }
                }
            }
        }
        Ok(Self {
            rows,
            folder: effort.runs.clone(),
            seeds: effort.seeds,
        })
    }

    /// Runs what is missing of these, and goes on with what is half done, two at a time.
    pub(super) fn complete(
        &mut self,
        arms: &[Arm],
        effort: &Effort,
        waiting: &Waiting,
    ) -> Result<()> {
        let mut missing = Vec::new();
        for arm in arms {
            for seed in 0..self.seeds {
                if !self.is_done(arm, seed)? {
                    missing.push((arm, seed));
                }
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let stop = StopSign::hang_out();
        let done = run_all(&missing, waiting, |(arm, seed)| {
            let path = self.path(arm, *seed)?;
            let told = |iteration: u64| {
                let last = arm.spec(*seed).iterations;
                waiting.now(&format!("{} seed {seed}: {iteration}/{last}", arm.preset));
            };
            run_to_end(
                &path,
                &arm.spec(*seed),
                &arm.preset,
                &effort.revision,
                &stop,
                &told,
            )?;
            let run = History::read(&path)?;
            table::rows(&run)
        });
        if stop.is_raised() {
            bail!(
                "stopped; the same command goes on with the runs in {}",
                self.folder.display()
            );
        }
        self.rows.extend(done?.concat());
        Ok(())
    }

    /// Its run folder.
    pub(super) fn path(&self, arm: &Arm, seed: u64) -> Result<PathBuf> {
        let name = format!("{}-{}-seed{seed}", arm.preset, arm.hash(seed)?);
        Ok(self.folder.join(name))
    }

    fn is_done(&self, arm: &Arm, seed: u64) -> Result<bool> {
        let (hash, last) = (arm.hash(seed)?, arm.spec(seed).iterations);
        let is_last = |row: &EvaluationRow| row.spec_hash == hash && row.iteration == last;
        Ok(self.rows.iter().any(is_last))
    }

    /// Is any seed of it done?
    pub(super) fn has(&self, arm: &Arm) -> bool {
        !self.seeds_of(arm).is_empty()
    }

    /// The evaluations of each seed that is done, in the order of the seeds.
    pub(super) fn seeds_of(&self, arm: &Arm) -> Vec<Vec<&EvaluationRow>> {
        let of = |seed: u64| {
            let hash = arm.hash(seed).ok()?;
            let rows = self.rows.iter().filter(|row| row.spec_hash == hash);
            let mut rows: Vec<&EvaluationRow> = rows.collect();
            rows.sort_by_key(|row| row.iteration);
            let last = rows.last()?.iteration;
            (last == arm.spec(seed).iterations).then_some(rows)
        };
        (0..self.seeds).filter_map(of).collect()
    }

    /// The same, end to end, of several.
    pub(super) fn rows_of(&self, arms: &[&Arm]) -> Vec<EvaluationRow> {
        let seeds = arms.iter().flat_map(|arm| self.seeds_of(arm));
        seeds.flatten().cloned().collect()
    }

    /// A number of the last evaluation, seed by seed.
    pub(super) fn last(&self, arm: &Arm, of: fn(&EvaluationRow) -> Option<f64>) -> Vec<f64> {
        let seeds = self.seeds_of(arm).into_iter();
        seeds.filter_map(|rows| of(rows.last()?)).collect()
    }

    /// A number of the first evaluation, seed by seed.
    pub(super) fn first(&self, arm: &Arm, of: fn(&EvaluationRow) -> Option<f64>) -> Vec<f64> {
        let seeds = self.seeds_of(arm).into_iter();
        seeds.filter_map(|rows| of(rows.first()?)).collect()
    }

    /// The run folder of the first seed that has one.
    pub(super) fn folder_of(&self, arm: &Arm) -> Result<History> {
        let paths = (0..self.seeds).filter_map(|seed| self.path(arm, seed).ok());
        let there = paths.into_iter().find(|path| path.exists());
        let path = there.with_context(|| format!("there is no run of {}", arm.preset))?;
        History::read(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone_mujoco::WorldName;

    fn effort(runs: PathBuf) -> Effort {
        Effort {
            seeds: 2,
            size: Size::Quick,
            revision: "trial".to_owned(),
            world: None,
            runs,
        }
    }

    /// What is done is not done again, and what is half done is gone on with.
    #[test]
    fn runs_are_completed_once() {
        let desk = tempfile::tempdir().unwrap();
        let effort = effort(desk.path().to_owned());
        let tiny = [
            "iterations=2",
            "batch_steps=500",
            "initial_states=500",
            "on_policy_states=0",
        ];
        let more = [
            "eval_horizon_steps=5",
            "eval_rollouts=1",
            "updates_per_iteration=1",
        ];
        let set: Vec<String> = tiny.iter().chain(&more).map(|s| (*s).to_owned()).collect();
        let arm = Arm::new(WorldName::PointMass, "", Size::Quick).unwrap();
        let arm = arm.changed(&set).unwrap();
        let waiting = Waiting::new("trial");
        let mut runs = Runs::known(&effort).unwrap();
        assert!(!runs.has(&arm));
        runs.complete(std::slice::from_ref(&arm), &effort, &waiting)
            .unwrap();
        assert_eq!(runs.seeds_of(&arm).len(), 2);
        let rows = runs.rows_of(&[&arm]);
        assert!(rows.iter().all(|row| row.revision == "trial"), "{rows:?}");
        // The folders are there now: another look finds the same numbers without a step.
        let begun = std::time::Instant::now();
        let mut again = Runs::known(&effort).unwrap();
        again
            .complete(std::slice::from_ref(&arm), &effort, &waiting)
            .unwrap();
        assert!(begun.elapsed().as_secs() < 60);
        assert_eq!(again.rows_of(&[&arm]), rows);
        let kept = table::of_csv(&table::to_csv(&rows).unwrap()).unwrap();
        assert_eq!(kept, rows);
    }
}
