//! Arenas as text: walls, floor and a start.
//!
//! `#` is wall, `.` is floor, `r` is the cell whose centre is the origin, where bodies start. A cell is 2 m
//! wide, walls are 1 m high. Columns grow with +x and rows with +y, so the text is seen with y downwards.
//!
//! Settings may stand before the plan, one per line. With `wall_thickness_m = 0.1` the plan has walls between cells: posts
//! `+`, walls `-` and `|`, spaces where the way is open.
//!
//! ```text
//! wall_thickness_m = 0.1
//! +-+-+-+
//! |r .|.|
//! + +-+ +
//! |. . .|
//! +-+-+-+
//! ```
//!
//! With `push_n = 6` the floor of the cells `<`, `>`, `^` and `v` pushes a body with that many newtons, in the direction that the text
//! shows: `v` towards +y.

mod edges;
mod error;
mod text;
mod wall_box;

pub use error::ArenaError;
pub use wall_box::WallBox;

use edges::Edges;
use std::fmt::Write as _;

/// Width of a cell.
const CELL_M: f64 = 2.0;
/// Height of walls.
const WALL_HEIGHT_M: f64 = 1.0;
/// Length of an arrowhead along and across its direction, from the middle of a cell that pushes.
const ARROW_M: f64 = 0.5;
/// Coverage goals per cell along each axis.
const GOALS_PER_CELL: usize = 4;

/// One cell of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Wall,
    Floor,
    /// Floor where a constant force acts on the body.
    Pushes(Way),
}

/// A direction along an axis, as the text shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Left,
    Right,
    Up,
    Down,
}

impl Way {
    const ALL: [Self; 4] = [Self::Left, Self::Right, Self::Up, Self::Down];

    const fn mark(self) -> char {
        match self {
            Self::Left => '<',
            Self::Right => '>',
            Self::Up => '^',
            Self::Down => 'v',
        }
    }

    /// Its unit vector. Rows grow with +y.
    const fn direction(self) -> [f64; 2] {
        match self {
            Self::Left => [-1.0, 0.0],
            Self::Right => [1.0, 0.0],
            Self::Up => [0.0, -1.0],
            Self::Down => [0.0, 1.0],
        }
    }
}

