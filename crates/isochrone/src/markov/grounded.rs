//! Commute times of large reversible chains: factor once, then one solve per goal.
//!
//! Take one state out of the Laplacian (the *ground*) and what remains is positive definite. Its inverse
//! G, with a zero row and column put back for the ground, differs from L† only by terms that cancel in
//!
//! ```text
//! n(i,j) = G_ii + G_jj − 2 G_ij                       Eq. (17), V_G = 1
//! m(j|i) = (Gρ)_i − G_ij − (Gρ)_j + G_jj              Eq. (16), D = diag(ρ)
//! L†     = J G J,   J = I − 11ᵀ/n
//! ```
//!
//! so column j of G, one triangular solve, and the diagonal, one selected inversion, give the exact times
//! between j and **every** state.

use super::chain::Chain;
use super::laplacian::GraphLaplacian;
use super::selected_inverse::SelectedInverse;
use super::sparse_cholesky::{BLOCK, Factor, LowerColumns, NotFactored};
use super::stationary::{Direction, Stationary};

/// Why a chain has no grounded factor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroundedError {
    /// The commute times of such a chain are not those of its graph.
    #[error(
        "the chain is not reversible, so its commute times are not resistances; use the dense functions"
    )]
    NotReversible,
    /// One state has no distances.
    #[error("a chain of one state has no distances")]
    OneState,
    /// The factorisation broke down.
    #[error(transparent)]
    NotFactored(#[from] NotFactored),
}

/// Times between one goal and every state, in steps.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalTimes {
    /// `m(goal|i)`: from each state to the goal.
    pub to_goal: Vec<f64>,
    /// `m(i|goal)`: from the goal to each state.
    pub from_goal: Vec<f64>,
}

impl GoalTimes {
    /// `n(i, goal)`: there and back.
    pub fn commute(&self) -> Vec<f64> {
        let pairs = self.to_goal.iter().zip(&self.from_goal);
        pairs.map(|(to, from)| to + from).collect()
    }
}

/// The factored Laplacian of a graph, one state grounded.
///
/// ```
/// use isochrone::markov::{Grounded, stationary};
/// use isochrone::maze::{Maze, Moves, WallRule};
///
/// let chain = Maze::rooms(5_000)?.chain(Moves::UNIFORM, WallRule::Stay)?;
/// let stationary = stationary(&chain)?;
/// let grounded = Grounded::of_chain(&chain, &stationary)?;
/// let queries = grounded.goal_queries(&stationary.rho);
/// let times = queries.times(17)?; // one triangular solve per goal
/// println!("{:.0} steps from state 0 to state 17", times.to_goal[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grounded {
    n_states: usize,
    /// The best-connected state: its neighbourhood is known best, so least cancels.
    ground: usize,
    factor: Factor,
}

impl Grounded {
    /// Factors the Laplacian of a reversible chain.
    pub fn of_chain(chain: &Chain, stationary: &Stationary) -> Result<Self, GroundedError> {
        if stationary.direction != Direction::Reversible {
            return Err(GroundedError::NotReversible);
        }
        Self::of_graph(&GraphLaplacian::new(chain, &stationary.rho))
    }

    /// Factors any connected graph's Laplacian.
    pub fn of_graph(graph: &GraphLaplacian) -> Result<Self, GroundedError> {
        let n_states = graph.n_states();
        if n_states < 2 {
            return Err(GroundedError::OneState);
        }
        let by_degree = |&a: &usize, &b: &usize| graph.degree(a).total_cmp(&graph.degree(b));
        let ground = (0..n_states).max_by(by_degree).unwrap_or(0);
        Self::at(graph, ground)
    }

