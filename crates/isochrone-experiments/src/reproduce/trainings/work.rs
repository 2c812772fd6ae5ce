//! Which runs there are, and those that are missing.

use super::Experiment;
use super::arm::Arm;
use super::version_1;
use crate::reproduce::parallel::run_all;
use crate::reproduce::{Effort, RunsFrom, Size};
use anyhow::{Context, Result, bail};
use isochrone_runs::exit::Stopped;
use isochrone_runs::output::say;
use isochrone_runs::progress::Waiting;
use isochrone_runs::stop::StopFlag;
use isochrone_runs::train::table::{self, EvaluationRow};
use isochrone_runs::train::{History, run_to_end};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What was run before; of evaluations in two tables the first counts.
const COMMITTED: [&str; 6] = [
    include_str!("../../../../../experiments/coverage-xy/results.csv"),
    include_str!("../../../../../experiments/coverage-full/results.csv"),
    include_str!("../../../../../experiments/goal-generation/results.csv"),
    include_str!("../../../../../experiments/online-targets/results.csv"),
    include_str!("../../../../../experiments/coverage-xy/300-iterations/results.csv"),
    include_str!("../../../../../experiments/coverage-full/300-iterations/results.csv"),
];

/// Evaluations of runs.
pub(super) struct Runs {
    rows: Vec<EvaluationRow>,
    folder: PathBuf,
    seeds: u64,
}

impl Runs {
    /// Those that are known already. Working sets are in no table, so figures of those need run folders.
    pub(super) fn known(experiment: Experiment, effort: &Effort) -> Result<Self> {
        let mut rows: Vec<EvaluationRow> = Vec::new();
        if effort.size == Size::Full && experiment != Experiment::GoalEvolution {
            for row in committed()? {
                let key = |r: &EvaluationRow| {
                    (
                        version_1::current(&r.method_hash).to_owned(),
                        r.seed,
                        r.iteration,
                    )
                };
                if !rows.iter().any(|known| key(known) == key(&row)) {
                    rows.push(row);
                }
            }
        }
        Ok(Self {
            rows,
            folder: effort.runs.clone(),
            seeds: effort.seeds,
        })
    }

    /// Some that were made up.
    #[cfg(test)]
    pub(super) fn made_up(rows: Vec<EvaluationRow>, effort: &Effort) -> Self {
        Self {
            rows,
            folder: effort.runs.clone(),
            seeds: effort.seeds,
        }
    }

    /// Runs what is missing of these, and resumes what is half done, two at a time.
    pub(super) fn complete(
        &mut self,
        arms: &[Arm],
        effort: &Effort,
        waiting: &Waiting,
    ) -> Result<RunsFrom> {
        let mut missing = Vec::new();
        for arm in arms {
            for seed in 0..self.seeds {
                if !self.is_done(arm, seed)? {
                    missing.push((arm, seed));
                }
            }
        }
        if missing.is_empty() {
            return Ok(RunsFrom::Records);
        }
        tell_missing(&missing, self);
        let stop = StopFlag::install();
        let done = run_all(&missing, waiting, |(arm, seed)| {
            let name = format!("{} seed {seed}", arm.preset);
            let path = self.path(arm, *seed)?;
            let on_iteration = |iteration: u64| {
                waiting.now(&format!("{name}: {iteration}/{}", arm.iterations()));
            };
            let (spec, revision) = (arm.spec(*seed), &effort.revision);
            let run = run_to_end(
                &path,
                &spec,
                1,
                &arm.preset,
                Some(revision),
                &stop,
                &on_iteration,
            );
            run.with_context(|| format!("{name}, in {}", path.display()))?;
            let rows = table::rows(&History::read(&path)?)?;
            refuse_unseen(&rows, arm.iterations(), &path)?;
            Ok(rows)
        });
        match done {
            Err(_) if stop.poll_all_ranks() => bail!(Stopped(format!(
                "stopped; the same command resumes the runs in {}",
                self.folder.display()
            ))),
            done => self.learn_of(done?.concat()),
        }
        Ok(RunsFrom::Training)
    }

    /// Evaluations of whole runs, which take the place of what was known of the same runs when they were shorter.
    fn learn_of(&mut self, rows: Vec<EvaluationRow>) {
        let run = |row: &EvaluationRow| (version_1::current(&row.method_hash).to_owned(), row.seed);
        let runs: BTreeSet<(String, u64)> = rows.iter().map(run).collect();
        self.rows.retain(|known| !runs.contains(&run(known)));
        self.rows.extend(rows);
    }

