//! What must hold for every chain.

use crate::worlds::{any_chain, difference, reversible, rho};
use isochrone::markov::*;
use isochrone::rng::Seed;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn stationary_is_stationary(chain in any_chain()) {
        let rho = rho(&chain);
        let n = chain.n_states();
        let mut next = vec![0.0; n];
        for i in 0..n {
            for (j, p) in chain.row(i) {
                next[j] += rho[i] * p;
            }
        }
        for (a, b) in next.iter().zip(&rho) {
            prop_assert!((a - b).abs() <= 1e-13);
        }
        prop_assert!((rho.iter().sum::<f64>() - 1.0).abs() <= 1e-13);
    }

    #[test]
    fn direction_is_detailed_balance(chain in reversible(), other in any_chain()) {
        let found = stationary(&chain).unwrap();
        prop_assert_eq!(found.direction, Direction::Reversible);
        let found = stationary(&other).unwrap();
        let flow = |i: usize, j: usize| found.rho[i] * other.probability(i, j);
        let n = other.n_states();
        let current = (0..n * n).map(|at| (flow(at / n, at % n) - flow(at % n, at / n)).abs());
        let is_balanced = current.fold(0.0, f64::max) < 1e-7;
        prop_assert_eq!(found.direction == Direction::Reversible, is_balanced);
    }

    #[test]
    fn passage_times_satisfy_their_recurrence(chain in any_chain()) {
        let m = passage_times(&chain);
        let scale = m.norm_max();
        for i in 0..chain.n_states() {
            for j in 0..chain.n_states() {
                let onward: f64 = chain.row(i).map(|(k, p)| p * m[(k, j)]).sum();
                let expected = if i == j { 0.0 } else { 1.0 + onward };
                prop_assert!((m[(i, j)] - expected).abs() <= 1e-10 * scale);
            }
        }
    }

    /// m(j|i) = (Z_jj − Z_ij) / ρ_j, where no drift makes the difference cancel: Appendix F.1.
    #[test]
    fn the_fundamental_matrix_has_the_same_times(chain in any_chain()) {
        let rho = rho(&chain);
        let z = fundamental_matrix(&chain, &rho);
        let n = chain.n_states();
        let from_z = Mat::from_fn(n, n, |i, j| (z[(j, j)] - z[(i, j)]) / rho[j]);
        prop_assert!(difference(&from_z, &passage_times(&chain)) <= 1e-10);
    }

    /// In a corridor times have a recursion without differences, h_i = m(i+1|i) = (1 + P(i−1|i) h_{i−1}) / P(i+1|i); both ways,
    /// over as many decades as f64 has.
    #[test]
    fn a_drift_takes_no_digit(up in 0.02..0.98_f64, states in 2..60_usize) {
        let line = |up: f64| Chain::build(states, Values::Probabilities, |i, row| {
            row.push(((i + 1).min(states - 1), up));
            row.push((i.saturating_sub(1), 1.0 - up));
        }).unwrap();
        let climbs = |up: f64| {
            let mut hops = vec![1.0 / up];
            (1..states - 1).for_each(|i| hops.push((1.0 + (1.0 - up) * hops[i - 1]) / up));
            hops
        };
        let m = passage_times(&line(up));
        let (climbs, falls) = (climbs(up), climbs(1.0 - up));
        for low in 0..states {
            for high in low + 1..states {
                let there: f64 = climbs[low..high].iter().sum();
                let back: f64 = falls[states - 1 - high..states - 1 - low].iter().sum();
                prop_assert!((m[(low, high)] / there - 1.0).abs() <= 1e-12);
                prop_assert!((m[(high, low)] / back - 1.0).abs() <= 1e-12);
            }
        }
    }

    /// Beyond what f64 holds times are infinite, never NaN, and the short ones stay right.
    #[test]
    fn times_beyond_f64_are_infinite(up in prop::sample::select(vec![0.01, 0.1, 0.9, 0.99]), states in 300..500_usize) {
        let chain = Chain::build(states, Values::Probabilities, |i, row| {
            row.push(((i + 1).min(states - 1), up));
            row.push((i.saturating_sub(1), 1.0 - up));
        }).unwrap();
        let m = passage_times(&chain);
        let (easy, hard) = if up > 0.5 { ((0, states - 1), (states - 1, 0)) } else { ((states - 1, 0), (0, states - 1)) };
        let steps = (states - 1) as f64 / (2.0 * up - 1.0).abs();
        prop_assert!((0..states * states).all(|at| !m[(at / states, at % states)].is_nan()));
        prop_assert!((m[easy] / steps - 1.0).abs() < 0.02, "{} {steps}", m[easy]);
        prop_assert!(m[hard] > 1e200);
    }

    /// Slip 1: as printed, with m(k|i) under the sum, the recursion has another solution.
    #[test]
    fn the_printed_recurrence_is_a_slip(chain in any_chain()) {
        let m = passage_times(&chain);
        let miss = |i: usize, j: usize| {
            let printed: f64 = chain.row(i).map(|(k, p)| p * m[(i, k)]).sum();
            (m[(i, j)] - 1.0 - printed).abs()
        };
        let n = chain.n_states();
        let worst = (0..n * n).filter(|at| at / n != at % n).map(|at| miss(at / n, at % n));
        prop_assert!(n == 2 || worst.fold(0.0, f64::max) > 1e-6 * m.norm_max());
    }

    #[test]
    fn kemeny_constant_is_the_same_from_every_start(chain in any_chain()) {
        let rho = rho(&chain);
        let m = passage_times(&chain);
        let constant = kemeny_constant(&m, &rho);
        for i in 0..chain.n_states() {
            let from_i: f64 = (0..chain.n_states()).map(|j| rho[j] * m[(i, j)]).sum();
            prop_assert!((from_i - constant).abs() <= 1e-10 * constant.max(1.0));
        }
    }

    #[test]
    fn commute_time_is_a_metric(chain in any_chain()) {
        let n = commute_times(&passage_times(&chain));
        let slack = 1e-11 * n.norm_max();
        let states = 0..chain.n_states();
        for i in states.clone() {
            prop_assert!(n[(i, i)].abs() <= slack);
            for j in states.clone() {
                prop_assert!(i == j || n[(i, j)] >= 2.0 - slack);
                prop_assert!((n[(i, j)] - n[(j, i)]).abs() <= slack);
                for k in states.clone() {
                    prop_assert!(n[(i, k)] <= n[(i, j)] + n[(j, k)] + slack);
                }
            }
        }
    }

    /// n(i,j) = V_G (l_ii + l_jj − 2 l_ij), and m(j|i) from L† alone: Eq. (16), (17).
    #[test]
    fn resistance_identity(chain in reversible()) {
        let rho = rho(&chain);
        let m = passage_times(&chain);
        let l = pseudo_inverse(&laplacian(&chain, &rho));
        prop_assert!(difference(&commute_from_pseudo_inverse(&l), &commute_times(&m)) <= 1e-10);
        let states = chain.n_states();
        let from_l = Mat::from_fn(states, states, |i, j| {
            let term = |k: usize| (l[(i, k)] - l[(i, j)] - l[(j, k)] + l[(j, j)]) * rho[k];
            (0..states).map(term).sum()
        });
        prop_assert!(difference(&from_l, &m) <= 1e-10);
    }

    /// Reversibility is not needed: symmetrise after the pseudo-inverse.
    #[test]
    fn commute_times_of_any_chain_from_the_directed_laplacian(chain in any_chain()) {
        let rho = rho(&chain);
        let b = symmetric_part(&pseudo_inverse(&directed_laplacian(&chain, &rho)));
        let n = commute_times(&passage_times(&chain));
        prop_assert!(difference(&commute_from_pseudo_inverse(&b), &n) <= 1e-10);
    }

    /// −½JNJ = V_G L† with V_G = 1, and the pseudo-inverse is one.
    #[test]
    fn double_centred_commute_times_are_the_pseudo_inverse(chain in reversible()) {
        let rho = rho(&chain);
        let laplacian = laplacian(&chain, &rho);
        let l = pseudo_inverse(&laplacian);
        let n = commute_times(&passage_times(&chain));
        let b = double_centred(&n);
        let b = Mat::from_fn(b.nrows(), b.ncols(), |i, j| -0.5 * b[(i, j)]);
        prop_assert!(difference(&b, &l) <= 1e-10);
        prop_assert!(difference(&(&laplacian * &l * &laplacian), &laplacian) <= 1e-10);
    }

    #[test]
    fn classical_mds_of_commute_times_is_scaled_spectral(chain in reversible()) {
        let rho = rho(&chain);
        let n = commute_times(&passage_times(&chain));
        let states = chain.n_states();
        let spectrum = Spectrum::of_laplacian(&laplacian(&chain, &rho)).unwrap();
        for dims in 1..states {
            // A cut eigenspace makes both depend on the basis.
            if !spectrum.is_basis_independent(dims) {
                continue;
            }
            let scaled = squared_distances(&spectrum.scaled_embedding(dims));
            let classical = squared_distances(&classical_mds(&n, dims).unwrap());
            prop_assert!(difference(&classical, &scaled) <= 1e-7);
        }
        let all = squared_distances(&spectrum.scaled_embedding(states - 1));
        prop_assert!(difference(&all, &n) <= 1e-9);
    }

    #[test]
    fn scaled_spectral_distances_grow_with_every_dimension(chain in reversible()) {
        let rho = rho(&chain);
        let spectrum = Spectrum::of_laplacian(&laplacian(&chain, &rho)).unwrap();
        let mut before = vec![0.0; chain.n_states()];
        for dims in 1..chain.n_states() {
            let now = spectrum.distances_from(0, dims).scaled;
            prop_assert!(now.iter().zip(&before).all(|(a, b)| *a >= b - 1e-12));
            before = now;
        }
    }

    #[test]
    fn potential_gives_one_way_times_of_reversible_chains(chain in reversible()) {
        let rho = rho(&chain);
        let m = passage_times(&chain);
        let n = commute_times(&m);
        let one_way = one_way_times(&n, &potential(&n, &rho));
        prop_assert!(difference(&one_way, &m) <= 1e-10);
    }

    #[test]
    fn rho_weighted_target_lies_between_the_one_way_times(chain in any_chain()) {
        let rho = rho(&chain);
        let m = passage_times(&chain);
        let d = rho_weighted_target(&m, &rho);
        for i in 0..chain.n_states() {
            for j in 0..chain.n_states() {
                let (low, high) = (m[(i, j)].min(m[(j, i)]), m[(i, j)].max(m[(j, i)]));
                prop_assert!(d[(i, j)] >= low * (1.0 - 1e-12) && d[(i, j)] <= high * (1.0 + 1e-12));
            }
        }
    }

    #[test]
    fn shortest_paths_bound_passage_times(chain in any_chain()) {
        let m = passage_times(&chain);
        for i in 0..chain.n_states() {
            let from = steps_from(&chain, i);
            let to = steps_to(&chain, i);
            for j in 0..chain.n_states() {
                prop_assert!(m[(i, j)] >= f64::from(from[j]) - 1e-9);
                prop_assert!(m[(j, i)] >= f64::from(to[j]) - 1e-9);
                prop_assert_eq!(from[j], steps_to(&chain, j)[i]);
            }
        }
    }

    /// With a window far beyond every passage the estimator reaches the ρ-weighted target.
    #[test]
    fn a_long_window_forgets_that_it_is_finite(chain in any_chain()) {
        let rho = rho(&chain);
        let m = passage_times(&chain);
        let target = rho_weighted_target(&m, &rho);
        let window = (60.0 * m.norm_max()) as usize;
        prop_assume!(window < 6_000);
        let found = window_target(&chain, &rho, window, Sampler::EachFirstHit);
        prop_assert!(difference(&found, &target) <= 0.05);
    }

    #[test]
    fn stress_gradients_lead_downhill(chain in reversible(), q in 0.5..3.0_f64, p in 1.0..3.0_f64) {
        let m = passage_times(&chain);
        let target = action_distances(&m);
        let fit = |max_iterations| MetricMds {
            dims: 3,
            shape: NormPower { p, q },
            weights: Weights::Uniform,
            max_iterations,
            seed: Seed(1),
        };
        let start = fit(0).fit(&target).unwrap().stress;
        let end = fit(60).fit(&target).unwrap();
        prop_assert!(end.stress <= start);
        prop_assert!(end.stress.is_finite());
        let recomputed = fit(0).stress(&end.points, &target);
        prop_assert!((recomputed - end.stress).abs() <= 1e-9 * recomputed.max(1e-9));
        // Downhill at all, not merely nowhere uphill: a wrong gradient finds no step from a random start.
        prop_assert!(end.stress < 0.9 * start || start < 1e-12, "{} {}", start, end.stress);
    }
}

/// ‖x_i − x_j‖² of every pair of rows.
fn squared_distances(x: &Mat<f64>) -> Mat<f64> {
    let gap = |i: usize, j: usize, k: usize| x[(i, k)] - x[(j, k)];
    Mat::from_fn(x.nrows(), x.nrows(), |i, j| {
        (0..x.ncols()).map(|k| gap(i, j, k).powi(2)).sum()
    })
}
