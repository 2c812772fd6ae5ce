//! Trajectories: observations and actions of whole episodes, stored contiguously.
//!
//! An episode of `n` policy steps and `m` tail steps is `n + m + 1` consecutive rows of observations and
//! `n + m` rows of actions. The tail (random actions after the policy's part) begins where the policy
//! stopped, so both share the state between them:
//!
//! ```text
//! rows   s₀ ─ s₁ ─ … ─ sₙ ─ sₙ₊₁ ─ … ─ sₙ₊ₘ
//!        └── policy ───┘└───── tail ──────┘
//! ```
//!
//! The policy learns from its own part only; a distance may learn from both.

mod rows;

pub use rows::{Misfit, Rows};

use crate::env::{Observation, ObservationSpec};
use std::ops::Range;

/// How the policy's part of an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The goal was reached, possibly on the last permitted step.
    Reached,
    /// The environment terminated: an ant fell.
    Terminal,
    /// NaN or infinity in the physics: terminal, and the invalid state is not stored.
    Unstable,
    /// Truncated by the rollout's horizon: the value of the last state is not 0.
    Horizon,
    /// Truncated by the environment: the value of the last state is not 0.
    Truncated,
}

impl End {
    /// Whether the last state is terminal: no value continues from it.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Reached | Self::Terminal | Self::Unstable => true,
            Self::Horizon | Self::Truncated => false,
        }
    }
}

/// Consecutive policy steps towards one goal: the episode's own, or a waypoint on the way to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The goal that the policy was given.
    pub goal: Vec<f32>,
    /// Steps of the policy.
    pub steps: usize,
    /// How it ended; [`End::Horizon`] if the policy was given another goal before it reached this one.
    pub end: End,
    /// The landmark where it began and the one that was its goal; `None` if its goal was the episode's own.
    pub hop: Option<(u32, u32)>,
}

/// One episode: its rows in the store, its goal and its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// Its number in the iteration; it determines the random streams and the shard.
    pub number: u64,
    /// Its goal.
    pub goal: Vec<f32>,
    /// Steps of the policy.
    pub policy_steps: usize,
    /// The policy's steps by the goal that it was given; empty if that was the episode's goal from the first step to the
    /// last.
    pub segments: Vec<Segment>,
    /// Random steps after them.
    pub tail_steps: usize,
    /// How the policy's part ended.
    pub end: End,
    /// Whether the environment terminated in the last of all states, also in a tail, and also where the goal was reached in
    /// the same step: `end` says neither.
    pub is_terminal: bool,
    /// The smallest distance to the goal after any step of the policy; infinite without a task or a step.
    pub closest: f64,
    /// Number of times that its physics became NaN or infinite: at most once, in the policy's part or in the tail.
    pub instabilities: usize,
    first_row: usize,
    first_action: usize,
}

impl Episode {
    /// Rows of the policy's states, including the last one.
    pub const fn policy_rows(&self) -> Range<usize> {
        self.first_row..self.first_row + self.policy_steps + 1
    }

    /// Goal, steps and end of each segment; without waypoints the whole policy's part is one.
    pub fn policy_segments(&self) -> impl Iterator<Item = (&[f32], usize, End)> {
        let whole = self.segments.is_empty();
        let whole = whole.then_some((self.goal.as_slice(), self.policy_steps, self.end));
        let segments = self.segments.iter();
        let segments =
            segments.map(|segment| (segment.goal.as_slice(), segment.steps, segment.end));
        whole.into_iter().chain(segments)
    }

    /// Rows of the tail's states, from the last state of the policy on.
    pub const fn tail_rows(&self) -> Range<usize> {
        let start = self.first_row + self.policy_steps;
        start..start + self.tail_steps + 1
    }

    /// The same of the tail's first `steps` only: it is longer where others need it longer.
    pub fn tail_rows_within(&self, steps: usize) -> Range<usize> {
        let start = self.first_row + self.policy_steps;
        start..start + self.tail_steps.min(steps) + 1
    }

