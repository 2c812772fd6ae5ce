//! The sparse side against the dense one, and at sizes only it can reach.

use crate::worlds::{difference, reversible, rho};
use isochrone::markov::*;
use isochrone::maze::{Maze, Moves, WallRule};
use proptest::prelude::*;

fn times_from_factor(chain: &Chain, goal: usize) -> GoalTimes {
    let stationary = stationary(chain).unwrap();
    let grounded = Grounded::of_chain(chain, &stationary).unwrap();
    let diagonal = grounded.resistances().diagonal();
    let g_rho = grounded.solve(&stationary.rho);
    grounded.goal_times(goal, &diagonal, &g_rho)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn goal_times_are_the_dense_ones(chain in reversible(), pick in 0.0..1.0_f64) {
        let states = chain.n_states();
        let goal = (pick * states as f64) as usize;
        let m = passage_times(&chain, &rho(&chain));
        let found = times_from_factor(&chain, goal);
        let scale = m.norm_max();
        for i in 0..states {
            prop_assert!((found.to_goal[i] - m[(i, goal)]).abs() <= 1e-10 * scale);
            prop_assert!((found.from_goal[i] - m[(goal, i)]).abs() <= 1e-10 * scale);
        }
    }

    #[test]
    fn selected_inverse_knows_the_diagonal_and_every_edge(chain in reversible()) {
        let rho = rho(&chain);
        let graph = GraphLaplacian::new(&chain, &rho);
        let grounded = Grounded::of_graph(&graph).unwrap();
        let resistances = grounded.resistances();
        let l = pseudo_inverse(&laplacian(&chain, &rho));
        let scale = l.norm_max();
        for (i, found) in resistances.pseudo_inverse_diagonal().iter().enumerate() {
            prop_assert!((found - l[(i, i)]).abs() <= 1e-10 * scale);
            for (j, _) in graph.edges(i) {
                let commute = l[(i, i)] + l[(j, j)] - 2.0 * l[(i, j)];
                let found = resistances.commute_on_edge(i, j).unwrap();
                prop_assert!((found - commute).abs() <= 1e-10 * scale);
            }
        }
    }
}

/// Open grids make supernodes, rooms do not: both ways into the plain factor are tried.
#[test]
fn open_grid_and_rooms_agree_with_the_dense_solution() {
    let mazes = [Maze::open(30, 23).unwrap(), Maze::rooms(700).unwrap()];
    for maze in mazes {
        let chain = maze.chain(Moves::UNIFORM, WallRule::Stay).unwrap();
        let rho = rho(&chain);
        let m = passage_times(&chain, &rho);
        let goal = chain.n_states() / 3;
        let found = times_from_factor(&chain, goal);
        let slack = 1e-9 * m.norm_max();
        for i in 0..chain.n_states() {
            assert!((found.to_goal[i] - m[(i, goal)]).abs() <= slack);
            assert!((found.from_goal[i] - m[(goal, i)]).abs() <= slack);
        }
        let graph = GraphLaplacian::new(&chain, &rho);
        let grounded = Grounded::of_graph(&graph).unwrap();
        let pairs = Eigenpairs::smallest(&graph, &grounded, 20, &mut |_| {}).unwrap();
        let spectrum = Spectrum::of_laplacian(&laplacian(&chain, &rho)).unwrap();
        for (found, exact) in pairs.eigenvalues.iter().zip(spectrum.eigenvalues()) {
            assert!((found / exact - 1.0).abs() < 1e-10, "{found} {exact}");
        }
    }
}

/// A large open grid with drift: supernodes at full size, and weights over many decades.
#[test]
fn a_supernodal_factor_solves_its_own_laplacian() {
    let maze = Maze::open(300, 200).unwrap();
    let moves = Moves {
        north: 0.26,
        south: 0.25,
        east: 0.25,
        west: 0.24,
    };
    let chain = maze.chain(moves, WallRule::Stay).unwrap();
    let found = stationary(&chain).unwrap();
    let graph = GraphLaplacian::new(&chain, &found.rho);
    let grounded = Grounded::of_graph(&graph).unwrap();
    let mut b: Vec<f64> = (0..chain.n_states())
        .map(|i| found.rho[i] * (i as f64).sin())
        .collect();
    let sum: f64 = b.iter().sum();
    b.iter_mut()
        .zip(&found.rho)
        .for_each(|(b, r)| *b -= sum * r);
    let back = graph.apply(&grounded.solve(&b));
    for (i, (a, b)) in back.iter().zip(&b).enumerate() {
        assert!((a - b).abs() <= 1e-9 * found.rho[i], "{i}");
    }
}

