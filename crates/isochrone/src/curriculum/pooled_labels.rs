//! Success rates pooled over iterations and over goals nearby, so that a label does not hang on two attempts.

use super::{Labelled, Tallies, refuse};
use crate::curriculum::{Bounds, CurriculumError};
use crate::distance::{Distance, PlaceDistance};
use crate::nn::{NamedArray, NamedArrayError, find_rows};
use serde::{Deserialize, Serialize};

/// Settings of [`PooledLabels`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PooledLabelSpec {
    /// Attempts of so many iterations count, this one included.
    pub iterations: u32,
    /// Attempts at goals whose positions are within this Euclidean distance count.
    pub radius_m: f64,
    /// R_min: a goal with at most this success rate is hard.
    pub min: f64,
    /// R_max: a goal with at least this success rate is easy.
    pub max: f64,
}

/// A limit that catches typing errors.
const MOST_ITERATIONS: u32 = 1_000;

impl PooledLabelSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), CurriculumError> {
        if !(1..=MOST_ITERATIONS).contains(&self.iterations) {
            let rule = "at least 1 and at most 1,000";
            return refuse("iterations", f64::from(self.iterations), rule);
        }
        if !(self.radius_m.is_finite() && self.radius_m >= 0.0) {
            return refuse("radius_m", self.radius_m, "finite and not negative");
        }
        self.bounds().check()
    }

    pub(crate) const fn bounds(&self) -> Bounds {
        Bounds {
            min: self.min,
            max: self.max,
        }
    }
}

/// Attempts at a goal in one iteration.
#[derive(Clone, Debug, PartialEq)]
struct Tried {
    iteration: u64,
    goal: Vec<f32>,
    successes: u64,
    attempts: u64,
}

/// Attempts of the last iterations.
///
/// The success rate of a goal is the mean of its Beta posterior, from a uniform prior:
///
/// ```text
/// p(g) = (1 + Σ successes) ÷ (2 + Σ attempts)       sums over the last iterations and all goals within radius_m of g
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PooledLabels {
    spec: PooledLabelSpec,
    dims: usize,
    places: PlaceDistance,
    pool: Vec<Tried>,
}

/// The name of its array.
const NAME: &str = "pooled_labels";

impl PooledLabels {
    /// An empty pool for goals of `dims` numbers, of which these are the position.
    pub const fn new(spec: PooledLabelSpec, dims: usize, place: Vec<usize>) -> Self {
        Self {
            spec,
            dims,
            places: PlaceDistance::new(place),
            pool: Vec::new(),
        }
    }

    /// Adds the attempts of an iteration, forgets old ones, and labels the goals of this one that were attempted.
    pub fn label(&mut self, tallies: &Tallies, iteration: u64) -> Vec<Labelled> {
        let oldest = (iteration + 1).saturating_sub(u64::from(self.spec.iterations));
        self.pool.retain(|attempts| attempts.iteration >= oldest);
        let counts = tallies.counts().filter(|(_, _, attempts)| *attempts > 0);
        self.pool
            .extend(counts.map(|(goal, successes, attempts)| Tried {
                iteration,
                goal: goal.to_vec(),
                successes,
                attempts,
            }));
        let new = self.pool.iter().filter(|a| a.iteration == iteration);
        new.map(|attempts| {
            let success_rate = self.success_rate(&attempts.goal);
            Labelled {
                goal: attempts.goal.clone(),
                success_rate,
                difficulty: self.spec.bounds().difficulty(success_rate),
            }
        })
        .collect()
    }

    fn success_rate(&self, goal: &[f32]) -> f64 {
        let (mut successes, mut attempts) = (1, 2);
        for near in &self.pool {
            let apart = self.places.between(&near.goal, goal);
            if apart.is_ok_and(|apart| apart <= self.spec.radius_m) {
                successes += near.successes;
                attempts += near.attempts;
            }
        }
        successes as f64 / attempts as f64
    }

    /// The pool, as a named array: goal, iteration, successes and attempts in each row.
    pub fn save(&self) -> NamedArray {
        let rows = self.pool.iter().flat_map(|attempts| {
            let counts = [attempts.iteration, attempts.successes, attempts.attempts];
            let counts = counts.map(|count| count as f32);
            attempts.goal.iter().copied().chain(counts)
        });
        NamedArray::f32(
            NAME,
            [self.pool.len(), self.dims + 3],
            rows.collect::<Vec<f32>>(),
        )
    }

    /// Restores a saved pool.
    pub fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let rows = find_rows(arrays, NAME, self.dims + 3)?;
        let attempts = |row: &[f32]| {
            let (goal, counts) = row.split_at(self.dims);
            Tried {
                iteration: counts[0] as u64,
                goal: goal.to_vec(),
                successes: counts[1] as u64,
                attempts: counts[2] as u64,
            }
        };
        self.pool = rows.chunks_exact(self.dims + 3).map(attempts).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curriculum::Difficulty;

    fn tallies(counts: &[([f32; 2], f64, f64)]) -> Tallies {
        let goals: Vec<Vec<f32>> = counts.iter().map(|(goal, ..)| goal.to_vec()).collect();
        let mut tallies = Tallies::of_goals(&goals);
        let numbers: Vec<f64> = counts.iter().flat_map(|(_, s, a)| [*s, *a]).collect();
        tallies.set_numbers(&numbers);
        tallies
    }

    #[test]
    fn goals_nearby_and_iterations_before_count_and_old_ones_do_not() {
        let spec = PooledLabelSpec {
            iterations: 2,
            radius_m: 0.5,
            min: 0.1,
            max: 0.9,
        };
        let mut pool = PooledLabels::new(spec, 2, vec![0, 1]);
        let labelled = pool.label(
            &tallies(&[([0.0, 0.0], 1.0, 1.0), ([9.0, 0.0], 0.0, 20.0)]),
            1,
        );
        // One attempt alone decides nothing; twenty do.
        assert_eq!(labelled[0].difficulty, Difficulty::Intermediate);
        assert_eq!(labelled[1].difficulty, Difficulty::Hard);
        // (1 + 1 + 3) ÷ (2 + 1 + 3): the neighbour of the last iteration counts.
        let rates = pool.label(&tallies(&[([0.3, 0.0], 3.0, 3.0)]), 2);
        assert!((rates[0].success_rate - 5.0 / 6.0).abs() < 1e-12);
        let mut restored = PooledLabels::new(spec, 2, vec![0, 1]);
        restored.restore(&[pool.save()]).unwrap();
        assert_eq!(restored, pool);
        // The first iteration is forgotten.
        let rates = pool.label(&tallies(&[([0.0, 0.0], 0.0, 1.0)]), 3);
        assert!((rates[0].success_rate - 4.0 / 6.0).abs() < 1e-12);
    }
}
