//! The archive: goals that were once of intermediate difficulty, with a minimum distance between them.

use crate::distance::{Distance, Euclidean};
use crate::nn::{NamedArray, NamedArrayError, find_rows};
use crate::rng::{Rng, choose};
use std::collections::BTreeMap;

/// Goals at mutual Euclidean distance > `spacing`, in the order of insertion. It only grows.
///
/// A grid limits the search for near goals to neighbouring cells, so the cost of an insertion does not grow with the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    spacing: f64,
    dims: usize,
    /// Row by row.
    goals: Vec<f32>,
    /// Goals by grid cell of the first dimensions.
    cells: BTreeMap<Cell, Vec<usize>>,
}

/// Dimensions of the grid. Goals that are near are near in these dimensions, too. More dimensions would separate goals better,
/// but each one triples the number of neighbouring cells.
const CELL_DIMS: usize = 3;

type Cell = [i64; CELL_DIMS];

/// Cells are slightly wider than the spacing, so rounding cannot put near goals two cells apart.
const WIDER: f64 = 1.001;

/// The name of its array.
const NAME: &str = "archive";

impl Archive {
    /// An empty archive for goals of `dims` numbers, at least one. A negative spacing counts as zero: only equal goals are too
    /// near.
    pub fn new(spacing: f64, dims: usize) -> Self {
        Self {
            spacing: spacing.max(0.0),
            dims: dims.max(1),
            goals: Vec::new(),
            cells: BTreeMap::new(),
        }
    }

    /// Adds goals: first they are thinned among themselves, in order, then those near an archived goal are dropped. (A goal
    /// that is dropped in the end has already removed its near neighbours, as in the reference code.) Goals of another length,
    /// and those with NaN or infinity, are ignored.
    pub fn add(&mut self, goals: &[Vec<f32>]) {
        let mut fresh = Self::new(self.spacing, self.dims);
        let is_goal =
            |goal: &&Vec<f32>| goal.len() == self.dims && goal.iter().all(|x| x.is_finite());
        for goal in goals.iter().filter(is_goal) {
            fresh.keep(goal);
        }
        for goal in fresh.goals.chunks_exact(self.dims) {
            self.keep(goal);
        }
    }

    /// Adds a goal unless an archived one is near.
    fn keep(&mut self, goal: &[f32]) {
        if !self.is_near_one(goal) {
            let place = self.len();
            self.goals.extend_from_slice(goal);
            self.cells.entry(self.cell(goal)).or_default().push(place);
        }
    }

    fn is_near_one(&self, goal: &[f32]) -> bool {
        let is_near = |&place: &usize| {
            let apart = Euclidean.between(self.goal(place), goal);
            apart.is_ok_and(|apart| apart <= self.spacing)
        };
        neighbours(self.cell(goal), self.dims)
            .filter_map(|cell| self.cells.get(&cell))
            .any(|places| places.iter().any(is_near))
    }

    fn goal(&self, place: usize) -> &[f32] {
        &self.goals[place * self.dims..(place + 1) * self.dims]
    }

    fn cell(&self, goal: &[f32]) -> Cell {
        let side = if self.spacing > 0.0 {
            WIDER * self.spacing
        } else {
            1.0
        };
        let mut cell = [0; CELL_DIMS];
        for (number, value) in cell.iter_mut().zip(goal) {
            *number = (f64::from(*value) / side).floor() as i64;
        }
        cell
    }

    /// Whether an archived goal is within this Euclidean distance.
    pub fn is_within(&self, goal: &[f32], radius: f64) -> bool {
        let mut goals = self.goals.chunks_exact(self.dims);
        goals.any(|other| {
            let apart = Euclidean.between(other, goal);
            apart.is_ok_and(|apart| apart <= radius)
        })
    }

    /// Number of goals.
    pub fn len(&self) -> usize {
        self.goals.len() / self.dims
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All goals, row by row.
    pub fn goals(&self) -> &[f32] {
        &self.goals
    }

    /// Some goals, drawn without repetition; all of them if there are fewer.
    pub fn sample(&self, count: usize, rng: &mut Rng) -> Vec<Vec<f32>> {
        let chosen = choose(self.len(), count, rng);
        chosen
            .into_iter()
            .map(|place| self.goal(place).to_vec())
            .collect()
    }

    /// All goals, as a named array.
    pub fn save(&self) -> NamedArray {
        NamedArray::f32(NAME, [self.len(), self.dims], self.goals.clone())
    }

    /// Restores a saved archive.
    pub fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        self.goals = find_rows(arrays, NAME, self.dims)?.to_vec();
        let mut cells: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
        for place in 0..self.len() {
            let cell = self.cell(self.goal(place));
            cells.entry(cell).or_default().push(place);
        }
        self.cells = cells;
        Ok(())
    }
}

/// A cell and its neighbours, in as many dimensions as the grid has.
fn neighbours(cell: Cell, dims: usize) -> impl Iterator<Item = Cell> {
    let count = 3_usize.pow(dims.min(CELL_DIMS) as u32);
    (0..count).map(move |mut number| {
        cell.map(|place| {
            let step = [0, 1, -1][number % 3];
            number /= 3;
            place.saturating_add(step)
        })
    })
}
