//! A distance learned from walks beside what it should be: the paper's regression against exact numbers.
//!
//! ```bash
//! cargo run --release -p isochrone-cli --example exact_and_learned
//! ```
//!
//! A walker in a room of 5 × 5 cells goes in any direction, equally often. How many steps are its corners from the
//! middle? `markov` computes it from the chances of each move, the embedding learns it from walks alone. Both also say
//! what a window of ten steps does to the answer: it is seen only by those who arrive within ten.
#![expect(
    clippy::print_stdout,
    reason = "an example that says nothing shows nothing"
)]

use isochrone::comm::Single;
use isochrone::embedding::{
    Architecture, DistanceSpec, DistanceTrainer, EncoderSpec, Head, LearningRate, Part, Scaling,
};
use isochrone::env::grid::{Grid, Start};
use isochrone::env::{Environment, Observation};
use isochrone::markov::{action_distances, passage_times, stationary, window_target};
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone::pairs::{Episodes, Sampler};
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;
use std::error::Error;

const SIDE: usize = 5;
const WINDOW_STEPS: usize = 10;
const WALKS: usize = 20_000;
const MIDDLE: usize = SIDE * SIDE / 2;

fn main() -> Result<(), Box<dyn Error>> {
    let maze = Maze::open(SIDE, SIDE)?;
    let chain = maze.chain(Moves::UNIFORM, WallRule::Stay)?;
    let rho = stationary(&chain)?.rho;
    let whole = action_distances(&passage_times(&chain));
    let sampler = Sampler::UniformStartThenEnd;
    let window = window_target(&chain, &rho, WINDOW_STEPS, sampler);

    let states = walks(&maze)?;
    let lengths = (0..WALKS).map(|k| k * (WINDOW_STEPS + 1)..(k + 1) * (WINDOW_STEPS + 1));
    let episodes = Episodes::new(&states, 2, lengths.collect())?;
    let mut trainer = DistanceTrainer::new(spec(), Seed(0))?;
    for epoch in 0..4 {
        let report = trainer.epoch(&Part::whole(&episodes), epoch, &Single)?;
        println!("epoch {epoch}: loss {:.3}", report.loss);
    }
    let learned = trainer.distance()?;

    println!(
        "\ncell    learned   exact, in a window of {WINDOW_STEPS}   exact, however long it takes"
    );
    for state in [MIDDLE + 1, MIDDLE + 2, MIDDLE + 6, MIDDLE + 7, MIDDLE + 12] {
        let steps = learned.symmetric(&place(&maze, MIDDLE), &place(&maze, state))?;
        let (exact, long) = (window[(MIDDLE, state)], whole[(MIDDLE, state)]);
        let cell = maze.cell(state);
        println!(
            "({}, {})   {steps:>6.2}   {exact:>6.2}{long:>27.2}",
            cell.column, cell.row
        );
    }
    Ok(())
}

/// The paper's embedding and loss, with steps large enough for a world this small.
fn spec() -> DistanceSpec {
    DistanceSpec {
        encoder: EncoderSpec {
            inputs: 2,
            architecture: Architecture::Mlp { hidden: vec![128] },
            dims: 20,
            head: Head::Symmetric,
        },
        scaling: Scaling::Running,
        batch: 256,
        learning_rate: LearningRate::Decay {
            from: 0.01,
            to: 1e-4,
            steps: 3_000,
        },
        ..DistanceSpec::paper(2, WINDOW_STEPS)
    }
}

/// Places of walkers who start anywhere, one walk after the other.
fn walks(maze: &Maze) -> Result<Vec<f32>, Box<dyn Error>> {
    let mut room = Grid::new(maze.clone(), Moves::UNIFORM, WallRule::Stay, Start::Uniform)?;
    let mut states = Vec::new();
    for walk in 0..WALKS as u64 {
        let mut reset = Seed(0).stream(Purpose::Reset, 0, walk);
        let mut act = Seed(0).stream(Purpose::Act, 0, walk);
        push(&room.reset(&mut reset), &mut states);
        for _ in 0..WINDOW_STEPS {
            let seen = room.step(&[act.random_range(-1.0..1.0)])?;
            push(seen.observation(), &mut states);
        }
    }
    Ok(states)
}

fn push(seen: &Observation, states: &mut Vec<f32>) {
    states.extend(seen.as_f32().into_iter().flatten());
}

/// A cell as the walker sees it.
fn place(maze: &Maze, state: usize) -> [f32; 2] {
    let cell = maze.cell(state);
    [cell.column as f32, cell.row as f32]
}
