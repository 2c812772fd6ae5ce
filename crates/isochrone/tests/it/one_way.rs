//! One-way structure in trajectories: found where it is, not found where it is not.

use crate::worlds::{draw, paper_maze, rho, walk};
use isochrone::evaluate::*;
use isochrone::markov::*;
use isochrone::maze::{Moves, WallRule};
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;
use rand_distr::StandardNormal;

/// A ring on which a step goes up with this chance, else down.
fn ring(states: usize, up: f64) -> Chain {
    Chain::build(states, Values::Weights, |i, row| {
        row.extend([
            ((i + 1) % states, up),
            ((i + states - 1) % states, 1.0 - up),
        ]);
    })
    .unwrap()
}

fn trajectories(chain: &Chain, episodes: u64, steps: usize, seed: u64) -> Vec<Vec<usize>> {
    let rho = rho(chain);
    let episode = |number| {
        let mut rng = Seed(seed).stream(Purpose::Act, 0, number);
        let start = draw(rho.iter().copied().enumerate(), &mut rng);
        walk(chain, start, steps, &mut rng)
    };
    (0..episodes).map(episode).collect()
}

fn test(lag: Lag, window_steps: usize) -> AsymmetryTest {
    AsymmetryTest {
        lag,
        window_steps,
        n_swaps: 199,
        seed: Seed(0),
    }
}

fn found(paths: &[Vec<usize>], lag: Lag, window_steps: usize) -> AsymmetryFound {
    asymmetry(paths, test(lag, window_steps))
        .unwrap()
        .found
        .unwrap()
}

/// How many of 100 independent samples are called asymmetric at 5 %.
fn rejections(chain: &Chain, lag: Lag) -> usize {
    let sample = |seed| found(&trajectories(chain, 40, 100, seed), lag, 30).p_value;
    (0..100).filter(|&seed| sample(seed) <= 0.05).count()
}

/// Of 100 samples at 5 %, 13 or more are called asymmetric by chance once in 700 times.
const CHANCE: usize = 12;

#[test]
fn a_symmetric_walk_is_found_symmetric() {
    let walk = ring(12, 0.5);
    for lag in [Lag::Passage, Lag::Crossing] {
        let rejected = rejections(&walk, lag);
        assert!(rejected <= CHANCE, "{lag:?}: {rejected}");
    }
    // Noise alone makes A positive; the null knows how much.
    let noise = found(&trajectories(&walk, 40, 100, 1), Lag::Passage, 30);
    assert!(noise.mean > 0.02 && (noise.mean / noise.null_mean - 1.0).abs() < 0.6);
}

#[test]
fn a_drifting_walk_is_found_one_way() {
    for lag in [Lag::Passage, Lag::Crossing] {
        for seed in 0..20 {
            let paths = trajectories(&ring(12, 0.6), 40, 100, seed);
            let found = found(&paths, lag, 30);
            assert!(
                found.p_value <= 0.005 && found.z.unwrap() > 5.0,
                "{found:?}"
            );
        }
    }
}

/// One step up, 29 steps to undo it.
#[test]
fn a_one_way_ring_is_nearly_one() {
    let paths = trajectories(&ring(30, 1.0), 40, 100, 0);
    for lag in [Lag::Passage, Lag::Crossing] {
        let found = found(&paths, lag, 30);
        assert!((found.mean - 28.0 / 30.0).abs() < 1e-12, "{found:?}");
        assert!(found.p_value <= 0.005);
    }
    // Not undone within the window: the passage counts as the window, the crossing as nothing.
    assert!((found(&paths, Lag::Passage, 20).mean - 19.0 / 21.0).abs() < 1e-12);
    let crossings = asymmetry(&paths, test(Lag::Crossing, 20)).unwrap();
    assert_eq!(
        (
            crossings.found,
            crossings.n_pairs,
            crossings.n_pairs_left_out
        ),
        (None, 0, 30)
    );
}

/// Walls and drift with detailed balance: there is not as back, but no current, which the crossings tell apart.
#[test]
fn drift_against_walls_is_asymmetric_without_a_current() {
    for moves in [Moves::UNIFORM, Moves::NORTH_EAST] {
        let maze = paper_maze(moves, WallRule::Stay);
        assert_eq!(stationary(&maze).unwrap().direction, Direction::Reversible);
        assert_eq!(rejections(&maze, Lag::Passage), 100);
        let rejected = rejections(&maze, Lag::Crossing);
        assert!(rejected <= CHANCE, "{moves:?}: {rejected}");
    }
    // The same drift on a torus goes round and round.
    let torus = Chain::build(25, Values::Probabilities, |state, row| {
        let (r, c) = (state / 5, state % 5);
        let to = |r: usize, c: usize| r % 5 * 5 + c % 5;
        let moves = [(to(r + 4, c), 0.375), (to(r + 1, c), 0.125)];
        row.extend(moves);
        row.extend([(to(r, c + 1), 0.375), (to(r, c + 4), 0.125)]);
    });
    let torus = torus.unwrap();
    assert_eq!(stationary(&torus).unwrap().direction, Direction::OneWay);
    assert_eq!(rejections(&torus, Lag::Crossing), 100);
}

