//! Walls of 0.1 m: nothing gets through them, and the whole corridor can be walked.

use isochrone::env::Environment;
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone_mujoco::{Arena, PointMass};
use rand::RngExt;

/// Cells along the corridor from the start in the middle to its outer end, as column and row from the start.
fn corridor() -> Vec<[i32; 2]> {
    let legs = [
        ([1, 0], 1),
        ([0, -1], 1),
        ([-1, 0], 2),
        ([0, 1], 2),
        ([1, 0], 3),
        ([0, -1], 3),
        ([-1, 0], 4),
        ([0, 1], 4),
        ([1, 0], 4),
    ];
    let mut cells = vec![[0, 0]];
    for ([dx, dy], length) in legs {
        for _ in 0..length {
            let [x, y] = cells[cells.len() - 1];
            cells.push([x + dx, y + dy]);
        }
    }
    cells
}

/// How far along the corridor a place is, in cells.
fn along(corridor: &[[i32; 2]], place_m: &[f64]) -> usize {
    let cell = [0, 1].map(|k| (place_m[k] / 2.0).round() as i32);
    let found = corridor.iter().position(|known| *known == cell);
    found.unwrap_or_else(|| panic!("{place_m:?} is outside"))
}

/// Somebody who pushes as hard as possible.
enum Pusher {
    /// Runs along the corridor without braking, to its end and back.
    Runner { heads_out: bool },
    /// Pushes into a random direction for up to three seconds, always with full force.
    Bang { action: [f32; 2], left: u32 },
    /// Pushes where it moves.
    Pump,
    /// Any force.
    Random,
}

impl Pusher {
    fn action(&mut self, corridor: &[[i32; 2]], point: &PointMass, rng: &mut Rng) -> [f32; 2] {
        let (place, velocity) = (point.qpos(), point.qvel());
        match self {
            Self::Runner { heads_out } => {
                let at = along(corridor, place);
                *heads_out = at == 0 || (*heads_out && at + 1 < corridor.len());
                let next = if *heads_out { at + 1 } else { at - 1 };
                run(corridor[at], corridor[next], place, velocity)
            }
            Self::Bang { action, left } => {
                if *left == 0 {
                    *action = [(); 2].map(|()| rng.random_range(-1_i8..=1).into());
                    *left = rng.random_range(1..150);
                }
                *left -= 1;
                *action
            }
            Self::Pump => [0, 1].map(|k| {
                let sign = if rng.random::<f32>() < 0.002 {
                    -1.0
                } else {
                    1.0
                };
                sign * (velocity[k] as f32).signum()
            }),
            Self::Random => [(); 2].map(|()| 2.0 * rng.random::<f32>() - 1.0),
        }
    }
}

/// Full force towards the next cell, and aside only what keeps to the middle.
fn run(cell: [i32; 2], next: [i32; 2], place: &[f64], velocity: &[f64]) -> [f32; 2] {
    [0, 1].map(|k| {
        let way = next[k] - cell[k];
        let aside = 10.0 * (f64::from(2 * cell[k]) - place[k]) - 3.0 * velocity[k];
        if way == 0 {
            aside.clamp(-1.0, 1.0) as f32
        } else {
            way as f32
        }
    })
}

fn point() -> PointMass {
    let mut point = PointMass::new(Arena::THIN_SPIRAL.parse().unwrap()).unwrap();
    point.reset(&mut Seed(0).stream(Purpose::Reset, 0, 0));
    point
}

/// What a runner does; multiples of 1/64, so that it does the same when they are rounded.
pub(crate) fn actions_of_a_runner(steps: usize) -> Vec<Vec<f32>> {
    let (corridor, mut point) = (corridor(), point());
    let mut pusher = Pusher::Runner { heads_out: true };
    let mut rng = Seed(0).stream(Purpose::Act, 0, 0);
    let act = |_| {
        let action = pusher.action(&corridor, &point, &mut rng);
        let action = action.map(|a| (64.0 * a).round() / 64.0);
        point.step(&action).unwrap();
        action.to_vec()
    };
    (0..steps).map(act).collect()
}

/// Cells on two sides of a wall are at least three apart along the corridor, so a step of more than two (round a corner)
/// went through a wall. Without the rule about steps across walls, runner and bang get through within 20,000 steps.
#[test]
fn nothing_gets_through_thin_walls() {
    let corridor = corridor();
    let pushers = [
        Pusher::Runner { heads_out: true },
        Pusher::Bang {
            action: [0.0; 2],
            left: 0,
        },
        Pusher::Pump,
        Pusher::Random,
    ];
    let (mut fastest, mut farthest) = (0.0_f64, 0);
    for (stream, mut pusher) in (0..).zip(pushers) {
        let (mut point, mut at, mut standing) = (point(), 0, 0);
        let mut rng = Seed(5).stream(Purpose::Act, 0, stream);
        for step in 0..100_000 {
            let before = point.qpos().to_vec();
            let action = pusher.action(&corridor, &point, &mut rng);
            point.step(&action).unwrap();
            let now = along(&corridor, point.qpos());
            assert!(
                now.abs_diff(at) <= 2,
                "pusher {stream}, step {step}: {at} to {now}"
            );
            at = now;
            let speed = point.qvel()[0].hypot(point.qvel()[1]);
            let is_put_back = (point.qpos().iter())
                .zip(&before)
                .all(|(a, b)| a.to_bits() == b.to_bits());
            let stands = speed > 1.0 && is_put_back;
            standing = if stands { standing + 1 } else { 0 };
            assert!(
                standing < 10,
                "pusher {stream}, step {step}: stuck at {before:?}"
            );
            farthest = farthest.max(at);
            fastest = fastest.max(speed);
        }
    }
    assert!(fastest > 9.0, "{fastest} m/s: a step of 0.18 m");
    assert_eq!(farthest, 24, "the runner gets to the end");
}