    /// Factors with this state as the ground: the choice for one goal alone, whose times then come out with
    /// the least cancellation (`n(i, ground) = G_ii`, `m(ground|i) = (Gρ)_i`).
    pub fn at(graph: &GraphLaplacian, ground: usize) -> Result<Self, GroundedError> {
        let n_states = graph.n_states();
        if n_states < 2 {
            return Err(GroundedError::OneState);
        }
        let factor = Factor::new(&without_ground(graph, ground))?;
        Ok(Self {
            n_states,
            ground,
            factor,
        })
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// `G x`.
    pub fn solve(&self, x: &[f64]) -> Vec<f64> {
        let mut solution = x.to_vec();
        solution.remove(self.ground);
        self.factor.solve(&mut solution);
        solution.insert(self.ground, 0.0);
        solution
    }

    /// Column `goal` of G.
    pub fn column(&self, goal: usize) -> Vec<f64> {
        let mut unit = vec![0.0; self.n_states];
        unit[goal] = 1.0;
        self.solve(&unit)
    }

    /// `G x` for [`BLOCK`] vectors at a time, rows in [`Self::pivot_order`].
    pub(super) fn solve_block_in_pivot_order(&self, x: &mut [[f64; BLOCK]]) {
        if let Some((ground, rest)) = x.split_last_mut() {
            *ground = [0.0; BLOCK];
            self.factor.solve_block(rest);
        }
    }

    /// The states in the order of their pivots; the ground comes last.
    pub(super) fn pivot_order(&self) -> Vec<usize> {
        let state = |&number: &u32| number as usize + usize::from(number as usize >= self.ground);
        let mut order: Vec<usize> = self.factor.order.iter().map(state).collect();
        order.push(self.ground);
        order
    }

    /// The exact diagonal of G and its entries on every edge.
    pub fn resistances(&self) -> Resistances<'_> {
        Resistances {
            grounded: self,
            inverse: SelectedInverse::new(&self.factor),
        }
    }

    fn number(&self, state: usize) -> Option<usize> {
        match state.cmp(&self.ground) {
            std::cmp::Ordering::Less => Some(state),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(state - 1),
        }
    }
}

/// What the selected inverse knows: every `G_ii`, and `G_ij` on every edge.
#[derive(Clone, Debug)]
pub struct Resistances<'a> {
    grounded: &'a Grounded,
    inverse: SelectedInverse,
}

impl Resistances<'_> {
    /// `G_ii` of every state.
    pub fn diagonal(&self) -> Vec<f64> {
        let at = |state| {
            let number = self.grounded.number(state);
            number.map_or(0.0, |i| self.inverse.diagonal(&self.grounded.factor, i))
        };
        (0..self.grounded.n_states).map(at).collect()
    }

    /// `diag(L†)`: `l_ii = G_ii − (2/n)(G1)_i + (1/n²)1ᵀG1`.
    pub fn pseudo_inverse_diagonal(&self) -> Vec<f64> {
        let n = self.grounded.n_states as f64;
        let row_sums = self.grounded.solve(&vec![1.0; self.grounded.n_states]);
        let all = row_sums.iter().sum::<f64>() / (n * n);
        let diagonal = self.diagonal();
        let pairs = diagonal.iter().zip(&row_sums);
        pairs.map(|(g, sum)| g - 2.0 * sum / n + all).collect()
    }

    /// The exact commute time of two states that an edge joins; `None` if the factor does not hold the
    /// entry.
    pub fn commute_on_edge(&self, i: usize, j: usize) -> Option<f64> {
        let factor = &self.grounded.factor;
        let (a, b) = (self.grounded.number(i), self.grounded.number(j));
        let square =
            |number: Option<usize>| number.map_or(0.0, |k| self.inverse.diagonal(factor, k));
        let cross = match (a, b) {
            (Some(a), Some(b)) => self.inverse.entry(factor, a, b)?,
            _ => 0.0,
        };
        Some(square(a) + square(b) - 2.0 * cross)
    }
}

/// Everything goal queries need, computed once.
#[derive(Clone, Debug)]
pub struct GoalQueries<'a> {
    grounded: &'a Grounded,
    /// `G_ii`.
    diagonal: Vec<f64>,
    /// `Gρ`.
    g_rho: Vec<f64>,
    /// Units in the last place that a difference may be off by.
    roundings: f64,
}

