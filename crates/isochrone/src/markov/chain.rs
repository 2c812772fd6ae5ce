//! A finite Markov chain whose laws have been checked once, so that everything after is total.

use super::chain_error::ChainError;
use faer::Mat;
use std::ops::Range;

/// How far a row may be from summing to one before it is refused. Rows within it are divided by their
/// sum, so that rounding in a file does not leak probability.
pub const ROW_SUM_TOLERANCE: f64 = 1e-9;

/// One transition: `from → to` with its probability or weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// State left.
    pub from: usize,
    /// State entered.
    pub to: usize,
    /// Probability, or weight where the caller says so.
    pub value: f64,
}

/// What the numbers of a transition list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Probabilities: every row must already sum to one.
    Probabilities,
    /// Weights (counts, conductances): every row is divided by its sum.
    Weights,
}

/// An irreducible Markov chain on states `0…n−1`.
///
/// Rows are stored sparsely, whatever they were made from: a 25-state dense matrix costs nothing that
/// way, and 10⁷ states fit in memory. Every row sums to one and every state can reach every other; both
/// were checked when it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    row_start: Vec<usize>,
    to: Vec<u32>,
    probability: Vec<f64>,
}

impl Chain {
    /// From a dense matrix, `rows[i][j] = P(j|i)`.
    ///
    /// ```
    /// use isochrone::markov::Chain;
    /// let coin = Chain::from_rows(&[[0.5, 0.5], [0.5, 0.5]])?;
    /// assert_eq!(coin.n_states(), 2);
    /// let bad = Chain::from_rows(&[[0.5, 0.4], [0.5, 0.5]]);
    /// let error = bad.unwrap_err().to_string();
    /// assert_eq!(error, "the probabilities out of state 0 sum to 0.9, not to 1 within 1e-9");
    /// # Ok::<(), isochrone::markov::ChainError>(())
    /// ```
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, ChainError> {
        let states = rows.len();
        let lengths = rows.iter().map(|row| row.as_ref().len());
        for (row, entries) in lengths.enumerate() {
            if entries != states {
                return Err(ChainError::NotSquare {
                    row,
                    entries,
                    states,
                });
            }
        }
        Self::build(states, Values::Probabilities, |from, row| {
            row.extend(rows[from].as_ref().iter().copied().enumerate());
        })
    }

    /// From a rule that lists the transitions out of one state at a time; repeated ones are added.
    ///
    /// ```
    /// use isochrone::markov::{Chain, Values};
    /// let ring = Chain::build(5, Values::Probabilities, |i, row| {
    ///     row.extend([((i + 1) % 5, 0.5), ((i + 4) % 5, 0.5)]);
    /// })?;
    /// assert_eq!(ring.probability(4, 0), 0.5);
    /// # Ok::<(), isochrone::markov::ChainError>(())
    /// ```
    pub fn build(
        states: usize,
        values: Values,
        mut transitions_out_of: impl FnMut(usize, &mut Vec<(usize, f64)>),
    ) -> Result<Self, ChainError> {
        if states == 0 {
            return Err(ChainError::Empty);
        }
        if u32::try_from(states).is_err() {
            return Err(ChainError::TooManyStates { states });
        }
        let mut chain = Self {
            row_start: vec![0],
            to: Vec::new(),
            probability: Vec::new(),
        };
        let mut row = Vec::new();
        for from in 0..states {
            row.clear();
            transitions_out_of(from, &mut row);
            chain.push_row(from, states, &mut row, values)?;
        }
        chain.check_irreducible()?;
        Ok(chain)
    }

    /// From a list of transitions in any order; repeated ones are added.
    pub fn from_transitions(
        states: usize,
        values: Values,
        transitions: &[Transition],
    ) -> Result<Self, ChainError> {
        if states == 0 {
            return Err(ChainError::Empty);
        }
        let outside = |t: &&Transition| t.from >= states || t.to >= states;
        if let Some(&Transition { from, to, .. }) = transitions.iter().find(outside) {
            return Err(ChainError::NoSuchState { from, to, states });
        }
        let mut order: Vec<u32> = (0..transitions.len() as u32).collect();
        order.sort_by_key(|&at| transitions[at as usize].from);
        let mut sorted = order.iter().map(|&at| transitions[at as usize]).peekable();
        Self::build(states, values, |from, row| {
            while let Some(t) = sorted.next_if(|t| t.from == from) {
                row.push((t.to, t.value));
            }
        })
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.row_start.len() - 1
    }

    /// Number of transitions with positive probability.
    pub fn n_transitions(&self) -> usize {
        self.to.len()
    }

