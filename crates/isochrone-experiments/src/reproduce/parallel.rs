//! Runs independent cases in parallel, and every case of an experiment with every seed.

use super::{Effort, Results};
use anyhow::{Result, anyhow};
use isochrone::markov::Progress;
use isochrone_runs::progress::Waiting;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Trainings at the same time; each has threads of its own.
const TRAININGS: usize = 2;
/// Predictors learned at the same time, at most: each keeps its trajectories in memory.
const MOST_PREDICTORS: usize = 8;

/// Runs every case, two at a time; the results are in the order of the cases. After a failure no other case begins.
pub(super) fn run_all<C: Sync, R: Send>(
    cases: &[C],
    waiting: &Waiting,
    run: impl Fn(&C) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    run_on_threads(TRAININGS, cases, waiting, run)
}

impl Effort {
    /// Runs every case with every seed: all measures, and for each case what `run` returned, seed by seed.
    pub(super) fn run_seeds<C: Sync, R: Send>(
        &self,
        cases: &[C],
        waiting: &Waiting,
        run: impl Fn(&C, u64, &mut Results) -> Result<R> + Sync,
    ) -> Result<(Results, Vec<Vec<R>>)> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let seeds = |case| (0..self.seeds).map(move |seed| (case, seed));
        let jobs: Vec<(usize, u64)> = (0..cases.len()).flat_map(seeds).collect();
        let done = run_on_threads(
            cores.min(MOST_PREDICTORS),
            &jobs,
            waiting,
            |&(case, seed)| {
                let mut results = Results::new(self.revision.clone());
                let kept = run(&cases[case], seed, &mut results)?;
                Ok((results, kept))
            },
        )?;
        let mut all = Results::new(self.revision.clone());
        let mut kept: Vec<Vec<R>> = cases.iter().map(|_| Vec::new()).collect();
        for ((case, _), (results, value)) in jobs.into_iter().zip(done) {
            all.append(results);
            kept[case].push(value);
        }
        Ok((all, kept))
    }
}

/// Every run draws from its own seed, so the number of threads changes no number.
fn run_on_threads<C: Sync, R: Send>(
    threads: usize,
    cases: &[C],
    waiting: &Waiting,
    run: impl Fn(&C) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let has_failed = AtomicBool::new(false);
    let work = || {
        let mut results = Vec::new();
        while !has_failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else { break };
            let result = run(case).inspect_err(|_| has_failed.store(true, Ordering::Relaxed));
            results.push((at, result?));
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            let total = cases.len();
            waiting.advance(Progress { done, total });
        }
        Ok(results)
    };
    let by_thread: Result<Vec<Vec<(usize, R)>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .map(|done| {
                done.unwrap_or_else(|_| Err(anyhow!("a thread of the experiment panicked")))
            })
            .collect()
    });
    let mut results: Vec<(usize, R)> = by_thread?.into_iter().flatten().collect();
    results.sort_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
