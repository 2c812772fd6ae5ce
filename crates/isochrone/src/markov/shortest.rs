//! Shortest paths: the fewest actions that could lead from one state to another, whatever their chance.

use super::chain::Chain;
use std::collections::VecDeque;

/// Fewest steps from `start` to every state.
pub fn steps_from(chain: &Chain, start: usize) -> Vec<u32> {
    breadth_first(chain.n_states(), start, |state| chain.successors(state))
}

/// Fewest steps from every state to `goal`.
pub fn steps_to(chain: &Chain, goal: usize) -> Vec<u32> {
    let predecessors = chain.predecessors();
    breadth_first(chain.n_states(), goal, |state| predecessors.of(state))
}

/// Every state is reached: a [`Chain`] is irreducible.
fn breadth_first<'a>(
    n_states: usize,
    start: usize,
    neighbours: impl Fn(usize) -> &'a [u32],
) -> Vec<u32> {
    let mut steps = vec![u32::MAX; n_states];
    steps[start] = 0;
    let mut open = VecDeque::from([start]);
    while let Some(state) = open.pop_front() {
        for &next in neighbours(state) {
            if steps[next as usize] == u32::MAX {
                steps[next as usize] = steps[state] + 1;
                open.push_back(next as usize);
            }
        }
    }
    steps
}
