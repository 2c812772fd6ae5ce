//! Formulas against simulation: what trajectories converge to.

use crate::worlds::{draw, paper_maze, rho, walk};
use isochrone::markov::*;
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone::rng::{Purpose, Seed};

/// The formula against the thing itself: draw trajectories, draw pairs, average.
#[test]
fn window_target_is_what_sampling_converges_to() {
    let maze = Maze::open(3, 2).unwrap();
    let chain = maze.chain(Moves::NORTH_EAST, WallRule::Stay).unwrap();
    let rho = rho(&chain);
    let window = 12;
    for sampler in Sampler::ALL {
        let exact = window_target(&chain, &rho, window, sampler);
        let mut sum = vec![[0.0; 2]; 36];
        for episode in 0..120_000 {
            let mut rng = Seed(3).stream(Purpose::Pairs, sampler as u64, episode);
            let start = draw(rho.iter().copied().enumerate(), &mut rng);
            let path = walk(&chain, start, window, &mut rng);
            for (t, &from) in path.iter().enumerate() {
                for t2 in t + 1..=window {
                    let first = path[t + 1..].iter().position(|&s| s == path[t2]).unwrap() + t + 1;
                    let weight = match sampler {
                        Sampler::EachFirstHit => f64::from(u8::from(first == t2)),
                        Sampler::UniformPairs => 1.0,
                        Sampler::UniformStartThenEnd => 1.0 / (window - t) as f64,
                    };
                    for at in [from * 6 + path[t2], path[t2] * 6 + from] {
                        sum[at][0] += weight * (first - t) as f64;
                        sum[at][1] += weight;
                    }
                }
            }
        }
        for i in 0..6 {
            for j in (0..6).filter(|&j| j != i) {
                let [steps, weight] = sum[i * 6 + j];
                let found = steps / weight;
                let expected = exact[(i, j)];
                assert!(
                    (found / expected - 1.0).abs() < 0.02,
                    "{sampler:?} {i} {j}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn trajectories_become_a_chain() {
    // Started in one corner of a drifting maze, visits are far from stationary; the chain's own ρ is not.
    let chain = paper_maze(Moves::NORTH_EAST, WallRule::Stay);
    let truth = rho(&chain);
    let trajectories: Vec<Vec<usize>> = (0..4_000)
        .map(|episode| {
            let mut rng = Seed(1).stream(Purpose::Act, 0, episode);
            walk(&chain, 20, 100, &mut rng)
        })
        .collect();
    let seen = Chain::from_trajectories(26, &trajectories).unwrap();
    assert_eq!(
        (seen.states.len(), seen.unreachable.len(), seen.n_unseen),
        (25, 0, 1)
    );
    let own = stationary(&seen.chain).unwrap().rho;
    let mut visits = [0.0; 25];
    trajectories
        .iter()
        .flatten()
        .for_each(|&s| visits[s] += 1.0 / 404_000.0);
    assert!(
        (own[4] / truth[4] - 1.0).abs() < 0.02,
        "{} {}",
        own[4],
        truth[4]
    );
    assert!(
        visits[20] > 100.0 * truth[20],
        "visits are no stationary distribution"
    );
    let n = commute_times(&passage_times(&seen.chain));
    let exact = commute_times(&passage_times(&chain));
    assert!((n[(12, 4)] / exact[(12, 4)] - 1.0).abs() < 0.1);

    let error = Chain::from_trajectories(3, &[vec![0, 1, 2]]).unwrap_err();
    assert!(
        error.to_string().ends_with("2 transitions form no cycle"),
        "{error}"
    );
    // A state that leads to itself is a component, one that leads nowhere is none.
    let seen = Chain::from_trajectories(2, &[vec![0, 0, 1]]).unwrap();
    assert_eq!((seen.states, seen.unreachable), (vec![0], vec![1]));
    let error = Chain::from_trajectories(3, &[vec![0], vec![1, 7]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "trajectory 1, step 1: state 7 is outside 0…2"
    );
}
