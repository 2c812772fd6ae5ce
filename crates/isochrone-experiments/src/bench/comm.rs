//! `isochrone-experiments bench comm`: what a sum over ranks takes, beside the bare MPI call of as many bytes.

use super::turns::middle;
use super::{tell_json, tell_table};
use crate::cli::BenchCommOptions;
use anyhow::{Result, bail};
use isochrone::comm::{Comm, DEFAULT_SHARDS, Shards};
use isochrone_runs::cluster::{MpiRanks, Ranks, sum_own};
use serde::Serialize;
use std::time::Instant;

/// Of one length, in microseconds; medians over rounds.
#[derive(Debug, Serialize)]
struct Measurement {
    mpi: String,
    ranks: usize,
    numbers: u32,
    rounds: u32,
    /// `MPI_Allreduce` of so many f64, by a clock right around it.
    bare_us: f64,
    /// The same through the plugin, the watchdog and the counters.
    fast_us: f64,
    /// Its ratio to the bare call.
    fast_ratio: f64,
    /// All 64 shards' f32 in shard order.
    exact_us: f64,
    /// Its ratio to the bare call.
    exact_ratio: f64,
    /// Adding this rank's own shards before the fast call.
    own_shards_us: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchCommOptions) -> Result<()> {
    let all = Ranks::join(&options.cluster)?;
    let Ranks::Mpi(ranks) = &all else {
        bail!(
            "sums over ranks are measured on ranks:\n  mpirun -n 2 isochrone-experiments bench comm --mpi"
        );
    };
    all.ended(measure_all(ranks, options, &all))
}

fn measure_all(ranks: &MpiRanks, options: &BenchCommOptions, all: &Ranks) -> Result<()> {
    let mut results = Vec::new();
    for &numbers in &options.numbers {
        results.push(measure(ranks, numbers, options.rounds)?);
    }
    if !all.leads() {
        return Ok(());
    }
    if options.json {
        return tell_json(&results);
    }
    tell_table(
        &results,
        &[
            ("ranks", |m| m.ranks.to_string()),
            ("numbers", |m| m.numbers.to_string()),
            ("MPI µs", |m| format!("{:.1}", m.bare_us)),
            ("fast µs", |m| format!("{:.1}", m.fast_us)),
            ("fast ÷ MPI", |m| format!("{:.2}", m.fast_ratio)),
            ("exact µs", |m| format!("{:.1}", m.exact_us)),
            ("exact ÷ MPI", |m| format!("{:.2}", m.exact_ratio)),
        ],
    )
}

/// In turns, each after a barrier: whoever comes late is not what is measured.
fn measure(ranks: &MpiRanks, numbers: u32, rounds: u32) -> Result<Measurement> {
    let n = numbers as usize;
    let mine: Vec<f64> = (0..n).map(|k| k as f64 + ranks.rank() as f64).collect();
    let own = Shards::new(DEFAULT_SHARDS, ranks.size())?.share_of(ranks)?;
    let shards: Vec<Vec<f32>> = own.map(|s| vec![s as f32; n]).collect();
    let mut total = vec![0.0; n];
    let (mut bare, mut fast, mut exact, mut local) = (vec![], vec![], vec![], vec![]);
    for round in 0..rounds {
        // Both begin with numbers that were just written, and neither is always the first.
        for turn in [round % 2, (round + 1) % 2] {
            let handed_in = mine.clone();
            ranks.barrier()?;
            if turn == 0 {
                bare.push(1e-3 * ranks.time_bare_sum(&handed_in, &mut total) as f64);
            } else {
                let start = Instant::now();
                let summed = ranks.fast_sum(handed_in)?;
                fast.push(micros(start));
                drop(summed);
            }
        }
        ranks.barrier()?;
        let start = Instant::now();
        ranks.exact_sum(&shards)?;
        exact.push(micros(start));
        local.push(add_own(&shards));
    }
    let (bare_us, fast_us, exact_us) = (middle(&bare), middle(&fast), middle(&exact));
    Ok(Measurement {
        mpi: ranks.library(),
        ranks: ranks.size(),
        numbers,
        rounds,
        bare_us,
        fast_us,
        fast_ratio: fast_us / bare_us,
        exact_us,
        exact_ratio: exact_us / bare_us,
        own_shards_us: middle(&local),
    })
}

/// What adding this rank's shards takes.
fn add_own(shards: &[Vec<f32>]) -> f64 {
    let start = Instant::now();
    std::hint::black_box(sum_own(shards));
    micros(start)
}

fn micros(start: Instant) -> f64 {
    1e6 * start.elapsed().as_secs_f64()
}
