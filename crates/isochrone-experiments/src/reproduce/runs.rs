//! Many runs that have nothing to do with each other, two at a time.

use anyhow::{Result, anyhow};
use isochrone::markov::Progress;
use isochrone_runs::progress::Waiting;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Runs under way at the same time. A run is sequential and draws from its own seed, so this changes no number.
const AT_A_TIME: usize = 2;

/// Runs every case; the results are in the order of the cases. After one that fails no other is begun.
pub(super) fn run_all<C: Sync, R: Send>(
    cases: &[C],
    waiting: &Waiting,
    run: impl Fn(&C) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let has_failed = AtomicBool::new(false);
    let work = || {
        let mut results = Vec::new();
        while let Some((at, case)) =
            taken(&next, cases).filter(|_| !has_failed.load(Ordering::Relaxed))
        {
            let result = run(case).inspect_err(|_| has_failed.store(true, Ordering::Relaxed));
            results.push((at, result?));
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            let total = cases.len();
            waiting.advance(Progress { done, total });
        }
        Ok(results)
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(anyhow!("a run ended before it was done")))
        });
        joined.collect::<Result<Vec<_>>>()
    })?
    .into_iter()
    .flatten()
    .collect();
    results.sort_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// The next case that no thread has taken.
fn taken<'c, C>(next: &AtomicUsize, cases: &'c [C]) -> Option<(usize, &'c C)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    cases.get(at).map(|case| (at, case))
}
