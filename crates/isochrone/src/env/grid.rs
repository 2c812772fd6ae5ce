//! A maze as an environment: a world with known exact times.
//!
//! The action is one number in −1…1. That interval is divided into four parts in proportion to the probabilities of the four
//! moves, so a policy that draws actions uniformly walks exactly the chain of [`Maze::chain`], and estimates from its
//! trajectories can be compared with `markov`.

use super::snapshot::{Status, check_numbers};
use super::{
    ActionSpec, Environment, Observation, ObservationSpec, Snapshot, SnapshotError, StepError,
    Successor,
};
use crate::maze::{Cell, Maze, Moves, WallRule};
use crate::rng::Rng;
use rand::RngExt;

/// Start states of episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Always in this state.
    State(usize),
    /// Uniform over all states.
    Uniform,
}

/// A walker in a maze. It observes `(column, row)`; episodes never terminate.
#[derive(Clone, Debug)]
pub struct Grid {
    maze: Maze,
    moves: Moves,
    walls: WallRule,
    start: Start,
    state: Option<usize>,
}

impl Grid {
    /// A walker in this maze. An error, like [`Maze::chain`], if the maze does not define a chain.
    pub fn new(
        maze: Maze,
        moves: Moves,
        walls: WallRule,
        start: Start,
    ) -> Result<Self, crate::maze::MazeError> {
        maze.chain(moves, walls)?;
        if let Start::State(state) = start {
            maze.check_state(state)?;
        }
        Ok(Self {
            maze,
            moves,
            walls,
            start,
            state: None,
        })
    }

    fn observe(&self, state: usize) -> Observation {
        let Cell { column, row } = self.maze.cell(state);
        Observation::F32(vec![column as f32, row as f32])
    }

    /// The state that an action in −1…1 leads to.
    fn next(&self, state: usize, action: f32) -> usize {
        let moves = self.maze.neighbours(state, self.moves);
        let is_legal = |next: Option<usize>| next.is_some() || self.walls == WallRule::Stay;
        let total: f64 = moves.iter().filter(|m| is_legal(m.0)).map(|m| m.1).sum();
        let mut left = f64::midpoint(f64::from(action), 1.0) * total;
        let mut last = state;
        for (next, p) in moves.into_iter().filter(|m| is_legal(m.0) && m.1 > 0.0) {
            last = next.unwrap_or(state);
            left -= p;
            if left < 0.0 {
                break;
            }
        }
        last
    }
}

impl Environment for Grid {
    fn observation_spec(&self) -> ObservationSpec {
        ObservationSpec::vector(2)
    }

    fn action_spec(&self) -> ActionSpec {
        ActionSpec::symmetric(1, 1.0)
    }

    fn reset(&mut self, rng: &mut Rng) -> Observation {
        let state = match self.start {
            Start::State(state) => state,
            Start::Uniform => rng.random_range(0..self.maze.n_states()),
        };
        self.state = Some(state);
        self.observe(state)
    }

    fn step(&mut self, action: &[f32]) -> Result<Successor<Observation>, StepError> {
        let action = self.action_spec().clip(action)?;
        let state = self.state.ok_or(StepError::AfterTerminal)?;
        let next = self.next(state, action[0]);
        self.state = Some(next);
        Ok(Successor::Continue(self.observe(next)))
    }
}

impl Snapshot for Grid {
    /// The state, and whether an episode is running.
    fn save(&self) -> Vec<f64> {
        match self.state {
            Some(state) => vec![state as f64, Status::Running.to_number()],
            None => vec![0.0, Status::Idle.to_number()],
        }
    }

    fn restore(&mut self, saved: &[f64]) -> Result<(), SnapshotError> {
        check_numbers(saved, 2)?;
        let (number, status) = (saved[0], Status::from_number(saved[1])?);
        let states = 0.0..self.maze.n_states() as f64;
        if number.fract() != 0.0 || !states.contains(&number) {
            return Err(SnapshotError::OtherWorld);
        }
        self.state = match status {
            Status::Running => Some(number as usize),
            Status::Idle => None,
        };
        Ok(())
    }
}
