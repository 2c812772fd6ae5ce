//! Chains the other tests share.

use isochrone::markov::{Chain, Mat, Values, stationary};
use isochrone::maze::{Maze, Moves, WallRule};
use isochrone::rng::Rng;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use rand::RngExt;

/// One of the paper's two 5×5 mazes.
pub(crate) fn paper_maze(moves: Moves, walls: WallRule) -> Chain {
    Maze::open(5, 5).unwrap().chain(moves, walls).unwrap()
}

/// ρ of a chain.
pub(crate) fn rho(chain: &Chain) -> Vec<f64> {
    stationary(chain).unwrap().rho
}

/// One outcome of a distribution.
pub(crate) fn draw(mut weights: impl Iterator<Item = (usize, f64)>, rng: &mut Rng) -> usize {
    let mut left: f64 = rng.random();
    let found = weights.find(|(_, p)| {
        left -= p;
        left < 0.0
    });
    found.map_or(0, |(state, _)| state)
}

/// A trajectory of `steps` steps.
pub(crate) fn walk(chain: &Chain, start: usize, steps: usize, rng: &mut Rng) -> Vec<usize> {
    let mut path = vec![start];
    for t in 0..steps {
        path.push(draw(chain.row(path[t]), rng));
    }
    path
}

/// A random reversible chain: a random tree plus random edges, with weights over two decades.
pub(crate) fn reversible() -> impl Strategy<Value = Chain> {
    let edge = (0.0..1.0_f64, 0.0..1.0_f64, 0.01..1.0_f64);
    (2..12_usize, vec(edge, 0..20), any::<u64>()).prop_map(|(n, extra, seed)| {
        let pick = |x: f64| ((x * n as f64) as usize).min(n - 1);
        let mut edges: Vec<(usize, usize, f64)> = (1..n)
            .map(|i| (i, (seed as usize).wrapping_mul(i + 7) % i, 0.5))
            .collect();
        edges.extend(extra.iter().map(|&(a, b, w)| (pick(a), pick(b), w)));
        Chain::build(n, Values::Weights, |state, row| {
            for &(a, b, w) in &edges {
                if a == state {
                    row.push((b, w));
                } else if b == state {
                    row.push((a, w));
                }
            }
        })
        .unwrap()
    })
}

/// A random chain with no symmetry: a directed ring, so that it is irreducible, plus random rows.
pub(crate) fn any_chain() -> impl Strategy<Value = Chain> {
    (2..12_usize).prop_flat_map(|n| {
        vec(vec(0.0..1.0_f64, n), n).prop_map(move |weights| {
            Chain::build(n, Values::Weights, |state, row| {
                row.push(((state + 1) % n, 0.2));
                let sparse = weights[state].iter().enumerate().filter(|(_, w)| **w > 0.5);
                row.extend(sparse.map(|(to, w)| (to, w - 0.5)));
            })
            .unwrap()
        })
    })
}

/// The largest difference between two matrices, relative to the largest entry of the second.
pub(crate) fn difference(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_max() / b.norm_max()
}

/// The state (2, 2) of the paper's mazes.
pub(crate) const CENTRE: usize = 12;

/// Within 1e-9 relative or 1e-10 absolute, entry by entry.
pub(crate) fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (f, e)) in found.iter().zip(expected).enumerate() {
        let miss = (f - e).abs();
        assert!(
            miss <= 1e-10 || miss <= 1e-9 * e.abs(),
            "{what}[{at}]: {f} instead of {e}"
        );
    }
}

pub(crate) fn entries(m: &Mat<f64>) -> Vec<f64> {
    (0..m.nrows())
        .flat_map(|i| (0..m.ncols()).map(move |j| m[(i, j)]))
        .collect()
}

pub(crate) fn row(m: &Mat<f64>, i: usize) -> Vec<f64> {
    (0..m.ncols()).map(|j| m[(i, j)]).collect()
}
