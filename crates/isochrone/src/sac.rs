//! One update of soft actor-critic (Haarnoja et al. 2018): twin critics, a tanh-squashed Gaussian policy, a temperature.
//!
//! ```text
//! critics      y = r + γ (min_k Q̄_k(s′, a′) − α log π(a′ | s′)),  a′ ~ π(s′)      minimise  ½ mean (Q_k(s, a) − y)²
//! policy       minimise  mean (α log π(a | s) − min_k Q_k(s, a)),  a ~ π(s)      + λ mean H of Imitation
//! temperature  minimise  −log α · mean (log π(a | s) + H)                          H: the entropy asked for
//! targets      θ̄_k ← τ θ_k + (1 − τ) θ̄_k
//! ```
//!
//! It knows transitions, not goals: where they come from and what they are rewarded for is decided elsewhere
//! ([`SacLearner`](crate::learner::SacLearner), [`PlainSac`]). Everything is on one thread and in one order, so the
//! number of threads and ranks changes no byte.

mod critic;
mod imitation;
mod network;
mod plain;
mod spec;
mod squashed;

pub use imitation::Imitation;
pub use plain::{PlainSac, PlainSacSpec, Transition, TransitionError};
pub use spec::SacSpec;

use crate::env::ActionSpec;
use crate::nn::{NamedArray, NamedArrayError, find};
use crate::optim::{Adam, Moments};
use crate::policy::{InputRow, PolicyError, SquashedPolicy};
use crate::rng::{Rng, Seed, Stream};
use critic::Critic;
use squashed::SquashedGaussian;

/// Transitions, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Minibatch {
    /// What the policy saw.
    pub inputs: Vec<f32>,
    /// What it did, as shares of the action bounds: −1 to 1.
    pub actions: Vec<f32>,
    /// The rewards.
    pub rewards: Vec<f32>,
    /// γ, or 0 where nothing follows.
    pub discounts: Vec<f32>,
    /// What it saw next.
    pub next_inputs: Vec<f32>,
    /// Rows whose action is also learned from the policy itself.
    pub imitation: Imitation,
}

impl Minibatch {
    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.actions.clear();
        self.rewards.clear();
        self.discounts.clear();
        self.next_inputs.clear();
        self.imitation.clear();
    }

    /// Transitions.
    pub const fn len(&self) -> usize {
        self.rewards.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.rewards.is_empty()
    }
}

/// Means over one update or several; without any, all are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SacReport {
    /// Updates.
    pub updates: usize,
    /// ½ mean (Q − y)², mean of both critics.
    pub critic_loss: f64,
    /// The policy's loss, without imitation.
    pub policy_loss: f64,
    /// Mean min Q of the policy's actions.
    pub value: f64,
    /// −mean log π.
    pub entropy: f64,
    /// α after the update.
    pub temperature: f64,
    /// Transitions that imitated the action for a waypoint.
    pub imitated: f64,
}

impl SacReport {
    /// Adds another update's numbers.
    pub(crate) fn add(&mut self, other: &Self) {
        let [mine, theirs] = [self.updates, other.updates].map(|n| n as f64);
        let mean = |a: f64, b: f64| (a * mine + b * theirs) / (mine + theirs).max(1.0);
        *self = Self {
            updates: self.updates + other.updates,
            critic_loss: mean(self.critic_loss, other.critic_loss),
            policy_loss: mean(self.policy_loss, other.policy_loss),
            value: mean(self.value, other.value),
            entropy: mean(self.entropy, other.entropy),
            temperature: other.temperature,
            imitated: mean(self.imitated, other.imitated),
        };
    }
}

/// A number that is NaN or infinite.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("update {update}: {what} is {value}")]
pub struct SacError {
    /// Number of the update, from 1.
    pub update: u64,
    /// Which number.
    pub what: &'static str,
    /// What it is.
    pub value: f64,
}

/// Sizes of the networks, and what values there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SacIo {
    /// Numbers in an input row of the policy.
    pub inputs: usize,
    /// Entries of an action.
    pub actions: usize,
    /// Targets of values are clamped to this range.
    pub value_range: [f32; 2],
}

/// Policy, critics and temperature, with their optimisers.
#[derive(Clone, Debug, PartialEq)]
pub struct Sac {
    spec: SacSpec,
    policy: SquashedGaussian,
    critics: [Critic; 2],
    log_temperature: f32,
    temperature_moments: Moments,
    value_range: [f32; 2],
    updates: u64,
    seed: Seed,
}

impl Sac {
    /// Untrained networks.
    pub fn new(spec: &SacSpec, io: SacIo, seed: Seed) -> Self {
        let SacIo {
            inputs,
            actions,
            value_range,
        } = io;
        let critic = |stream| Critic::untrained(inputs + actions, &spec.hidden, seed.of(stream));
        Self {
            policy: SquashedGaussian::untrained(inputs, &spec.hidden, actions, seed),
            critics: [
                critic(Stream::ValueWeights),
                critic(Stream::SecondValueWeights),
            ],
            log_temperature: (spec.first_temperature as f32).ln(),
            temperature_moments: Moments::zero(1),
            value_range,
            updates: 0,
            spec: spec.clone(),
            seed,
        }
    }

    /// Updates so far.
    pub const fn updates(&self) -> u64 {
        self.updates
    }

    /// α.
    pub fn temperature(&self) -> f32 {
        self.log_temperature.exp()
    }

