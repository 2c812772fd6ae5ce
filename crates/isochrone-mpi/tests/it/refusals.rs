//! What cannot be is refused in one sentence, with a code that scripts can tell apart.

use crate::jobs::{Desk, Mpi, TINY, said};

#[test]
fn what_cannot_be_launched_is_refused() {
    let desk = Desk::new();
    let train = format!("train {TINY} --out run");
    let alone = desk.alone(&format!("{train} --mpi"));
    assert_eq!(alone.status.code(), Some(3));
    assert!(
        said(&alone).contains("this process was not launched by MPI"),
        "{}",
        said(&alone)
    );
    for mpi in Mpi::BOTH {
        let other = match mpi {
            Mpi::Open => Mpi::Mpich,
            Mpi::Mpich => Mpi::Open,
        };
        let other = other.plugin().display().to_string();
        for (arguments, code, expected) in [
            (String::new(), 3, "each would do the whole work"),
            (
                format!("--mpi --mpi-plugin {other}"),
                3,
                "does not belong to this launcher",
            ),
            (
                "--mpi --mpi-plugin nowhere.so".to_owned(),
                2,
                "nowhere.so does not exist",
            ),
            (
                "--mpi --mpi-plugin /proc/self/exe".to_owned(),
                2,
                "cannot open /proc/self/exe",
            ),
        ] {
            let job = desk.job(mpi, 2, &format!("{train} {arguments}"));
            assert!(
                said(&job).contains(expected),
                "{mpi:?} {arguments}: {}",
                said(&job)
            );
            assert_eq!(job.status.code(), Some(code), "{mpi:?} {arguments}");
        }
        let job = desk.job(mpi, 3, &format!("{train} --mpi"));
        let expected = "3 ranks cannot share 64 shards evenly; use a rank count that divides 64";
        assert!(said(&job).contains(expected), "{}", said(&job));
    }
    assert!(!desk.path("run").exists());
}

#[test]
fn a_fit_that_cannot_be_divided_is_refused() {
    let desk = Desk::new();
    let walk = "collect point-mass --episodes 4 --steps 20 -o walk.parquet";
    assert!(desk.alone(walk).status.success());
    for (set, expected) in [
        ("batch=256", "2 ranks cannot share batches of 256 pairs"),
        ("batch=1280", "A fit with batch=1536 can be shared"),
    ] {
        let fit = format!("fit walk.parquet -o a.isochrone --mpi --set {set}");
        let job = desk.job(Mpi::Open, 2, &fit);
        assert!(said(&job).contains(expected), "{}", said(&job));
        // What an earlier fit left would have been cleared away.
        assert!(!desk.path("a.run").exists());
    }
}
