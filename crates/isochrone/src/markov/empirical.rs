//! A chain from what was seen: count transitions, keep the part that can be returned to.
//!
//! Counting and solving beats every gradient method in accuracy per transition where states can be
//! counted, and so is the baseline of the learned distances. Three traps, each a rule here:
//!
//! * Trajectories that all start in one place visit states in proportions that are not stationary. The
//!   chain gets **its own** stationary distribution; visit frequencies are never used as one.
//! * Where coverage is incomplete, some states were entered and never left, or left and never entered.
//!   Their passage times are not estimable: the chain is the largest strongly connected component, and
//!   the rest is reported as unreachable.
//! * The last state of a trajectory was not seen to go anywhere: it adds no transition, not even to
//!   itself.

use super::chain::{Chain, Transition, Values};
use super::chain_error::ChainError;

/// Why trajectories give no chain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EmpiricalError {
    /// A state number out of range.
    #[error("trajectory {trajectory}, step {step}: state {state} is outside 0…{}", states.saturating_sub(1))]
    NoSuchState {
        /// Which trajectory.
        trajectory: usize,
        /// Where in it.
        step: usize,
        /// The state named.
        state: usize,
        /// Number of states.
        states: usize,
    },
    /// No state was ever returned to.
    #[error("no state was seen to be returned to: the {transitions} transitions form no cycle")]
    NoCycle {
        /// Number of transitions seen.
        transitions: usize,
    },
    /// The component is not a chain; a bug if it happens.
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// What trajectories say about a chain.
#[derive(Clone, Debug)]
pub struct Empirical {
    /// The largest strongly connected component, renumbered `0…`.
    pub chain: Chain,
    /// `states[k]` is the original number of the chain's state k, ascending.
    pub states: Vec<usize>,
    /// States that were seen but lie outside the component, ascending.
    pub unreachable: Vec<usize>,
    /// How many of the possible states were never seen.
    pub n_unseen: usize,
}

impl Chain {
    /// Counts the transitions of trajectories over states `0…n_states−1`; see [`Empirical`].
    ///
    /// ```
    /// use isochrone::markov::Chain;
    /// let seen = Chain::from_trajectories(4, &[vec![0, 1, 0, 1, 2], vec![1, 0]])?;
    /// assert_eq!(seen.states, [0, 1]);       // 0 ⇄ 1
    /// assert_eq!(seen.unreachable, [2]);     // entered, never left
    /// assert_eq!(seen.n_unseen, 1);          // state 3
    /// # Ok::<(), isochrone::markov::EmpiricalError>(())
    /// ```
    pub fn from_trajectories<T: AsRef<[usize]>>(
        n_states: usize,
        trajectories: &[T],
    ) -> Result<Empirical, EmpiricalError> {
        if u32::try_from(n_states).is_err() {
            let states = n_states;
            return Err(ChainError::TooManyStates { states }.into());
        }
        let seen = seen_states(n_states, trajectories)?;
        let steps = trajectories.iter().flat_map(|t| t.as_ref().windows(2));
        let mut moves: Vec<(u32, u32)> = steps.map(|w| (w[0] as u32, w[1] as u32)).collect();
        moves.sort_unstable();
        let component = largest_component(n_states, &moves);
        let number_of = |state: usize| component.binary_search(&state);
        let mut counts = Vec::new();
        for group in moves.chunk_by(|a, b| a == b) {
            let (from, to) = (group[0].0 as usize, group[0].1 as usize);
            if let (Ok(from), Ok(to)) = (number_of(from), number_of(to)) {
                let value = group.len() as f64;
                counts.push(Transition { from, to, value });
            }
        }
        if counts.is_empty() {
            return Err(EmpiricalError::NoCycle {
                transitions: moves.len(),
            });
        }
        let chain = Self::from_transitions(component.len(), Values::Weights, &counts)?;
        let outside = |state: &usize| seen[*state] && number_of(*state).is_err();
        Ok(Empirical {
            chain,
            unreachable: (0..n_states).filter(outside).collect(),
            n_unseen: seen.iter().filter(|&&seen| !seen).count(),
            states: component,
        })
    }
}

fn seen_states<T: AsRef<[usize]>>(
    states: usize,
    trajectories: &[T],
) -> Result<Vec<bool>, EmpiricalError> {
    let mut seen = vec![false; states];
    for (trajectory, path) in trajectories.iter().enumerate() {
        for (step, &state) in path.as_ref().iter().enumerate() {
            *seen.get_mut(state).ok_or(EmpiricalError::NoSuchState {
                trajectory,
                step,
                state,
                states,
            })? = true;
        }
    }
    Ok(seen)
}

/// The strongly connected component with most states (the one found first on a tie), ascending.
/// `moves` is sorted.
fn largest_component(n_states: usize, moves: &[(u32, u32)]) -> Vec<usize> {
    let start = |state: usize| moves.partition_point(|m| (m.0 as usize) < state);
    let mut search = Tarjan {
        order: vec![UNSEEN; n_states],
        low: vec![0; n_states],
        on_path: vec![false; n_states],
        path: Vec::new(),
        largest: Vec::new(),
        counter: 0,
    };
    for root in 0..n_states {
        if search.order[root] == UNSEEN {
            search.visit(root, moves, &start);
        }
    }
    search.largest.sort_unstable();
    search.largest
}

const UNSEEN: usize = usize::MAX;

/// Tarjan's algorithm with an explicit stack: a corridor of 10⁶ states must not overflow the thread's.
struct Tarjan {
    order: Vec<usize>,
    low: Vec<usize>,
    on_path: Vec<bool>,
    path: Vec<usize>,
    largest: Vec<usize>,
    counter: usize,
}

impl Tarjan {
    fn visit(&mut self, root: usize, moves: &[(u32, u32)], start: &impl Fn(usize) -> usize) {
        let mut calls = vec![(self.enter(root), start(root))];
        while let Some((state, at)) = calls.pop() {
            match moves.get(at).filter(|m| m.0 as usize == state) {
                Some(&(_, to)) => {
                    let to = to as usize;
                    calls.push((state, at + 1));
                    if self.order[to] == UNSEEN {
                        calls.push((self.enter(to), start(to)));
                    } else if self.on_path[to] {
                        self.low[state] = self.low[state].min(self.order[to]);
                    }
                }
                None => {
                    if let Some(&(parent, _)) = calls.last() {
                        self.low[parent] = self.low[parent].min(self.low[state]);
                    }
                    self.close(state, moves);
                }
            }
        }
    }

    fn enter(&mut self, state: usize) -> usize {
        self.order[state] = self.counter;
        self.low[state] = self.counter;
        self.counter += 1;
        self.on_path[state] = true;
        self.path.push(state);
        state
    }

    /// A state that reaches nothing older is the root of a component: what lies above it on the path.
    /// A state alone counts only if it was seen to lead to itself.
    fn close(&mut self, state: usize, moves: &[(u32, u32)]) {
        if self.low[state] != self.order[state] {
            return;
        }
        let from = self.path.iter().rposition(|&s| s == state).unwrap_or(0);
        let component = self.path.split_off(from);
        for &member in &component {
            self.on_path[member] = false;
        }
        let own = (state as u32, state as u32);
        let has_cycle = component.len() > 1 || moves.binary_search(&own).is_ok();
        if has_cycle && component.len() > self.largest.len() {
            self.largest = component;
        }
    }
}
