//! `isochrone-experiments bench update`: one trust-region update on a batch of the ant's size.

use super::turns::{Spread, Turns, timed};
use super::{tell_json, tell_table};
use crate::cli::BenchUpdateOptions;
use anyhow::Result;
use isochrone::batch::{Batch, Chunk, Shard};
use isochrone::comm::{CHUNK_ROWS, DEFAULT_SHARDS, Single};
use isochrone::policy::{GaussianPolicy, InputRow, PolicyShape, Std};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::trpo::{TrpoSpec, update};
use isochrone_runs::progress::Waiting;
use rand::RngExt;
use serde::Serialize;

/// The ant's observation, a goal and the centre of mass again, as Free Ant's reference has it.
const INPUTS: usize = 45;
const HIDDEN: [usize; 2] = [64, 64];
const ACTIONS: usize = 8;

/// The result.
#[derive(Debug, Serialize)]
struct Measurement {
    rows: usize,
    threads: u16,
    rounds: u16,
    fisher_products: usize,
    /// Step sizes that the line search tried in the last round.
    tried: usize,
    cpu_s: Spread,
    wall_s: Spread,
}

/// Runs the command.
pub(super) fn run(options: &BenchUpdateOptions) -> Result<()> {
    let waiting = Waiting::new("building");
    let (batch, advantages) = batch(options.rows as usize);
    let spec = TrpoSpec::reference();
    let mut results = Vec::new();
    for &threads in &options.threads {
        waiting.now(&format!("{threads} threads"));
        let (mut turns, mut tried) = (Turns::default(), 0);
        for _ in 0..options.rounds {
            let mut policy = policy();
            let work = || {
                update(
                    &mut policy,
                    &batch,
                    &advantages,
                    &spec,
                    &Single,
                    threads.into(),
                )
            };
            let (report, taken) = timed(work);
            tried = report?.shrunk.map_or(spec.backtracks, |shrunk| shrunk + 1);
            turns.push(taken);
        }
        results.push(Measurement {
            rows: batch.total_rows,
            threads,
            rounds: options.rounds,
            fisher_products: spec.conjugate_steps,
            tried,
            cpu_s: in_seconds(turns.us(|taken| taken.cpu_s)),
            wall_s: in_seconds(turns.us(|taken| taken.wall_s)),
        });
    }
    drop(waiting);
    if options.json {
        return tell_json(&results);
    }
    tell_table(
        &results,
        &[
            ("rows", |m| m.rows.to_string()),
            ("threads", |m| m.threads.to_string()),
            ("Fisher products", |m| m.fisher_products.to_string()),
            ("CPU s", |m| m.cpu_s.in_words()),
            ("wall s", |m| m.wall_s.in_words()),
        ],
    )
}

fn in_seconds(us: Spread) -> Spread {
    Spread {
        median: 1e-6 * us.median,
        min: 1e-6 * us.min,
        max: 1e-6 * us.max,
    }
}

fn policy() -> GaussianPolicy {
    let shape = PolicyShape {
        inputs: InputRow::plain(INPUTS, 0),
        hidden: HIDDEN.to_vec(),
        actions: ACTIONS,
    };
    GaussianPolicy::untrained(&shape, Std::Learned, 1.0, Seed(0))
}

/// Random rows, distributed over the shards as episodes would be.
fn batch(rows: usize) -> (Batch, Vec<Vec<f32>>) {
    let mut rng = Seed(0).stream(Purpose::Act, 0, 0);
    let draw = |count: usize, rng: &mut Rng| -> Vec<f32> {
        (0..count)
            .map(|_| 2.0 * rng.random::<f32>() - 1.0)
            .collect()
    };
    let (mut shards, mut advantages) = (Vec::new(), Vec::new());
    for shard in 0..DEFAULT_SHARDS {
        let mine = rows * (shard + 1) / DEFAULT_SHARDS - rows * shard / DEFAULT_SHARDS;
        let mut chunks = Vec::new();
        for first in (0..mine).step_by(CHUNK_ROWS) {
            let rows = CHUNK_ROWS.min(mine - first);
            chunks.push(Chunk {
                inputs: draw(rows * INPUTS, &mut rng),
                actions: draw(rows * ACTIONS, &mut rng),
                times: vec![0; rows],
            });
        }
        advantages.push(draw(mine, &mut rng));
        shards.push(Shard {
            chunks,
            stretches: Vec::new(),
        });
    }
    let batch = Batch {
        shards,
        total_rows: rows,
        input_length: INPUTS,
        action_length: ACTIONS,
    };
    (batch, advantages)
}
