//! SAC with rewards of your own: ordinary tasks without goals, for tests and benchmarks.

use super::{Minibatch, Sac, SacError, SacIo, SacReport, SacSpec};
use crate::distance_spec::SpecError;
use crate::env::ActionSpec;
use crate::policy::{InputRow, PolicyError, SquashedPolicy};
use crate::rng::Seed;
use rand::RngExt;

/// Settings of [`PlainSac`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlainSacSpec {
    /// Networks and optimiser.
    pub sac: SacSpec,
    /// γ.
    pub discount: f64,
    /// Transitions that are kept.
    pub capacity: usize,
}

/// One step of an environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition<'a> {
    /// Where.
    pub state: &'a [f32],
    /// What was done.
    pub action: &'a [f32],
    /// What it was worth.
    pub reward: f32,
    /// What came of it.
    pub next_state: &'a [f32],
    /// Whether nothing follows: not for an episode that was cut off.
    pub is_terminal: bool,
}

/// A transition of the wrong shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {what} has {got} entries; this learner takes {expected}")]
pub struct TransitionError {
    /// `state`, `action` or `next state`.
    pub what: &'static str,
    /// Entries given.
    pub got: usize,
    /// Entries expected.
    pub expected: usize,
}

/// A learner with a buffer of transitions and their rewards.
///
/// ```
/// use isochrone::env::ActionSpec;
/// use isochrone::rng::Seed;
/// use isochrone::sac::{PlainSac, PlainSacSpec, SacSpec, Transition};
///
/// let spec = PlainSacSpec { sac: SacSpec::published(&[32]), discount: 0.99, capacity: 10_000 };
/// let mut learner = PlainSac::new(&spec, 2, ActionSpec::symmetric(1, 2.0), Seed(0))?;
/// learner.observe(&Transition {
///     state: &[0.0, 1.0],
///     action: &[1.0],
///     reward: -0.3,
///     next_state: &[0.1, 0.9],
///     is_terminal: false,
/// })?;
/// assert_eq!(learner.learn(3)?.updates, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlainSac {
    sac: Sac,
    spec: PlainSacSpec,
    inputs: usize,
    bounds: ActionSpec,
    /// State, action, reward, discount and next state of each transition.
    transitions: Vec<f32>,
    /// Where the next one goes.
    next: usize,
}

impl PlainSac {
    /// An untrained learner for states of `inputs` numbers.
    pub fn new(
        spec: &PlainSacSpec,
        inputs: usize,
        bounds: ActionSpec,
        seed: Seed,
    ) -> Result<Self, SpecError> {
        spec.sac.check()?;
        let refuse = |field, value, rule| Err(SpecError { field, value, rule });
        if spec.capacity == 0 {
            return refuse("capacity", 0.0, "at least 1");
        }
        if !(0.0..=1.0).contains(&spec.discount) {
            return refuse("discount", spec.discount, "from 0 to 1");
        }
        let io = SacIo {
            inputs,
            actions: bounds.len(),
            value_range: [f32::MIN, f32::MAX],
        };
        Ok(Self {
            sac: Sac::new(&spec.sac, io, seed),
            spec: spec.clone(),
            inputs,
            bounds,
            transitions: Vec::new(),
            next: 0,
        })
    }

    fn width(&self) -> usize {
        2 * self.inputs + self.bounds.len() + 2
    }

    /// Transitions that it keeps.
    pub fn len(&self) -> usize {
        self.transitions.len() / self.width()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// Keeps a transition; the oldest one is forgotten where there is no room.
    pub fn observe(&mut self, transition: &Transition<'_>) -> Result<(), TransitionError> {
        let lengths = [
            ("state", transition.state.len(), self.inputs),
            ("action", transition.action.len(), self.bounds.len()),
            ("next state", transition.next_state.len(), self.inputs),
        ];
        let wrong = lengths
            .into_iter()
            .find(|(_, got, expected)| got != expected);
        if let Some((what, got, expected)) = wrong {
            return Err(TransitionError {
                what,
                got,
                expected,
            });
        }
        let width = self.width();
        let mut row = Vec::with_capacity(width);
        row.extend_from_slice(transition.state);
        row.extend(self.bounds.shares(transition.action));
        let discount = if transition.is_terminal {
            0.0
        } else {
            self.spec.discount as f32
        };
        row.extend([transition.reward, discount]);
        row.extend_from_slice(transition.next_state);
        if self.len() < self.spec.capacity {
            self.transitions.extend(row);
        } else {
            let place = self.next * width;
            self.transitions[place..place + width].copy_from_slice(&row);
        }
        self.next = (self.next + 1) % self.spec.capacity;
        Ok(())
    }

    /// So many updates, each on a batch drawn from all kept transitions; none without any.
    pub fn learn(&mut self, updates: usize) -> Result<SacReport, SacError> {
        let (mut report, mut batch) = (SacReport::default(), Minibatch::default());
        let rows = self.len();
        for _ in 0..if rows == 0 { 0 } else { updates } {
            let mut rng = self.sac.next_stream();
            batch.clear();
            for _ in 0..self.spec.sac.batch {
                let row = rng.random_range(0..rows);
                self.push(row, &mut batch);
            }
            report.add(&self.sac.update(&batch, &mut rng)?);
        }
        Ok(report)
    }

    fn push(&self, row: usize, batch: &mut Minibatch) {
        let row = &self.transitions[row * self.width()..(row + 1) * self.width()];
        let (state, rest) = row.split_at(self.inputs);
        let (action, rest) = rest.split_at(self.bounds.len());
        batch.inputs.extend_from_slice(state);
        batch.actions.extend_from_slice(action);
        batch.rewards.push(rest[0]);
        batch.discounts.push(rest[1]);
        batch.next_inputs.extend_from_slice(&rest[2..]);
    }

    /// A copy of the policy for rollouts.
    pub fn policy(&self) -> Result<SquashedPolicy, PolicyError> {
        let inputs = InputRow::plain(self.inputs, 0);
        self.sac.freeze(inputs, &self.bounds)
    }
}
