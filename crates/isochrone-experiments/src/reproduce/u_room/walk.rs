//! A random walk in the room: normal steps of 0.15 m along each axis.

use anyhow::Result;
use isochrone::env::u_room::URoom;
use isochrone::env::{Environment, Observation};
use isochrone::rng::Rng;
use rand::RngExt;

/// Standard deviation of a step along each axis.
const STEP_M: f64 = 0.15;

/// A place relative to the middle of the room, as the walker sees it.
pub(super) type Place = [f32; 2];

/// One walk of `steps` steps from a place drawn evenly from the free ones.
pub(super) fn walk(steps: usize, rng: &mut Rng) -> Result<Vec<Place>> {
    let mut room = URoom::default();
    let mut path = Vec::with_capacity(steps + 1);
    path.push(place(&room.reset(rng)));
    for _ in 0..steps {
        let action = [0, 1].map(|_| (STEP_M * normal(rng)) as f32);
        path.push(place(room.step(&action)?.observation()));
    }
    Ok(path)
}

/// Places drawn evenly from the free ones.
pub(super) fn free_places(count: usize, rng: &mut Rng) -> Vec<Place> {
    let mut room = URoom::default();
    (0..count).map(|_| place(&room.reset(rng))).collect()
}

fn place(seen: &Observation) -> Place {
    match seen {
        Observation::F32(x) => [x[0], x[1]],
        Observation::U8(_) => [0.0; 2],
    }
}

/// Box and Muller's.
fn normal(rng: &mut Rng) -> f64 {
    let (radius, angle) = (rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// The Euclidean distance between two positions, in metres.
pub(super) fn apart(a: Place, b: Place) -> f64 {
    let [dx, dy] = [0, 1].map(|k| f64::from(a[k]) - f64::from(b[k]));
    dx.hypot(dy)
}
