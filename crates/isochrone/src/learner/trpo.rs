//! TRPO with a Gaussian policy, a value baseline and generalised advantage estimation (GAE).

use super::{Experience, LearnerError, LearnerReport, PolicyIo, PolicyLearner, Wants};
use crate::advantage::{AdvantageSpec, TimeoutValue, advantages};
use crate::baseline::{Baseline, BaselineName};
use crate::batch::Batch;
use crate::comm::Workers;
use crate::distance_spec::{SpecError, check_hidden};
use crate::nn::{NamedArray, NamedArrayError};
use crate::policy::{Actor, GaussianPolicy, InputRow, PolicyInput, PolicyShape, Std};
use crate::rng::Seed;
use crate::trpo::{self, TrpoSpec};
use serde::{Deserialize, Serialize};

/// Settings of [`TrpoLearner`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrpoLearnerSpec {
    /// What the policy and the baseline see.
    pub input: PolicyInput,
    /// Widths of the policy's hidden layers.
    pub hidden: Vec<usize>,
    /// Whether the standard deviations of actions are learned.
    pub std: Std,
    /// Their initial value.
    pub first_std: f64,
    /// The value baseline.
    pub baseline: BaselineName,
    /// γ, the discount factor.
    pub discount: f64,
    /// λ of GAE.
    pub lambda: f64,
    /// The value of the last state of a truncated episode.
    pub timeout_value: TimeoutValue,
    /// The largest mean KL divergence of a step.
    pub kl_limit: f64,
    /// Iterations of the conjugate-gradient solver.
    pub conjugate_steps: usize,
    /// Damping: added to the diagonal of the Fisher matrix.
    pub damping: f64,
}

impl TrpoLearnerSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), SpecError> {
        let refuse = |field, value, rule| Err(SpecError { field, value, rule });
        check_hidden(&self.hidden)?;
        if self.conjugate_steps == 0 {
            return refuse("conjugate_steps", 0.0, "at least 1");
        }
        let above = |value: f64| value.is_finite() && value > 0.0;
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let not_below = |value: f64| value.is_finite() && value >= 0.0;
        let Self {
            first_std,
            kl_limit,
            damping,
            discount,
            lambda,
            ..
        } = *self;
        let positive = "finite and above 0";
        let rules = [
            ("first_std", first_std, above(first_std), positive),
            ("kl_limit", kl_limit, above(kl_limit), positive),
            (
                "damping",
                damping,
                not_below(damping),
                "finite and not negative",
            ),
            ("discount", discount, share(discount), "from 0 to 1"),
            ("lambda", lambda, share(lambda), "from 0 to 1"),
        ];
        match rules.into_iter().find(|(.., is_kept, _)| !is_kept) {
            Some((field, value, _, rule)) => refuse(field, value, rule),
            None => Ok(()),
        }
    }

    const fn advantage(&self) -> AdvantageSpec {
        AdvantageSpec {
            discount: self.discount,
            lambda: self.lambda,
            timeout_value: self.timeout_value,
        }
    }

    fn trust_region(&self) -> TrpoSpec {
        TrpoSpec {
            kl_limit: self.kl_limit,
            conjugate_steps: self.conjugate_steps,
            damping: self.damping,
            ..TrpoSpec::reference()
        }
    }
}

/// Trust-region policy optimisation (Schulman et al. 2015).
#[derive(Clone, Debug, PartialEq)]
pub struct TrpoLearner {
    spec: TrpoLearnerSpec,
    inputs: InputRow,
    policy: GaussianPolicy,
    baseline: Baseline,
}

impl TrpoLearner {
    /// An untrained policy and baseline.
    pub fn new(spec: &TrpoLearnerSpec, io: &PolicyIo, seed: Seed) -> Result<Self, LearnerError> {
        spec.check()?;
        let width = &io.goal_half_width;
        let inputs = InputRow::new(spec.input, io.observation.len(), &io.goals, width);
        let shape = PolicyShape {
            inputs: inputs.clone(),
            hidden: spec.hidden.clone(),
            actions: io.action.len(),
        };
        Ok(Self {
            policy: GaussianPolicy::untrained(&shape, spec.std, spec.first_std as f32, seed),
            baseline: Baseline::untrained(spec.baseline, inputs.len(), seed),
            inputs,
            spec: spec.clone(),
        })
    }
}

impl PolicyLearner for TrpoLearner {
    fn actor(&self) -> Result<Box<dyn Actor>, LearnerError> {
        Ok(Box::new(self.policy.freeze()?))
    }

    fn greedy_actor(&self) -> Result<Box<dyn Actor>, LearnerError> {
        Ok(Box::new(self.policy.freeze()?.without_noise()))
    }

    fn wants(&self) -> Wants {
        Wants::OnPolicyBatch
    }

    /// Advantages with the baseline fitted to the previous batch, one trust-region step, then a fit of the baseline to this
    /// batch.
    fn learn(
        &mut self,
        experience: &Experience<'_>,
        workers: &Workers<'_>,
    ) -> Result<LearnerReport, LearnerError> {
        let Workers {
            comm,
            shards,
            threads,
        } = *workers;
        let batch = Batch::of(experience.trajectories, &self.inputs, comm, shards)?;
        let advantages = advantages(&batch, &self.baseline, &self.spec.advantage(), comm)?;
        let report = trpo::update(
            &mut self.policy,
            &batch,
            &advantages.standardised,
            &self.spec.trust_region(),
            comm,
            threads,
        )?;
        let returns = &advantages.returns;
        self.baseline.fit(&batch, returns, comm, threads)?;
        Ok(LearnerReport::Trpo(report))
    }

    fn save(&self) -> Vec<NamedArray> {
        [self.policy.save(), self.baseline.save()].concat()
    }

    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        self.policy.restore(arrays)?;
        self.baseline.restore(arrays)
    }
}
