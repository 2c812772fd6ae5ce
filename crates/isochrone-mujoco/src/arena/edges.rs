//! Walls between cells.

use super::wall_box::WallBox;
use super::{Arena, CELL_M};

/// Which edges of cells are walls, and how thick these are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edges {
    pub(super) thickness_m: f64,
    /// Edges along x: above every row of cells and below the last, row by row.
    pub(super) level: Vec<bool>,
    /// Edges along y: left of every cell and right of the last of its row, row by row.
    pub(super) upright: Vec<bool>,
}

impl Edges {
    /// One box for every run of edges in a line: a body that slides along it meets no seam. Boxes reach half a thickness
    /// beyond their last posts, so that corners are closed.
    pub(super) fn boxes(&self, arena: &Arena) -> Vec<WallBox> {
        let (columns, rows) = (arena.columns, arena.rows());
        let level = (0..=rows).flat_map(|row| {
            let is_wall = |column: usize| self.level[row * columns + column];
            let boxes = runs(columns, is_wall).into_iter();
            boxes.map(move |run| self.of_run(arena.corner_m(run.0, row), run.1, 0))
        });
        let upright = (0..=columns).flat_map(|column| {
            let is_wall = |row: usize| self.upright[row * (columns + 1) + column];
            let boxes = runs(rows, is_wall).into_iter();
            boxes.map(move |run| self.of_run(arena.corner_m(column, run.0), run.1, 1))
        });
        level.chain(upright).collect()
    }

    /// The box of so many edges along an axis, from a corner on.
    fn of_run(&self, from_m: [f64; 2], edges: usize, axis: usize) -> WallBox {
        let half_length_m = edges as f64 * CELL_M / 2.0;
        let mut centre_m = from_m;
        centre_m[axis] += half_length_m;
        let mut half_m = [self.thickness_m / 2.0; 2];
        half_m[axis] += half_length_m;
        WallBox { centre_m, half_m }
    }
}

/// First index and length of every run of walls.
fn runs(count: usize, is_wall: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in (0..count).filter(|&at| is_wall(at)) {
        match runs.last_mut() {
            Some((first, length)) if *first + *length == at => *length += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}
