//! A sum over workers gives the same bytes however many there are.

use crate::thread_comm::ThreadComm;
use isochrone::comm::{CHUNK_ROWS, Comm, CommError, DEFAULT_SHARDS, Shards, Single};
use proptest::prelude::*;
use std::thread;

const WIDTH: usize = 3;

/// A stand-in for a gradient: rows of f32, unequal episodes, values over many magnitudes.
fn rows(episode: usize, seed: u64) -> Vec<[f32; WIDTH]> {
    let count = (episode * 37 + seed as usize) % 2_500;
    let value = |row: usize, k: usize| {
        let x = ((row * WIDTH + k) as u64 ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        (x as f32 / 1e3).sin() * 10_f32.powi((x % 9) as i32 - 4)
    };
    (0..count)
        .map(|row| std::array::from_fn(|k| value(row, k)))
        .collect()
}

/// The rule of the house: f32 inside a chunk, f64 over chunks, whole episodes per shard.
fn partials(comm: &dyn Comm, shards: Shards, episodes: usize, seed: u64) -> Vec<Vec<f64>> {
    let sum_of = |shard: usize| {
        let mut total = vec![0.0_f64; WIDTH];
        for episode in (0..episodes).filter(|&e| shards.of_episode(e) == shard) {
            for chunk in rows(episode, seed).chunks(CHUNK_ROWS) {
                let mut sum = [0.0_f32; WIDTH];
                for row in chunk {
                    sum.iter_mut().zip(row).for_each(|(s, x)| *s += x);
                }
                total
                    .iter_mut()
                    .zip(sum)
                    .for_each(|(t, s)| *t += f64::from(s));
            }
        }
        total
    };
    shards.owned_by(comm).map(sum_of).collect()
}

fn on_workers<T: Send>(size: usize, work: impl Fn(&dyn Comm) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let workers: Vec<_> = ThreadComm::group(size)
            .into_iter()
            .map(|comm| {
                scope.spawn(|| {
                    let comm = comm;
                    work(&comm)
                })
            })
            .collect();
        workers.into_iter().map(|w| w.join().unwrap()).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn equal_bytes_for_any_number_of_workers(episodes in 1..150_usize, seed in any::<u64>()) {
        let sums = |comm: &dyn Comm| {
            let shards = Shards::new(DEFAULT_SHARDS, comm.size()).unwrap();
            let partials = partials(comm, shards, episodes, seed);
            let narrow: Vec<Vec<f32>> =
                partials.iter().map(|p| p.iter().map(|x| *x as f32).collect()).collect();
            let wide = comm.sum_shards_f64(&partials).unwrap();
            let narrow = comm.sum_shards_f32(&narrow).unwrap();
            wide.iter().chain(&narrow).map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let alone = sums(&Single);
        for size in [1, 2, 4, 8] {
            for bits in on_workers(size, sums) {
                prop_assert_eq!(&bits, &alone, "{} workers", size);
            }
        }
    }
}

#[test]
fn every_rank_gathers_the_same_in_rank_order() {
    let gathered = on_workers(4, |comm| {
        comm.barrier().unwrap();
        let mine = vec![comm.rank() as u8; comm.rank()];
        (
            comm.all_gather_bytes(&mine).unwrap(),
            comm.broadcast_bytes(2, &mine).unwrap(),
        )
    });
    for (all, from_two) in gathered {
        assert_eq!(all, [vec![], vec![1], vec![2, 2], vec![3, 3, 3]]);
        assert_eq!(from_two, [2, 2]);
    }
}

#[test]
fn an_abort_wakes_everybody() {
    let errors = on_workers(3, |comm| {
        if comm.rank() == 1 {
            comm.abort("loss is NaN");
        }
        comm.barrier().unwrap_err()
    });
    let expected = CommError::Aborted {
        rank: 1,
        reason: "loss is NaN".to_owned(),
    };
    assert_eq!(errors, vec![expected; 3]);
}

#[test]
fn unequal_partials_are_refused_on_every_rank() {
    let results = on_workers(2, |comm| {
        let width = if comm.rank() == 1 { 2 } else { 3 };
        comm.sum_shards_f64(&vec![vec![0.0; width]; 32])
    });
    assert!(results.iter().all(Result::is_err), "{results:?}");
}

/// As many bytes, but cut otherwise: refused, not added.
#[test]
fn partials_of_another_shape_are_refused() {
    let results = on_workers(2, |comm| {
        let (shards, width) = if comm.rank() == 0 { (2, 3) } else { (3, 2) };
        comm.sum_shards_f64(&vec![vec![1.0; width]; shards])
    });
    assert!(results.iter().all(Result::is_err), "{results:?}");
    let alone = Single.sum_shards_f64(&[vec![], vec![]]);
    assert_eq!(alone, Ok(vec![]), "nothing adds up to nothing");
}

#[test]
fn a_worker_that_panics_leaves_nobody_waiting() {
    let mut group = ThreadComm::group(2);
    let survivor = group.swap_remove(0);
    thread::scope(|scope| {
        let other = group.swap_remove(0);
        let fallen = scope.spawn(move || {
            let _comm = other;
            std::panic::resume_unwind(Box::new("on purpose"));
        });
        assert!(survivor.barrier().is_err());
        assert!(fallen.join().is_err());
    });
}

#[test]
fn uneven_rank_counts_are_refused() {
    let error = Shards::new(64, 3).unwrap_err();
    assert_eq!(
        error.to_string(),
        "3 ranks cannot share 64 shards evenly; use a rank count that divides 64"
    );
    assert!(Single.broadcast_bytes(1, b"").is_err());
}
