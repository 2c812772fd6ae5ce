//! The random walk in a maze: four moves and a rule for walls.

use super::{Cell, Maze, MazeError, WALL};
use crate::markov::{Chain, ChainError, Values};

/// How far the four probabilities may be from summing to one.
const SUM_TOLERANCE: f64 = 1e-12;

/// What happens to a move into a wall or over the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallRule {
    /// The walker stays where it is: the usual gridworld, and the default.
    Stay,
    /// The move is never drawn; its probability is divided among the legal ones.
    Renormalise,
}

/// The probabilities of the four moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moves {
    /// Up, towards row 0.
    pub north: f64,
    /// Down.
    pub south: f64,
    /// Right.
    pub east: f64,
    /// Left.
    pub west: f64,
}

impl Moves {
    /// A quarter each: the paper's first maze.
    pub const UNIFORM: Self = Self {
        north: 0.25,
        south: 0.25,
        east: 0.25,
        west: 0.25,
    };
    /// 0.375 north and east, 0.125 south and west: the paper's second maze.
    pub const NORTH_EAST: Self = Self {
        north: 0.375,
        south: 0.125,
        east: 0.375,
        west: 0.125,
    };

    /// The same moves, if they are a distribution.
    pub fn check(self) -> Result<Self, MazeError> {
        let Self {
            north,
            south,
            east,
            west,
        } = self;
        let all = [north, south, east, west];
        let sum: f64 = all.iter().sum();
        if all.iter().all(|p| *p >= 0.0) && (sum - 1.0).abs() <= SUM_TOLERANCE {
            Ok(self)
        } else {
            Err(MazeError::BadMoves {
                north,
                south,
                east,
                west,
            })
        }
    }
}

impl Maze {
    /// The random walk.
    pub fn chain(&self, moves: Moves, walls: WallRule) -> Result<Chain, MazeError> {
        let moves = moves.check()?;
        if let (WallRule::Renormalise, Some(cell)) = (walls, self.trapped(moves)) {
            return Err(MazeError::NoMove { cell });
        }
        let values = match walls {
            WallRule::Stay => Values::Probabilities,
            WallRule::Renormalise => Values::Weights,
        };
        Chain::build(self.n_states(), values, |state, row| {
            for (neighbour, p) in self.neighbours(state, moves) {
                match (neighbour, walls) {
                    (Some(next), _) => row.push((next, p)),
                    (None, WallRule::Stay) => row.push((state, p)),
                    (None, WallRule::Renormalise) => {}
                }
            }
        })
        .map_err(|error| match error {
            ChainError::NotIrreducible { from, to } => MazeError::CutOff {
                from: self.cell(from),
                to: self.cell(to),
            },
            other => MazeError::Chain(other),
        })
    }

    /// The four moves out of a state: where to, or `None` into a wall.
    pub(crate) fn neighbours(&self, state: usize, moves: Moves) -> [(Option<usize>, f64); 4] {
        let cell = self.cell_of_state[state] as usize;
        let column = cell % self.columns;
        let go = |to: Option<usize>| {
            let next = self.state_of_cell.get(to?).filter(|&&s| s != WALL);
            next.map(|&s| s as usize)
        };
        [
            (go(cell.checked_sub(self.columns)), moves.north),
            (go(Some(cell + self.columns)), moves.south),
            (
                go((column + 1 < self.columns).then_some(cell + 1)),
                moves.east,
            ),
            (go((column > 0).then(|| cell - 1)), moves.west),
        ]
    }

    /// A cell none of whose moves is legal and possible, if there is one.
    fn trapped(&self, moves: Moves) -> Option<Cell> {
        let stuck = |state: &usize| {
            let moves = self.neighbours(*state, moves);
            moves.iter().all(|(next, p)| next.is_none() || *p <= 0.0)
        };
        (0..self.n_states())
            .find(stuck)
            .map(|state| self.cell(state))
    }
}
