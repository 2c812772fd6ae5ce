//! The trust-region update: its derivatives, its promises, its bytes.

use crate::thread_comm::ThreadComm;
use isochrone::batch::{Batch, Chunk, Shard};
use isochrone::comm::{CHUNK_ROWS, Comm, Single};
use isochrone::policy::{GaussianPolicy, InputRow, PolicyShape, Std};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::trpo::{TrpoError, TrpoSpec, inside, update};
use proptest::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;

const INPUTS: usize = 4;
const ACTIONS: usize = 2;
const SHARDS: usize = 8;

fn policy(std: Std, seed: u64) -> GaussianPolicy {
    let shape = PolicyShape {
        inputs: InputRow::plain(INPUTS, 0),
        hidden: vec![8, 6],
        actions: ACTIONS,
    };
    let mut policy = GaussianPolicy::untrained(&shape, std, 0.7, Seed(seed));
    let mut rng = Seed(seed).stream(Purpose::Act, 0, 7);
    let moved: Vec<f32> = policy
        .parameters()
        .iter()
        .map(|p| p + 0.3 * normal(&mut rng))
        .collect();
    policy.set_parameters(&moved);
    policy
}

fn normal(rng: &mut Rng) -> f32 {
    rng.sample(StandardNormal)
}

/// Rows whose better actions are those near a line in the inputs; shards of unequal size, one of them empty, one of
/// several chunks.
fn batch(seed: u64) -> (Batch, Vec<Vec<f32>>) {
    let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
    let (mut shards, mut advantages) = (Vec::new(), Vec::new());
    for shard in 0..SHARDS {
        let rows = match shard {
            0 => 0,
            3 => 2 * CHUNK_ROWS + 17,
            _ => 20 + 3 * shard,
        };
        let (mut of_shard, mut all) = (Shard::default(), Vec::new());
        for chunk in (0..rows).collect::<Vec<_>>().chunks(CHUNK_ROWS) {
            let draw = |n: usize, rng: &mut Rng| (0..n).map(|_| normal(rng)).collect::<Vec<f32>>();
            let inputs = draw(chunk.len() * INPUTS, &mut rng);
            let actions = draw(chunk.len() * ACTIONS, &mut rng);
            let each = inputs.chunks(INPUTS).zip(actions.chunks(ACTIONS));
            all.extend(each.map(|(input, action)| {
                0.6 - (action[0] - input[0]).abs() + 0.2 * action[1] * input[1]
            }));
            of_shard.chunks.push(Chunk {
                inputs,
                actions,
                times: vec![0; chunk.len()],
            });
        }
        shards.push(of_shard);
        advantages.push(all);
    }
    let total_rows = shards.iter().map(Shard::rows).sum();
    let batch = Batch {
        shards,
        total_rows,
        input_length: INPUTS,
        action_length: ACTIONS,
    };
    (batch, advantages)
}

fn moved_by(policy: &GaussianPolicy, direction: &[f64], step: f64) -> GaussianPolicy {
    let mut moved = policy.clone();
    let each = policy.parameters().into_iter().zip(direction);
    let parameters: Vec<f32> = each
        .map(|(p, d)| (f64::from(p) + step * d) as f32)
        .collect();
    moved.set_parameters(&parameters);
    moved
}

