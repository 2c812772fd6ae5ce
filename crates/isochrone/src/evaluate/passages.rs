//! Passages between neighbouring states, there and back, cut out of trajectories.
//!
//! The visits to two states i and j divide a trajectory into passages that alternate, i → j → i → j: each begins
//! at the first visit to one after the other, and ends at the first visit to the other. They do not overlap, and by
//! the strong Markov property their lags are independent samples of the two first-passage times.

/// Which clock measures a passage from i to j.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lag {
    /// From the *first* visit to i: the first-passage time, with mean `m(j|i)`. Longer lags than the window, and
    /// those the episode did not live to see, count as the window.
    Passage,
    /// From the *last* visit to i before j: the crossing alone, without the time spent coming back to i. Lags longer
    /// than the window do not count.
    Crossing,
}

/// Windows in a block. A tour round a cycle moves all its pairs the same way and may take several windows; blocks
/// shorter than it would tear it apart, and the null would be too narrow.
const BLOCK_WINDOWS: usize = 5;

/// Sums over the lags of one pair in one block of time: `[there, back]`, there being from the lower state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cell {
    pub(super) pair: usize,
    pub(super) steps: [f64; 2],
    pub(super) n: [f64; 2],
    /// Lags that ended in a hit within the window.
    pub(super) hits: f64,
}

/// All passages between neighbours.
#[derive(Debug)]
pub(super) struct Passages {
    /// Pairs of states that some step joined.
    pub(super) n_pairs: usize,
    /// The blocks in order of time; within each, cells by pair.
    pub(super) blocks: Vec<Vec<Cell>>,
}

impl Passages {
    /// Cuts trajectories. Only passages that begin a whole window before their episode ends are taken, so that
    /// those there and those back had the same time to end.
    pub(super) fn of<P: AsRef<[usize]>>(paths: &[P], lag: Lag, window_steps: usize) -> Self {
        let graph = Neighbours::of(paths);
        let mut scan = Scan {
            lag,
            window_steps,
            open: vec![None; graph.n_pairs],
            touched: Vec::new(),
            ended: Vec::new(),
        };
        let block_steps = window_steps.saturating_mul(BLOCK_WINDOWS);
        let block = |ended: &Ended| ended.begun / block_steps;
        let mut blocks = Vec::new();
        for path in paths {
            scan.episode(path.as_ref(), &graph);
            scan.ended.sort_by_key(|ended| (block(ended), ended.pair));
            let same_block = |a: &Ended, b: &Ended| block(a) == block(b);
            blocks.extend(scan.ended.chunk_by(same_block).map(cells));
            scan.ended.clear();
        }
        Self {
            n_pairs: graph.n_pairs,
            blocks,
        }
    }
}

/// For every state that was seen, the pairs it is in.
#[derive(Debug)]
struct Neighbours {
    n_pairs: usize,
    /// The states' own numbers, ascending.
    states: Vec<usize>,
    /// `(pair, side)`: side 0 for the lower state of the pair.
    pairs_of: Vec<Vec<(usize, usize)>>,
}

impl Neighbours {
    fn of<P: AsRef<[usize]>>(paths: &[P]) -> Self {
        let mut states: Vec<usize> = paths.iter().flat_map(AsRef::as_ref).copied().collect();
        states.sort_unstable();
        states.dedup();
        let steps = paths.iter().flat_map(|path| path.as_ref().windows(2));
        let moves = steps.filter(|step| step[0] != step[1]);
        let mut pairs: Vec<_> = moves
            .map(|step| (step[0].min(step[1]), step[0].max(step[1])))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut graph = Self {
            n_pairs: pairs.len(),
            pairs_of: vec![Vec::new(); states.len()],
            states,
        };
        for (pair, (low, high)) in pairs.into_iter().enumerate() {
            for (side, state) in [low, high].into_iter().enumerate() {
                let at = graph.place(state);
                graph.pairs_of[at].push((pair, side));
            }
        }
        graph
    }

    /// Where a state stands among those seen; it is one of them.
    fn place(&self, state: usize) -> usize {
        self.states.partition_point(|&other| other < state)
    }
}

#[derive(Clone, Copy, Debug)]
struct Ended {
    begun: usize,
    pair: usize,
    side: usize,
    steps: usize,
    is_hit: bool,
}

/// One pass over an episode.
#[derive(Debug)]
struct Scan {
    lag: Lag,
    window_steps: usize,
    /// Of each pair, the side that the passage under way began from, and when.
    open: Vec<Option<(usize, usize)>>,
    touched: Vec<usize>,
    ended: Vec<Ended>,
}

impl Scan {
    fn episode(&mut self, path: &[usize], graph: &Neighbours) {
        let last = path.len().saturating_sub(1);
        for (now, &state) in path.iter().enumerate() {
            for &(pair, side) in &graph.pairs_of[graph.place(state)] {
                match self.open[pair] {
                    Some((from, begun)) if from != side => {
                        self.end(pair, (from, begun), now, last);
                        self.open[pair] = Some((side, now));
                    }
                    Some((_, begun)) => {
                        let begun = match self.lag {
                            Lag::Passage => begun,
                            Lag::Crossing => now,
                        };
                        self.open[pair] = Some((side, begun));
                    }
                    None => {
                        self.touched.push(pair);
                        self.open[pair] = Some((side, now));
                    }
                }
            }
        }
        while let Some(pair) = self.touched.pop() {
            if let Some(open) = self.open[pair].take() {
                // Not seen to end: longer than the window, if there was a window left.
                self.end(pair, open, usize::MAX, last);
            }
        }
    }

    fn end(&mut self, pair: usize, (side, begun): (usize, usize), now: usize, last: usize) {
        let steps = now - begun;
        let is_hit = steps <= self.window_steps;
        let counts = is_hit || self.lag == Lag::Passage;
        if counts && begun.saturating_add(self.window_steps) <= last {
            self.ended.push(Ended {
                begun,
                pair,
                side,
                steps: steps.min(self.window_steps),
                is_hit,
            });
        }
    }
}

/// Adds up the lags of one block, sorted by pair.
fn cells(block: &[Ended]) -> Vec<Cell> {
    let pairs = block.chunk_by(|a, b| a.pair == b.pair);
    let sum = |lags: &[Ended]| {
        let mut cell = Cell {
            pair: lags[0].pair,
            ..Cell::default()
        };
        for lag in lags {
            cell.steps[lag.side] += lag.steps as f64;
            cell.n[lag.side] += 1.0;
            cell.hits += f64::from(u8::from(lag.is_hit));
        }
        cell
    };
    pairs.map(sum).collect()
}
