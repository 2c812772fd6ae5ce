//! Known numbers: the reference file, closed forms, and the paper's own claims.

use crate::worlds::{difference, draw, paper_maze, rho, walk};
use isochrone::markov::*;
use isochrone::maze::{Cell, Maze, Moves, WallRule};
use isochrone::rng::{Purpose, Seed};
use serde_json::Value;

/// Computed once with numpy in extended checks; see `docs/src/exact.md`.
const REFERENCE: &str = include_str!("../data/tabular-reference.json");
const CENTRE: usize = 12;

fn reference(path: &[&str]) -> Value {
    let mut value: Value = serde_json::from_str(REFERENCE).unwrap();
    for key in path {
        value = value[*key].take();
        assert!(!value.is_null(), "no {key} in {path:?}");
    }
    value
}

fn numbers(path: &[&str]) -> Vec<f64> {
    flatten(&reference(path))
}

fn flatten(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flatten).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// Within 1e-9 relative or 1e-10 absolute, entry by entry.
fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (f, e)) in found.iter().zip(expected).enumerate() {
        let miss = (f - e).abs();
        assert!(
            miss <= 1e-10 || miss <= 1e-9 * e.abs(),
            "{what}[{at}]: {f} instead of {e}"
        );
    }
}

fn entries(m: &Mat<f64>) -> Vec<f64> {
    (0..m.nrows())
        .flat_map(|i| (0..m.ncols()).map(move |j| m[(i, j)]))
        .collect()
}

fn row(m: &Mat<f64>, i: usize) -> Vec<f64> {
    (0..m.ncols()).map(|j| m[(i, j)]).collect()
}

const MAZES: [(&str, Moves, WallRule); 4] = [
    ("uniform_stay", Moves::UNIFORM, WallRule::Stay),
    ("uniform_renorm", Moves::UNIFORM, WallRule::Renormalise),
    ("nonuniform_stay", Moves::NORTH_EAST, WallRule::Stay),
    (
        "nonuniform_renorm",
        Moves::NORTH_EAST,
        WallRule::Renormalise,
    ),
];

#[test]
fn passage_and_commute_times_of_the_paper_mazes() {
    for (name, moves, walls) in MAZES {
        let chain = paper_maze(moves, walls);
        let found = stationary(&chain).unwrap();
        assert_eq!(found.direction, Direction::Reversible, "{name}");
        let m = passage_times(&chain, &found.rho);
        let n = commute_times(&m);
        let to_centre: Vec<f64> = (0..25).map(|i| m[(i, CENTRE)]).collect();
        let check = |key: &str, found: &[f64]| assert_close(key, found, &numbers(&[name, key]));
        check("stationary", &found.rho);
        check("mfpt_from_center", &row(&m, CENTRE));
        check("mfpt_to_center", &to_centre);
        check("commute_from_center", &row(&n, CENTRE));
        let roots: Vec<f64> = row(&n, CENTRE).iter().map(|x| x.max(0.0).sqrt()).collect();
        check("sqrt_commute_from_center", &roots);
        check("max_commute", &[n.norm_max()]);
        let above: f64 = (0..25)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|at| n[at])
            .sum();
        check("sum_commute_upper", &[above]);
        check("kemeny_constant", &[kemeny_constant(&m, &found.rho)]);
    }
}

