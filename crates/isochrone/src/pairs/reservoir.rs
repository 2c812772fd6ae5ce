//! A uniform random sample of fixed size from a stream of states.

use crate::rng::Rng;
use rand::RngExt;

/// Reservoir sampling: after n states each of them is kept with probability `size ÷ n`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reservoir {
    width: usize,
    size: usize,
    states: Vec<f32>,
    seen: u64,
}

impl Reservoir {
    /// An empty reservoir for `size` states (at least one) of `width` numbers.
    pub fn new(size: usize, width: usize) -> Self {
        Self {
            width,
            size: size.max(1),
            states: Vec::new(),
            seen: 0,
        }
    }

    /// A full reservoir with these states, rows of `width` numbers; `None` if the length is not a multiple of `width`.
    pub fn full(states: Vec<f32>, width: usize) -> Option<Self> {
        let size = states.len().checked_div(width)?;
        let is_whole = size > 0 && states.len().is_multiple_of(width);
        is_whole.then_some(Self {
            width,
            size,
            states,
            seen: size as u64,
        })
    }

    /// Offers the next state of the stream.
    pub fn offer(&mut self, state: &[f32], rng: &mut Rng) {
        self.seen += 1;
        if self.len() < self.size {
            self.states.extend_from_slice(state);
            return;
        }
        let place = rng.random_range(0..self.seen) as usize;
        if place < self.size {
            self.states[place * self.width..(place + 1) * self.width].copy_from_slice(state);
        }
    }

    /// Number of states kept.
    pub fn len(&self) -> usize {
        self.states.len().checked_div(self.width).unwrap_or(0)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of the kept states.
    pub fn state(&self, number: usize) -> &[f32] {
        &self.states[number * self.width..(number + 1) * self.width]
    }

    /// All kept states, row by row.
    pub fn states(&self) -> &[f32] {
        &self.states
    }
}
