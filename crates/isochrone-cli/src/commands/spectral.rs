//! `isochrone spectral`: a k-dimensional embedding whose squared distances approach commute times.

use crate::cli::SpectralOptions;
use crate::world::World;
use anyhow::{Context, Result};
use isochrone::markov::{CompletedEmbedding, Direction, GraphLaplacian, Grounded};
use isochrone_runs::memory::refuse_beyond;
use isochrone_runs::output::{human, print, refuse_other_ending, refuse_same_file, table, write};
use isochrone_runs::progress::Waiting;

/// Dimensions where the world has as many and the user does not say.
const DEFAULT_DIMS: usize = 8;

/// Runs the command.
pub fn run(options: &SpectralOptions) -> Result<()> {
    refuse_same_file(&[Some(&options.world.input), options.output.as_ref()])?;
    if let Some(path) = &options.output {
        refuse_other_ending(path, "csv")?;
    }
    let waiting = Waiting::new("reading");
    let world = World::read(&options.world)?;
    let most = (world.chain.n_states() - 1).max(1);
    let dims = options
        .dims
        .map_or(most.min(DEFAULT_DIMS), |dims| dims as usize);
    // The basis of the iteration, twice as wide as what is kept of it.
    let bytes = 8.0 * 3.0 * world.chain.n_states() as f64 * dims as f64;
    refuse_beyond(&format!("--dims {dims}"), bytes)?;
    waiting.now("factoring");
    let graph = GraphLaplacian::new(&world.chain, &world.stationary.rho);
    let file = || options.world.input.display().to_string();
    let grounded = Grounded::of_graph(&graph).with_context(file)?;
    waiting.now("eigenpairs");
    let mut watch = |progress| waiting.advance(progress);
    let embedding = CompletedEmbedding::new(&graph, &grounded, dims, &mut watch)
        .with_context(|| format!("--dims {dims}"))?;
    if let Some(path) = &options.output {
        waiting.now("writing");
        write(path, csv(&world, &embedding)?.as_bytes())?;
    }
    drop(waiting);
    print(&summary(&world, &embedding))?;
    if let Some(path) = &options.output {
        print(&format!("wrote {}\n", path.display()))?;
    }
    Ok(())
}

fn summary(world: &World, embedding: &CompletedEmbedding<'_>) -> String {
    let mut text = match world.stationary.direction {
        Direction::Reversible => String::new(),
        Direction::OneWay => {
            "the chain is not reversible: this is the embedding of the paper's Laplacian, whose commute \
             times are larger than the chain's own\n\n"
                .to_owned()
        }
    };
    let trace: f64 = embedding.diagonal.iter().sum();
    let mut seen = 0.0;
    let rows = embedding
        .pairs
        .eigenvalues
        .iter()
        .enumerate()
        .map(|(k, lambda)| {
            seen += 1.0 / lambda / trace;
            let share = format!("{:.1} %", 100.0 * seen);
            vec![(k + 1).to_string(), human(*lambda), share]
        });
    let rows: Vec<Vec<String>> = rows.collect();
    text += &table(&["dimension", "eigenvalue", "of all commute times"], &rows);
    text
}

fn csv(world: &World, embedding: &CompletedEmbedding<'_>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let dims = embedding.pairs.eigenvalues.len();
    let columns = (1..=dims).map(|k| format!("x{k}"));
    writer.write_record(
        ["state".to_owned(), "diagonal".to_owned()]
            .into_iter()
            .chain(columns),
    )?;
    for state in 0..world.chain.n_states() {
        let coordinate = |k: usize| {
            let scale = embedding.pairs.eigenvalues[k].sqrt();
            (embedding.pairs.vectors[(state, k)] / scale).to_string()
        };
        let head = [state.to_string(), embedding.diagonal[state].to_string()];
        writer.write_record(head.into_iter().chain((0..dims).map(coordinate)))?;
    }
    let bytes = writer.into_inner().context("cannot finish the table")?;
    Ok(String::from_utf8(bytes)?)
}