#[test]
fn spectra_and_rmse_curves_of_the_paper_mazes() {
    for (name, moves, walls) in MAZES {
        let chain = paper_maze(moves, walls);
        let rho = rho(&chain);
        let spectrum = Spectrum::of_laplacian(&laplacian(&chain, &rho)).unwrap();
        let eigenvalues: Vec<f64> = std::iter::once(0.0)
            .chain(spectrum.eigenvalues().to_vec())
            .collect();
        assert_close(
            name,
            &eigenvalues,
            &numbers(&[name, "eigenvalues_ascending"]),
        );
        let sizes: Vec<f64> = spectrum
            .eigenspaces()
            .iter()
            .map(|s| s.len() as f64)
            .collect();
        assert_close(
            name,
            &sizes,
            &numbers(&[name, "eigen_multiplicities_nonzero"]),
        );
        let independent = numbers(&[name, "basis_independent_dims"]);
        let found = (1..25)
            .filter(|&d| spectrum.is_basis_independent(d))
            .map(|d| d as f64);
        assert_close(name, &found.collect::<Vec<_>>(), &independent);

        let n = commute_times(&passage_times(&chain, &rho));
        let (spectral, scaled): (Vec<f64>, Vec<f64>) =
            rmse_curves(&spectrum, CENTRE, &row(&n, CENTRE))
                .into_iter()
                .unzip();
        assert_close(name, &spectral, &numbers(&[name, "rmse_spectral_haar"]));
        assert_close(name, &scaled, &numbers(&[name, "rmse_scaled_haar"]));
        // The curves of one particular eigenbasis agree where no eigenspace is cut, and only there.
        for (curve, key) in [
            (&spectral, "rmse_spectral_lapack_basis"),
            (&scaled, "rmse_scaled_lapack_basis"),
        ] {
            let lapack = numbers(&[name, key]);
            for &dim in &independent {
                let at = dim as usize - 1;
                assert_close(key, &[curve[at]], &[lapack[at]]);
            }
        }
        let three = spectrum.distances_from(CENTRE, 3);
        assert_close(
            name,
            &three.spectral_rescaled(),
            &numbers(&[name, "spectral_rescaled_dim3"]),
        );
        assert_close(name, &three.scaled, &numbers(&[name, "scaled_dim3"]));
    }
}

#[test]
fn non_reversible_chains() {
    for name in [
        "nonreversible_torus5x5",
        "nonreversible_ring8",
        "nonreversible_ringcurrent5x5",
    ] {
        let p = reference(&[name, "P"]);
        let rows: Vec<Vec<f64>> = p.as_array().unwrap().iter().map(flatten).collect();
        let chain = Chain::from_rows(&rows).unwrap();
        let found = stationary(&chain).unwrap();
        assert_eq!(found.direction, Direction::OneWay, "{name}");
        assert_close(name, &found.rho, &numbers(&[name, "stationary"]));
        let m = passage_times(&chain, &found.rho);
        let n = commute_times(&m);
        assert_close(name, &entries(&n), &numbers(&[name, "commute"]));
        // The paper's Laplacian belongs to another chain …
        let paper = pseudo_inverse(&laplacian(&chain, &found.rho));
        let paper = commute_from_pseudo_inverse(&paper);
        assert_close(
            name,
            &entries(&paper),
            &numbers(&[name, "reversibilised_commute"]),
        );
        assert!(
            difference(&paper, &n) > 0.1,
            "{name}: {}",
            difference(&paper, &n)
        );
        // … symmetrised after the pseudo-inverse it is this one's …
        let b = symmetric_part(&pseudo_inverse(&directed_laplacian(&chain, &found.rho)));
        assert!(
            difference(&commute_from_pseudo_inverse(&b), &n) < 1e-12,
            "{name}"
        );
        // … and the potential identity fails.
        let one_way = one_way_times(&n, &potential(&n, &found.rho));
        assert!(
            difference(&one_way, &m) > 0.17,
            "{name}: {}",
            difference(&one_way, &m)
        );
        assert!(matches!(
            Grounded::of_chain(&chain, &found),
            Err(GroundedError::NotReversible)
        ));
    }
}

