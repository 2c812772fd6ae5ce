//! Mazes as text: the smallest worlds in which distance is not a straight line.
//!
//! `#` is wall, `.` is floor. A state is a floor cell, numbered row by row from the top left; a cell is
//! named `(column, row)`, as the paper names its states. Row 0 is the north edge.
//!
//! ```text
//! .....
//! .###.
//! ...#.
//! ```

use crate::markov::{Chain, ChainError, Values};

/// How far the four probabilities may be from summing to one.
const SUM_TOLERANCE: f64 = 1e-12;

/// Why a text is not a maze, or a maze not a chain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MazeError {
    /// No lines.
    #[error("the maze is empty")]
    Empty,
    /// No floor.
    #[error("the maze has no floor: all {cells} cells are wall")]
    NoFloor {
        /// Number of cells.
        cells: usize,
    },
    /// A character with no meaning.
    #[error("line {line}, column {column}: {found:?} is neither wall `#` nor floor `.`")]
    UnknownCell {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// A line of another length.
    #[error("line {line} has {cells} cells, line 1 has {expected}")]
    Ragged {
        /// Line, from 1.
        line: usize,
        /// Its length.
        cells: usize,
        /// The first line's length.
        expected: usize,
    },
    /// A cell that is not there or not floor.
    #[error("cell ({column}, {row}) is {what}")]
    NotFloor {
        /// Column, from 0 at the left.
        column: usize,
        /// Row, from 0 at the top.
        row: usize,
        /// Wall, or outside.
        what: &'static str,
    },
    /// Part of the floor is cut off.
    #[error("cell {to} cannot be reached from cell {from}")]
    CutOff {
        /// From here …
        from: Cell,
        /// … there is no way to here.
        to: Cell,
    },
    /// A cell all of whose moves are blocked.
    #[error(
        "cell {cell} has no legal move to divide its probability among; use the wall rule `stay`"
    )]
    NoMove {
        /// The cell.
        cell: Cell,
    },
    /// Move probabilities that are not a distribution.
    #[error(
        "the move probabilities north {north}, south {south}, east {east}, west {west} must be at least 0 and sum to 1"
    )]
    BadMoves {
        /// Up.
        north: f64,
        /// Down.
        south: f64,
        /// Right.
        east: f64,
        /// Left.
        west: f64,
    },
    /// Any other law of chains.
    #[error(transparent)]
    Chain(ChainError),
}

/// A place in a maze, `(column, row)` from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// From 0 at the left (x in the paper).
    pub column: usize,
    /// From 0 at the top (y in the paper).
    pub row: usize,
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.column, self.row)
    }
}

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

    fn check(self) -> Result<Self, MazeError> {
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

/// A parsed maze.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maze {
    columns: usize,
    /// State number of each cell, row by row; `WALL` for walls.
    state_of_cell: Vec<u32>,
    /// Cell index of each state.
    cell_of_state: Vec<u32>,
}

const WALL: u32 = u32::MAX;

impl std::str::FromStr for Maze {
    type Err = MazeError;

    /// Reads the text form. Line ends may be `\n` or `\r\n`; empty lines at the end are ignored.
    fn from_str(text: &str) -> Result<Self, MazeError> {
        let lines: Vec<&str> = text.trim_end_matches(['\n', '\r']).lines().collect();
        let columns = lines.first().map_or(0, |line| line.chars().count());
        if columns == 0 {
            return Err(MazeError::Empty);
        }
        let mut floor = Vec::with_capacity(columns * lines.len());
        for (at, line) in lines.iter().enumerate() {
            for (column, found) in line.chars().enumerate() {
                floor.push(match found {
                    '.' => true,
                    '#' => false,
                    _ => {
                        return Err(MazeError::UnknownCell {
                            line: at + 1,
                            column: column + 1,
                            found,
                        });
                    }
                });
            }
            let cells = floor.len() - at * columns;
            if cells != columns {
                return Err(MazeError::Ragged {
                    line: at + 1,
                    cells,
                    expected: columns,
                });
            }
        }
        Self::from_floor(columns, &floor)
    }
}

impl Maze {
    /// An empty room.
    pub fn open(columns: usize, rows: usize) -> Result<Self, MazeError> {
        Self::from_floor(columns, &vec![true; columns * rows])
    }

    /// Square rooms of 19×19 cells in a grid, walls between them one cell thick with a one-cell door in
    /// the middle of each: the benchmark world. Close to `states` states.
    pub fn rooms(states: usize) -> Result<Self, MazeError> {
        // A room and its share of the doors: 19² + 2.
        let wanted = states as f64 / 363.0;
        let across = (wanted.sqrt().round() as usize).max(1);
        let down = ((wanted / across as f64).round() as usize).max(1);
        let (columns, rows) = (20 * across - 1, 20 * down - 1);
        let is_floor = |cell: usize| {
            let (r, c) = (cell / columns % 20, cell % columns % 20);
            (r != 19 && c != 19) || (r == 19 && c == 9) || (c == 19 && r == 9)
        };
        let floor: Vec<bool> = (0..columns * rows).map(is_floor).collect();
        Self::from_floor(columns, &floor)
    }

    /// From one flag per cell, row by row.
    fn from_floor(columns: usize, floor: &[bool]) -> Result<Self, MazeError> {
        if floor.is_empty() {
            return Err(MazeError::Empty);
        }
        if u32::try_from(floor.len()).is_err() {
            let states = floor.len();
            return Err(MazeError::Chain(ChainError::TooManyStates { states }));
        }
        let cells = 0..floor.len() as u32;
        let cell_of_state: Vec<u32> = cells.filter(|&cell| floor[cell as usize]).collect();
        if cell_of_state.is_empty() {
            return Err(MazeError::NoFloor { cells: floor.len() });
        }
        let mut state_of_cell = vec![WALL; floor.len()];
        for (state, &cell) in cell_of_state.iter().enumerate() {
            state_of_cell[cell as usize] = state as u32;
        }
        Ok(Self {
            columns,
            state_of_cell,
            cell_of_state,
        })
    }

    /// Width in cells.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Height in cells.
    pub fn rows(&self) -> usize {
        self.state_of_cell.len() / self.columns
    }

    /// Number of floor cells.
    pub fn n_states(&self) -> usize {
        self.cell_of_state.len()
    }

    /// Where a state is.
    pub fn cell(&self, state: usize) -> Cell {
        let index = self.cell_of_state[state] as usize;
        Cell {
            column: index % self.columns,
            row: index / self.columns,
        }
    }

    /// The state of a floor cell.
    pub fn state(&self, cell: Cell) -> Result<usize, MazeError> {
        let Cell { column, row } = cell;
        let refuse = |what| MazeError::NotFloor { column, row, what };
        if column >= self.columns || row >= self.rows() {
            return Err(refuse("outside the maze"));
        }
        match self.state_of_cell[row * self.columns + column] {
            WALL => Err(refuse("a wall")),
            state => Ok(state as usize),
        }
    }

    /// Values by state, laid out by cell, row by row; `None` on walls.
    pub fn lay_out<T: Copy>(&self, values: &[T]) -> Vec<Option<T>> {
        let at = |&state: &u32| values.get(state as usize).copied();
        self.state_of_cell.iter().map(at).collect()
    }

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
    fn neighbours(&self, state: usize, moves: Moves) -> [(Option<usize>, f64); 4] {
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