    /// Its run folder.
    fn path(&self, arm: &Arm, seed: u64) -> Result<PathBuf> {
        let name = format!("{}-{}-seed{seed}", arm.preset, arm.hash()?);
        Ok(self.folder.join(name))
    }

    fn is_done(&self, arm: &Arm, seed: u64) -> Result<bool> {
        let (hash, last) = (arm.hash()?, arm.iterations());
        let is_last = |row: &EvaluationRow| {
            version_1::current(&row.method_hash) == hash
                && row.seed == seed
                && row.iteration == last
        };
        Ok(self.rows.iter().any(is_last))
    }

    /// Is any seed of it done?
    pub(super) fn has(&self, arm: &Arm) -> bool {
        !self.seeds_of(arm).is_empty()
    }

    /// The evaluations of each seed that is done, in the order of the seeds, as far as this figure goes.
    pub(super) fn seeds_of(&self, arm: &Arm) -> Vec<Vec<&EvaluationRow>> {
        let Ok(hash) = arm.hash() else {
            return Vec::new();
        };
        let of = |seed: u64| {
            let is_ours = |row: &&EvaluationRow| {
                version_1::current(&row.method_hash) == hash
                    && row.seed == seed
                    && row.planner == table::OFF
                    && row.iteration <= arm.iterations()
            };
            let mut rows: Vec<&EvaluationRow> = self.rows.iter().filter(is_ours).collect();
            rows.sort_by_key(|row| row.iteration);
            let is_done = rows.last()?.iteration == arm.iterations();
            is_done.then_some(rows)
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

    /// Numbers of the first and of the last evaluation, seed by seed.
    pub(super) fn ends(&self, arm: &Arm, of: fn(&EvaluationRow) -> Option<f64>) -> Vec<[f64; 2]> {
        let seeds = self.seeds_of(arm).into_iter();
        let ends = |rows: Vec<&EvaluationRow>| Some([of(rows.first()?)?, of(rows.last()?)?]);
        seeds.filter_map(ends).collect()
    }

    /// The run folder of a seed.
    pub(super) fn history(&self, arm: &Arm, seed: u64) -> Result<History> {
        History::read(&self.path(arm, seed)?)
    }
}

/// All that is part of the program.
fn committed() -> Result<Vec<EvaluationRow>> {
    let tables = COMMITTED.iter().map(|text| table::of_csv(text));
    Ok(tables.collect::<Result<Vec<_>>>()?.concat())
}

/// Refuses a run that went on beyond what is asked for and was not looked at there.
fn refuse_unseen(rows: &[EvaluationRow], iterations: u64, path: &Path) -> Result<()> {
    if rows.iter().any(|row| row.iteration == iterations) {
        return Ok(());
    }
    let seen = rows.iter().map(|row| row.iteration.to_string());
    bail!(
        "{} went on beyond iteration {iterations} and was not evaluated there, but after {}. Give --iterations one of \
         these, or another folder with --runs",
        path.display(),
        seen.collect::<Vec<_>>().join(", ")
    );
}

/// What is about to begin, before hours of silence.
fn tell_missing(missing: &[(&Arm, u64)], runs: &Runs) {
    let steps: usize = missing
        .iter()
        .map(|(arm, seed)| {
            let spec = arm.spec(*seed);
            let agent = &spec.agent;
            spec.iterations as usize * agent.updates_per_iteration * agent.batch_steps
        })
        .sum();
    let (count, folder) = (missing.len(), runs.folder.display());
    let plural = if count == 1 { "run is" } else { "runs are" };
    say(&format!(
        "{count} {plural} not on record: {} million steps to learn from, less what {folder} has of them, two runs at a time. \
         Ctrl-C keeps what is done, and the same command resumes it.\n",
        steps.div_ceil(1_000_000)
    ));
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
            iterations: None,
            runs,
        }
    }