/// A time that cancelled away.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "a one-way time of state {state} is lost in the {commute:.3e} steps there and back: f64 has no digits left for it"
)]
pub struct LostDigits {
    /// The state.
    pub state: usize,
    /// Its commute time with the goal.
    pub commute: f64,
}

/// A time is refused when rounding may have taken more of it than this.
const MOST_LOST: f64 = 1e-6;
/// Roundings that a difference of two solves collects without a drift. With one a solve errs by more: in corridors of n = 20 to
/// 900 states by less than the smaller of n and √(ρ_max ÷ ρ_min) times as much.
const ROUNDINGS: f64 = 1024.0;

impl Grounded {
    /// Prepares goal queries for a chain with stationary distribution ρ: one selected inversion, one solve.
    pub fn goal_queries(&self, rho: &[f64]) -> GoalQueries<'_> {
        let most = rho.iter().copied().fold(0.0, f64::max);
        let least = rho.iter().copied().fold(f64::INFINITY, f64::min);
        GoalQueries {
            grounded: self,
            diagonal: self.resistances().diagonal(),
            g_rho: self.solve(rho),
            roundings: ROUNDINGS * (most / least).sqrt().min(rho.len() as f64),
        }
    }
}

impl GoalQueries<'_> {
    /// `n(i, goal)` for every state i: one solve.
    pub fn commute(&self, goal: usize) -> Vec<f64> {
        let column = self.grounded.column(goal);
        let states = 0..self.diagonal.len();
        states
            .map(|i| self.diagonal[i] + self.diagonal[goal] - 2.0 * column[i])
            .collect()
    }

    /// Exact times between `goal` and every state, both ways: one solve.
    ///
    /// One-way times are differences. Where a drift makes one way 10¹⁰ times longer than the other, the short
    /// one has no digits left, and is refused rather than invented. Grounding the goal itself
    /// ([`Grounded::at`]) loses least.
    pub fn times(&self, goal: usize) -> Result<GoalTimes, LostDigits> {
        let column = self.grounded.column(goal);
        let (diagonal, g_rho) = (&self.diagonal, &self.g_rho);
        let states = 0..diagonal.len();
        let times = GoalTimes {
            to_goal: states
                .clone()
                .map(|i| (g_rho[i] - g_rho[goal]) + (diagonal[goal] - column[i]))
                .collect(),
            from_goal: states
                .clone()
                .map(|i| (g_rho[goal] - g_rho[i]) + (diagonal[i] - column[i]))
                .collect(),
        };
        let error = |i: usize| {
            let sizes = diagonal[i] + diagonal[goal] + g_rho[i].abs() + g_rho[goal].abs();
            self.roundings * f64::EPSILON * sizes
        };
        let is_lost = |i: &usize| {
            let shorter = times.to_goal[*i].min(times.from_goal[*i]);
            *i != goal && (error(*i) > MOST_LOST * shorter || !shorter.is_finite())
        };
        match states.into_iter().find(is_lost) {
            Some(state) => Err(LostDigits {
                state,
                commute: times.to_goal[state] + times.from_goal[state],
            }),
            None => Ok(times),
        }
    }
}

/// The Laplacian's lower triangle without the ground's row and column.
fn without_ground(graph: &GraphLaplacian, ground: usize) -> LowerColumns {
    let number = |state: usize| state as u32 - u32::from(state > ground);
    let mut lower = LowerColumns {
        start: vec![0],
        row: Vec::new(),
        value: Vec::new(),
    };
    for u in (0..graph.n_states()).filter(|&u| u != ground) {
        lower.row.push(number(u));
        lower.value.push(graph.degree(u));
        for (v, weight) in graph.edges(u).filter(|&(v, _)| v > u && v != ground) {
            lower.row.push(number(v));
            lower.value.push(-weight);
        }
        lower.start.push(lower.row.len() as u32);
    }
    lower
}
