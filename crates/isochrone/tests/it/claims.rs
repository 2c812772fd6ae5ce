//! Closed forms, and the paper's claims that do not depend on an eigenbasis.

use crate::worlds::{CENTRE, assert_close, difference, entries, paper_maze, rho, row};
use isochrone::markov::*;
use isochrone::maze::{Cell, Maze, Moves, WallRule};
use isochrone::rng::Seed;

#[test]
fn closed_forms() {
    // λ_ab = (1/25)(1/4)(4 − 2cos πa/5 − 2cos πb/5) in the uniform maze.
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let spectrum = Spectrum::of_laplacian(&laplacian(&chain, &rho(&chain))).unwrap();
    let wave = |a: usize| 2.0 * (std::f64::consts::PI * a as f64 / 5.0).cos();
    let mut lambda: Vec<f64> = (1..25)
        .map(|s| (4.0 - wave(s / 5) - wave(s % 5)) / 100.0)
        .collect();
    lambda.sort_by(f64::total_cmp);
    assert_close("eigenvalues", spectrum.eigenvalues(), &lambda);

    // ρ(r, c) ∝ 3^(c + 4 − r) in the other, and over 400 columns it no longer fits into f64.
    let rho = rho(&paper_maze(Moves::NORTH_EAST, WallRule::Stay));
    assert_close("rho", &[rho[4] / rho[20]], &[3_f64.powi(8)]);
    let corridor = Maze::open(700, 1).unwrap();
    let east = Moves {
        north: 0.0,
        south: 0.0,
        east: 0.9,
        west: 0.1,
    };
    let error = stationary(&corridor.chain(east, WallRule::Stay).unwrap()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the stationary probability of state 0 is below")
    );

    // Gambler's ruin: on a path of n states, end to end takes (n − 1)² steps when walls renormalise.
    let path = Maze::open(9, 1).unwrap();
    let half = Moves {
        north: 0.0,
        south: 0.0,
        east: 0.5,
        west: 0.5,
    };
    let path = path.chain(half, WallRule::Renormalise).unwrap();
    let m = passage_times(&path);
    assert_close("path", &[m[(0, 8)]], &[64.0]);

    // Two states: m is the mean of a geometric distribution.
    let two = Chain::from_rows(&[[0.8, 0.2], [0.5, 0.5]]).unwrap();
    let m = passage_times(&two);
    assert_close("two states", &entries(&m), &[0.0, 5.0, 2.0, 0.0]);
}

/// The wall rule changes only the unit: commute times stay/renormalise have one ratio.
#[test]
fn wall_rules_differ_by_a_factor() {
    for (moves, ratio) in [(Moves::UNIFORM, 1.25), (Moves::NORTH_EAST, 121.0 / 60.0)] {
        let commute = |walls| {
            let chain = paper_maze(moves, walls);
            commute_times(&passage_times(&chain))
        };
        let (stay, renormalised) = (commute(WallRule::Stay), commute(WallRule::Renormalise));
        let scaled = Mat::from_fn(25, 25, |i, j| ratio * renormalised[(i, j)]);
        assert!(
            difference(&scaled, &stay) < 1e-6,
            "{}",
            stay[(0, 1)] / renormalised[(0, 1)]
        );
    }
}

