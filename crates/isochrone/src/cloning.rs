//! Goal-conditioned behavioural cloning: logged actions → a policy for goals nearby.
//!
//! Whatever state a trajectory came to within a few steps is a goal that its actions led to (hindsight):
//!
//! ```text
//! min_π E ‖π(s_t, s_{t+k}) − a_t‖²,      t over all logged steps,  k uniform in 1 … K
//! ```
//!
//! Cloned policies are right nearby, where few actions can have led from s to g, and hopeless far away, where the mean
//! over many ways is none of them: that is what a [`roadmap`](crate::roadmap) is for.

mod demonstrations;
mod policy;

pub use demonstrations::{Demonstrations, DemonstrationsError};
pub use policy::ClonedPolicy;

use crate::distance_spec::{Architecture, EncoderSpec, Head, LearningRate, SpecError};
use crate::nn::{NamedArray, NamedArrayError, Network, action_loss, find_u64};
use crate::normaliser::{Moments, Normaliser};
use crate::optim::Adam;
use crate::rng::{Seed, Stream};
use serde::{Deserialize, Serialize};

/// Samples that inputs are standardised by.
const NORMALISER_SAMPLES: usize = 20_000;

/// What is cloned, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloningSpec {
    /// Entries of a state, which are those of a goal.
    pub inputs: usize,
    /// Entries of an action.
    pub actions: usize,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// K: goals are states at most so many steps later.
    pub max_lag_steps: usize,
    /// Samples per update.
    pub batch: usize,
    /// Updates.
    pub updates: u64,
    /// Step size of Adam.
    pub learning_rate: LearningRate,
}

impl CloningSpec {
    /// For states and actions of these lengths.
    pub fn new(inputs: usize, actions: usize) -> Self {
        let updates = 4_000;
        Self {
            inputs,
            actions,
            hidden: vec![256, 256],
            max_lag_steps: 25,
            batch: 512,
            updates,
            learning_rate: LearningRate::Decay {
                from: 1e-3,
                to: 1e-4,
                steps: updates,
            },
        }
    }

    /// Is it one that can be learned?
    pub fn check(&self) -> Result<(), CloningError> {
        let refuse = |field: &'static str, value: f64, rule: &'static str| {
            Err(CloningError::Spec(SpecError { field, value, rule }))
        };
        let counts = [
            ("inputs", self.inputs),
            ("actions", self.actions),
            ("max_lag_steps", self.max_lag_steps),
            ("batch", self.batch),
        ];
        for (field, count) in counts {
            if count == 0 {
                return refuse(field, 0.0, "at least 1");
            }
        }
        if self.hidden.contains(&0) {
            return refuse("hidden", 0.0, "at least 1 in each layer");
        }
        self.encoder().check_size()?;
        self.learning_rate.check()?;
        Ok(())
    }

    /// The network: `(s, g − s)` to an action.
    fn encoder(&self) -> EncoderSpec {
        EncoderSpec {
            inputs: self.inputs.saturating_mul(2),
            architecture: Architecture::Mlp {
                hidden: self.hidden.clone(),
            },
            dims: self.actions,
            head: Head::Symmetric,
        }
    }
}

/// Why cloning stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CloningError {
    /// A setting out of range.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Demonstrations of other states or actions.
    #[error(
        "the demonstrations have states of {got:?} and actions of {got_actions} entries; the policy is for {inputs} and {actions}"
    )]
    Lengths {
        /// Entries of their states.
        got: usize,
        /// Entries of their actions.
        got_actions: usize,
        /// Entries of the policy's states.
        inputs: usize,
        /// Entries of the policy's actions.
        actions: usize,
    },
    /// States or actions that cannot be standardised.
    #[error("the states or actions have no finite mean and standard deviation")]
    Normaliser,
    /// A loss that is NaN or infinite.
    #[error("the loss is {loss} at update {update}; a smaller learning rate may help")]
    Loss {
        /// Its value.
        loss: f32,
        /// When.
        update: u64,
    },
}

/// A policy being cloned.
#[derive(Debug)]
pub struct CloningTrainer {
    spec: CloningSpec,
    seed: Seed,
    network: Network,
    adam: Adam,
    update: u64,
    normaliser: Normaliser,
    action_range: Vec<[f32; 2]>,
}

