//! Whole episodes in bounded memory: what an off-policy learner draws transitions from.
//!
//! An episode of n steps is n + 1 consecutive rows of a ring, each a state and the action taken in it. Goals, rewards and
//! "reached" are not stored: they are asked for when a transition is drawn, so a distance that changes leaves no stale rewards.

use super::path::Path;
use crate::nn::{NamedArray, NamedArrayError, find_rows, find_u64s};
use crate::rng::Rng;
use rand::RngExt;
use std::collections::VecDeque;

/// A ring of episodes. The oldest are forgotten where there is no room.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Replay {
    observation_length: usize,
    action_length: usize,
    goal_length: usize,
    capacity_rows: usize,
    rows: Vec<f32>,
    /// Of each row, the number of its episode, modulo 2³².
    episode_of_row: Vec<u32>,
    episodes: VecDeque<Kept>,
    /// The number of the oldest episode.
    first_episode: u64,
    /// The row of the oldest episode's first state.
    first_row: usize,
    used_rows: usize,
}

/// An episode in the ring.
#[derive(Clone, Debug, PartialEq)]
struct Kept {
    first_row: usize,
    steps: usize,
    /// How many of them are the policy's.
    policy_steps: usize,
    is_terminal: bool,
    /// The policy's goals, each with the step that ended its pursuit.
    goals: Vec<(usize, Vec<f32>)>,
}

/// A step of an episode in the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Place of the episode, from the oldest on.
    episode: usize,
    step: usize,
}

impl Replay {
    pub(super) const fn new(
        observation_length: usize,
        action_length: usize,
        goal_length: usize,
        capacity_rows: usize,
    ) -> Self {
        Self {
            observation_length,
            action_length,
            goal_length,
            capacity_rows,
            rows: Vec::new(),
            episode_of_row: Vec::new(),
            episodes: VecDeque::new(),
            first_episode: 0,
            first_row: 0,
            used_rows: 0,
        }
    }

    const fn width(&self) -> usize {
        self.observation_length + self.action_length
    }

    /// Steps that can be drawn.
    pub(super) fn steps(&self) -> usize {
        self.used_rows - self.episodes.len()
    }

    /// Adds an episode. One that is longer than the ring is left out.
    pub(super) fn add(&mut self, path: &Path) {
        if path.steps + 1 > self.capacity_rows || path.rows.len() != (path.steps + 1) * self.width()
        {
            return;
        }
        let begin = self.begin(Kept {
            first_row: 0,
            steps: path.steps,
            policy_steps: path.policy_steps.min(path.steps),
            is_terminal: path.is_terminal,
            goals: path.goals.clone(),
        });
        for (at, row) in path.rows.chunks_exact(self.width()).enumerate() {
            self.write(begin + at, row);
        }
    }

    /// Makes room for an episode and gives the row of its first state.
    fn begin(&mut self, kept: Kept) -> usize {
        let n_rows = kept.steps + 1;
        while self.used_rows + n_rows > self.capacity_rows {
            let Some(oldest) = self.episodes.pop_front() else {
                break;
            };
            self.used_rows -= oldest.steps + 1;
            self.first_row = (self.first_row + oldest.steps + 1) % self.capacity_rows;
            self.first_episode += 1;
        }
        let begin = (self.first_row + self.used_rows) % self.capacity_rows;
        let number = self.first_episode + self.episodes.len() as u64;
        for row in begin..begin + n_rows {
            let row = row % self.capacity_rows;
            if row >= self.episode_of_row.len() {
                self.episode_of_row.resize(row + 1, 0);
                self.rows.resize((row + 1) * self.width(), 0.0);
            }
            self.episode_of_row[row] = number as u32;
        }
        self.used_rows += n_rows;
        self.episodes.push_back(Kept {
            first_row: begin,
            ..kept
        });
        begin
    }

    fn write(&mut self, row: usize, values: &[f32]) {
        let start = row % self.capacity_rows * self.width();
        let end = start + self.width();
        self.rows[start..end].copy_from_slice(values);
    }

    /// A step, all alike. There must be one.
    pub(super) fn draw(&self, rng: &mut Rng) -> Step {
        loop {
            let row = self.first_row + rng.random_range(0..self.used_rows);
            let row = row % self.capacity_rows;
            let number = self.episode_of_row[row];
            let episode = number.wrapping_sub(self.first_episode as u32) as usize;
            let kept = &self.episodes[episode];
            let step = (row + self.capacity_rows - kept.first_row) % self.capacity_rows;
            // No action was taken in the last state.
            if step < kept.steps {
                return Step { episode, step };
            }
        }
    }

