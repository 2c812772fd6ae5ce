//! Labels of goals by their success rates.

use super::{CurriculumError, refuse};
use crate::trajectory::{End, Trajectories};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Difficulty of a goal for the current policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// Reached nearly always.
    Easy,
    /// Reached sometimes: the paper's GOID.
    Intermediate,
    /// Reached hardly ever.
    Hard,
}

/// R_min and R_max. A goal g is one of intermediate difficulty (GOID) for the policy π from the start s₀ if
///
/// ```text
/// R_min < V_π(s₀, g) < R_max            §3.2 of the paper
/// ```
///
/// where V_π is the undiscounted return: with a reward of 1 for reaching the goal, which ends the episode, that is the
/// probability of reaching it, and its estimate is the share of attempts that did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// R_min: a goal with at most this success rate is hard.
    pub min: f64,
    /// R_max: a goal with at least this success rate is easy.
    pub max: f64,
}

impl Bounds {
    /// The difficulty of a goal with this success rate.
    pub fn difficulty(self, success_rate: f64) -> Difficulty {
        if success_rate >= self.max {
            Difficulty::Easy
        } else if success_rate <= self.min {
            Difficulty::Hard
        } else {
            Difficulty::Intermediate
        }
    }

    /// Checks 0 ≤ R_min < R_max ≤ 1. With 0 and 1 a goal is intermediate if it was reached once and missed once.
    pub fn check(self) -> Result<(), CurriculumError> {
        if !(0.0..=1.0).contains(&self.min) {
            return refuse("labels.min", self.min, "in 0…1");
        }
        if !(self.max > self.min && self.max <= 1.0) {
            return refuse("labels.max", self.max, "above min and at most 1");
        }
        Ok(())
    }
}

/// A goal with its label.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// The goal.
    pub goal: Vec<f32>,
    /// Its success rate.
    pub success_rate: f64,
    /// Its label.
    pub difficulty: Difficulty,
}

/// Successes and attempts per goal. Goals are distinguished by their exact bits: −0 and 0 are different.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tallies {
    goals: Vec<Vec<f32>>,
    counts: Vec<Count>,
    /// Indices of the goals, by their bits.
    place: BTreeMap<Vec<u32>, usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    successes: u64,
    attempts: u64,
}

impl Tallies {
    /// Zero counts, one entry per distinct goal, in the order of first appearance.
    pub fn of_goals(goals: &[Vec<f32>]) -> Self {
        let mut tallies = Self::default();
        for goal in goals {
            let next = tallies.goals.len();
            if *tallies.place.entry(bits(goal)).or_insert(next) == next {
                tallies.goals.push(goal.clone());
                tallies.counts.push(Count::default());
            }
        }
        tallies
    }

    /// Counts these episodes; those with an unknown goal are ignored.
    pub fn count(&mut self, trajectories: &Trajectories) {
        for episode in trajectories.episodes() {
            if let Some(&place) = self.place.get(&bits(&episode.goal)) {
                let count = &mut self.counts[place];
                count.attempts += 1;
                count.successes += u64::from(episode.end == End::Reached);
            }
        }
    }

    /// The goals, in a fixed order.
    pub fn goals(&self) -> impl Iterator<Item = &[f32]> {
        self.goals.iter().map(Vec::as_slice)
    }

    /// Each goal with its successes and attempts.
    pub fn counts(&self) -> impl Iterator<Item = (&[f32], u64, u64)> {
        let counts = self.goals.iter().zip(&self.counts);
        counts.map(|(goal, count)| (goal.as_slice(), count.successes, count.attempts))
    }

    /// `[successes, attempts]` of each goal, flattened, to be summed over ranks. Integers, so the order of summation does not
    /// matter.
    pub fn numbers(&self) -> Vec<f64> {
        let pair = |count: &Count| [count.successes as f64, count.attempts as f64];
        self.counts.iter().flat_map(pair).collect()
    }

    /// Sets the summed counts, in the order of [`Tallies::numbers`]. Goals beyond their end keep their counts.
    pub fn set_numbers(&mut self, numbers: &[f64]) {
        for (count, pair) in self.counts.iter_mut().zip(numbers.as_chunks::<2>().0) {
            *count = Count {
                successes: pair[0] as u64,
                attempts: pair[1] as u64,
            };
        }
    }

    /// Labels of goals with at least `least_attempts` (and one) attempts. The others are dropped.
    pub fn labelled(&self, bounds: Bounds, least_attempts: u32) -> Vec<Labelled> {
        let least = u64::from(least_attempts.max(1));
        let known = self.goals.iter().zip(&self.counts);
        known
            .filter(|(_, count)| count.attempts >= least)
            .map(|(goal, count)| {
                let success_rate = count.successes as f64 / count.attempts as f64;
                Labelled {
                    goal: goal.clone(),
                    success_rate,
                    difficulty: bounds.difficulty(success_rate),
                }
            })
            .collect()
    }
}

/// The goals of intermediate difficulty.
pub(crate) fn intermediate(labelled: &[Labelled]) -> Vec<Vec<f32>> {
    let is_intermediate = |goal: &&Labelled| goal.difficulty == Difficulty::Intermediate;
    let goals = labelled.iter().filter(is_intermediate);
    goals.map(|labelled| labelled.goal.clone()).collect()
}

fn bits(goal: &[f32]) -> Vec<u32> {
    goal.iter().map(|value| value.to_bits()).collect()
}
