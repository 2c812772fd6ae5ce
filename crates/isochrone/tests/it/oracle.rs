//! Known numbers: the reference file, every entry within 1e-9 relative or 1e-10 absolute.

use crate::worlds::{CENTRE, assert_close, difference, entries, paper_maze, rho, row};
use isochrone::markov::*;
use isochrone::maze::{Moves, WallRule};
use serde_json::Value;

/// Computed once in double precision by another implementation, checked against closed forms.
const REFERENCE: &str = include_str!("../data/tabular-reference.json");

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
        let m = passage_times(&chain);
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

        let n = commute_times(&passage_times(&chain));
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
        let m = passage_times(&chain);
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
        let d = rho_weighted_target(&passage_times(&chain), &rho);
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
        let half = action_distances(&passage_times(&chain));
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
