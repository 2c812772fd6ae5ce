//! Long runs that show what is claimed of learned distances. Not in CI: `cargo nextest run --profile science`.

use crate::worlds::{paper_maze, rho, walk};
use isochrone::distance::Distance;
use isochrone::embedding::{
    DistanceSpec, DistanceTrainer, EncoderSpec, Head, LearningRate, Objective, Units,
};
use isochrone::markov::{Chain, window_target};
use isochrone::maze::{Moves, WallRule};
use isochrone::pairs::{Episodes, Sampler, Target};
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;

/// Steps of Adam of each run, and pairs in each.
const STEPS: u64 = 12_000;
const BATCH: usize = 1_024;
const SEEDS: u64 = 3;

/// What a network sees of a state of the 5×5 maze.
#[derive(Clone, Copy, Debug)]
enum Sees {
    /// Its number, for a table.
    Number,
    /// Its column and row, from −1 to 1.
    Place,
}

impl Sees {
    fn state(self, state: usize) -> Vec<f32> {
        match self {
            Self::Number => vec![state as f32],
            Self::Place => [state % 5, state / 5]
                .map(|k| k as f32 / 2.0 - 1.0)
                .to_vec(),
        }
    }

    fn encoder(self) -> EncoderSpec {
        let (inputs, units) = match self {
            Self::Number => (1, Units::Lookup { states: 25 }),
            Self::Place => (2, Units::Mlp { hidden: vec![64] }),
        };
        EncoderSpec {
            inputs,
            units,
            dims: 20,
            head: Head::Symmetric,
        }
    }
}

/// The median over the 24 pairs from the centre of |learned ÷ exact − 1|, for one seed.
fn median_error(chain: &Chain, sees: Sees, sampler: Sampler, steps: usize, seed: u64) -> f64 {
    let spec = DistanceSpec {
        encoder: sees.encoder(),
        objective: Objective::Regression {
            target: Target::Window { steps },
            sampler,
        },
        batch: BATCH,
        learning_rate: LearningRate::Decay {
            from: 0.02,
            to: 0.0001,
            steps: STEPS,
        },
        ..DistanceSpec::paper(2, steps)
    };
    let mut trainer = DistanceTrainer::new(spec, Seed(seed)).unwrap();
    let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
    let windows = 400_000 / steps;
    let mut epoch = 0;
    while trainer.step() < STEPS {
        // Fresh trajectories in every epoch: the claim is about infinite data. ρ of this maze is even.
        let (mut states, mut ranges) = (Vec::new(), Vec::new());
        for window in 0..windows {
            let start = rng.random_range(0..25);
            for state in walk(chain, start, steps, &mut rng) {
                states.extend(sees.state(state));
            }
            ranges.push(window * (steps + 1)..(window + 1) * (steps + 1));
        }
        let width = sees.encoder().inputs;
        let episodes = Episodes::new(&states, width, ranges).unwrap();
        trainer.epoch(&episodes, epoch).unwrap();
        epoch += 1;
    }
    let exact = window_target(chain, &rho(chain), steps, sampler);
    let learned = trainer.distance().unwrap();
    let centre = sees.state(12);
    let mut errors: Vec<f64> = (0..25)
        .filter(|&j| j != 12)
        .map(|j| (learned.between(&centre, &sees.state(j)) / exact[(12, j)] - 1.0).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    f64::midpoint(errors[11], errors[12])
}

/// Table and network, all samplers, T = 10, 50, 200: within 2 % of the infinite-data formula.
#[test]
#[expect(clippy::print_stdout, reason = "the numbers are the result")]
fn windows_converge_to_their_formula() {
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let mut worst = 0.0_f64;
    for sees in [Sees::Number, Sees::Place] {
        for sampler in Sampler::ALL {
            for steps in [10, 50, 200] {
                let errors = (0..SEEDS).map(|s| median_error(&chain, sees, sampler, steps, s));
                let mean = errors.sum::<f64>() / SEEDS as f64;
                println!("{sees:?} {sampler:?} T={steps}: {mean:.4}");
                worst = worst.max(mean);
            }
        }
    }
    assert!(worst <= 0.02, "{worst}");
}