/// With long windows and much data, A is what the exact passage times say.
#[test]
fn asymmetry_is_that_of_the_exact_passage_times() {
    for up in [0.6, 0.8] {
        let chain = ring(8, up);
        let m = passage_times(&chain);
        // Every pair of neighbours is like every other.
        let exact = (m[(0, 1)] - m[(1, 0)]).abs() / (m[(0, 1)] + m[(1, 0)]);
        let paths = trajectories(&chain, 20, 20_000, 2);
        let found = found(&paths, Lag::Passage, 2_000);
        assert!((found.mean / exact - 1.0).abs() < 0.02, "{found:?} {exact}");
    }
}

#[test]
fn names_of_states_do_not_matter_and_little_data_prove_nothing() {
    let paths = trajectories(&ring(12, 0.6), 40, 100, 3);
    let renamed: Vec<Vec<usize>> = paths
        .iter()
        .map(|path| {
            path.iter()
                .map(|&s| usize::MAX - 1_000 * (12 - s))
                .collect()
        })
        .collect();
    let settings = test(Lag::Passage, 30);
    assert_eq!(
        asymmetry(&paths, settings).unwrap(),
        asymmetry(&renamed, settings).unwrap()
    );
    // One block: swapping everything changes nothing.
    let one = found(&paths[..1], Lag::Passage, 30);
    assert!((one.p_value - 1.0).abs() < 1e-15);
    // Episodes shorter than the window hold no passage that had its time.
    let short = asymmetry(&paths, test(Lag::Passage, 101)).unwrap();
    assert_eq!((short.found, short.n_lags), (None, 0));
    let endless = asymmetry(&paths, test(Lag::Passage, usize::MAX)).unwrap();
    assert_eq!(endless.found, None);
    assert!(asymmetry(&paths, test(Lag::Passage, 0)).is_err());
    assert_eq!(asymmetry::<Vec<usize>>(&[], settings).unwrap().n_pairs, 0);
}

/// A point on a circle, trembling, with or without a push; twelve landmarks.
#[test]
fn landmarks_carry_the_test_to_continuous_states() {
    let on_circle = |angle: f64| [angle.cos() as f32, angle.sin() as f32];
    let corner = |k: u32| on_circle(f64::from(k) * std::f64::consts::TAU / 12.0);
    let landmarks: Vec<f32> = (0..12).flat_map(corner).collect();
    let paths = |push: f64| -> Vec<Vec<usize>> {
        let episode = |number| {
            let mut rng = Seed(9).stream(Purpose::Act, 0, number);
            let mut angle = rng.random::<f64>() * std::f64::consts::TAU;
            let mut points = Vec::new();
            for _ in 0..400 {
                points.extend(on_circle(angle));
                angle += push + 0.2 * rng.sample::<f64, _>(StandardNormal);
            }
            landmark_path(&points, &landmarks, 2, 0.15).unwrap()
        };
        (0..40).map(episode).collect()
    };
    let (still, pushed) = (paths(0.0), paths(0.05));
    for lag in [Lag::Passage, Lag::Crossing] {
        assert!(found(&still, lag, 100).p_value > 0.05);
        assert!(found(&pushed, lag, 100).p_value <= 0.005);
    }
    // Before the first landmark there is nothing; between landmarks the last one holds.
    let row = [5.0, 0.1, 0.5, 0.9, 0.4];
    assert_eq!(
        landmark_path(&row, &[0.0, 1.0], 1, 0.2).unwrap(),
        [0, 0, 1, 1]
    );
    let nearest = landmark_path(&row, &[0.0, 1.0], 1, f64::INFINITY).unwrap();
    assert_eq!(nearest, [1, 0, 0, 1, 0]);
    let told = |refused: Result<Vec<usize>, AssessError>| refused.unwrap_err().to_string();
    assert_eq!(
        told(landmark_path(&row, &[0.0], 1, f64::NAN)),
        "radius is NaN: it must be positive"
    );
    assert_eq!(
        told(landmark_path(&[0.0, f32::NAN], &[0.0], 1, 1.0)),
        "state number 1 is NaN, which is not finite"
    );
    assert!(landmark_path(&row, &[0.0, 1.0], 2, 1.0).is_err());
    assert!(landmark_path(&row, &[], 1, 1.0).is_err());
}
