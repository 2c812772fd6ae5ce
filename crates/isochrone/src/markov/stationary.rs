//! The stationary distribution ρ of a chain: where a long walk spends its time.

use super::censoring::{censor, rows_of};
use super::chain::Chain;
use faer::prelude::*;
use faer::sparse::{SparseColMat, Triplet};

/// Up to this many states a non-reversible chain is reduced state by state without subtractions, which
/// keeps every entry accurate to the last digits; beyond it a sparse factorisation is used.
const REDUCTION_LIMIT_STATES: usize = 2_000;

/// Largest relative violation of detailed balance that rounding explains. A file with ten decimals is off by
/// 1e-10 in every ratio, and a path multiplies a few hundred of them; a chain with a real current this small
/// has commute times that differ from its reversible twin's by as little.
const BALANCE_TOLERANCE: f64 = 1e-6;
/// How far each balance equation of a solved ρ may be off, relative to that ρ.
const RESIDUAL_TOLERANCE: f64 = 1e-9;

/// Why a chain has no usable stationary distribution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StationaryError {
    /// Some state is visited less often than the smallest positive f64.
    #[error(
        "the stationary probability of state {state} is below the smallest number f64 can hold"
    )]
    Underflow {
        /// The state.
        state: usize,
    },
    /// The equations were solved, but not accurately for every state.
    #[error(
        "the stationary probability of state {state} has {digits} digits only: without detailed balance, \
         {states} states must not differ by so many decades"
    )]
    Inaccurate {
        /// The worst state.
        state: usize,
        /// Digits of it that can be trusted.
        digits: i32,
        /// Number of states.
        states: usize,
    },
    /// The sparse factorisation broke down.
    #[error("the balance equations of {states} states could not be factored: {reason}")]
    NotFactored {
        /// Number of states.
        states: usize,
        /// The solver's word.
        reason: String,
    },
}

/// ρ and whether the chain is the same run backwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Stationary {
    /// `ρ_i > 0`, summing to one.
    pub rho: Vec<f64>,
    /// Does detailed balance `ρ_i P(j|i) = ρ_j P(i|j)` hold?
    pub direction: Direction,
}

/// Whether a chain is reversible (detailed balance).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Detailed balance holds: the chain is a walk on an undirected weighted graph.
    Reversible,
    /// There is a current round some cycle.
    OneWay,
}

/// The distribution with `ρᵀP = ρᵀ`.
///
/// A reversible chain determines ρ by detailed balance along any spanning tree,
/// `ρ_j = ρ_i P(j|i) / P(i|j)`: one pass, exact to rounding at any size. If that candidate violates
/// detailed balance on some other edge the chain is not reversible, and the balance equations are solved.
pub fn stationary(chain: &Chain) -> Result<Stationary, StationaryError> {
    if let Some(rho) = balanced_along_tree(chain) {
        return Ok(Stationary {
            rho: normalised(&rho)?,
            direction: Direction::Reversible,
        });
    }
    let rho = if chain.n_states() <= REDUCTION_LIMIT_STATES {
        by_state_reduction(chain)
    } else {
        // The reference should be a state that is visited often: the first solution tells which.
        let rough = by_factorisation(chain, 0)?;
        let often = (0..rough.len()).max_by(|&a, &b| rough[a].total_cmp(&rough[b]));
        let rho = by_factorisation(chain, often.unwrap_or(0))?;
        check_balance(chain, &rho)?;
        rho.into_iter().map(Scaled::new).collect()
    };
    Ok(Stationary {
        rho: normalised(&rho)?,
        direction: Direction::OneWay,
    })
}

/// A positive number with a wide exponent: in a long corridor with drift, ratios multiply far beyond
/// what f64 holds before they are normalised.
#[derive(Clone, Copy, Debug)]
struct Scaled {
    mantissa: f64,
    exponent: i32,
}

impl Scaled {
    const STEP: i32 = 512;

    fn new(value: f64) -> Self {
        Self {
            mantissa: value,
            exponent: 0,
        }
    }

    fn times(self, factor: f64) -> Self {
        let mut product = Self {
            mantissa: self.mantissa * factor,
            exponent: self.exponent,
        };
        let step = 2_f64.powi(Self::STEP);
        if product.mantissa >= step {
            product.mantissa /= step;
            product.exponent += Self::STEP;
        } else if product.mantissa < step.recip() {
            product.mantissa *= step;
            product.exponent -= Self::STEP;
        }
        product
    }

    /// The value relative to `2^exponent`; zero if it is out of reach below.
    fn relative_to(self, exponent: i32) -> f64 {
        let shift = (self.exponent - exponent).clamp(-4 * Self::STEP, 4 * Self::STEP);
        self.mantissa * 2_f64.powi(shift / 2) * 2_f64.powi(shift - shift / 2)
    }
}

