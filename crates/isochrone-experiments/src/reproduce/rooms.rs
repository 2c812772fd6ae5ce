//! Mazes whose exact answers are known, large enough that windows do not see across them.

use anyhow::Result;
use isochrone::markov::{Chain, Values};
use isochrone::maze::{Cell, Maze, Moves, WallRule};

/// A maze's random walk, and where its states are.
#[derive(Debug)]
pub(super) struct World {
    pub(super) chain: Chain,
    pub(super) cells: Vec<Cell>,
    /// Cells along each side.
    pub(super) side: usize,
}

/// Cells along each side of the four rooms together, and of one of them.
const SIDE: usize = 20;
const ROOM: usize = 10;
/// Doors are in these columns and rows: one cell wide, in the middle of a room's wall.
const DOORS: [usize; 2] = [4, 14];

impl World {
    /// Four rooms of 10×10 cells. Walls have no thickness: they are between cells, and a door joins two of them.
    pub(super) fn four_rooms() -> Result<Self> {
        let cells: Vec<Cell> = (0..SIDE * SIDE).map(cell).collect();
        let chain = Chain::build(cells.len(), Values::Probabilities, |state, row| {
            let at = cells[state];
            let beside = [
                (at.row > 0).then(|| state - SIDE),
                (at.row + 1 < SIDE).then_some(state + SIDE),
                (at.column + 1 < SIDE).then_some(state + 1),
                (at.column > 0).then(|| state - 1),
            ];
            for next in beside {
                let next = next.filter(|&next| is_joined(at, cells[next]));
                // A move into a wall stays.
                row.push((next.unwrap_or(state), 0.25));
            }
        })?;
        Ok(Self {
            chain,
            cells,
            side: SIDE,
        })
    }

    /// A U of seven squares, 6×6 cells each: the top row, the middle at the right, the bottom row.
    pub(super) fn u_maze() -> Result<Self> {
        let line = |row: usize| match row {
            6..12 => "############......\n",
            _ => "..................\n",
        };
        let maze: Maze = (0..18).map(line).collect::<String>().parse()?;
        Ok(Self {
            chain: maze.chain(Moves::UNIFORM, WallRule::Stay)?,
            cells: (0..maze.n_states()).map(|s| maze.cell(s)).collect(),
            side: maze.columns(),
        })
    }

    /// Every state as often: the stationary distribution of a walk that stays at walls.
    pub(super) fn evenly(&self) -> Vec<f64> {
        vec![1.0 / self.cells.len() as f64; self.cells.len()]
    }

    /// Values by state, laid out by cell; `None` in walls.
    pub(super) fn lay_out(&self, values: &[f64]) -> Vec<Option<f64>> {
        let mut grid = vec![None; self.side * self.side];
        for (cell, value) in self.cells.iter().zip(values) {
            grid[cell.row * self.side + cell.column] = Some(*value);
        }
        grid
    }
}

fn cell(number: usize) -> Cell {
    Cell {
        column: number % SIDE,
        row: number / SIDE,
    }
}

/// Can one step from a cell to the one beside it? Between rooms only through a door.
fn is_joined(a: Cell, b: Cell) -> bool {
    if a.column / ROOM != b.column / ROOM {
        DOORS.contains(&a.row)
    } else if a.row / ROOM != b.row / ROOM {
        DOORS.contains(&a.column)
    } else {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone::markov::{stationary, steps_from};

    #[test]
    fn four_rooms_have_400_states_and_four_doors() {
        let world = World::four_rooms().expect("a chain");
        assert_eq!(world.chain.n_states(), 400);
        let joined = |state: usize| world.chain.row(state).map(move |(to, _)| (state, to));
        let doors = (0..400).flat_map(joined).filter(|&(a, b)| {
            let (a, b) = (world.cells[a], world.cells[b]);
            a.column / ROOM != b.column / ROOM || a.row / ROOM != b.row / ROOM
        });
        assert_eq!(doors.count(), 8, "four, each both ways");
        // Side by side with a wall between: down to the door and back.
        assert_eq!(steps_from(&world.chain, 9)[10], 9);
    }

    #[test]
    fn the_u_has_252_states_visited_evenly() {
        let world = World::u_maze().expect("a chain");
        let rho = stationary(&world.chain).expect("a distribution").rho;
        assert_eq!(rho.len(), 252);
        assert!(
            rho.iter()
                .zip(world.evenly())
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }
}
