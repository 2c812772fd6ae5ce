//! Lists of goals as goal sources of rollouts.

use super::{CurriculumError, check_goals};
use crate::rng::Rng;
use crate::rollout::GoalSource;
use rand::RngExt;

/// Draws a goal uniformly from a list for every episode, by the episode's own stream, with replacement.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalList {
    goals: Vec<Vec<f32>>,
    dims: usize,
}

impl GoalList {
    /// These goals, at least one, all of the same space.
    pub fn new(goals: Vec<Vec<f32>>) -> Result<Self, CurriculumError> {
        let dims = goals.first().ok_or(CurriculumError::NoGoals)?.len();
        check_goals(&goals, dims)?;
        Ok(Self { goals, dims })
    }

    /// The list.
    pub fn goals(&self) -> &[Vec<f32>] {
        &self.goals
    }
}

impl GoalSource for GoalList {
    fn dims(&self) -> usize {
        self.dims
    }

    fn goal(&self, _episode: u64, rng: &mut Rng) -> Vec<f32> {
        self.goals[rng.random_range(0..self.goals.len())].clone()
    }
}

/// Every goal of a list several times in turn: for coverage and for fresh labels.
#[derive(Clone, Debug, PartialEq)]
pub struct EachGoal {
    list: GoalList,
    rollouts: usize,
}

impl EachGoal {
    /// Each of these goals `rollouts` times.
    pub fn new(goals: Vec<Vec<f32>>, rollouts: usize) -> Result<Self, CurriculumError> {
        if rollouts == 0 {
            return Err(CurriculumError::NoRollouts);
        }
        let list = GoalList::new(goals)?;
        Ok(Self { list, rollouts })
    }

    /// The list.
    pub fn goals(&self) -> &[Vec<f32>] {
        self.list.goals()
    }

    /// Number of episodes; they are numbered from 0.
    pub fn episodes(&self) -> usize {
        self.list.goals.len() * self.rollouts
    }

    /// Index of an episode's goal: `⌊episode ÷ rollouts⌋`, cyclic.
    pub fn goal_of(&self, episode: u64) -> usize {
        let turn = episode / self.rollouts as u64;
        (turn % self.list.goals.len() as u64) as usize
    }
}

impl GoalSource for EachGoal {
    fn dims(&self) -> usize {
        self.list.dims
    }

    fn goal(&self, episode: u64, _rng: &mut Rng) -> Vec<f32> {
        self.list.goals[self.goal_of(episode)].clone()
    }
}