fn normalised(rho: &[Scaled]) -> Result<Vec<f64>, StationaryError> {
    let top = rho.iter().map(|r| r.exponent).max().unwrap_or(0);
    let mut values: Vec<f64> = rho.iter().map(|r| r.relative_to(top)).collect();
    let sum: f64 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= sum);
    // Written so that a NaN counts as too small.
    let usable = |&value: &f64| value >= f64::MIN_POSITIVE;
    match values.iter().position(|value| !usable(value)) {
        Some(state) => Err(StationaryError::Underflow { state }),
        None => Ok(values),
    }
}

/// The tree candidate, if it satisfies detailed balance on every transition.
fn balanced_along_tree(chain: &Chain) -> Option<Vec<Scaled>> {
    let n = chain.n_states();
    let mut rho: Vec<Option<Scaled>> = vec![None; n];
    rho[0] = Some(Scaled::new(1.0));
    let mut open = vec![(0, Scaled::new(1.0))];
    while let Some((i, rho_i)) = open.pop() {
        for (j, forward) in chain.row(i) {
            let backward = chain.probability(j, i);
            if backward <= 0.0 {
                return None;
            }
            let candidate = rho_i.times(forward / backward);
            match rho[j] {
                Some(known) if !close(candidate, known) => return None,
                Some(_) => {}
                None => {
                    rho[j] = Some(candidate);
                    open.push((j, candidate));
                }
            }
        }
    }
    rho.into_iter().collect()
}

fn close(a: Scaled, b: Scaled) -> bool {
    let a = a.relative_to(b.exponent);
    (a - b.mantissa).abs() <= BALANCE_TOLERANCE * b.mantissa
}

/// Censors one state after the other, then gives each its share of those before it: ρ_k = Σ_{i<k} ρ_i P(k|i) / s_k.
fn by_state_reduction(chain: &Chain) -> Vec<Scaled> {
    let n = chain.n_states();
    let mut p = rows_of(chain);
    for k in (1..n).rev() {
        censor(&mut p, n, k);
    }
    let mut rho = vec![Scaled::new(1.0)];
    for k in 1..n {
        let top = rho.iter().map(|r| r.exponent).max().unwrap_or(0);
        let mass: f64 = (0..k).map(|i| rho[i].relative_to(top) * p[i * n + k]).sum();
        let scaled = Scaled {
            mantissa: mass,
            exponent: top,
        };
        rho.push(scaled.times(1.0));
    }
    rho
}

/// Solves `(I − P)ᵀρ = 0` with `ρ_r = 1` by sparse LU: `(I − P)` without the row and column of the reference r
/// is non-singular because r is reached from everywhere.
fn by_factorisation(chain: &Chain, reference: usize) -> Result<Vec<f64>, StationaryError> {
    let n = chain.n_states();
    let failed = |reason: String| StationaryError::NotFactored { states: n, reason };
    let number = |state: usize| state as u32 - u32::from(state > reference);
    let mut entries = Vec::with_capacity(chain.n_transitions() + n);
    let mut inflow = Col::<f64>::zeros(n - 1);
    for i in 0..n {
        for (j, value) in chain.row(i).filter(|&(j, _)| j != reference) {
            if i == reference {
                inflow[number(j) as usize] = value;
            } else {
                entries.push(Triplet::new(number(j), number(i), -value));
            }
        }
        if i != reference {
            entries.push(Triplet::new(number(i), number(i), 1.0));
        }
    }
    let matrix = SparseColMat::try_new_from_triplets(n - 1, n - 1, &entries)
        .map_err(|error| failed(format!("{error:?}")))?;
    let factor = matrix
        .sp_lu()
        .map_err(|error| failed(format!("{error:?}")))?;
    let mut rest = factor.solve(&inflow);
    // Refinement makes up for pivots chosen for sparsity.
    for _ in 0..2 {
        let residual = &inflow - &matrix * &rest;
        rest += factor.solve(&residual);
    }
    let mut rho: Vec<f64> = rest.iter().copied().collect();
    rho.insert(reference, 1.0);
    Ok(rho)
}

/// Refuses a ρ that does not balance in some state, relative to that state's own share.
fn check_balance(chain: &Chain, rho: &[f64]) -> Result<(), StationaryError> {
    let mut inflow = vec![0.0; rho.len()];
    for (i, r) in rho.iter().enumerate() {
        chain.row(i).for_each(|(j, p)| inflow[j] += r * p);
    }
    let miss = |state: usize| {
        let relative = (inflow[state] - rho[state]).abs() / rho[state];
        // A negative share, or none, has no digit that is right.
        if relative >= 0.0 { relative } else { 1.0 }
    };
    let worst = (0..rho.len()).max_by(|&a, &b| miss(a).total_cmp(&miss(b)));
    match worst.map(|state| (state, miss(state))) {
        Some((state, miss)) if miss > RESIDUAL_TOLERANCE => Err(StationaryError::Inaccurate {
            state,
            digits: (-miss.log10()).floor().max(0.0) as i32,
            states: rho.len(),
        }),
        _ => Ok(()),
    }
}