/// A floor plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Arena {
    columns: usize,
    cells: Vec<Cell>,
    start: (usize, usize),
    edges: Option<Edges>,
    /// The walls on edges of cells.
    thin_walls: Vec<WallBox>,
    push_n: Option<f64>,
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

    /// One corridor, rolled up between walls of 0.1 m.
    pub const THIN_SPIRAL: &'static str = include_str!("../assets/arenas/thin-spiral.txt");
    /// A ring with a strip that can be crossed in one direction only, behind the start.
    pub const ONE_WAY: &'static str = include_str!("../assets/arenas/one-way.txt");

    /// A plan of cells, row by row.
    fn new(
        columns: usize,
        cells: Vec<Cell>,
        start: usize,
        edges: Option<Edges>,
        push_n: Option<f64>,
    ) -> Self {
        let mut arena = Self {
            columns,
            cells,
            start: (start % columns, start / columns),
            edges,
            thin_walls: Vec::new(),
            push_n,
        };
        if let Some(edges) = &arena.edges {
            arena.thin_walls = edges.boxes(&arena);
        }
        arena
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    fn is_wall(&self, cell: usize) -> bool {
        self.cells[cell] == Cell::Wall
    }

    /// Thickness of the walls between cells, if there are any.
    pub fn wall_thickness_m(&self) -> Option<f64> {
        self.edges.as_ref().map(|edges| edges.thickness_m)
    }

    /// The constant force in cells that push, if there are any.
    pub const fn push_n(&self) -> Option<f64> {
        self.push_n
    }

    /// The force that the floor exerts on a body with its centre at a place. It is no part of the MuJoCo model: it is to be set
    /// as `qfrc_applied` before each step.
    pub fn push_at_n(&self, place_m: [f64; 2]) -> [f64; 2] {
        let Some(push_n) = self.push_n else {
            return [0.0; 2];
        };
        let mut ways = self
            .cells_holding(place_m)
            .filter_map(|cell| self.way(cell));
        ways.next()
            .map_or([0.0; 2], |way| way.direction().map(|x| push_n * x))
    }

    fn way(&self, cell: usize) -> Option<Way> {
        match self.cells[cell] {
            Cell::Pushes(way) => Some(way),
            Cell::Wall | Cell::Floor => None,
        }
    }

    /// Centres and forces of the cells that push, row by row.
    pub fn pushes(&self) -> Vec<([f64; 2], [f64; 2])> {
        let cells = (0..self.cells.len()).filter(|&cell| self.way(cell).is_some());
        cells
            .map(|cell| self.centre_of(cell))
            .map(|centre| (centre, self.push_at_n(centre)))
            .collect()
    }

    fn centre_of(&self, cell: usize) -> [f64; 2] {
        self.centre_m(cell % self.columns, cell / self.columns)
    }

    /// The corner of a cell towards smaller x and y.
    fn corner_m(&self, column: usize, row: usize) -> [f64; 2] {
        self.centre_m(column, row).map(|x| x - CELL_M / 2.0)
    }

    /// The centre of a cell in the world's x and y.
    fn centre_m(&self, column: usize, row: usize) -> [f64; 2] {
        let offset = |at: usize, start: usize| CELL_M * (at as f64 - start as f64);
        [offset(column, self.start.0), offset(row, self.start.1)]
    }

    /// The cells of the whole plan, wall cells included.
    pub fn extent(&self) -> Extent {
        let last = (self.columns - 1, self.rows() - 1);
        let half = CELL_M / 2.0;
        Extent {
            low_m: self.centre_m(0, 0).map(|x| x - half),
            high_m: self.centre_m(last.0, last.1).map(|x| x + half),
        }
    }

    /// What pictures show: all cells and all of the walls round them.
    pub(crate) fn outline(&self) -> Extent {
        let half = self.wall_thickness_m().unwrap_or(0.0) / 2.0;
        let Extent { low_m, high_m } = self.extent();
        Extent {
            low_m: low_m.map(|x| x - half),
            high_m: high_m.map(|x| x + half),
        }
    }

    /// Centres of the cells that are wall (or floor), row by row.
    fn centres_m(&self, walls: Cells) -> impl Iterator<Item = [f64; 2]> {
        let wanted = walls == Cells::Walls;
        let cells = (0..self.cells.len()).filter(move |&cell| self.is_wall(cell) == wanted);
        cells.map(|cell| self.centre_of(cell))
    }

    /// All walls: the wall cells, row by row, then the walls between cells.
    pub fn walls(&self) -> Vec<WallBox> {
        let square = |centre_m| WallBox {
            centre_m,
            half_m: [CELL_M / 2.0; 2],
        };
        let cells = self.centres_m(Cells::Walls).map(square);
        cells.chain(self.thin_walls()).collect()
    }

    /// The walls between cells: one box for every run of edges in a line.
    pub fn thin_walls(&self) -> impl Iterator<Item = WallBox> {
        self.thin_walls.iter().copied()
    }

    /// Is this place inside a wall, its border included?
    pub fn is_in_wall(&self, place_m: [f64; 2]) -> bool {
        self.cells_holding(place_m).any(|cell| self.is_wall(cell))
            || self.thin_walls().any(|wall| wall.holds(place_m))
    }

    /// Whether walls forbid a step: it ends inside a wall, or it crosses a wall between cells. A fast sphere moves 0.2 m in a
    /// step and could jump over a thin wall, but never over a wall cell.
    pub fn forbids(&self, from_m: [f64; 2], to_m: [f64; 2]) -> bool {
        self.cells_holding(to_m).any(|cell| self.is_wall(cell))
            || self.thin_walls().any(|wall| wall.meets(from_m, to_m))
    }

    /// Can a body's centre be here: strictly inside some floor cell and outside of walls?
    pub fn is_feasible(&self, place_m: [f64; 2]) -> bool {
        let half = CELL_M / 2.0;
        self.cells_holding(place_m).any(|cell| {
            let centre = self.centre_of(cell);
            !self.is_wall(cell) && (0..2).all(|k| (place_m[k] - centre[k]).abs() < half)
        }) && !self.thin_walls().any(|wall| wall.holds(place_m))
    }

    /// The cells whose closed squares hold a place: one inside a cell, two on an edge, four at a corner. Asked
    /// after every step of a point mass, so no other cell is looked at.
    fn cells_holding(&self, place_m: [f64; 2]) -> impl Iterator<Item = usize> {
        let columns = indices_holding(place_m[0], self.start.0, self.columns);
        let rows = indices_holding(place_m[1], self.start.1, self.rows());
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

    /// The walls as MuJoCo boxes, and marks on the floor that pushes.
    pub(crate) fn to_mjcf(&self) -> String {
        let mut xml = String::new();
        let height = WALL_HEIGHT_M / 2.0;
        for (number, wall) in self.walls().into_iter().enumerate() {
            let ([x, y], [half_x, half_y]) = (wall.centre_m, wall.half_m);
            // Writing to a String cannot fail.
            let _ = writeln!(
                xml,
                r#"    <geom name="wall_{number}" type="box" pos="{x} {y} {height}" size="{half_x} {half_y} {height}" contype="1" conaffinity="1" material="wall"/>"#
            );
        }
        for (number, (centre_m, force_n)) in self.pushes().into_iter().enumerate() {
            xml += &push_mjcf(number, centre_m, force_n);
        }
        xml
    }
}

/// A coloured square with an arrowhead, and the force as its user data. Sites have no physics.
fn push_mjcf(number: usize, [x, y]: [f64; 2], force_n: [f64; 2]) -> String {
    let half = CELL_M / 2.0;
    let ([fx, fy], size_n) = (force_n, force_n[0].hypot(force_n[1]));
    let (ahead, aside) = ([fx / size_n, fy / size_n], [-fy / size_n, fx / size_n]);
    let tip = [x + ARROW_M * ahead[0], y + ARROW_M * ahead[1]];
    let mut xml = format!(
        r#"    <site name="push_{number}" type="box" pos="{x} {y} 0.001" size="{half} {half} 0.001" rgba="0.95 0.8 0.45 1" user="{fx} {fy}"/>
"#
    );
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let [dx, dy] = [0, 1].map(|k| sign * aside[k] - ahead[k]);
        let [bar_x, bar_y] = [tip[0] + dx * ARROW_M / 2.0, tip[1] + dy * ARROW_M / 2.0];
        let half_length = ARROW_M * dx.hypot(dy) / 2.0;
        // Writing to a String cannot fail.
        let _ = writeln!(
            xml,
            r#"    <site name="push_{number}_{side}" type="box" pos="{bar_x} {bar_y} 0.003" size="{half_length} 0.08 0.001" xyaxes="{dx} {dy} 0 {} {dx} 0" rgba="0.75 0.45 0.1 1"/>"#,
            -dy
        );
    }
    xml
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
