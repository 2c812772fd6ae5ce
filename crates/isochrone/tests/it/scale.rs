//! The sparse side against the dense one, and at sizes only it can reach.

use crate::worlds::{difference, reversible, rho};
use isochrone::markov::*;
use isochrone::maze::{Maze, Moves, WallRule};
use proptest::prelude::*;

fn times_from_factor(chain: &Chain, goal: usize) -> GoalTimes {
    let stationary = stationary(chain).unwrap();
    let grounded = Grounded::of_chain(chain, &stationary).unwrap();
    grounded.goal_queries(&stationary.rho).times(goal).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn goal_times_are_the_dense_ones(chain in reversible(), pick in 0.0..1.0_f64) {
        let states = chain.n_states();
        let goal = (pick * states as f64) as usize;
        let m = passage_times(&chain);
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
        let m = passage_times(&chain);
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

/// A graph with unit weights, as a chain that stays put where its degree is below the largest.
fn graph(n: usize, edges: &[(usize, usize)]) -> Chain {
    Chain::build(n, Values::Weights, |state, row| {
        for &(a, b) in edges {
            row.extend((a == state).then_some((b, 1.0)));
            row.extend((b == state).then_some((a, 1.0)));
        }
    })
    .unwrap()
}

/// The pairs of a graph against the dense solver: values, residuals, orthonormality.
fn check_pairs(name: &str, chain: &Chain, wanted: usize) {
    let rho = rho(chain);
    let sparse = GraphLaplacian::new(chain, &rho);
    let grounded = Grounded::of_graph(&sparse).unwrap();
    let pairs = Eigenpairs::smallest(&sparse, &grounded, wanted, &mut |_| {}).unwrap();
    let exact = Spectrum::of_laplacian(&laplacian(chain, &rho)).unwrap();
    for (k, (found, exact)) in pairs
        .eigenvalues
        .iter()
        .zip(exact.eigenvalues())
        .enumerate()
    {
        assert!(
            (found / exact - 1.0).abs() < 1e-7,
            "{name}, {k} of {wanted}: {found} {exact}"
        );
    }
    let gram = pairs.vectors.transpose() * &pairs.vectors;
    assert!(
        difference(&gram, &Mat::identity(wanted, wanted)) < 1e-9,
        "{name}: orthonormal"
    );
    for k in 0..wanted {
        let v: Vec<f64> = pairs.vectors.col(k).iter().copied().collect();
        let miss = sparse
            .apply(&v)
            .into_iter()
            .zip(&v)
            .map(|(a, b)| (a - pairs.eigenvalues[k] * b).powi(2));
        assert!(
            miss.sum::<f64>().sqrt() < 1e-5 * pairs.eigenvalues[k],
            "{name}, {k} of {wanted}"
        );
    }
}

/// Few distinct eigenvalues of high multiplicity, and clusters of near-copies: what a Krylov space does not
/// see by itself.
#[test]
fn eigenpairs_of_symmetric_graphs_are_complete() {
    let star: Vec<(usize, usize)> = (1..801).map(|leaf| (0, leaf)).collect();
    check_pairs("star", &graph(801, &star), 8);
    check_pairs("star", &graph(801, &star), 20);
    let all = |n: usize| (0..n).flat_map(move |i| (0..i).map(move |j| (i, j)));
    let complete: Vec<(usize, usize)> = all(620).collect();
    check_pairs("complete", &graph(620, &complete), 5);
    let halves: Vec<(usize, usize)> = all(640).filter(|(i, j)| i % 2 != j % 2).collect();
    check_pairs("bipartite", &graph(640, &halves), 6);
    let cube: Vec<(usize, usize)> = (0..1024)
        .flat_map(|i| (0..10).map(move |b| (i, i ^ (1 << b))))
        .filter(|(i, j)| i < j)
        .collect();
    check_pairs("hypercube", &graph(1024, &cube), 11);
    check_pairs("hypercube", &graph(1024, &cube), 60);
    let torus: Vec<(usize, usize)> = (0..900)
        .flat_map(|i| [(i, i / 30 * 30 + (i + 1) % 30), (i, (i + 30) % 900)])
        .collect();
    check_pairs("torus", &graph(900, &torus), 64);
    let arms: Vec<(usize, usize)> = (0..40)
        .flat_map(|arm| {
            (0..20).map(move |k| (if k == 0 { 0 } else { arm * 20 + k }, arm * 20 + k + 1))
        })
        .collect();
    check_pairs("arms", &graph(801, &arms), 39);
    let rooms = Maze::rooms(1_500)
        .unwrap()
        .chain(Moves::UNIFORM, WallRule::Stay)
        .unwrap();
    check_pairs("rooms", &rooms, 100);
    let open = Maze::open(40, 40)
        .unwrap()
        .chain(Moves::UNIFORM, WallRule::Stay)
        .unwrap();
    check_pairs("open", &open, 128);
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

/// A corridor with drift, closed form: m(k+1|k) = Σ_{l≤k} ρ_l / (ρ_k p). Against the drift the times grow
/// without bound; what has no digits left is refused, what is returned is right entry by entry.
#[test]
fn drifting_corridors_are_right_or_refused() {
    let (up, down) = (0.75, 0.25);
    let ratio: f64 = up / down;
    let mut refused = 0;
    for length in [5_usize, 10, 15, 20, 40, 61] {
        let moves = Moves {
            north: 0.0,
            south: 0.0,
            east: up,
            west: down,
        };
        let chain = Maze::open(length, 1)
            .unwrap()
            .chain(moves, WallRule::Stay)
            .unwrap();
        let found = stationary(&chain).unwrap();
        let weight = |k: usize| ratio.powf(k as f64);
        for (k, rho) in found.rho.iter().enumerate() {
            let exact = weight(k) / (0..length).map(weight).sum::<f64>();
            assert!((rho / exact - 1.0).abs() < 1e-12);
        }
        let graph = GraphLaplacian::new(&chain, &found.rho);
        let grounded = Grounded::at(&graph, 0).unwrap();
        let Ok(times) = grounded.goal_queries(&found.rho).times(0) else {
            refused += 1;
            continue;
        };
        let (mut there, mut back) = (0.0, 0.0);
        for k in 0..length - 1 {
            there += (0..=k).map(weight).sum::<f64>() / (weight(k) * up);
            back += (k + 1..length).map(weight).sum::<f64>() / (weight(k + 1) * down);
            let miss = (times.from_goal[k + 1] / there - 1.0).abs();
            assert!(miss < 1e-6, "{length} {k}: {miss}");
            assert!(
                (times.to_goal[k + 1] / back - 1.0).abs() < 1e-9,
                "{length} {k}"
            );
        }
    }
    assert!((1..=4).contains(&refused), "{refused} of six corridors");
}

/// The same drift with a current round one corner: no detailed balance, ρ over hundreds of decades.
#[test]
fn large_one_way_corridors_are_right_or_refused() {
    for (states, up) in [(2_001, 0.52), (2_001, 0.48), (2_500, 0.55)] {
        let chain = Chain::build(states, Values::Weights, |i, row| {
            row.push(((i + 1).min(states - 1), up));
            row.push((i.saturating_sub(1), 1.0 - up));
            row.extend((i == 2).then_some((0, 0.1)));
        })
        .unwrap();
        let Ok(found) = stationary(&chain) else {
            continue;
        };
        for k in 10..states - 1 {
            let ratio = found.rho[k + 1] / found.rho[k];
            assert!(
                (ratio / (up / (1.0 - up)) - 1.0).abs() < 1e-6,
                "{states} {up} {k}: {ratio}"
            );
        }
    }
}

/// Ten decimals in a file are enough to be recognised as reversible.
#[test]
fn rounded_probabilities_are_still_reversible() {
    let exact = Maze::open(80, 80)
        .unwrap()
        .chain(Moves::NORTH_EAST, WallRule::Renormalise)
        .unwrap();
    let rounded = Chain::build(6_400, Values::Probabilities, |i, row| {
        row.extend(exact.row(i).map(|(j, p)| (j, (p * 1e10).round() / 1e10)));
    })
    .unwrap();
    assert_eq!(
        stationary(&rounded).unwrap().direction,
        Direction::Reversible
    );
}
