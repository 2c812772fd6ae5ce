//! Isochrones: lines of equal value through the open cells of a grid.
//!
//! The plotting crate's contours know no walls: they would run through them.

use std::collections::BTreeMap;

use crate::heat::Heat;

/// A place in cells from the grid's upper left corner.
type Point = (f64, f64);
/// A straight piece of a line.
type Piece = [Point; 2];

/// The lines at `level`: pieces that share ends, joined.
pub(crate) fn lines(heat: &Heat, level: f64) -> Vec<Vec<Point>> {
    let pieces = pieces(heat, level);
    let key = |(x, y): Point| (x.to_bits(), y.to_bits());
    let mut at: BTreeMap<(u64, u64), Vec<Piece>> = BTreeMap::new();
    for [one, other] in &pieces {
        at.entry(key(*one)).or_default().push([*one, *other]);
        at.entry(key(*other)).or_default().push([*other, *one]);
    }
    let mut step = |from: Point| {
        let [_, to] = at.get_mut(&key(from))?.pop()?;
        let back = at.get_mut(&key(to))?;
        back.retain(|[_, end]| key(*end) != key(from));
        Some(to)
    };
    let mut lines = Vec::new();
    for [start, _] in &pieces {
        while let Some(next) = step(*start) {
            let rest = std::iter::successors(Some(next), |from| step(*from));
            lines.push(std::iter::once(*start).chain(rest).collect());
        }
    }
    lines
}

/// The pieces of the line at `level`.
///
/// Between two open neighbours on either side of the level, the line crosses
/// where straight interpolation says. Where four open cells meet, crossings
/// are joined; beside a wall, the line goes straight on to the cell's border.
/// In a corridor one cell wide it is a bar on the border of the two cells. So
/// no piece ever enters a wall.
fn pieces(heat: &Heat, level: f64) -> Vec<Piece> {
    let grid = Grid { heat, level };
    let mut pieces = Vec::new();
    for row in 0..heat.rows() {
        for column in 0..heat.columns {
            grid.add_joined((column, row), &mut pieces);
            grid.add_to_walls((column, row), Way::East, &mut pieces);
            grid.add_to_walls((column, row), Way::South, &mut pieces);
        }
    }
    pieces
}

/// Column and row.
type Cell = (usize, usize);

/// Towards which neighbour.
#[derive(Clone, Copy)]
enum Way {
    East,
    South,
}

impl Way {
    fn of(self, cell: Cell) -> Cell {
        match self {
            Self::East => (cell.0 + 1, cell.1),
            Self::South => (cell.0, cell.1 + 1),
        }
    }
}

struct Grid<'a> {
    heat: &'a Heat,
    level: f64,
}

