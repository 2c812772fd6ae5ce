//! The same bytes, however many ranks there are and whoever carries their messages.

use crate::jobs::{Desk, Mpi, PLANNED, TINY, said};

#[test]
fn equal_bytes_on_any_ranks_of_both_families_and_without_mpi() {
    let desk = Desk::new();
    let train = |run: &str, threads: u8| format!("train {TINY} --threads {threads} --out {run}");
    let alone = desk.alone(&train("alone", 1));
    assert!(alone.status.success(), "{}", said(&alone));
    for (mpi, ranks, threads) in [
        (Mpi::Open, 1, 2),
        (Mpi::Open, 2, 1),
        (Mpi::Open, 4, 2),
        (Mpi::Mpich, 2, 2),
        (Mpi::Mpich, 4, 1),
    ] {
        let run = format!("{mpi:?}-{ranks}-{threads}");
        let job = desk.job(mpi, ranks, &format!("{} --mpi", train(&run, threads)));
        assert!(job.status.success(), "{run}: {}", said(&job));
        desk.assert_equal(["alone", &run], &run);
        // Told once, by the leader.
        let told = String::from_utf8_lossy(&job.stdout).into_owned();
        assert_eq!(told.matches("6 iterations").count(), 1, "{told}");
    }
}

#[test]
fn equal_bytes_with_a_planner() {
    let desk = Desk::new();
    let train = |run: &str, threads: u8| format!("train {PLANNED} --threads {threads} --out {run}");
    let alone = desk.alone(&train("alone", 4));
    assert!(alone.status.success(), "{}", said(&alone));
    for (mpi, ranks, threads) in [(Mpi::Open, 2, 2), (Mpi::Mpich, 4, 1)] {
        let run = format!("{mpi:?}-{ranks}-{threads}");
        let job = desk.job(mpi, ranks, &format!("{} --mpi", train(&run, threads)));
        assert!(job.status.success(), "{run}: {}", said(&job));
        desk.assert_equal(["alone", &run], &run);
    }
}

/// MPI's own order is another one; the same ranks give the same bytes with it, and about the same numbers.
#[test]
fn fast_sums_repeat_on_equally_many_ranks() {
    let desk = Desk::new();
    for run in ["a", "b"] {
        let train = format!("train {TINY} --threads 1 --out {run} --mpi --reduce fast");
        let job = desk.job(Mpi::Open, 4, &train);
        assert!(job.status.success(), "{}", said(&job));
    }
    desk.assert_equal(["a", "b"], "two jobs of four ranks");
    // Whoever compares bytes later can see why they are others.
    let manifest = std::fs::read_to_string(desk.path("a/manifest.json")).unwrap();
    assert!(manifest.contains("MPI's on 4 ranks"), "{manifest}");
}

#[test]
fn a_fit_has_equal_bytes_on_any_ranks() {
    let desk = Desk::new();
    let walk = "collect point-mass --episodes 100 --steps 100 -o walk.parquet";
    let collected = desk.alone(walk);
    assert!(collected.status.success(), "{}", said(&collected));
    let targets = [
        ("window", "window"),
        ("bootstrapped", "bootstrapped --radius 0.3"),
        ("clips", "window --set clip_frames=8"),
    ];
    for (name, target) in targets {
        let fit = |out: &str| {
            let set = "--set batch=1024 --set hidden=[16] --set dims=4";
            format!("fit walk.parquet --passes 2 --target {target} {set} -o {out}.isochrone")
        };
        let alone = desk.alone(&fit(&format!("{name}-1")));
        assert!(alone.status.success(), "{}", said(&alone));
        for (mpi, ranks) in [(Mpi::Open, 2), (Mpi::Mpich, 4)] {
            let out = format!("{name}-{ranks}");
            let job = desk.job(mpi, ranks, &format!("{} --mpi", fit(&out)));
            assert!(job.status.success(), "{}", said(&job));
            let read = |out: &str| std::fs::read(desk.path(&format!("{out}.isochrone"))).unwrap();
            assert!(read(&format!("{name}-1")) == read(&out), "{out}");
        }
    }
}
