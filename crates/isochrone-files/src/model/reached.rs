//! "Is it done?": a success test in a model file.

use super::distance::DistanceModel;
use anyhow::{Result, bail};
use isochrone::distance::GoalSet;
use isochrone::nn::NamedArray;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The goals, row by row.
const GOALS: &str = "reached.goals";

/// When a state counts as reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachedTest {
    /// A state counts as reached if the nearest goal is fewer steps away than this.
    pub epsilon_steps: f64,
    /// The largest false-positive rate that was asked for.
    pub false_positive_rate: f64,
    /// Frames that must not count as reached, by which ε was chosen.
    pub negatives: u64,
    /// The share of them that counts as reached.
    pub false_positives: f64,
    /// Number of goals.
    pub goals: u64,
}

impl DistanceModel {
    /// The same distance with a success test for these goals, row by row; it replaces an older one.
    pub fn with_reached(mut self, goals: &[f32], test: ReachedTest) -> Result<Self> {
        let width = self.distance.inputs();
        if goals.is_empty() || !goals.len().is_multiple_of(width.max(1)) {
            bail!(
                "{} numbers are no goals for states of {width} entries",
                goals.len()
            );
        }
        if test.epsilon_steps.is_nan() || test.epsilon_steps <= 0.0 {
            bail!(
                "no ε keeps the false positives at {:.1} %: among the {} goals are states from the middle of episodes. Name where \
                 the task is done: --goals FILE:good-ends, in Python the last states of good episodes",
                100.0 * test.false_positive_rate,
                test.goals
            );
        }
        self.arrays.retain(|array| array.name != GOALS);
        self.reached_points = OnceLock::new();
        self.arrays.push(NamedArray::f32(
            GOALS.to_owned(),
            [goals.len() / width, width],
            goals.to_vec(),
        ));
        self.about.reached = Some(test);
        Ok(self)
    }

    /// The same distance with the success test of another copy of it. A distance that was learned anew has no use for the old ε.
    pub fn with_reached_of(self, other: &Self) -> Result<Self> {
        let (goals, network): (Vec<&NamedArray>, Vec<&NamedArray>) =
            other.arrays.iter().partition(|array| array.name == GOALS);
        let is_copy = network.len() == self.arrays.len()
            && network.iter().all(|array| self.arrays.contains(array));
        let goals = goals.first().and_then(|goals| goals.as_f32());
        match (other.about.reached, goals) {
            (Some(test), Some(goals)) if is_copy => self.with_reached(goals, test),
            _ => Ok(self),
        }
    }

    /// Its success test with the goals; `None` if it has none.
    pub fn reached_test(&self) -> Result<Option<(ReachedTest, GoalSet<'_>)>> {
        let Some(test) = self.about.reached else {
            return Ok(None);
        };
        let points = match self.reached_points.get() {
            Some(points) => points,
            None => {
                let points = self.embed_reached_goals()?;
                self.reached_points.get_or_init(|| points)
            }
        };
        Ok(Some((test, GoalSet::of_points(&self.distance, points))))
    }

    fn embed_reached_goals(&self) -> Result<Vec<f32>> {
        let goals = self.arrays.iter().find(|array| array.name == GOALS);
        let Some(goals) = goals.and_then(NamedArray::as_f32) else {
            bail!("the file has an ε for goals, but not the goals");
        };
        Ok(GoalSet::new(&self.distance, goals)?.points().to_vec())
    }
}
