//! Training samples, as rows that ranks can exchange.

/// A training sample: a state, a goal, and the steps from one to the other as far as they were observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample<'a> {
    /// The start state.
    pub(super) from: &'a [f32],
    /// The goal state.
    pub(super) goal: &'a [f32],
    /// Steps observed: until the goal was reached, or until the window ended, which is a lower bound.
    pub(super) steps: f32,
    /// Whether the goal was reached.
    pub(super) met: bool,
    /// Bootstrapped targets: the last state of the window, where the estimate starts. Graph drawing: an independent state
    /// to repel. Otherwise empty.
    pub(super) third: &'a [f32],
}

/// The states of a clip, end to end, and the steps of its pairs, in the order of [`clip_pairs`](crate::pairs::clip_pairs); 0
/// where there is no pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClipSample<'a> {
    pub(super) states: &'a [f32],
    pub(super) steps: &'a [f32],
}

/// Samples row by row, in f32: `from | goal | third | steps | met`, or the states of a clip and the steps of its pairs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Samples {
    /// Entries of a state.
    width: usize,
    /// States of a row.
    states: usize,
    /// Numbers behind them.
    numbers: usize,
    rows: Vec<f32>,
}

impl Samples {
    /// An empty list, for states of `width` entries.
    pub(super) const fn new(width: usize, states: usize, numbers: usize) -> Self {
        Self {
            width,
            states,
            numbers,
            rows: Vec::new(),
        }
    }

    const fn row_len(&self) -> usize {
        self.states * self.width + self.numbers
    }

    pub(super) fn reserve(&mut self, samples: usize) {
        self.rows.reserve(samples * self.row_len());
    }

    pub(super) fn push(&mut self, sample: &Sample<'_>) {
        for state in [sample.from, sample.goal, sample.third] {
            self.rows.extend_from_slice(state);
        }
        let met = f32::from(u8::from(sample.met));
        self.rows.extend([sample.steps, met]);
    }

    pub(super) fn push_clip(
        &mut self,
        states: impl Iterator<Item: AsRef<[f32]>>,
        steps: impl Iterator<Item = f32>,
    ) {
        states.for_each(|state| self.rows.extend_from_slice(state.as_ref()));
        self.rows.extend(steps);
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.row_len()
    }

    fn row(&self, at: usize) -> (&[f32], &[f32]) {
        let row = &self.rows[at * self.row_len()..(at + 1) * self.row_len()];
        row.split_at(self.states * self.width)
    }

    pub(super) fn get(&self, at: usize) -> Sample<'_> {
        let (states, numbers) = self.row(at);
        let (from, states) = states.split_at(self.width);
        let (goal, third) = states.split_at(self.width);
        Sample {
            from,
            goal,
            steps: numbers[0],
            met: numbers[1] > 0.0,
            third,
        }
    }

    pub(super) fn clip(&self, at: usize) -> ClipSample<'_> {
        let (states, steps) = self.row(at);
        ClipSample { states, steps }
    }

    /// Appends the samples to a message.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.rows.iter().flat_map(|x| x.to_le_bytes()));
    }

    /// Adds the samples of a message.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        let words = bytes.as_chunks().0.iter();
        self.rows.extend(words.map(|x| f32::from_le_bytes(*x)));
    }
}
