//! Isochrones: lines of equal value through the open cells of a grid.

use super::heat::Heat;

/// A straight piece of a line, in cells from the grid's upper left corner.
pub(super) type Piece = [(f64, f64); 2];

/// The pieces of the line at `level`.
///
/// Between two open neighbours on either side of the level, the line crosses
/// where straight interpolation says. Where four open cells meet, crossings
/// are joined; beside a wall, the line goes straight on to the cell's border.
/// In a corridor one cell wide it is a bar on the border of the two cells. So
/// no piece ever enters a wall.
pub(super) fn pieces(heat: &Heat, level: f64) -> Vec<Piece> {
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

    fn crossing(&self, from: Cell, to: Cell) -> Option<(f64, f64)> {
        let part = self.part(from, to)?;
        let between =
            |start: usize, end: usize| as_units(start) * (1.0 - part) + as_units(end) * part + 0.5;
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
        let (column, row) = (as_units(cell.0), as_units(cell.1));
        pieces.push([from, to].map(|across| match way {
            Way::East => (column + along, row + across),
            Way::South => (column + across, row + along),
        }));
    }
}

/// A count of cells as a length.
#[expect(
    clippy::cast_precision_loss,
    reason = "grids are far smaller than 2^52 cells"
)]
pub(super) fn as_units(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::heat::tests::grid;
    use super::*;

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
    fn no_piece_enters_a_wall() {
        let values = (0..400_u32).map(|index| {
            (index % 7 != 3 && index % 11 != 5).then(|| f64::from(index % 20 + index / 20))
        });
        let maze = grid(20, values.collect());
        for piece in pieces(&maze, 17.3) {
            let [(x0, y0), (x1, y1)] = piece;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "inside the grid"
            )]
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
