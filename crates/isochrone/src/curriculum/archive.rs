//! Goals that were once of intermediate difficulty, kept apart so that no region crowds out the others.

use crate::distance::{Distance, Euclidean};
use crate::nn::{NamedArray, NamedArrayError, find_rows};
use crate::rng::{Rng, choose};
use std::collections::BTreeMap;

/// Goals at mutual Euclidean distance > `spacing`, in the order in which they came. It only grows.
///
/// A grid answers "is one of them near?" from neighbouring cells, so adding to a hundred thousand goals costs as much as
/// adding to a hundred.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    spacing: f64,
    dims: usize,
    /// End to end.
    goals: Vec<f32>,
    /// Which goals are in which cell of the first dimensions.
    cells: BTreeMap<Cell, Vec<usize>>,
}

/// Dimensions that have cells. Two goals that are near each other are so in these dimensions, too: more of them would
/// only part goals better, and each makes the neighbours three times as many.
const CELL_DIMS: usize = 3;

type Cell = [i64; CELL_DIMS];

/// Cells are a little wider than the spacing: rounding cannot put near goals two cells apart.
const WIDER: f64 = 1.001;

/// The name of its array.
const NAME: &str = "archive";

impl Archive {
    /// An empty one for goals of `dims` numbers, at least one. A spacing below zero is zero: only equal goals are too
    /// near.
    pub fn new(spacing: f64, dims: usize) -> Self {
        Self {
            spacing: spacing.max(0.0),
            dims: dims.max(1),
            goals: Vec::new(),
            cells: BTreeMap::new(),
        }
    }

    /// Adds goals: first they are thinned among themselves, in order, then those near one that is kept are dropped. (A
    /// goal that is dropped in the end has already driven away those near it; that is how the reference has it.) Goals
    /// of another length, and those with NaN or infinity, are ignored.
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

    /// Keeps a goal, unless one is near.
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

    /// Goals kept.
    pub fn len(&self) -> usize {
        self.goals.len() / self.dims
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them, end to end.
    pub fn goals(&self) -> &[f32] {
        &self.goals
    }

    /// Some of them without repetition, all of them if there are no more.
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

/// A cell and those that touch it, in as many dimensions as goals have.
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