impl CloningTrainer {
    /// An untrained policy for these demonstrations.
    pub fn new(
        spec: CloningSpec,
        seed: Seed,
        demonstrations: &Demonstrations,
    ) -> Result<Self, CloningError> {
        spec.check()?;
        let (got, got_actions) = demonstrations.lengths();
        if (got, got_actions) != (spec.inputs, spec.actions) {
            return Err(CloningError::Lengths {
                got,
                got_actions,
                inputs: spec.inputs,
                actions: spec.actions,
            });
        }
        let mut rng = seed.of(Stream::KeptSteps);
        let mut moments = Moments::new(2 * spec.inputs);
        let mut row = Vec::new();
        for _ in 0..NORMALISER_SAMPLES {
            let sample = demonstrations.draw(spec.max_lag_steps, &mut rng);
            row.clear();
            policy::push_input(sample.state, sample.goal, &mut row);
            moments.add(&row);
        }
        let network = Network::untrained(&spec.encoder(), &mut seed.of(Stream::PolicyWeights));
        Ok(Self {
            network,
            adam: Adam::new(),
            update: 0,
            normaliser: moments.normaliser().ok_or(CloningError::Normaliser)?,
            action_range: demonstrations.action_range(),
            spec,
            seed,
        })
    }

    /// What is cloned, and how.
    pub const fn spec(&self) -> &CloningSpec {
        &self.spec
    }

    /// Updates so far.
    pub const fn updates(&self) -> u64 {
        self.update
    }

    /// One step of Adam on a batch of samples; the mean squared error per entry of an action.
    pub fn update(&mut self, demonstrations: &Demonstrations) -> Result<f64, CloningError> {
        let mut rng = self.seed.of(Stream::Samples {
            epoch: self.update,
            part: 0,
        });
        let (mut inputs, mut actions, mut row) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.spec.batch {
            let sample = demonstrations.draw(self.spec.max_lag_steps, &mut rng);
            row.clear();
            policy::push_input(sample.state, sample.goal, &mut row);
            self.normaliser.push(&row, &mut inputs);
            actions.extend_from_slice(sample.action);
        }
        let loss = action_loss(&self.network, inputs, actions, self.spec.actions);
        let found = loss.gradients(&self.network, 1.0);
        let (loss, gradients) = found
            .split_first()
            .map_or((f32::NAN, &[][..]), |(l, g)| (*l, g));
        let is_broken = || gradients.iter().any(|gradient| !gradient.is_finite());
        if !loss.is_finite() || is_broken() {
            return Err(CloningError::Loss {
                loss,
                update: self.update,
            });
        }
        let rate = self.spec.learning_rate.at(self.update);
        self.network.descend(&self.adam, gradients, rate);
        self.update += 1;
        Ok(f64::from(loss))
    }

    /// The policy as it is now.
    pub fn policy(&self) -> Result<ClonedPolicy, NamedArrayError> {
        ClonedPolicy::of_arrays(&self.spec, &self.weights())
    }

    /// What a finished policy is made of, with [`CloningTrainer::spec`].
    pub fn weights(&self) -> Vec<NamedArray> {
        let network = self.network.save().into_iter();
        let mut arrays: Vec<NamedArray> = network
            .filter(|array| !array.name.starts_with("adam."))
            .collect();
        let row = |name: &str, values: Vec<f32>| NamedArray::f32(name, [1, values.len()], values);
        arrays.push(row("normaliser.mean", self.normaliser.mean().to_vec()));
        arrays.push(row("normaliser.spread", self.normaliser.std().to_vec()));
        let end = |end: usize| self.action_range.iter().map(|range| range[end]).collect();
        arrays.push(row(policy::ACTION_LOW, end(0)));
        arrays.push(row(policy::ACTION_HIGH, end(1)));
        arrays
    }

    /// Everything needed to go on.
    pub fn save(&self) -> Vec<NamedArray> {
        let mut arrays = self.network.save();
        arrays.push(NamedArray::u64("counters", [self.update]));
        arrays
    }

    /// Continues a run on the same demonstrations: the next update is the one that would have followed.
    pub fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let [update] = find_u64(arrays, "counters")?;
        self.network.restore(arrays)?;
        self.update = update;
        Ok(())
    }
}
