//! Ranks that are killed and ranks that hang: the job ends, and goes on later with another number of ranks.

use crate::jobs::{Desk, Mpi, PLANNED, TINY, said};
use std::process::Command;
use std::time::{Duration, Instant};

const LONG: &str = "iterations=30 evaluate_every=10";

fn signal(signal: &str, pid: &str) {
    let sent = Command::new("kill").args([signal, pid]).status();
    assert!(sent.unwrap().success());
}

/// Ranks that still run after five seconds. The launcher can exit shortly before the ranks that it has signalled.
fn left_behind(desk: &Desk) -> Vec<String> {
    let since = Instant::now();
    loop {
        let ranks = desk.ranks();
        if ranks.is_empty() || since.elapsed() > Duration::from_secs(5) {
            return ranks;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Begins on `ranks`, does something to the last rank, waits for the end, and goes on with `others`.
fn trial(spec: &str, mpi: Mpi, ranks: usize, others: usize, fault: &str, expected: &str) {
    let desk = Desk::new();
    let train = format!("train {spec} {LONG} --threads 1");
    let whole = desk.alone(&format!("{train} --out whole"));
    assert!(whole.status.success(), "{}", said(&whole));
    let patience = "--patience-s 3";
    let job = desk.start(mpi, ranks, &format!("{train} --out run --mpi {patience}"));
    desk.wait_for("run", 5);
    let pids = desk.ranks();
    assert_eq!(pids.len(), ranks, "{pids:?}");
    signal(fault, pids.last().unwrap());
    let since = Instant::now();
    let output = job.wait_with_output().unwrap();
    assert!(!output.status.success(), "{mpi:?} {fault}");
    assert!(since.elapsed() < Duration::from_secs(30), "{mpi:?} {fault}");
    assert!(said(&output).contains(expected), "{}", said(&output));
    assert_eq!(
        left_behind(&desk),
        Vec::<String>::new(),
        "somebody was left behind"
    );
    let resume = "resume run --threads 1 --mpi";
    let resumed = desk.job(mpi, others, resume);
    assert!(resumed.status.success(), "{}", said(&resumed));
    desk.assert_equal(["whole", "run"], &format!("{mpi:?} {fault}"));
}

#[test]
fn a_killed_rank_ends_the_job_of_open_mpi() {
    trial(TINY, Mpi::Open, 4, 2, "-KILL", "");
}

#[test]
fn a_killed_rank_ends_the_job_of_mpich() {
    trial(TINY, Mpi::Mpich, 2, 4, "-KILL", "");
}

#[test]
fn a_killed_rank_with_a_planner_goes_on_with_other_ranks() {
    trial(PLANNED, Mpi::Open, 2, 4, "-KILL", "");
}

#[test]
fn a_frozen_rank_is_noticed() {
    let expected = "for the others, which is too long: a rank hangs";
    trial(TINY, Mpi::Open, 2, 1, "-STOP", expected);
}

/// A fit that is killed goes on with another number of ranks.
#[test]
fn a_killed_fit_goes_on_with_other_ranks() {
    let desk = Desk::new();
    let walk = "collect point-mass --episodes 400 --steps 200 -o walk.parquet";
    assert!(desk.alone(walk).status.success());
    let set = "--set batch=1024 --set hidden=[16] --set dims=4 --set chunk_rows=5000";
    let fit = |out: &str| format!("fit walk.parquet --passes 20 {set} -o {out}.isochrone");
    assert!(desk.alone(&fit("whole")).status.success());
    let job = desk.start(Mpi::Open, 2, &format!("{} --mpi", fit("run")));
    desk.wait_for("run.run", 3);
    // A stop keeps the chunk at hand; a kill would go back to the last minute's checkpoint.
    signal("-TERM", desk.ranks().last().unwrap());
    let output = job.wait_with_output().unwrap();
    assert!(said(&output).contains("fit --resume"), "{}", said(&output));
    let resumed = desk.job(Mpi::Mpich, 4, "fit --resume run.run --mpi");
    assert!(resumed.status.success(), "{}", said(&resumed));
    let read = |name: &str| std::fs::read(desk.path(name)).unwrap();
    assert!(read("whole.isochrone") == read("run.isochrone"));
}

/// A signal to one is a stop for all, with a checkpoint and one sentence.
#[test]
fn a_stop_on_one_rank_stops_all() {
    let desk = Desk::new();
    let train = format!("train {TINY} {LONG} --threads 1");
    assert!(desk.alone(&format!("{train} --out whole")).status.success());
    let job = desk.start(Mpi::Mpich, 2, &format!("{train} --out run --mpi"));
    desk.wait_for("run", 3);
    signal("-TERM", desk.ranks().last().unwrap());
    let output = job.wait_with_output().unwrap();
    let told = said(&output);
    assert!(!output.status.success(), "{told}");
    assert_eq!(
        told.matches("of 30 iterations are kept").count(),
        1,
        "{told}"
    );
    assert!(desk.alone("resume run --threads 2").status.success());
    desk.assert_equal(["whole", "run"], "after a stop");
}
