//! Greedy descent: does stepping to the nearest neighbour, again and again, arrive?
//!
//! Rank correlation does not see a distance that leads into a dead end; this does. It is the cheapest test of
//! usefulness, without a policy in between, and needs the graph of possible steps.

use super::Draw;
use super::error::AssessError;
use crate::markov::{Chain, steps_to};
use crate::rng::{Seed, choose};
use serde::Serialize;

/// Which goals are tried. Every other state is a start for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goals {
    /// All of them.
    All,
    /// This many, drawn without repetition; all if there are no more.
    Sample {
        /// How many.
        n_goals: usize,
        /// Which.
        seed: Seed,
    },
}

/// What became of the descents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Descent {
    /// Goals tried.
    pub n_goals: usize,
    /// Pairs of a start and another state as goal.
    pub n_pairs: usize,
    /// Those that arrived.
    pub n_reached: usize,
    /// `n_reached ÷ n_pairs`.
    pub success: f64,
    /// Those that arrived and came nearer with every step.
    pub n_downhill: usize,
    /// `n_downhill ÷ n_pairs`: the success of a walker who stops where no neighbour is nearer. At most `success`, because
    /// one who must step can leave a shallow hollow.
    pub downhill: f64,
    /// The goal that the fewest starts reached (the first of equals).
    pub worst_goal: usize,
    /// Its share of starts that arrived.
    pub worst_success: f64,
    /// Steps taken ÷ fewest possible steps, over those that arrived; `None` if none did.
    pub stretch: Option<Stretch>,
}

/// Steps taken ÷ fewest possible steps: 1 is the shortest path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// Mean over the descents that arrived.
    pub mean: f64,
    /// The longest way round.
    pub max: f64,
}

/// Descends `d(·, goal)` from every start to every goal.
///
/// From state s the next one is
///
/// ```text
/// argmin { d(s′, goal) : P(s′|s) > 0, s′ ≠ s }          the lowest number of equals
/// ```
///
/// Arriving at the goal is success; coming to a state a second time is failure, because the way is determined and
/// would repeat. Staying put is no step, so a walk that waits at walls has the graph of one that does not.
///
/// `distances_to(goal)` gives `d(s, goal)` of all states s in their order: a column of a matrix, one solve of
/// [`Grounded`](crate::markov::Grounded), one batch of a network. It may hold infinities, but no NaN.
///
/// ```
/// use isochrone::evaluate::{Goals, descent};
/// use isochrone::markov::steps_to;
/// use isochrone::maze::{Maze, Moves, WallRule};
///
/// let maze: Maze = ".....\n.###.\n...#.".parse()?;
/// let walk = maze.chain(Moves::UNIFORM, WallRule::Stay)?;
/// let found = descent(&walk, Goals::All, |goal| {
///     steps_to(&walk, goal).into_iter().map(f64::from).collect()
/// })?;
/// assert_eq!(found.n_reached, found.n_pairs);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn descent(
    chain: &Chain,
    goals: Goals,
    mut distances_to: impl FnMut(usize) -> Vec<f64>,
) -> Result<Descent, AssessError> {
    let n = chain.n_states();
    AssessError::at_least(2, n, "states to descend between")?;
    let goals = goals.of(n);
    AssessError::at_least(1, goals.len(), "goals to descend to")?;
    let (mut n_reached, mut n_downhill, mut sum, mut max) = (0, 0, 0.0, 0.0_f64);
    let (mut worst_goal, mut fewest) = (goals[0], n);
    for &goal in &goals {
        let distances = distances_to(goal);
        check(&distances, n)?;
        let taken = steps_taken(chain, goal, &distances);
        let fewest_steps = steps_to(chain, goal);
        let mut arrived = 0;
        for state in (0..n).filter(|&state| state != goal) {
            if let Way::Arrives { steps, is_downhill } = taken[state] {
                let stretch = f64::from(steps) / f64::from(fewest_steps[state]);
                sum += stretch;
                max = max.max(stretch);
                arrived += 1;
                n_downhill += usize::from(is_downhill);
            }
        }
        if arrived < fewest {
            (worst_goal, fewest) = (goal, arrived);
        }
        n_reached += arrived;
    }
    let n_pairs = goals.len() * (n - 1);
    Ok(Descent {
        n_goals: goals.len(),
        n_pairs,
        n_reached,
        success: n_reached as f64 / n_pairs as f64,
        n_downhill,
        downhill: n_downhill as f64 / n_pairs as f64,
        worst_goal,
        worst_success: fewest as f64 / (n - 1) as f64,
        stretch: (n_reached > 0).then(|| Stretch {
            mean: sum / n_reached as f64,
            max,
        }),
    })
}

fn check(distances: &[f64], n_states: usize) -> Result<(), AssessError> {
    let what = "distances to a goal";
    if distances.len() != n_states {
        return Err(AssessError::Lengths {
            what,
            got: distances.len(),
            expected: n_states,
        });
    }
    match distances.iter().position(|d| d.is_nan()) {
        Some(at) => Err(AssessError::NotFinite {
            what: "distance to a goal",
            at,
            value: f64::NAN,
        }),
        None => Ok(()),
    }
}

/// What is known of the way from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Unknown,
    /// On the way being followed now.
    Underway,
    /// After so many steps; did each of them come nearer?
    Arrives {
        steps: u32,
        is_downhill: bool,
    },
    Circles,
}

/// Where each state's descent leads. Ways join and never part, so each state is followed once: O(transitions).
fn steps_taken(chain: &Chain, goal: usize, distances: &[f64]) -> Vec<Way> {
    let mut ways = vec![Way::Unknown; chain.n_states()];
    ways[goal] = Way::Arrives {
        steps: 0,
        is_downhill: true,
    };
    let mut trail = Vec::new();
    for start in 0..chain.n_states() {
        let mut at = start;
        while ways[at] == Way::Unknown {
            ways[at] = Way::Underway;
            trail.push(at);
            at = nearest_neighbour(chain, at, distances);
        }
        while let Some(state) = trail.pop() {
            ways[state] = match ways[at] {
                Way::Arrives { steps, is_downhill } => Way::Arrives {
                    steps: steps + 1,
                    is_downhill: is_downhill && distances[at] < distances[state],
                },
                Way::Underway | Way::Circles | Way::Unknown => Way::Circles,
            };
            at = state;
        }
    }
    ways
}

/// A chain of two or more states is irreducible, so there always is one.
fn nearest_neighbour(chain: &Chain, state: usize, distances: &[f64]) -> usize {
    let others = chain.row(state).map(|(to, _)| to).filter(|&to| to != state);
    others
        .min_by(|&a, &b| (distances[a] + 0.0).total_cmp(&(distances[b] + 0.0)))
        .unwrap_or(state)
}

impl Goals {
    fn of(self, n_states: usize) -> Vec<usize> {
        match self {
            Self::All => (0..n_states).collect(),
            Self::Sample { n_goals, seed } => {
                choose(n_states, n_goals, &mut Draw::Goals.stream(seed))
            }
        }
    }
}