    fn row(&self, episode: usize, step: usize) -> &[f32] {
        let row = (self.episodes[episode].first_row + step) % self.capacity_rows;
        &self.rows[row * self.width()..(row + 1) * self.width()]
    }

    /// The state in which a step was taken.
    pub(super) fn state(&self, at: Step) -> &[f32] {
        &self.row(at.episode, at.step)[..self.observation_length]
    }

    /// What was done.
    pub(super) fn action(&self, at: Step) -> &[f32] {
        &self.row(at.episode, at.step)[self.observation_length..]
    }

    /// The state after a step.
    pub(super) fn next_state(&self, at: Step) -> &[f32] {
        &self.row(at.episode, at.step + 1)[..self.observation_length]
    }

    /// Whether nothing follows it, whatever the goal is.
    pub(super) fn is_terminal(&self, at: Step) -> bool {
        let kept = &self.episodes[at.episode];
        kept.is_terminal && at.step + 1 == kept.steps
    }

    /// The goal that the policy pursued then; none in a random tail.
    pub(super) fn goal(&self, at: Step) -> Option<&[f32]> {
        let kept = &self.episodes[at.episode];
        let pursued = kept.goals.iter().find(|(ended, _)| at.step < *ended);
        pursued.map(|(_, goal)| goal.as_slice())
    }

    /// A state at or after the one that the step leads to, all alike.
    pub(super) fn draw_future(&self, at: Step, rng: &mut Rng) -> &[f32] {
        let last = self.episodes[at.episode].steps;
        let step = rng.random_range(at.step + 1..=last);
        &self.row(at.episode, step)[..self.observation_length]
    }

    /// The last state of the policy's part, or of the episode if the step is after it.
    pub(super) fn end(&self, at: Step) -> &[f32] {
        let kept = &self.episodes[at.episode];
        let end = if at.step < kept.policy_steps {
            kept.policy_steps
        } else {
            kept.steps
        };
        &self.row(at.episode, end)[..self.observation_length]
    }
}

/// Numbers of an episode in a file: steps, the policy's steps, terminal, and how many goals.
const KEPT_NUMBERS: usize = 4;

impl Replay {
    pub(super) fn save(&self) -> Vec<NamedArray> {
        let (width, n_rows) = (self.width(), self.used_rows);
        let mut rows = Vec::with_capacity(n_rows * width);
        let (mut numbers, mut ends, mut goals) = (Vec::new(), Vec::new(), Vec::new());
        for (number, kept) in self.episodes.iter().enumerate() {
            (0..=kept.steps).for_each(|step| rows.extend_from_slice(self.row(number, step)));
            let terminal = u64::from(kept.is_terminal);
            let counts = [kept.steps, kept.policy_steps].map(|n| n as u64);
            numbers.extend([counts[0], counts[1], terminal, kept.goals.len() as u64]);
            for (ended, goal) in &kept.goals {
                ends.push(*ended as u64);
                goals.extend_from_slice(goal);
            }
        }
        let n_goals = ends.len();
        vec![
            NamedArray::f32("replay.rows", [n_rows, width], rows),
            NamedArray::u64("replay.episodes", numbers),
            NamedArray::u64("replay.goal_ends", ends),
            NamedArray::f32("replay.goals", [n_goals, self.goal_length], goals),
        ]
    }

    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let rows = find_rows(arrays, "replay.rows", self.width())?;
        let numbers = find_u64s(arrays, "replay.episodes")?;
        let ends = find_u64s(arrays, "replay.goal_ends")?;
        let goals = find_rows(arrays, "replay.goals", self.goal_length)?;
        let mut empty = Self::new(
            self.observation_length,
            self.action_length,
            self.goal_length,
            self.capacity_rows,
        );
        let mut rows = rows;
        let mut goals = ends.iter().zip(goals.chunks_exact(self.goal_length.max(1)));
        for kept in numbers.as_chunks::<KEPT_NUMBERS>().0 {
            let [steps, policy_steps, terminal, n_goals] = kept.map(|n| n as usize);
            let length = steps.saturating_add(1).saturating_mul(self.width());
            let (of_episode, rest) = rows
                .split_at_checked(length)
                .ok_or_else(|| misfit(rows.len(), length))?;
            rows = rest;
            let goals = goals.by_ref().take(n_goals);
            empty.add(&Path {
                number: 0,
                steps,
                policy_steps,
                is_terminal: terminal == 1,
                goals: goals
                    .map(|(ended, goal)| (*ended as usize, goal.to_vec()))
                    .collect(),
                rows: of_episode.to_vec(),
            });
        }
        *self = empty;
        Ok(())
    }
}

fn misfit(got: usize, expected: usize) -> NamedArrayError {
    NamedArrayError::Length {
        name: "replay.rows".to_owned(),
        got,
        expected,
    }
}