impl Grid<'_> {
    fn value(&self, cell: Cell) -> Option<f64> {
        self.heat.value(cell.0, cell.1)
    }

    /// Whether the four cells with this one at their upper left are all open.
    fn open_square(&self, (column, row): Cell) -> bool {
        let cells = [
            (column, row),
            (column + 1, row),
            (column, row + 1),
            (column + 1, row + 1),
        ];
        cells.into_iter().all(|cell| self.value(cell).is_some())
    }

    /// The part of the way from one centre to the other at which the level is met.
    fn part(&self, from: Cell, to: Cell) -> Option<f64> {
        let (start, end) = (self.value(from)?, self.value(to)?);
        let crosses = (start < self.level) != (end < self.level);
        crosses.then(|| (self.level - start) / (end - start))
    }

    fn crossing(&self, from: Cell, to: Cell) -> Option<Point> {
        let part = self.part(from, to)?;
        let between =
            |start: usize, end: usize| start as f64 * (1.0 - part) + end as f64 * part + 0.5;
        Some((between(from.0, to.0), between(from.1, to.1)))
    }

    /// Joins the crossings of an open square: one line, or two at a saddle.
    fn add_joined(&self, cell: Cell, pieces: &mut Vec<Piece>) {
        if !self.open_square(cell) {
            return;
        }
        let (east, south) = (Way::East.of(cell), Way::South.of(cell));
        let opposite = Way::South.of(east);
        let sides = [
            (cell, east),
            (east, opposite),
            (south, opposite),
            (cell, south),
        ];
        let crossings = sides.map(|(from, to)| self.crossing(from, to));
        if let [Some(north), Some(east_side), Some(south_side), Some(west)] = crossings {
            let mean = [cell, east, south, opposite]
                .into_iter()
                .filter_map(|cell| self.value(cell))
                .sum::<f64>()
                / 4.0;
            let first_is_low = self.value(cell).is_some_and(|value| value < self.level);
            if first_is_low == (mean < self.level) {
                pieces.extend([[north, east_side], [south_side, west]]);
            } else {
                pieces.extend([[west, north], [east_side, south_side]]);
            }
            return;
        }
        let mut met = crossings.into_iter().flatten();
        if let (Some(from), Some(to)) = (met.next(), met.next()) {
            pieces.push([from, to]);
        }
    }

    /// Leads the line between a cell and its neighbour on to the walls beside them.
    fn add_to_walls(&self, cell: Cell, way: Way, pieces: &mut Vec<Piece>) {
        let Some(part) = self.part(cell, way.of(cell)) else {
            return;
        };
        let before = match way {
            Way::East => cell.1.checked_sub(1).map(|row| (cell.0, row)),
            Way::South => cell.0.checked_sub(1).map(|column| (column, cell.1)),
        };
        let joined_before = before.is_some_and(|square| self.open_square(square));
        let joined_after = self.open_square(cell);
        let (from, to) = match (joined_before, joined_after) {
            (true, true) => return,
            (false, true) => (0.0, 0.5),
            (true, false) => (0.5, 1.0),
            (false, false) => (0.0, 1.0),
        };
        let along = if joined_before || joined_after {
            part + 0.5
        } else {
            1.0
        };
        let (column, row) = (cell.0 as f64, cell.1 as f64);
        pieces.push([from, to].map(|across| match way {
            Way::East => (column + along, row + across),
            Way::South => (column + across, row + along),
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heat::tests::grid;

    #[test]
    fn a_corridor_shows_one_bar_across() {
        let corridor = grid(3, vec![Some(0.0), Some(1.0), Some(2.0)]);
        assert_eq!(pieces(&corridor, 0.3), [[(1.0, 0.0), (1.0, 1.0)]]);
    }

    #[test]
    fn an_open_field_is_crossed_where_interpolation_says() {
        let field = grid(2, vec![Some(0.0), Some(4.0), Some(0.0), Some(4.0)]);
        let found = pieces(&field, 1.0);
        assert_eq!(found.len(), 3);
        assert!(found.iter().flatten().all(|(x, _)| (x - 0.75).abs() < 1e-9));
    }

    #[test]
    fn a_ring_is_one_line_and_every_piece_is_drawn_once() {
        let hill = (0..49_u32).map(|index| {
            let (x, y) = (f64::from(index % 7) - 3.0, f64::from(index / 7) - 3.0);
            Some(x * x + y * y)
        });
        let hill = grid(7, hill.collect());
        for level in [5.5, 11.0] {
            let drawn = lines(&hill, level).iter().map(|line| line.len() - 1).sum();
            assert_eq!(pieces(&hill, level).len(), drawn);
        }
        let ring = lines(&hill, 5.5);
        assert_eq!(ring.len(), 1);
        assert_eq!(ring[0].first(), ring[0].last());
    }

    #[test]
    fn no_piece_enters_a_wall() {
        let values = (0..400_u32).map(|index| {
            (index % 7 != 3 && index % 11 != 5).then(|| f64::from(index % 20 + index / 20))
        });
        let maze = grid(20, values.collect());
        for piece in pieces(&maze, 17.3) {
            let [(x0, y0), (x1, y1)] = piece;
            let cell = (
                f64::midpoint(x0, x1) as usize,
                f64::midpoint(y0, y1) as usize,
            );
            assert!(maze.value(cell.0, cell.1).is_some(), "{piece:?}");
        }
    }

    #[test]
    fn equal_values_and_far_levels_have_no_line() {
        let flat = grid(2, vec![Some(3.0); 4]);
        assert!(pieces(&flat, 3.0).is_empty());
        assert!(pieces(&flat, 99.0).is_empty());
    }
}
