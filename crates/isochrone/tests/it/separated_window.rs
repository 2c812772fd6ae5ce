//! Windows whose far pairs are kept apart: a corridor with a hairpin bend, seen as places in the plane.

use isochrone::comm::Single;
use isochrone::distance::Distance;
use isochrone::embedding::{DistanceSpec, DistanceTrainer, LearningRate, Objective, Part};
use isochrone::pairs::{Episodes, Sampler, Target};
use isochrone::rng::Seed;

const WINDOW_STEPS: usize = 20;
/// Steps from one end of the corridor to the other.
const LENGTH_STEPS: usize = 200;

/// The place so many steps from the entrance: up one arm, and back down the other, a quarter of a metre beside it.
fn place(at: usize) -> [f32; 2] {
    let half = LENGTH_STEPS / 2;
    let metres = |steps: usize| 0.04 * steps as f32;
    if at <= half {
        [metres(at), 0.0]
    } else {
        [metres(LENGTH_STEPS - at), 0.25]
    }
}

/// The distance that is learned from walks to and fro: between neighbours in the corridor, ten steps apart, and through the
/// wall, between places 140 steps apart.
fn along_and_across(target: Target) -> [f64; 2] {
    let walk = |start: usize| {
        (start..start + 400).flat_map(|step| {
            let phase = step % (2 * LENGTH_STEPS);
            place(phase.min(2 * LENGTH_STEPS - phase))
        })
    };
    let states: Vec<f32> = (0..10).flat_map(|k| walk(37 * k)).collect();
    let ranges = (0..10).map(|k| 400 * k..400 * (k + 1)).collect();
    let episodes = Episodes::new(&states, 2, ranges).unwrap();
    let spec = DistanceSpec {
        objective: Objective::Regression {
            target,
            sampler: Sampler::UniformStartThenEnd,
        },
        p: 2.0,
        learning_rate: LearningRate::Constant(3e-3),
        ..DistanceSpec::paper(2, WINDOW_STEPS)
    };
    let mut trainer = DistanceTrainer::new(spec, Seed(3)).unwrap();
    for epoch in 0..40 {
        trainer
            .epoch(&Part::whole(&episodes), epoch, &Single)
            .unwrap();
    }
    let learned = trainer.distance().unwrap();
    let between = |a, b| learned.between(&place(a), &place(b)).unwrap();
    [between(30, 40), between(30, 170)]
}

/// The window alone says nothing about places that are never within it, and the network puts them together.
#[test]
fn far_pairs_keep_both_sides_of_a_wall_apart() {
    let steps = WINDOW_STEPS;
    let window = along_and_across(Target::Window { steps });
    let separated = along_and_across(Target::SeparatedWindow {
        steps,
        far_share: 0.25,
    });
    for along in [window[0], separated[0]] {
        assert!((6.0..14.0).contains(&along), "{window:?} {separated:?}");
    }
    let least = 0.75 * steps as f64;
    assert!(
        window[1] < 0.5 * least && separated[1] > least,
        "{window:?} {separated:?}"
    );
}
