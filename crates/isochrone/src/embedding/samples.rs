//! Training samples, as rows that ranks can exchange.

/// A training sample: a state, a goal, and the steps from one to the other as far as they were observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample<'a> {
    /// The start state.
    pub(super) from: &'a [f32],
    /// The goal state.
    pub(super) goal: &'a [f32],
    /// Steps observed: until the goal was reached, or until the window ended.
    pub(super) steps: f32,
    /// Whether the goal was reached.
    pub(super) met: bool,
    /// Bootstrapped targets: the last state of the window, where the estimate starts. Graph drawing: an independent state
    /// to repel. Otherwise empty.
    pub(super) third: &'a [f32],
}

/// Samples row by row, in f32: `from | goal | third | steps | met`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Samples {
    /// Entries of a state.
    width: usize,
    /// Entries of the third state: `width` or 0.
    third_width: usize,
    rows: Vec<f32>,
}

/// `steps` and `met`.
const NUMBERS: usize = 2;

impl Samples {
    /// An empty list, for states of `width` entries, with `third` states beside `from` and `goal`.
    pub(super) const fn new(width: usize, third_width: usize) -> Self {
        Self {
            width,
            third_width,
            rows: Vec::new(),
        }
    }

    const fn row_len(&self) -> usize {
        2 * self.width + self.third_width + NUMBERS
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

    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.row_len()
    }

    pub(super) fn get(&self, at: usize) -> Sample<'_> {
        let row = &self.rows[at * self.row_len()..(at + 1) * self.row_len()];
        let (from, row) = row.split_at(self.width);
        let (goal, row) = row.split_at(self.width);
        let (third, numbers) = row.split_at(self.third_width);
        Sample {
            from,
            goal,
            steps: numbers[0],
            met: numbers[1] > 0.0,
            third,
        }
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
