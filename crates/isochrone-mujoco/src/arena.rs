//! Arenas as text: walls, floor and a start.
//!
//! `#` is wall, `.` is floor, `r` is the cell whose centre is the origin, where bodies start. A cell is 2 m
//! wide, walls are 1 m high. Columns grow with +x and rows with +y, so the text is seen with y downwards.

use std::fmt::{self, Write as _};
use std::str::FromStr;

/// Width of a cell.
const CELL_M: f64 = 2.0;
/// Height of walls.
const WALL_HEIGHT_M: f64 = 1.0;
/// Coverage goals per cell along each axis.
const GOALS_PER_CELL: usize = 4;

/// Why a text is not an arena.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// No lines.
    #[error("the arena is empty")]
    Empty,
    /// A character with no meaning.
    #[error("line {line}, column {column}: {found:?} is none of wall `#`, floor `.` and start `r`")]
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
    /// No start, or several.
    #[error("the arena has {found} starts `r`, it needs one")]
    Starts {
        /// How many.
        found: usize,
    },
}

/// A floor plan. The empty plan has neither walls nor bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena {
    columns: usize,
    is_wall: Vec<bool>,
    start: (usize, usize),
}

/// The text it was read from.
impl fmt::Display for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (row, cells) in self.is_wall.chunks_exact(self.columns).enumerate() {
            for (column, is_wall) in cells.iter().enumerate() {
                f.write_char(match (is_wall, (column, row) == self.start) {
                    (true, _) => '#',
                    (false, true) => 'r',
                    (false, false) => '.',
                })?;
            }
            f.write_char('\n')?;
        }
        Ok(())
    }
}

impl FromStr for Arena {
    type Err = ArenaError;

    fn from_str(text: &str) -> Result<Self, ArenaError> {
        let lines: Vec<&str> = text.trim_end_matches(['\n', '\r']).lines().collect();
        let columns = lines.first().map_or(0, |line| line.chars().count());
        if columns == 0 {
            return Err(ArenaError::Empty);
        }
        let (mut is_wall, mut starts) = (Vec::new(), Vec::new());
        for (row, line) in lines.iter().enumerate() {
            let cells = line.chars().count();
            if cells != columns {
                return Err(ArenaError::Ragged {
                    line: row + 1,
                    cells,
                    expected: columns,
                });
            }
            for (column, found) in line.chars().enumerate() {
                if !matches!(found, '#' | '.' | 'r') {
                    return Err(ArenaError::UnknownCell {
                        line: row + 1,
                        column: column + 1,
                        found,
                    });
                }
                is_wall.push(found == '#');
                starts.extend((found == 'r').then_some((column, row)));
            }
        }
        match starts[..] {
            [start] => Ok(Self {
                columns,
                is_wall,
                start,
            }),
            _ => Err(ArenaError::Starts {
                found: starts.len(),
            }),
        }
    }
}

impl Arena {
    /// Two loops that share their middle bar: the paper's "figure eight shaped room".
    pub const FIGURE_EIGHT: &'static str = include_str!("../assets/arenas/figure-eight.txt");
    /// One corridor, rolled up: the reference code's layout 11.
    pub const SPIRAL: &'static str = include_str!("../assets/arenas/spiral.txt");
    /// A U: the reference code's layout 0, and Maze Ant's.
    pub const U: &'static str = include_str!("../assets/arenas/u.txt");
    /// A square room without inner walls.
    pub const ROOM: &'static str = include_str!("../assets/arenas/room.txt");

    /// The centre of a cell in the world's x and y.
    fn centre_m(&self, column: usize, row: usize) -> [f64; 2] {
        let offset = |at: usize, start: usize| CELL_M * (at as f64 - start as f64);
        [offset(column, self.start.0), offset(row, self.start.1)]
    }

    /// The floor under the whole plan, outer walls included.
    pub fn extent(&self) -> Extent {
        let last = (self.columns - 1, self.is_wall.len() / self.columns - 1);
        let half = CELL_M / 2.0;
        Extent {
            low_m: self.centre_m(0, 0).map(|x| x - half),
            high_m: self.centre_m(last.0, last.1).map(|x| x + half),
        }
    }

    /// Centres of the cells that are wall (or floor), row by row.
    fn centres_m(&self, walls: Cells) -> impl Iterator<Item = [f64; 2]> {
        let wanted = walls == Cells::Walls;
        let cells = (0..self.is_wall.len()).filter(move |&cell| self.is_wall[cell] == wanted);
        cells.map(|cell| self.centre_m(cell % self.columns, cell / self.columns))
    }

