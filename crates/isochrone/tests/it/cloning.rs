//! Cloned policies against the controller that they were cloned from.

use isochrone::cloning::{CloningSpec, CloningTrainer, Demonstrations, DemonstrationsError};
use isochrone::rng::{Purpose, Seed};
use rand::RngExt;

/// A body that walks straight at a target: the action is the unit vector, the step 0.2 of it.
fn straight_walks() -> Demonstrations {
    let mut rng = Seed(3).stream(Purpose::Act, 0, 0);
    let (mut rows, mut ranges) = (Vec::new(), Vec::new());
    for episode in 0..200 {
        let [mut x, mut y, to_x, to_y] = std::array::from_fn(|_| 10.0 * rng.random::<f32>() - 5.0);
        ranges.push(episode * 30..(episode + 1) * 30);
        for _ in 0..30 {
            let apart = (to_x - x).hypot(to_y - y).max(1e-3);
            let action = [(to_x - x) / apart, (to_y - y) / apart];
            rows.extend([x, y, action[0], action[1]]);
            (x, y) = (x + 0.2 * action[0], y + 0.2 * action[1]);
        }
    }
    Demonstrations::new(rows, 2, 2, &ranges).unwrap()
}

fn spec() -> CloningSpec {
    CloningSpec {
        hidden: vec![64],
        batch: 128,
        updates: 600,
        ..CloningSpec::new(2, 2)
    }
}

#[test]
fn a_clone_does_as_its_controller() {
    let demonstrations = straight_walks();
    let mut trainer = CloningTrainer::new(spec(), Seed(0), &demonstrations).unwrap();
    for _ in 0..spec().updates {
        trainer.update(&demonstrations).unwrap();
    }
    let policy = trainer.policy().unwrap();
    for (x, y) in [(1.0, 0.0), (0.0, 1.0), (-0.7, 0.7), (0.6, -0.8)] {
        let action = policy
            .act(&[0.5, -0.5], &[0.5 + 2.0 * x, -0.5 + 2.0 * y])
            .unwrap();
        let along = action[0] * x + action[1] * y;
        assert!(along > 0.9, "{action:?} towards ({x}, {y})");
        assert!(action.iter().all(|a| a.abs() <= 1.0));
    }
    assert!(policy.act(&[0.0], &[0.0, 0.0]).is_err());
    assert!(policy.act(&[0.0, 0.0], &[0.0, 0.0, 0.0]).is_err());
}

#[test]
fn a_restored_clone_goes_on_as_if_never_stopped() {
    let demonstrations = straight_walks();
    let mut whole = CloningTrainer::new(spec(), Seed(1), &demonstrations).unwrap();
    for _ in 0..20 {
        whole.update(&demonstrations).unwrap();
    }
    let saved = whole.save();
    let mut other = CloningTrainer::new(spec(), Seed(1), &demonstrations).unwrap();
    other.restore(&saved).unwrap();
    for _ in 0..20 {
        let losses = [&mut whole, &mut other].map(|t| t.update(&demonstrations).unwrap());
        assert!((losses[0] - losses[1]).abs() < f64::EPSILON);
    }
    assert_eq!(whole.weights(), other.weights());
}

#[test]
fn what_is_no_demonstration_is_refused() {
    let refused =
        |rows: usize, range| Demonstrations::new(vec![0.0; rows], 2, 1, &[range]).unwrap_err();
    assert!(matches!(
        refused(7, 0..2),
        DemonstrationsError::Ragged { .. }
    ));
    assert!(matches!(
        refused(6, 0..3),
        DemonstrationsError::Ragged { .. }
    ));
    assert_eq!(refused(6, 0..1), DemonstrationsError::NoSteps);
    let two = Demonstrations::new(vec![0.0; 9], 2, 1, &[0..2, 2..3]).unwrap();
    assert!(CloningTrainer::new(CloningSpec::new(3, 1), Seed(0), &two).is_err());
    let none = CloningSpec {
        batch: 0,
        ..CloningSpec::new(2, 1)
    };
    assert!(CloningTrainer::new(none, Seed(0), &two).is_err());
}