    /// Rows of all states.
    pub const fn rows(&self) -> Range<usize> {
        self.first_row..self.first_row + self.policy_steps + self.tail_steps + 1
    }

    /// Rows of the actions, the policy's first.
    pub const fn action_rows(&self) -> Range<usize> {
        self.first_action..self.first_action + self.policy_steps + self.tail_steps
    }
}

/// Whole episodes, stored contiguously.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectories {
    observations: Rows,
    actions: Vec<f32>,
    action_length: usize,
    episodes: Vec<Episode>,
}

impl Trajectories {
    /// An empty store for observations and actions of these shapes.
    pub fn new(observation: &ObservationSpec, action_length: usize) -> Self {
        Self {
            observations: Rows::new(observation),
            actions: Vec::new(),
            action_length,
            episodes: Vec::new(),
        }
    }

    /// Begins an episode with its first state; its steps follow by [`Trajectories::push_step`].
    pub(crate) fn begin(
        &mut self,
        number: u64,
        goal: Vec<f32>,
        seen: &Observation,
    ) -> Result<(), Misfit> {
        self.episodes.push(Episode {
            number,
            goal,
            policy_steps: 0,
            segments: Vec::new(),
            tail_steps: 0,
            end: End::Horizon,
            is_terminal: false,
            closest: f64::INFINITY,
            instabilities: 0,
            first_row: self.observations.len(),
            first_action: self
                .actions
                .len()
                .checked_div(self.action_length)
                .unwrap_or(0),
        });
        self.observations.push(seen)
    }

    /// Adds a step to the last episode: action and observation.
    pub(crate) fn push_step(&mut self, action: &[f32], seen: &Observation) -> Result<(), Misfit> {
        self.observations.push(seen)?;
        self.actions.extend_from_slice(action);
        Ok(())
    }

    /// The episode being recorded.
    pub(crate) fn last_mut(&mut self) -> Option<&mut Episode> {
        self.episodes.last_mut()
    }

    /// Appends another store's episodes.
    pub fn append(&mut self, other: &Self) -> Result<(), Misfit> {
        if self.action_length != other.action_length {
            return Err(Misfit::Actions {
                got: other.action_length,
                expected: self.action_length,
            });
        }
        let (rows, actions) = (self.observations.len(), self.n_actions());
        self.observations.append(&other.observations)?;
        self.actions.extend_from_slice(&other.actions);
        self.episodes
            .extend(other.episodes.iter().map(|episode| Episode {
                first_row: episode.first_row + rows,
                first_action: episode.first_action + actions,
                ..episode.clone()
            }));
        Ok(())
    }

    /// The episodes, in the order of their numbers.
    pub fn episodes(&self) -> &[Episode] {
        &self.episodes
    }

    /// All states, row by row.
    pub const fn observations(&self) -> &Rows {
        &self.observations
    }

    /// All actions as the policy chose them (the world clips them), row by row.
    pub fn actions(&self) -> &[f32] {
        &self.actions
    }

    /// Entries of an action.
    pub const fn action_length(&self) -> usize {
        self.action_length
    }

    fn n_actions(&self) -> usize {
        let numbers = self.actions.len();
        numbers.checked_div(self.action_length).unwrap_or(0)
    }

    /// One action.
    pub fn action(&self, row: usize) -> &[f32] {
        &self.actions[row * self.action_length..(row + 1) * self.action_length]
    }

    /// Steps of the policy, over all episodes.
    pub fn policy_steps(&self) -> usize {
        self.episodes.iter().map(|e| e.policy_steps).sum()
    }

    /// Random steps after the policy's part, over all episodes.
    pub fn tail_steps(&self) -> usize {
        self.episodes.iter().map(|e| e.tail_steps).sum()
    }

    /// Episodes with NaN or infinity in the physics.
    pub fn instabilities(&self) -> usize {
        self.episodes.iter().map(|e| e.instabilities).sum()
    }
}