/// The claims of Appendix F.1 that do not depend on an eigenbasis.
#[test]
fn claims_about_the_two_mazes() {
    let curves = |moves| {
        let chain = paper_maze(moves, WallRule::Stay);
        let rho = rho(&chain);
        let n = commute_times(&passage_times(&chain));
        let spectrum = Spectrum::of_laplacian(&laplacian(&chain, &rho)).unwrap();
        rmse_curves(&spectrum, CENTRE, &row(&n, CENTRE))
    };
    let best = |curve: &[(f64, f64)]| {
        let at = |&a: &usize, &b: &usize| curve[a].0.total_cmp(&curve[b].0);
        (0..curve.len()).min_by(at).unwrap() + 1
    };
    let (uniform, other) = (curves(Moves::UNIFORM), curves(Moves::NORTH_EAST));
    for curve in [&uniform, &other] {
        assert!(
            curve.windows(2).all(|pair| pair[1].1 < pair[0].1),
            "scaled RMSE falls with every dimension"
        );
        assert!(curve[23].1 < 1e-6, "and reaches zero");
    }
    assert_eq!(
        best(&uniform),
        13,
        "averaged over eigenbases, 13 dimensions are best for spectral"
    );
    assert_eq!(
        best(&other),
        2,
        "in the other maze two, and 24 are five times worse"
    );
    assert!(other[23].0 > 5.0 * other[1].0);

    // (0,3), (0,4), (1,4) are (column, row): the far corner against the drift.
    let chain = paper_maze(Moves::NORTH_EAST, WallRule::Stay);
    let maze = Maze::open(5, 5).unwrap();
    let spectrum = Spectrum::of_laplacian(&laplacian(&chain, &rho(&chain))).unwrap();
    let distances = spectrum.distances_from(CENTRE, 3);
    let at = |values: &[f64], column, row| values[maze.state(Cell { column, row }).unwrap()];
    let spectral = distances.spectral_rescaled();
    assert!(at(&spectral, 0, 3) / at(&spectral, 0, 4) > 0.96);
    assert!(at(&distances.scaled, 0, 3) / at(&distances.scaled, 0, 4) < 0.56);
}

/// Slip 7: with the target ½n and f = square, embedded distances are √(n/2).
#[test]
fn s_stress_embeds_the_root_of_half_the_commute_time() {
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let rho = rho(&chain);
    let m = passage_times(&chain);
    let half = action_distances(&m);
    let fit = MetricMds {
        dims: 24,
        shape: NormPower { p: 2.0, q: 2.0 },
        weights: Weights::Visits(rho),
        max_iterations: 3_000,
        seed: Seed(0),
    };
    let found = fit.fit(&half).unwrap();
    let n = commute_times(&m);
    for i in 0..25 {
        for j in 0..i {
            let square: f64 = (0..24)
                .map(|k| (found.points[(i, k)] - found.points[(j, k)]).powi(2))
                .sum();
            assert!(
                (square.sqrt() - (n[(i, j)] / 2.0).sqrt()).abs() < 1e-3,
                "{i} {j}"
            );
        }
    }
}

/// Eq. (10): minimising strain from a random start finds classical scaling's optimum.
#[test]
fn strain_is_minimised_by_classical_scaling() {
    let chain = paper_maze(Moves::NORTH_EAST, WallRule::Stay);
    let rho = rho(&chain);
    let n = commute_times(&passage_times(&chain));
    let b = pseudo_inverse(&laplacian(&chain, &rho));
    for dims in [1, 2, 5] {
        let classical = strain(&classical_mds(&n, dims).unwrap(), &b);
        let found = strain_embedding(&b, dims, 2_000, Seed(4)).unwrap();
        assert!(
            (found.stress / classical - 1.0).abs() < 1e-6,
            "{dims}: {} {classical}",
            found.stress
        );
    }
}

/// Low rank favours q = 1, full rank q = 2 (half the commute time of the uniform maze).
#[test]
fn the_power_q_trades_rank_for_fit() {
    let chain = paper_maze(Moves::UNIFORM, WallRule::Stay);
    let half = action_distances(&passage_times(&chain));
    let relative = |dims, p, q| {
        let shape = NormPower { p, q };
        let fit = |seed| MetricMds {
            dims,
            shape,
            weights: Weights::Uniform,
            max_iterations: 2_000,
            seed: Seed(seed),
        };
        let best = (0..2)
            .map(|s| fit(s).fit(&half).unwrap().stress)
            .fold(f64::INFINITY, f64::min);
        let all: f64 = (0..25)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|at| half[at].powi(2))
            .sum();
        (best / all).sqrt()
    };
    let (q2, q1) = (relative(3, 2.0, 2.0), relative(3, 2.0, 1.0));
    assert!((q2 - 0.280).abs() < 0.01, "{q2}");
    assert!((q1 - 0.089).abs() < 0.01, "{q1}");
}
