//! Mazes as text: small worlds in which the Euclidean distance is misleading.
//!
//! `#` is wall, `.` is floor. A state is a floor cell, numbered row by row from the top left; a cell is
//! named `(column, row)`, as the paper names its states. Row 0 is the north edge.
//!
//! ```text
//! .....
//! .###.
//! ...#.
//! ```

mod error;
mod walk;

use crate::markov::ChainError;
pub use error::MazeError;
pub use walk::{Moves, WallRule};

/// A cell of a maze, `(column, row)` from the top left.
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
        if lines.iter().all(|line| line.is_empty()) {
            return Err(MazeError::Empty);
        }
        let columns = lines[0].chars().count();
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
        if u32::try_from(states).is_err() {
            return Err(MazeError::Chain(ChainError::TooManyStates { states }));
        }
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

    /// The cell of a state.
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

    /// Returns an error for a number that is not a state.
    pub fn check_state(&self, state: usize) -> Result<(), MazeError> {
        let states = self.n_states();
        if state < states {
            Ok(())
        } else {
            Err(MazeError::NoSuchState { state, states })
        }
    }

    /// Values by state, laid out by cell, row by row; `None` on walls.
    pub fn lay_out<T: Copy>(&self, values: &[T]) -> Vec<Option<T>> {
        let at = |&state: &u32| values.get(state as usize).copied();
        self.state_of_cell.iter().map(at).collect()
    }
}