    /// Centres of the wall cells, row by row.
    pub fn wall_centres_m(&self) -> Vec<[f64; 2]> {
        self.centres_m(Cells::Walls).collect()
    }

    /// Is this place inside a wall cell, its border included?
    pub fn is_in_wall(&self, place_m: [f64; 2]) -> bool {
        self.cells_holding(place_m).any(|cell| self.is_wall[cell])
    }

    /// Can a body's centre be here: strictly inside some floor cell?
    pub fn is_feasible(&self, place_m: [f64; 2]) -> bool {
        let half = CELL_M / 2.0;
        self.cells_holding(place_m).any(|cell| {
            let centre = self.centre_m(cell % self.columns, cell / self.columns);
            !self.is_wall[cell] && (0..2).all(|k| (place_m[k] - centre[k]).abs() < half)
        })
    }

    /// The cells whose closed squares hold a place: one inside a cell, two on an edge, four at a corner. Asked
    /// after every step of a point mass, so no other cell is looked at.
    fn cells_holding(&self, place_m: [f64; 2]) -> impl Iterator<Item = usize> {
        let rows = self.is_wall.len() / self.columns;
        let columns = indices_holding(place_m[0], self.start.0, self.columns);
        let rows = indices_holding(place_m[1], self.start.1, rows);
        rows.flat_map(move |row| {
            columns
                .clone()
                .map(move |column| row * self.columns + column)
        })
    }

    /// The goals that coverage is measured on: a 4×4 grid in every floor cell.
    pub fn coverage_goals_m(&self) -> Vec<[f64; 2]> {
        let step = CELL_M / GOALS_PER_CELL as f64;
        let offset = |k: usize| (k as f64 + 0.5) * step - CELL_M / 2.0;
        let grid = |[x, y]: [f64; 2]| {
            (0..GOALS_PER_CELL * GOALS_PER_CELL).map(move |g| {
                [
                    x + offset(g % GOALS_PER_CELL),
                    y + offset(g / GOALS_PER_CELL),
                ]
            })
        };
        self.centres_m(Cells::Floor).flat_map(grid).collect()
    }

    /// The walls as MuJoCo boxes.
    pub(crate) fn to_mjcf(&self) -> String {
        let mut xml = String::new();
        let (half, height) = (CELL_M / 2.0, WALL_HEIGHT_M / 2.0);
        for (number, [x, y]) in self.centres_m(Cells::Walls).enumerate() {
            // Writing to a String cannot fail.
            let _ = writeln!(
                xml,
                r#"    <geom name="wall_{number}" type="box" pos="{x} {y} {height}" size="{half} {half} {height}" contype="1" conaffinity="1" material="wall"/>"#
            );
        }
        xml
    }
}

/// The indices i of `0..count` with |x − 2(i − start)| ≤ 1. Subtracting 1 and halving are exact where it matters
/// (rounding never crosses a whole number), and what is found is looked at again.
fn indices_holding(x_m: f64, start: usize, count: usize) -> impl Iterator<Item = usize> + Clone {
    let half = CELL_M / 2.0;
    let lowest = ((x_m - half) / CELL_M).ceil() as isize;
    let highest = ((x_m + half) / CELL_M).floor() as isize;
    let inside = move |i: &isize| (x_m - CELL_M * *i as f64).abs() <= half;
    let each = (lowest..=highest.min(lowest.saturating_add(1))).filter(inside);
    each.filter_map(move |i| start.checked_add_signed(i))
        .filter(move |&i| i < count)
}

/// A rectangle of floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Smallest x and y.
    pub low_m: [f64; 2],
    /// Largest x and y.
    pub high_m: [f64; 2],
}

impl Extent {
    /// A square round the origin.
    pub const fn square(side_m: f64) -> Self {
        let half = side_m / 2.0;
        Self {
            low_m: [-half, -half],
            high_m: [half, half],
        }
    }

    /// Its middle.
    pub fn centre_m(&self) -> [f64; 2] {
        [0, 1].map(|k| f64::midpoint(self.low_m[k], self.high_m[k]))
    }

    /// Its lengths along x and y.
    pub fn size_m(&self) -> [f64; 2] {
        [0, 1].map(|k| self.high_m[k] - self.low_m[k])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cells {
    Walls,
    Floor,
}