/// A square room grid has double eigenvalues everywhere: a single Lanczos vector would miss the twins.
#[test]
fn double_eigenvalues_are_found_twice() {
    let maze = Maze::open(60, 60).unwrap();
    let chain = maze.chain(Moves::UNIFORM, WallRule::Stay).unwrap();
    let graph = GraphLaplacian::new(&chain, &rho(&chain));
    let grounded = Grounded::of_graph(&graph).unwrap();
    let mut calls = 0;
    let pairs = Eigenpairs::smallest(&graph, &grounded, 32, &mut |p| {
        assert!(p.done <= p.total);
        calls += 1;
    })
    .unwrap();
    assert!(calls > 5);
    let wave = |a: usize| 2.0 * (std::f64::consts::PI * a as f64 / 60.0).cos();
    let all = (1..3_600).map(|s| (4.0 - wave(s / 60) - wave(s % 60)) / (4.0 * 3_600.0));
    let mut exact: Vec<f64> = all.collect();
    exact.sort_by(f64::total_cmp);
    for (k, (found, exact)) in pairs.eigenvalues.iter().zip(&exact).enumerate() {
        assert!((found / exact - 1.0).abs() < 1e-9, "{k}: {found} {exact}");
    }
    for k in 0..32 {
        let v: Vec<f64> = pairs.vectors.col(k).iter().copied().collect();
        let residual: f64 = graph
            .apply(&v)
            .iter()
            .zip(&v)
            .map(|(a, b)| (a - pairs.eigenvalues[k] * b).powi(2))
            .sum();
        assert!(residual.sqrt() < 1e-5 * pairs.eigenvalues[k], "{k}");
    }
    let too_many = Eigenpairs::smallest(&graph, &grounded, 3_600, &mut |_| {}).unwrap_err();
    assert!(matches!(
        too_many,
        EigenpairsError::TooMany {
            wanted: 3_600,
            states: 3_600
        }
    ));
}

/// Completion turns a bad underestimate into a percent, and neighbours are exact.
#[test]
fn diagonal_completion_repairs_the_truncated_embedding() {
    let maze = Maze::rooms(3_000).unwrap();
    let chain = maze.chain(Moves::UNIFORM, WallRule::Stay).unwrap();
    let rho = rho(&chain);
    let graph = GraphLaplacian::new(&chain, &rho);
    let grounded = Grounded::of_graph(&graph).unwrap();
    let completed = CompletedEmbedding::new(&graph, &grounded, 32, &mut |_| {}).unwrap();
    let goal = chain.n_states() / 2;
    let exact = times_from_factor(&chain, goal).commute();
    let (mut truncated, mut full, mut far) = (0.0, 0.0, 0.0);
    for (i, exact) in exact.iter().enumerate() {
        if graph.edges(goal).any(|(j, _)| j == i) {
            assert!((completed.commute(goal, i) / exact - 1.0).abs() < 1e-9);
        } else if i != goal {
            truncated += (completed.truncated_commute(goal, i) / exact - 1.0).abs();
            full += (completed.commute(goal, i) / exact - 1.0).abs();
            far += 1.0;
        }
    }
    assert!(
        full / far < 0.05 && truncated / far > 0.2,
        "{} {}",
        full / far,
        truncated / far
    );
    assert!(completed.commute(goal, goal).abs() < 1e-12);
}

/// Non-reversible and large: the sparse balance equations against the state reduction's laws.
#[test]
fn a_large_one_way_chain_has_a_stationary_distribution() {
    let n = 4_000;
    let chain = Chain::build(n, Values::Probabilities, |i, row| {
        row.extend([
            ((i + 1) % n, 0.7),
            ((i + n - 1) % n, 0.2),
            ((7 * i + 3) % n, 0.1),
        ]);
    })
    .unwrap();
    let found = stationary(&chain).unwrap();
    assert_eq!(found.direction, Direction::OneWay);
    let mut next = vec![0.0; n];
    for i in 0..n {
        chain.row(i).for_each(|(j, p)| next[j] += found.rho[i] * p);
    }
    let worst = next
        .iter()
        .zip(&found.rho)
        .map(|(a, b)| (a / b - 1.0).abs())
        .fold(0.0, f64::max);
    assert!(worst < 1e-12, "{worst}");
    let one = Mat::from_fn(1, 1, |_, _| found.rho.iter().sum::<f64>());
    assert!(difference(&one, &Mat::from_fn(1, 1, |_, _| 1.0)) < 1e-12);
}

/// Entries near 1e10 and 1e-10, 160 rows: faer 0.24's own scale makes it miss by 2e-4 of the norm here.
#[test]
fn eigenpairs_are_accurate_at_any_scale() {
    let n = 160;
    let wave = |i: usize, j: usize| (((i * 131 + j * 17) as f64) * 1.7).sin();
    for scale in [1.0, 1e10, 1e-10] {
        let a = Mat::from_fn(n, n, |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            let size = scale * 10_f64.powf(-2.0 * (j / 4) as f64 / (n / 4) as f64);
            match (i / 4 - j / 4, i == j) {
                (_, true) => size * (2.0 + 0.3 * wave(i, j)),
                (0 | 1, false) => size * 0.3 * wave(i, j),
                _ => 0.0,
            }
        });
        let (values, vectors) = symmetric_eigen(&a).unwrap();
        let product = &a * &vectors;
        for k in 0..n {
            let miss = |i: usize| (product[(i, k)] - values[k] * vectors[(i, k)]).powi(2);
            let residual = (0..n).map(miss).sum::<f64>().sqrt();
            assert!(
                residual < 1e-12 * scale,
                "{scale:e}, pair {k}: {residual:e}"
            );
        }
    }
    assert!(symmetric_eigen(&Mat::from_fn(3, 3, |_, _| f64::NAN)).is_err());
}
