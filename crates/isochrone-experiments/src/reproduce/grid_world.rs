//! Grid worlds with exact solutions, too large for one window to cross.

use super::predictor::fit;
use super::random_walks::{RandomWalks, StateInput};
use anyhow::Result;
use isochrone::embedding::DistanceSpec;
use isochrone::evaluate::JudgedPair;
use isochrone::markov::{Chain, Mat, Values};
use isochrone::maze::{Cell, Maze, Moves, WallRule};
use isochrone::rng::{Purpose, Seed};

/// Transitions learned from, and steps of a walk.
const DATA_STEPS: usize = 1_000_000;
pub(super) const WALK_STEPS: usize = 100;

/// The random walk on a grid, and the cell of each state.
#[derive(Debug)]
pub(super) struct GridWorld {
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

impl GridWorld {
    /// Four rooms of 10×10 cells. Walls have no thickness: they are between cells, and a door joins two of them.
    pub(super) fn four_rooms() -> Result<Self> {
        let cell = |state| Cell {
            column: state % SIDE,
            row: state / SIDE,
        };
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

    /// The uniform distribution: stationary for a walk that stays at walls.
    pub(super) fn uniform(&self) -> Vec<f64> {
        vec![1.0 / self.cells.len() as f64; self.cells.len()]
    }

    /// The input of a network on (column, row) with layers of these widths.
    pub(super) fn coordinates(&self, hidden: Vec<usize>) -> StateInput {
        StateInput::coordinates(self.cells.iter().copied(), self.side, hidden)
    }

    /// A million steps of the random walk, from uniformly drawn starts.
    pub(super) fn walks(&self, seed: u64) -> RandomWalks {
        let mut rng = Seed(seed).stream(Purpose::Act, 0, 0);
        let count = DATA_STEPS / WALK_STEPS;
        RandomWalks::of(&self.chain, &self.uniform(), count, WALK_STEPS, &mut rng)
    }

    /// Fits a distance to walks: the symmetric part between all states, in steps.
    pub(super) fn fit(
        &self,
        spec: &DistanceSpec,
        input: &StateInput,
        walks: &RandomWalks,
        seed: u64,
    ) -> Result<Mat<f64>> {
        let rows = walks.inputs(input);
        let learned = fit(spec, Seed(seed), &walks.episodes(&rows, input)?)?;
        let n = self.cells.len();
        let points = (0..n).map(|s| learned.embed(input.state(s)));
        let points: Vec<Vec<f32>> = points.collect::<Result<_, _>>()?;
        let metric = learned.metric();
        Ok(Mat::from_fn(n, n, |i, j| {
            metric.symmetric(&points[i], &points[j])
        }))
    }

    /// Every ordered pair of different states, with a distance and the exact one: goal by goal.
    pub(super) fn pairs(
        &self,
        found: &Mat<f64>,
        exact: impl Fn(usize) -> Vec<f64>,
    ) -> Vec<JudgedPair> {
        let n = self.cells.len();
        let of_goal = |goal| {
            let exact = exact(goal);
            let pair = move |s: usize| JudgedPair {
                goal,
                predicted: found[(s, goal)],
                exact: exact[s],
            };
            (0..n).filter(move |&s| s != goal).map(pair)
        };
        (0..n).flat_map(of_goal).collect()
    }

    /// The lines of figure.csv for a distance from one state.
    pub(super) fn csv_rows(&self, name: &str, values: &[f64]) -> Vec<String> {
        let row =
            |(cell, value): (&Cell, &f64)| format!("{name},{},{},{value}", cell.column, cell.row);
        self.cells.iter().zip(values).map(row).collect()
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

/// Can one step from a cell to the one beside it? Between rooms only through a door.
fn is_joined(a: Cell, b: Cell) -> bool {
    let is_open_sideways = a.column / ROOM == b.column / ROOM || DOORS.contains(&a.row);
    is_open_sideways && (a.row / ROOM == b.row / ROOM || DOORS.contains(&a.column))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isochrone::markov::{stationary, steps_from};

    #[test]
    fn four_rooms_have_400_states_and_four_doors() {
        let world = GridWorld::four_rooms().expect("a chain");
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
        let world = GridWorld::u_maze().expect("a chain");
        let rho = stationary(&world.chain).expect("a distribution").rho;
        assert_eq!(rho.len(), 252);
        assert!(
            rho.iter()
                .zip(world.uniform())
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }
}