    /// min Q_k(s, a) of rows of inputs and of actions as shares of their bounds.
    pub fn values(&self, inputs: &[f32], actions: &[f32]) -> Vec<f32> {
        let [values, _] = critic::least_value(&self.critics, inputs, actions);
        values
    }

    /// A copy of the policy for rollouts, which builds its rows by `inputs` and acts within `bounds`.
    pub fn freeze(
        &self,
        inputs: InputRow,
        bounds: &ActionSpec,
    ) -> Result<SquashedPolicy, PolicyError> {
        SquashedPolicy::new(inputs, &self.policy.linear(), bounds.clone())
    }

    /// The random numbers of the next update: for the draw of its transitions and for its actions.
    pub fn next_stream(&self) -> Rng {
        self.seed.of(Stream::OffPolicyUpdate {
            update: self.updates,
        })
    }

    /// One update.
    pub fn update(&mut self, batch: &Minibatch, rng: &mut Rng) -> Result<SacReport, SacError> {
        self.updates += 1;
        let rate = self.spec.learning_rate;
        let alpha = self.temperature();
        let targets = self.targets(batch, alpha, rng);
        let mut critic_loss = 0.0;
        for critic in &mut self.critics {
            critic_loss += 0.5 * critic.regress(batch, &targets, rate);
        }
        self.check("the critics' loss", critic_loss)?;

        let sample = self.policy.sample(&batch.inputs, rng);
        let [values, slopes] = critic::least_value(&self.critics, &batch.inputs, &sample.actions);
        let mut slopes = self.policy.slopes(&sample, &slopes, alpha);
        batch
            .imitation
            .add_gradients(&self.policy, &sample, &mut slopes);
        self.policy.descend(&batch.inputs, &sample, &slopes, rate);
        let entropy = -mean(&sample.log_probabilities);
        let value = mean(&values);
        self.check("the policy's value", value)?;
        self.check("the policy's entropy", entropy)?;

        self.adapt_temperature(entropy, rate);
        let share = self.spec.tau as f32;
        self.critics
            .iter_mut()
            .for_each(|critic| critic.follow(share));
        Ok(SacReport {
            updates: 1,
            critic_loss,
            policy_loss: -f64::from(alpha) * entropy - value,
            value,
            entropy,
            temperature: f64::from(self.temperature()),
            imitated: batch.imitation.rows.len() as f64,
        })
    }

    /// y = r + γ (min Q̄(s′, a′) − α log π(a′ | s′)).
    fn targets(&self, batch: &Minibatch, alpha: f32, rng: &mut Rng) -> Vec<f32> {
        let next = self.policy.sample(&batch.next_inputs, rng);
        let values = critic::least_target(&self.critics, &batch.next_inputs, &next.actions);
        let soft = values.iter().zip(&next.log_probabilities);
        let soft = soft.map(|(value, log_probability)| value - alpha * log_probability);
        let rewards = batch.rewards.iter().zip(&batch.discounts);
        let [low, high] = self.value_range;
        let targets = rewards.zip(soft);
        let targets = targets.map(|((reward, discount), soft)| {
            // Not a product: 0 · ∞ is NaN.
            let target = if *discount > 0.0 {
                reward + discount * soft
            } else {
                *reward
            };
            target.clamp(low, high)
        });
        targets.collect()
    }

    /// Lowers the temperature where the policy has more entropy than it was asked for.
    fn adapt_temperature(&mut self, entropy: f64, rate: f64) {
        let asked = self.spec.target_entropy * self.policy.actions() as f64;
        let gradient = [(entropy - asked) as f32];
        let mut value = [self.log_temperature];
        Adam::new().descend(&mut self.temperature_moments, &mut value, &gradient, rate);
        [self.log_temperature] = value;
    }

    fn check(&self, what: &'static str, value: f64) -> Result<(), SacError> {
        if value.is_finite() {
            return Ok(());
        }
        Err(SacError {
            update: self.updates,
            what,
            value,
        })
    }

    /// Everything, as named arrays.
    pub fn save(&self) -> Vec<NamedArray> {
        let mut arrays = self.policy.network().save("policy");
        for (critic, name) in self.critics.iter().zip(CRITICS) {
            arrays.extend(critic.save(name));
        }
        let moments = &self.temperature_moments;
        let numbers = [self.log_temperature, moments.first[0], moments.second[0]];
        arrays.push(NamedArray::f32("sac.temperature", [1, 3], numbers));
        arrays.push(NamedArray::u64("sac.updates", [self.updates, moments.time]));
        arrays
    }

    /// Restores what [`Sac::save`] returned.
    pub fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        self.policy.network_mut().restore("policy", arrays)?;
        for (critic, name) in self.critics.iter_mut().zip(CRITICS) {
            critic.restore(name, arrays)?;
        }
        let numbers = find(arrays, "sac.temperature", [1, 3])?;
        let [updates, time] = crate::nn::find_u64(arrays, "sac.updates")?;
        self.log_temperature = numbers[0];
        self.temperature_moments = Moments {
            time,
            first: vec![numbers[1]],
            second: vec![numbers[2]],
        };
        self.updates = updates;
        Ok(())
    }
}

/// Names of the critics in files.
const CRITICS: [&str; 2] = ["critic.0", "critic.1"];

fn mean(values: &[f32]) -> f64 {
    let sum: f64 = values.iter().map(|x| f64::from(*x)).sum();
    sum / values.len().max(1) as f64
}
