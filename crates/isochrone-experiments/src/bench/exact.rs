//! `isochrone-experiments bench exact`: what this machine needs for the exact side, in CPU seconds and peak memory.

use super::{cpu_s, peak_memory_mb, reset_peak_memory, tell_json, tell_table};
use crate::cli::{BenchExactOptions, Operation};
use anyhow::{Context, Result};
use isochrone::markov::{Eigenpairs, GraphLaplacian, Grounded, stationary};
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone_runs::memory::refuse_beyond;
use isochrone_runs::output::{human, write};
use isochrone_runs::progress::Waiting;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// Pairs of the timed embedding.
const DIMS: usize = 32;
/// Short operations are repeated until this much CPU time has passed.
const LEAST_CPU_S: f64 = 0.3;

/// What factoring a grid of rooms takes, measured at 10⁷ states.
const BYTES_PER_STATE: f64 = 350.0;

/// One line of the result.
#[derive(Debug, Serialize)]
struct Measurement {
    states: usize,
    operation: String,
    cpu_s: f64,
    peak_mb: f64,
}

/// Runs the command.
pub(super) fn run(options: &BenchExactOptions) -> Result<()> {
    let waiting = Waiting::new("building");
    let mut results = Vec::new();
    for &states in &options.states {
        refuse_beyond(
            &format!("--states {states}"),
            BYTES_PER_STATE * f64::from(states),
        )?;
        let (graph, rho) = rooms(states as usize)?;
        for &operation in &options.operations {
            waiting.now(&format!("{}, {} states", name(operation), graph.n_states()));
            results.push(measure(&graph, operation)?);
        }
        if let Some(folder) = &options.values {
            write_values(folder, &graph, &rho)?;
        }
    }
    drop(waiting);
    if options.json {
        return tell_json(&results);
    }
    tell_table(
        &results,
        &[
            ("states", |m| m.states.to_string()),
            ("operation", |m| m.operation.clone()),
            ("CPU s", |m| human(m.cpu_s)),
            ("peak MB", |m| format!("{:.0}", m.peak_mb)),
        ],
    )
}

/// The benchmark world's graph and stationary distribution.
fn rooms(states: usize) -> Result<(GraphLaplacian, Vec<f64>)> {
    let context = || format!("--states {states}");
    let maze = Maze::rooms(states).with_context(context)?;
    let chain = maze
        .chain(Moves::UNIFORM, WallRule::Stay)
        .with_context(context)?;
    let rho = stationary(&chain).with_context(context)?.rho;
    Ok((GraphLaplacian::new(&chain, &rho), rho))
}

/// Times one operation; what it needs to have in hand is prepared before the clock starts.
fn measure(graph: &GraphLaplacian, operation: Operation) -> Result<Measurement> {
    let goal = graph.n_states() / 2;
    let in_hand = match operation {
        Operation::Query | Operation::Diagonal | Operation::SpectralNoFactor => {
            Some(Grounded::of_graph(graph)?)
        }
        _ => None,
    };
    let with_factor = |work: &dyn Fn(&Grounded) -> Result<Vec<f64>>| match &in_hand {
        Some(grounded) => work(grounded),
        None => work(&Grounded::of_graph(graph)?),
    };
    let query = |g: &Grounded| Ok(g.column(goal));
    let diagonal = |g: &Grounded| Ok(g.resistances().diagonal());
    let both = |g: &Grounded| Ok([g.resistances().diagonal(), g.column(goal)].concat());
    let spectral =
        |g: &Grounded| Ok(Eigenpairs::smallest(graph, g, DIMS, &mut |_| {})?.eigenvalues);
    let once = || match operation {
        Operation::Factor => with_factor(&|_| Ok(Vec::new())),
        Operation::Query | Operation::FactorQuery => with_factor(&query),
        Operation::Diagonal => with_factor(&diagonal),
        Operation::FactorDiagonalQuery => with_factor(&both),
        Operation::Spectral | Operation::SpectralNoFactor => with_factor(&spectral),
    };
    reset_peak_memory();
    let (start, mut rounds) = (cpu_s(), 0);
    while rounds == 0 || cpu_s() - start < LEAST_CPU_S {
        // The result is unused; the optimiser must not see that.
        std::hint::black_box(once()?);
        rounds += 1;
    }
    Ok(Measurement {
        states: graph.n_states(),
        operation: name(operation),
        cpu_s: (cpu_s() - start) / f64::from(rounds),
        peak_mb: peak_memory_mb(),
    })
}

fn name(operation: Operation) -> String {
    let value = clap::ValueEnum::to_possible_value(&operation);
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

fn write_values(folder: &Path, graph: &GraphLaplacian, rho: &[f64]) -> Result<()> {
    let grounded = Grounded::of_graph(graph)?;
    let commute = grounded.goal_queries(rho).commute(graph.n_states() / 2);
    let mut text = "state,commute\n".to_owned();
    for (state, commute) in commute.iter().enumerate() {
        writeln!(text, "{state},{commute}")?;
    }
    write(&folder.join("commute.csv"), text.as_bytes())?;
    let pairs = Eigenpairs::smallest(graph, &grounded, DIMS, &mut |_| {})?;
    let mut text = "index,eigenvalue\n".to_owned();
    for (index, value) in pairs.eigenvalues.iter().enumerate() {
        writeln!(text, "{index},{value:e}")?;
    }
    write(&folder.join("eigenvalues.csv"), text.as_bytes())
}
