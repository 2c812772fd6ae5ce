//! The strip of `point-mass-one-way`: crossed in one direction, never in the other.

use isochrone::env::Environment;
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone_mujoco::{Arena, PointMass};
use rand::RngExt;

/// The strip spans the corridor between these y; it pushes towards smaller y, where the start is.
const STRIP_M: [f64; 2] = [1.0, 3.0];

fn point() -> PointMass {
    let mut point = PointMass::new(Arena::ONE_WAY.parse().unwrap()).unwrap();
    point.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
    point
}

/// Pushes along y; along x only what keeps to the middle of the corridor.
fn step(point: &mut PointMass, along_y: f32) {
    let (x, vx) = (point.qpos()[0], point.qvel()[0]);
    let aside = (-10.0 * x - 3.0 * vx).clamp(-1.0, 1.0) as f32;
    point.step(&[aside, along_y]).unwrap();
}

#[test]
fn the_push_exceeds_the_actuator_inside_the_strip_only() {
    let arena: Arena = Arena::ONE_WAY.parse().unwrap();
    assert!(arena.push_n().unwrap() > 2.0);
    let push = |place| arena.push_at_n(place).map(|force| force.round() as i32);
    assert_eq!(push([0.0, 2.0]), [0, -6]);
    assert_eq!(push([0.9, 1.0]), [0, -6], "its border belongs to it");
    for place in [[0.0, 0.99], [0.0, 3.01], [2.0, 0.0], [8.0, 2.0]] {
        assert_eq!(push(place), [0; 2], "{place:?}");
    }
}

/// The next push along y.
type Pusher = Box<dyn FnMut(&PointMass) -> f32>;

/// With every run-up that the start's corner allows: pushing on, swinging with the strip's own push, at random.
#[test]
fn nobody_crosses_against_the_push() {
    let mut rng: Rng = Seed(3).stream(Purpose::Act, 0, 0);
    let mut random = (0, 0.0);
    let mut pushers: [Pusher; 3] = [
        Box::new(|_| 1.0),
        Box::new(|point| if point.qvel()[1] >= 0.0 { 1.0 } else { -1.0 }),
        Box::new(move |_| {
            if random.0 == 0 {
                random = (rng.random_range(1..80), rng.random_range(-1_i8..=1).into());
            }
            random.0 -= 1;
            random.1
        }),
    ];
    for (number, pusher) in pushers.iter_mut().enumerate() {
        let (mut point, mut deepest) = (point(), 0.0_f64);
        for _ in 0..40_000 {
            let along_y = pusher(&point);
            step(&mut point, along_y);
            deepest = deepest.max(point.qpos()[1]);
        }
        assert!(
            deepest > STRIP_M[0] + 0.5 && deepest < STRIP_M[1] - 0.5,
            "pusher {number}: {deepest} m"
        );
    }
}

/// Round the ring and through the strip, back to the start: all of the arena is connected.
#[test]
fn round_the_ring_and_through_the_strip() {
    let mut point = point();
    let corners = [[8.0, 0.0], [8.0, 4.0], [0.0, 4.0], [0.0, 0.0]];
    let mut steps = [0; 4];
    for (leg, corner) in corners.iter().enumerate() {
        while (0..2).any(|k| (point.qpos()[k] - corner[k]).abs() > 0.3) {
            let action = [0, 1].map(|k| {
                let (place, velocity) = (point.qpos()[k], point.qvel()[k]);
                (2.0 * (corner[k] - place) - 1.4 * velocity).clamp(-1.0, 1.0) as f32
            });
            point.step(&action).unwrap();
            steps[leg] += 1;
            assert!(steps[leg] < 400, "leg {leg}: at {:?}", point.qpos());
        }
    }
    let to_the_far_side: u32 = steps[..3].iter().sum();
    assert!(to_the_far_side < 400, "within the horizon: {steps:?}");
    assert!(4 * steps[3] < to_the_far_side, "back is shorter: {steps:?}");
}
