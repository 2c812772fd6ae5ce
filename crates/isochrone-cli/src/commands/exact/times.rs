//! All times between one state and the others, by whatever suits the chain; or the sentence that says why not.

use anyhow::{Result, bail};
use isochrone::markov::{
    Chain, Direction, GoalTimes, GraphLaplacian, Grounded, Stationary, passage_times, steps_from,
    steps_to,
};

/// Non-reversible chains need all pairs: those of 5,000 states take 800 MB and some minutes.
pub const DENSE_LIMIT_STATES: usize = 5_000;
/// All pairs of so few states take milliseconds, and lose no digit to any drift.
const FEW_STATES: usize = 400;

/// Everything known between the reference and each state.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// Seen from here.
    pub reference: usize,
    /// `m(state|reference)`.
    pub there: Vec<f64>,
    /// `m(reference|state)`.
    pub back: Vec<f64>,
    /// Fewest steps there.
    pub shortest: Vec<u32>,
}

impl Times {
    /// Solves for them. `name` is what errors call a state, `now` hears of the stages.
    pub fn solve(
        chain: &Chain,
        stationary: &Stationary,
        reference: usize,
        name: &dyn Fn(usize) -> String,
        now: &dyn Fn(&str),
    ) -> Result<Self> {
        let (there, back) = both_ways(chain, stationary, reference, name, now)?;
        let shortest = steps_from(chain, reference);
        // No walk is shorter than the shortest path: what is, is rounding.
        let steps_back = steps_to(chain, reference);
        let is_sound =
            |time: f64, least: u32| time.is_finite() && time >= f64::from(least) * (1.0 - 1e-6);
        let mut others = (0..chain.n_states()).filter(|&state| state != reference);
        let lost = others.find(|&state| {
            !is_sound(there[state], shortest[state]) || !is_sound(back[state], steps_back[state])
        });
        if let Some(state) = lost {
            bail!(
                "the times of {} are lost in rounding: the chain's probabilities span too many decades",
                name(state)
            );
        }
        Ok(Self {
            reference,
            there: zero_at(there, reference),
            back: zero_at(back, reference),
            shortest,
        })
    }
}

/// From the reference, and to it.
fn both_ways(
    chain: &Chain,
    stationary: &Stationary,
    reference: usize,
    name: &dyn Fn(usize) -> String,
    now: &dyn Fn(&str),
) -> Result<(Vec<f64>, Vec<f64>)> {
    let (states, rho) = (chain.n_states(), &stationary.rho);
    if states == 1 {
        return Ok((vec![0.0], vec![0.0]));
    }
    let is_reversible = stationary.direction == Direction::Reversible;
    if is_reversible && states > FEW_STATES {
        match by_factorisation(chain, rho, reference, now) {
            Ok(GoalTimes { to_goal, from_goal }) => return Ok((from_goal, to_goal)),
            // The drift is too strong for differences. Elimination is slower, and makes none.
            Err(_) if states <= DENSE_LIMIT_STATES => {}
            Err(error) => {
                let place = format!("the times from and to {}", name(reference));
                let cause = "the chain's probabilities span too many decades for so many states";
                return Err(error.context(cause).context(place));
            }
        }
    }
    if states > DENSE_LIMIT_STATES {
        bail!(
            "the chain is not reversible and has {states} states; all its times need a dense matrix, \
             which is limited to {DENSE_LIMIT_STATES}"
        );
    }
    now("eliminating");
    let m = passage_times(chain);
    let there = (0..states).map(|j| m[(reference, j)]).collect();
    Ok((there, (0..states).map(|i| m[(i, reference)]).collect()))
}

/// Of a reversible chain, also a large one.
fn by_factorisation(
    chain: &Chain,
    rho: &[f64],
    reference: usize,
    now: &dyn Fn(&str),
) -> Result<GoalTimes> {
    now("factoring");
    let grounded = Grounded::at(&GraphLaplacian::new(chain, rho), reference)?;
    now("solving");
    Ok(grounded.goal_queries(rho).times(reference)?)
}

/// The reference's own times are zero by definition, whatever rounding says.
fn zero_at(mut times: Vec<f64>, reference: usize) -> Vec<f64> {
    times[reference] = 0.0;
    times
}