fn direction(length: usize, seed: u64) -> Vec<f64> {
    let mut rng = Seed(seed).stream(Purpose::Act, 1, 0);
    (0..length).map(|_| f64::from(normal(&mut rng))).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[test]
fn the_gradient_is_that_of_the_surrogate() {
    for std in [Std::Learned, Std::Fixed] {
        let (policy, (batch, gains)) = (policy(std, 1), batch(1));
        let d = direction(policy.parameters().len(), 2);
        let (value, gradient, _) =
            inside::derivatives(&policy, &batch, &gains, &d, &Single).unwrap();
        let at = |step| {
            let moved = moved_by(&policy, &d, step);
            inside::compare(&policy, &moved, &batch, &gains, &Single)
                .unwrap()
                .0
        };
        assert!(
            (value - at(0.0)).abs() < 1e-6 * value.abs(),
            "ratios are 1 at the start"
        );
        let differences = (at(1e-3) - at(-1e-3)) / 2e-3;
        let found = dot(&gradient, &d);
        assert!(
            (found - differences).abs() < 2e-3 * differences.abs(),
            "{found} {differences}"
        );
    }
}

#[test]
fn fisher_products_are_the_curvature_of_the_divergence() {
    for std in [Std::Learned, Std::Fixed] {
        let (policy, (batch, gains)) = (policy(std, 4), batch(4));
        let n = policy.parameters().len();
        let (u, v) = (direction(n, 5), direction(n, 6));
        let product = |d: &[f64]| {
            inside::derivatives(&policy, &batch, &gains, d, &Single)
                .unwrap()
                .2
        };
        let (fu, fv) = (product(&u), product(&v));
        let (a, b) = (dot(&u, &fv), dot(&v, &fu));
        assert!(
            (a - b).abs() < 1e-4 * dot(&u, &fu),
            "not symmetric: {a} {b}"
        );
        for (d, f) in [(&u, &fu), (&v, &fv)] {
            let curvature = dot(d, f);
            assert!(curvature > 0.0);
            let moved = moved_by(&policy, d, 1e-3);
            let kl = inside::compare(&policy, &moved, &batch, &gains, &Single)
                .unwrap()
                .1;
            let expected = 0.5 * 1e-6 * curvature;
            assert!((kl - expected).abs() < 2e-2 * expected, "{kl} {expected}");
        }
    }
}

/// KL(old ‖ new) of one Gaussian by summing over its density: a wide one is far from a narrow one, not the reverse.
#[test]
fn the_divergence_has_its_direction() {
    let (old, (batch, gains)) = (policy(Std::Learned, 7), batch(7));
    let n = old.parameters().len();
    let mut only_std = vec![0.0; n];
    only_std[n - ACTIONS..].fill(-1.0);
    let new = moved_by(&old, &only_std, 1.0);
    let found = inside::compare(&old, &new, &batch, &gains, &Single)
        .unwrap()
        .1;
    let stds = |p: &GaussianPolicy| {
        p.log_std()
            .iter()
            .map(|x| f64::from(*x).exp())
            .collect::<Vec<_>>()
    };
    let each = stds(&old).into_iter().zip(stds(&new));
    let expected: f64 = each.map(|(o, n)| by_summing(o, n)).sum();
    assert!((found - expected).abs() < 1e-5, "{found} {expected}");
}

fn by_summing(old_std: f64, new_std: f64) -> f64 {
    let density =
        |x: f64, s: f64| (-0.5 * (x / s).powi(2)).exp() / (s * (2.0 * std::f64::consts::PI).sqrt());
    let dx = 1e-3 * old_std;
    let points = (-10_000..=10_000).map(|k| f64::from(k) * dx);
    let log_ratio =
        |x: f64| (new_std / old_std).ln() + 0.5 * ((x / new_std).powi(2) - (x / old_std).powi(2));
    points
        .map(|x| density(x, old_std) * log_ratio(x) * dx)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever step is taken keeps both promises, and it is the step that was tried.
    #[test]
    fn accepted_steps_keep_their_promises(seed in 0..10_000_u64, limit in 1e-4..0.3_f64, is_learned in any::<bool>()) {
        let std = if is_learned { Std::Learned } else { Std::Fixed };
        let (old, (batch, gains)) = (policy(std, seed), batch(seed));
        let (mut new, spec) = (old.clone(), TrpoSpec { kl_limit: limit, ..TrpoSpec::reference() });
        let report = update(&mut new, &batch, &gains, &spec, &Single, 1).unwrap();
        let (before, _) = inside::compare(&old, &old, &batch, &gains, &Single).unwrap();
        let (after, kl) = inside::compare(&old, &new, &batch, &gains, &Single).unwrap();
        if report.shrunk.is_some() {
            prop_assert!(kl <= limit, "KL {kl} above {limit}");
            prop_assert!(after > before, "{after} is no improvement on {before}");
            prop_assert!((kl - report.kl).abs() < 1e-12, "told {}, is {kl}", report.kl);
        } else {
            prop_assert_eq!(old.parameters(), new.parameters());
        }
    }
}

/// Room enough for several steps to be tried: the step taken is the one that was found, not the first.
#[test]
fn long_steps_are_shrunk_and_the_shrunk_one_is_taken() {
    let spec = TrpoSpec {
        kl_limit: 0.5,
        ..TrpoSpec::reference()
    };
    let mut n_shrunk = 0;
    for seed in 0..20 {
        let (old, (batch, gains)) = (policy(Std::Learned, seed), batch(seed));
        let mut new = old.clone();
        let report = update(&mut new, &batch, &gains, &spec, &Single, 1).unwrap();
        let kl = inside::compare(&old, &new, &batch, &gains, &Single)
            .unwrap()
            .1;
        assert!(
            kl <= spec.kl_limit && (kl - report.kl).abs() < 1e-12,
            "{kl} {report:?}"
        );
        n_shrunk += usize::from(report.shrunk.is_some_and(|tries| tries > 0));
    }
    assert!(n_shrunk > 0, "no case needed a shorter step");
}

#[test]
fn a_failed_search_leaves_the_policy_as_it_was() {
    let spec = TrpoSpec {
        kl_limit: 5.0,
        backtracks: 1,
        ..TrpoSpec::reference()
    };
    let mut failed = 0;
    for seed in 0..20 {
        let (old, (batch, gains)) = (policy(Std::Learned, seed), batch(seed));
        let mut new = old.clone();
        let report = update(&mut new, &batch, &gains, &spec, &Single, 1).unwrap();
        if report.shrunk.is_none() {
            failed += 1;
            assert_eq!(old, new, "seed {seed}");
        }
    }
    assert!(failed > 0, "every step was taken");
}

#[test]
fn equal_bytes_for_any_number_of_threads_and_ranks() {
    let (old, (batch, gains)) = (policy(Std::Learned, 9), batch(9));
    let spec = TrpoSpec::reference();
    let mut alone = old.clone();
    let report = update(&mut alone, &batch, &gains, &spec, &Single, 1).unwrap();
    assert!(report.shrunk.is_some());
    for threads in [2, 3, 8] {
        let mut new = old.clone();
        update(&mut new, &batch, &gains, &spec, &Single, threads).unwrap();
        assert_eq!(alone, new, "{threads} threads");
    }
    for ranks in [2, 4] {
        let each = SHARDS / ranks;
        let work = &|comm: ThreadComm| {
            let mine = comm.rank() * each..(comm.rank() + 1) * each;
            let part = Batch {
                shards: batch.shards[mine.clone()].to_vec(),
                ..batch.clone()
            };
            let mut new = old.clone();
            update(&mut new, &part, &gains[mine], &spec, &comm, 1).unwrap();
            assert_eq!(alone, new, "{ranks} ranks");
        };
        std::thread::scope(|scope| {
            for comm in ThreadComm::group(ranks) {
                scope.spawn(move || work(comm));
            }
        });
    }
}

#[test]
fn what_is_no_number_is_named() {
    let (mut policy, (batch, mut gains)) = (policy(Std::Learned, 9), batch(9));
    gains[1][0] = f32::NAN;
    let refused = update(
        &mut policy,
        &batch,
        &gains,
        &TrpoSpec::reference(),
        &Single,
        1,
    );
    let told = refused.unwrap_err();
    assert!(matches!(told, TrpoError::NonFinite { .. }));
    assert_eq!(told.to_string(), "policy gradient norm is NaN");
}