    fn tiny(effort: &Effort) -> Arm {
        let set = [
            "iterations=2",
            "batch_steps=500",
            "initial_states=500",
            "on_policy_states=0",
            "evaluation.horizon_steps=5",
            "evaluation.rollouts=1",
            "updates_per_iteration=1",
            "evaluate_every=2",
        ];
        let arm = Arm::new(WorldName::PointMass, "", effort).unwrap();
        arm.changed(&set.map(str::to_owned)).unwrap()
    }

    fn complete(arm: &Arm, effort: &Effort) -> Result<Runs> {
        let mut runs = Runs::known(Experiment::CoverageXy, effort)?;
        runs.complete(std::slice::from_ref(arm), effort, &Waiting::new("trial"))?;
        Ok(runs)
    }

    fn completed(arm: &Arm, effort: &Effort) -> Runs {
        complete(arm, effort).unwrap()
    }

    /// What is done is read, not written: a redrawn figure names the revision that computed it.
    #[test]
    fn runs_are_completed_once() {
        let writer = tempfile::tempdir().unwrap();
        let effort = effort(writer.path().to_owned());
        let arm = tiny(&effort);
        let runs = completed(&arm, &effort);
        assert_eq!(runs.seeds_of(&arm).len(), 2);
        let rows = runs.rows_of(&[&arm]);
        assert!(rows.iter().all(|row| row.revision == "trial"), "{rows:?}");
        let checkpoint = runs.path(&arm, 0).unwrap().join("checkpoint.isochrone");
        let written = std::fs::metadata(&checkpoint).unwrap().modified().unwrap();
        let later = Effort {
            revision: "later".to_owned(),
            ..effort
        };
        assert_eq!(completed(&arm, &later).rows_of(&[&arm]), rows);
        assert_eq!(
            std::fs::metadata(&checkpoint).unwrap().modified().unwrap(),
            written
        );
        let kept = table::of_csv(&table::to_csv(&rows).unwrap()).unwrap();
        assert_eq!(kept, rows);
    }

    /// Two iterations and then two more are four.
    #[test]
    fn runs_are_gone_on_with() {
        let writer = tempfile::tempdir().unwrap();
        let effort = effort(writer.path().to_owned());
        let half = tiny(&effort);
        let whole = half.clone().changed(&["iterations=4".to_owned()]).unwrap();
        assert_eq!(half.hash().unwrap(), whole.hash().unwrap());
        completed(&half, &effort);
        let gone_on = completed(&whole, &effort).rows_of(&[&whole]);
        let shorter = half.changed(&["iterations=3".to_owned()]).unwrap();
        let complaint = complete(&shorter, &effort).err().unwrap();
        let complaint = format!("{complaint:#}");
        assert!(complaint.contains("but after 0, 2, 4."), "{complaint}");
        // A run that was recorded when it was shorter is listed once.
        let half_known = gone_on.iter().filter(|row| row.iteration <= 2).cloned();
        let mut known = Runs::made_up(half_known.collect(), &effort);
        let waiting = Waiting::new("trial");
        known
            .complete(std::slice::from_ref(&whole), &effort, &waiting)
            .unwrap();
        assert_eq!(known.rows_of(&[&whole]), gone_on);
        let elsewhere = tempfile::tempdir().unwrap();
        let afresh = Effort {
            runs: elsewhere.path().to_owned(),
            ..effort
        };
        let at_once = completed(&whole, &afresh).rows_of(&[&whole]);
        let last =
            |rows: &[EvaluationRow]| rows.last().map(|r| (r.iteration, r.coverage, r.env_steps));
        assert_eq!(last(&gone_on), last(&at_once));
    }

    /// Numbers of methods that no preset has any more would never be shown.
    #[test]
    fn every_recorded_run_is_of_a_preset() {
        let effort = effort(PathBuf::new());
        let suffixes = [
            "",
            "-on-policy",
            "-off-policy",
            "-full-on-policy",
            "-full-off-policy",
            "-action-noise",
            "-action-noise-off-policy",
            "-off-policy-bootstrapped",
        ];
        let arms = WorldName::ALL.into_iter().flat_map(|world| {
            let effort = &effort;
            suffixes
                .iter()
                .filter_map(move |suffix| Arm::new(world, suffix, effort))
        });
        let known: Vec<String> = arms.map(|arm| arm.hash().unwrap()).collect();
        for row in committed().unwrap() {
            let method = version_1::current(&row.method_hash);
            assert!(known.iter().any(|hash| hash == method), "{row:?}");
        }
    }
}
