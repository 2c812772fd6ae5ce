//! The two 25-state mazes of Appendix F.1 and everything their figures need.

use anyhow::Result;
use isochrone::markov::{Chain, Spectrum, commute_times, laplacian, passage_times, stationary};
use isochrone::maze::{Cell, Maze, Moves, WallRule};

/// Side of the mazes in cells.
pub(super) const SIDE: usize = 5;
/// The state (2, 2), from which everything is measured.
pub(super) const CENTRE: usize = 12;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaperMaze {
    /// Every move with probability 0.25.
    Uniform,
    /// North and east with 0.375, south and west with 0.125.
    NonUniform,
}

impl PaperMaze {
    pub(super) const BOTH: [Self; 2] = [Self::Uniform, Self::NonUniform];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::NonUniform => "non-uniform",
        }
    }

    fn moves(self) -> Moves {
        match self {
            Self::Uniform => Moves::UNIFORM,
            Self::NonUniform => Moves::NORTH_EAST,
        }
    }

    /// Its random walk, and how often that is where.
    pub(super) fn walk(self) -> Result<(Chain, Vec<f64>)> {
        let chain = Maze::open(SIDE, SIDE)?.chain(self.moves(), WallRule::Stay)?;
        let rho = stationary(&chain)?.rho;
        Ok((chain, rho))
    }

    pub(super) fn solve(self) -> Result<Solved> {
        let maze = Maze::open(SIDE, SIDE)?;
        let (chain, rho) = self.walk()?;
        let commute = commute_times(&passage_times(&chain));
        let from_centre: Vec<f64> = (0..chain.n_states())
            .map(|j| commute[(CENTRE, j)].max(0.0))
            .collect();
        Ok(Solved {
            spectrum: Spectrum::of_laplacian(&laplacian(&chain, &rho))?,
            root_commute: from_centre.iter().map(|n| n.sqrt()).collect(),
            commute: from_centre,
            maze,
        })
    }
}

/// A maze's exact answers.
pub(super) struct Solved {
    pub(super) maze: Maze,
    pub(super) spectrum: Spectrum,
    /// Commute times from the centre, in steps.
    pub(super) commute: Vec<f64>,
    /// Their roots: the truth of the figures.
    pub(super) root_commute: Vec<f64>,
}

impl Solved {
    /// A value at the paper's `(x, y)` = (column, row from the top).
    pub(super) fn at(&self, values: &[f64], column: usize, row: usize) -> Result<f64> {
        Ok(values[self.maze.state(Cell { column, row })?])
    }
}