    /// The transitions out of a state, by destination: `(j, P(j|i))`.
    pub fn row(&self, from: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.range(from);
        let to = self.to[range.clone()].iter().map(|&j| j as usize);
        to.zip(self.probability[range].iter().copied())
    }

    /// `P(to|from)`.
    pub fn probability(&self, from: usize, to: usize) -> f64 {
        let range = self.range(from);
        let found = self.to[range.clone()].binary_search(&(to as u32));
        found.map_or(0.0, |at| self.probability[range.start + at])
    }

    /// The whole matrix, `P(j|i)` in row i, column j: for chains small enough to square.
    pub fn to_dense(&self) -> Mat<f64> {
        let n = self.n_states();
        let mut p = Mat::zeros(n, n);
        for i in 0..n {
            for (j, value) in self.row(i) {
                p[(i, j)] = value;
            }
        }
        p
    }

    /// For every state, who enters it: the rows of the transposed matrix, without the values.
    pub(super) fn predecessors(&self) -> Adjacency {
        let mut start = vec![0_usize; self.n_states() + 1];
        for &to in &self.to {
            start[to as usize + 1] += 1;
        }
        for state in 0..self.n_states() {
            start[state + 1] += start[state];
        }
        let mut next = start.clone();
        let mut from = vec![0_u32; self.to.len()];
        for row in 0..self.n_states() {
            for &to in &self.to[self.range(row)] {
                from[next[to as usize]] = row as u32;
                next[to as usize] += 1;
            }
        }
        Adjacency { start, state: from }
    }

    /// The states entered from `state` with positive probability.
    pub(super) fn successors(&self, state: usize) -> &[u32] {
        &self.to[self.range(state)]
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.row_start[row]..self.row_start[row + 1]
    }

    /// Checks one row, adds its repeated entries, drops its zeros, scales it to sum to one.
    fn push_row(
        &mut self,
        from: usize,
        states: usize,
        row: &mut [(usize, f64)],
        values: Values,
    ) -> Result<(), ChainError> {
        for &(to, value) in row.iter() {
            if to >= states {
                return Err(ChainError::NoSuchState { from, to, states });
            }
            if !value.is_finite() || value < 0.0 {
                return Err(ChainError::NotAProbability { from, to, value });
            }
        }
        // Not `sum`: without entries it is −0.
        let sum = row.iter().fold(0.0, |sum, &(_, value)| sum + value);
        match values {
            Values::Probabilities if (sum - 1.0).abs() > ROW_SUM_TOLERANCE => {
                return Err(ChainError::NotStochastic { row: from, sum });
            }
            Values::Weights if sum <= 0.0 || !sum.is_finite() => {
                return Err(ChainError::NoWeight { state: from, sum });
            }
            _ => {}
        }
        row.sort_by_key(|&(to, _)| to);
        for group in row.chunk_by(|a, b| a.0 == b.0) {
            let total: f64 = group.iter().map(|&(_, value)| value).sum();
            if total > 0.0 {
                let (to, value) = (group[0].0, total / sum);
                if value < f64::MIN_POSITIVE {
                    return Err(ChainError::TooSmall { from, to, value });
                }
                self.to.push(to as u32);
                self.probability.push(value);
            }
        }
        self.row_start.push(self.to.len());
        Ok(())
    }

    /// Every state reaches every other if and only if state 0 reaches all and all reach state 0.
    fn check_irreducible(&self) -> Result<(), ChainError> {
        let forward = reached_from(self.n_states(), 0, |state| self.successors(state));
        if let Some(to) = forward.iter().position(|&reached| !reached) {
            return Err(ChainError::NotIrreducible { from: 0, to });
        }
        let predecessors = self.predecessors();
        let backward = reached_from(self.n_states(), 0, |state| predecessors.of(state));
        if let Some(from) = backward.iter().position(|&reached| !reached) {
            return Err(ChainError::NotIrreducible { from, to: 0 });
        }
        Ok(())
    }
}

/// Neighbours of every state, without values.
#[derive(Debug)]
pub(super) struct Adjacency {
    start: Vec<usize>,
    state: Vec<u32>,
}

impl Adjacency {
    pub(super) fn of(&self, state: usize) -> &[u32] {
        &self.state[self.start[state]..self.start[state + 1]]
    }
}

/// Which states a walk along `neighbours` can reach from `start`.
fn reached_from<'a>(
    n_states: usize,
    start: usize,
    neighbours: impl Fn(usize) -> &'a [u32],
) -> Vec<bool> {
    let mut reached = vec![false; n_states];
    let mut open = vec![start];
    reached[start] = true;
    while let Some(state) = open.pop() {
        for &next in neighbours(state) {
            if !std::mem::replace(&mut reached[next as usize], true) {
                open.push(next as usize);
            }
        }
    }
    reached
}
