//! Random walks on a Markov chain as training data, and the network's input for each state.

use isochrone::embedding::{Architecture, EncoderSpec, Head};
use isochrone::markov::Chain;
use isochrone::maze::Cell;
use isochrone::pairs::{Episodes, EpisodesError};
use isochrone::rng::Rng;
use rand::RngExt;

/// Random walks of equal length, end to end, as numbers of states.
#[derive(Debug)]
pub(super) struct RandomWalks {
    states: Vec<usize>,
    /// States of one walk: its steps and one more.
    length: usize,
}

impl RandomWalks {
    /// `count` walks of `steps` steps. Starts are drawn from `start`, a distribution over the states.
    pub(super) fn of(
        chain: &Chain,
        start: &[f64],
        count: usize,
        steps: usize,
        rng: &mut Rng,
    ) -> Self {
        let mut states = Vec::with_capacity(count * (steps + 1));
        for _ in 0..count {
            let mut state = sample(start.iter().copied().enumerate(), rng);
            states.push(state);
            for _ in 0..steps {
                state = sample(chain.row(state), rng);
                states.push(state);
            }
        }
        Self {
            states,
            length: steps + 1,
        }
    }

    /// The same walks, and each once more from its end: as likely as they are, if the chain is reversible and they
    /// start from its stationary distribution.
    pub(super) fn both_ways(self) -> Self {
        let walks = self.states.chunks(self.length);
        let back: Vec<usize> = walks.flat_map(|w| w.iter().rev()).copied().collect();
        Self {
            states: [self.states, back].concat(),
            ..self
        }
    }

    /// The states of each walk.
    pub(super) fn paths(&self) -> Vec<&[usize]> {
        self.states.chunks(self.length).collect()
    }

    /// The inputs of all states, end to end.
    pub(super) fn inputs(&self, input: &StateInput) -> Vec<f32> {
        let states = self.states.iter();
        states.flat_map(|&s| input.state(s)).copied().collect()
    }

    /// The walks as episodes of `inputs`.
    pub(super) fn episodes<'a>(
        &self,
        inputs: &'a [f32],
        input: &StateInput,
    ) -> Result<Episodes<'a>, EpisodesError> {
        let walks = 0..self.states.len() / self.length;
        let range = |walk: usize| walk * self.length..(walk + 1) * self.length;
        Episodes::new(inputs, input.width, walks.map(range).collect())
    }
}

/// Draws an outcome from a distribution.
fn sample(outcomes: impl Iterator<Item = (usize, f64)>, rng: &mut Rng) -> usize {
    let (mut left, mut last) = (rng.random::<f64>(), 0);
    for (outcome, p) in outcomes {
        last = outcome;
        left -= p;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// The network's input for each state, and the layers for it.
#[derive(Clone, Debug)]
pub(super) struct StateInput {
    width: usize,
    rows: Vec<f32>,
    architecture: Architecture,
}

impl StateInput {
    /// The index of the state, for a table of free points.
    pub(super) fn indices(states: usize) -> Self {
        Self {
            width: 1,
            rows: (0..states).map(|state| state as f32).collect(),
            architecture: Architecture::Table { states },
        }
    }

    /// Column and row, scaled to −1…1, for layers of these widths. The maze is `side` cells wide and high.
    pub(super) fn coordinates(
        cells: impl Iterator<Item = Cell>,
        side: usize,
        hidden: Vec<usize>,
    ) -> Self {
        let middle = side.saturating_sub(1).max(1) as f32 / 2.0;
        let scaled = |k: usize| k as f32 / middle - 1.0;
        Self {
            width: 2,
            rows: cells
                .flat_map(|cell| [scaled(cell.column), scaled(cell.row)])
                .collect(),
            architecture: Architecture::Mlp { hidden },
        }
    }

    /// The input for one state.
    pub(super) fn state(&self, state: usize) -> &[f32] {
        &self.rows[state * self.width..(state + 1) * self.width]
    }

    /// The encoder for it: points in 20 dimensions, as in the paper.
    pub(super) fn encoder(&self, head: Head) -> EncoderSpec {
        EncoderSpec {
            inputs: self.width,
            architecture: self.architecture.clone(),
            dims: 20,
            head,
        }
    }
}
