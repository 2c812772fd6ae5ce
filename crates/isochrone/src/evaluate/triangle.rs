//! The triangle inequality: is a detour never shorter than the straight way?
//!
//! Commute times, shortest paths and norms obey it; window targets and the ρ-weighted target need not, and a
//! distance that breaks it can be shortened by planning over waypoints.

use super::Draw;
use super::error::AssessError;
use crate::rng::Seed;
use rand::RngExt;
use serde::Serialize;

/// How much longer than the detour, relative to it, still counts as equal: distances often come from f32, where
/// a sum of a few dozen terms is off by some 1e-6.
const RELATIVE_TOLERANCE: f64 = 1e-6;

/// Which ordered triples of different states are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triples {
    /// All n(n−1)(n−2).
    All,
    /// This many, drawn evenly with repetition.
    Sample {
        /// How many.
        n_triples: usize,
        /// Which.
        seed: Seed,
    },
}

/// How often and by how much `d(i,k) ≤ d(i,j) + d(j,k)` fails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Triangle {
    /// Triples tried.
    pub n_triples: usize,
    /// Those that fail.
    pub n_violations: usize,
    /// `n_violations ÷ n_triples`.
    pub share: f64,
    /// Mean size of the violations, see [`Violation::size`]; `None` if there are none.
    pub mean_size: Option<f64>,
    /// The greatest violation; `None` if there are none.
    pub worst: Option<Violation>,
}

/// A way that is longer than a detour.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Violation {
    /// The states i, j, k with `d(i,k) > d(i,j) + d(j,k)`.
    pub states: [usize; 3],
    /// `1 − (d(i,j) + d(j,k)) ÷ d(i,k)`: the part of the way that the detour saves, 0 to 1. (Where distances are
    /// negative, the saving relative to the greater magnitude of the two.)
    pub size: f64,
}

/// Tries triples of states `0…n_states−1`. The order of a triple matters, because `d` may be one-way.
///
/// ```
/// use isochrone::evaluate::{Triples, triangle};
/// // Squares of distances on a line: over the middle is always shorter.
/// let place = [0.0, 1.0, 3.0_f64];
/// let found = triangle(3, Triples::All, |i, j| (place[i] - place[j]).powi(2))?;
/// assert_eq!((found.n_triples, found.n_violations), (6, 2));
/// # Ok::<(), isochrone::evaluate::AssessError>(())
/// ```
pub fn triangle(
    n_states: usize,
    triples: Triples,
    mut distance: impl FnMut(usize, usize) -> f64,
) -> Result<Triangle, AssessError> {
    AssessError::at_least(3, n_states, "states to make triangles of")?;
    let mut tally = Tally::default();
    match triples {
        Triples::All => {
            let other = |a: usize| (0..n_states).filter(move |&b| b != a);
            for i in 0..n_states {
                for j in other(i) {
                    for k in other(i).filter(|&k| k != j) {
                        tally.add([i, j, k], &mut distance)?;
                    }
                }
            }
        }
        Triples::Sample { n_triples, seed } => {
            AssessError::at_least(1, n_triples, "triples to try")?;
            let mut rng = Draw::Triples.stream(seed);
            for _ in 0..n_triples {
                // Each draw is from what the earlier ones left.
                let i = rng.random_range(0..n_states);
                let j = beyond(rng.random_range(0..n_states - 1), i);
                let k = rng.random_range(0..n_states - 2);
                let k = beyond(beyond(k, i.min(j)), i.max(j));
                tally.add([i, j, k], &mut distance)?;
            }
        }
    }
    Ok(Triangle {
        n_triples: tally.n_triples,
        n_violations: tally.n_violations,
        share: tally.n_violations as f64 / tally.n_triples as f64,
        mean_size: (tally.n_violations > 0).then(|| tally.sum / tally.n_violations as f64),
        worst: tally.worst,
    })
}

/// The number at this place of `0…` with one number taken out.
fn beyond(number: usize, taken: usize) -> usize {
    number + usize::from(number >= taken)
}

#[derive(Debug, Default)]
struct Tally {
    n_triples: usize,
    n_violations: usize,
    sum: f64,
    worst: Option<Violation>,
}

impl Tally {
    fn add(
        &mut self,
        states: [usize; 3],
        distance: &mut impl FnMut(usize, usize) -> f64,
    ) -> Result<(), AssessError> {
        let [i, j, k] = states;
        let sides = [distance(i, k), distance(i, j), distance(j, k)];
        AssessError::all_finite(&sides, "side of a triangle")?;
        self.n_triples += 1;
        let [straight, detour] = [sides[0], sides[1] + sides[2]];
        let scale = straight.abs().max(sides[1].abs() + sides[2].abs());
        let size = (straight - detour) / scale;
        // Of three zeros the size is NaN: no violation.
        if size > RELATIVE_TOLERANCE {
            self.n_violations += 1;
            self.sum += size;
            if self.worst.is_none_or(|worst| size > worst.size) {
                self.worst = Some(Violation { states, size });
            }
        }
        Ok(())
    }
}