#[test]
fn rho_weighted_target_matches_and_is_not_a_metric() {
    for (key, moves, violations) in [
        ("uniform", Moves::UNIFORM, 0.0),
        ("nonuniform", Moves::NORTH_EAST, 0.121),
    ] {
        let chain = paper_maze(moves, WallRule::Stay);
        let rho = rho(&chain);
        let d = rho_weighted_target(&passage_times(&chain, &rho), &rho);
        let name = format!("rho_weighted_target_{key}");
        assert_close(&name, &entries(&d), &numbers(&[&name, "matrix"]));
        let (mut broken, mut triples) = (0.0_f64, 0.0_f64);
        for i in 0..25 {
            for j in (0..25).filter(|&j| j != i) {
                for k in (0..i).filter(|&k| k != j) {
                    triples += 1.0;
                    broken +=
                        f64::from(u8::from(d[(i, k)] > (d[(i, j)] + d[(j, k)]) * (1.0 + 1e-9)));
                }
            }
        }
        assert!(
            (broken / triples - violations).abs() < 0.001,
            "{key}: {}",
            broken / triples
        );
    }
}

#[test]
fn finite_window_targets() {
    let samplers = [
        "A_each_first_hit_once",
        "B_uniform_over_index_pairs",
        "C_uniform_t_then_uniform_t2",
    ];
    for (maze, moves) in [
        ("uniform", Moves::UNIFORM),
        ("nonuniform", Moves::NORTH_EAST),
    ] {
        let chain = paper_maze(moves, WallRule::Stay);
        let rho = rho(&chain);
        let half = action_distances(&passage_times(&chain, &rho));
        for window in [10, 50, 200, 1000] {
            for (sampler, name) in Sampler::ALL.into_iter().zip(samplers) {
                let d = window_target(&chain, &rho, window, sampler);
                let key = format!("{maze}_T{window}_{name}");
                let path = ["finite_horizon_targets_stay_stationary_start", &key];
                let expected = reference(&path);
                assert_close(&key, &row(&d, CENTRE), &flatten(&expected["from_center"]));
                let mut ratios: Vec<f64> = (0..25)
                    .flat_map(|i| (0..i).map(move |j| (i, j)))
                    .map(|at| d[at] / half[at])
                    .filter(|ratio| !ratio.is_nan())
                    .collect();
                ratios.sort_by(f64::total_cmp);
                let (low, high) = (ratios[(ratios.len() - 1) / 2], ratios[ratios.len() / 2]);
                let median = f64::midpoint(low, high);
                assert_close(
                    &key,
                    &[median],
                    &flatten(&expected["median_ratio_to_half_commute"]),
                );
            }
        }
    }
}

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
    let m = passage_times(&path, &stationary(&path).unwrap().rho);
    assert_close("path", &[m[(0, 8)]], &[64.0]);

    // Two states: m is the mean of a geometric distribution.
    let two = Chain::from_rows(&[[0.8, 0.2], [0.5, 0.5]]).unwrap();
    let m = passage_times(&two, &stationary(&two).unwrap().rho);
    assert_close("two states", &entries(&m), &[0.0, 5.0, 2.0, 0.0]);
}

/// The wall rule changes only the unit: commute times stay/renormalise have one ratio.
#[test]
fn wall_rules_differ_by_a_factor() {
    for (moves, ratio) in [(Moves::UNIFORM, 1.25), (Moves::NORTH_EAST, 121.0 / 60.0)] {
        let commute = |walls| {
            let chain = paper_maze(moves, walls);
            commute_times(&passage_times(&chain, &rho(&chain)))
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
        let n = commute_times(&passage_times(&chain, &rho));
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
    let m = passage_times(&chain, &rho);
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
    let n = commute_times(&passage_times(&chain, &rho));
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
    let half = action_distances(&passage_times(&chain, &rho(&chain)));
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
    let n = commute_times(&passage_times(&seen.chain, &own));
    let exact = commute_times(&passage_times(&chain, &truth));
    assert!((n[(12, 4)] / exact[(12, 4)] - 1.0).abs() < 0.1);

    let error = Chain::from_trajectories(3, &[vec![0, 1, 2]]).unwrap_err();
    assert!(
        error.to_string().ends_with("2 transitions form no cycle"),
        "{error}"
    );
    let error = Chain::from_trajectories(3, &[vec![0], vec![1, 7]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "trajectory 1, step 1: state 7 is outside 0…2"
    );
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
