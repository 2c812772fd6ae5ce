//! Soft actor-critic on rewards of one's own.

use crate::arrays::{Rows, matrix};
use crate::errors::{raise, refuse};
use isochrone::env::{ActionSpec, Observation};
use isochrone::policy::{Actor, SquashedPolicy};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::sac::{PlainSac, PlainSacSpec, SacSpec, Transition};
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// A learner and frozen copies of its policy. Actions are from −1 to 1.
#[pyclass(module = "isochrone._isochrone")]
pub(crate) struct PlainLearner {
    learner: PlainSac,
    inputs: usize,
    actions: usize,
    /// With exploration noise.
    noisy: SquashedPolicy,
    /// Without.
    greedy: SquashedPolicy,
    noise: Rng,
    /// Of actions that nothing is learned from.
    noise_outside: Rng,
}

#[pymethods]
impl PlainLearner {
    /// An untrained learner. `sizes` are the entries of a state, those of an action, the transitions of an update, and the transitions kept;
    /// `rates` are the learning rate, τ, γ, the target entropy per entry, and the first temperature.
    #[new]
    fn new(sizes: [usize; 4], rates: [f64; 5], hidden: Vec<usize>, seed: u64) -> PyResult<Self> {
        let [inputs, actions, batch, capacity] = sizes;
        let [
            learning_rate,
            tau,
            discount,
            target_entropy,
            first_temperature,
        ] = rates;
        let spec = PlainSacSpec {
            sac: SacSpec {
                hidden,
                learning_rate,
                batch,
                tau,
                target_entropy,
                first_temperature,
            },
            discount,
            capacity,
        };
        let bounds = ActionSpec::symmetric(actions, 1.0);
        let learner = PlainSac::new(&spec, inputs, bounds, Seed(seed)).map_err(raise)?;
        let policy = learner.policy().map_err(raise)?;
        Ok(Self {
            learner,
            inputs,
            actions,
            noisy: policy.clone(),
            greedy: policy.without_noise(),
            noise: Seed(seed).stream(Purpose::Act, 0, 0),
            noise_outside: Seed(seed).stream(Purpose::Act, 0, 1),
        })
    }

    /// Keeps transitions, row by row.
    fn observe(
        &mut self,
        states: PyReadonlyArray2<'_, f32>,
        actions: PyReadonlyArray2<'_, f32>,
        rewards: PyReadonlyArray1<'_, f32>,
        next_states: PyReadonlyArray2<'_, f32>,
        are_terminal: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let (states, actions) = (Rows::of(&states)?, Rows::of(&actions)?);
        let next_states = Rows::of(&next_states)?;
        states.check("states", self.inputs, "the learner is for")?;
        actions.check("actions", self.actions, "the learner is for")?;
        next_states.check("next states", self.inputs, "the learner is for")?;
        let (rewards, are_terminal) = (rewards.as_array(), are_terminal.as_array());
        let rows = [
            actions.len(),
            rewards.len(),
            next_states.len(),
            are_terminal.len(),
        ];
        if rows.iter().any(|rows| *rows != states.len()) {
            return Err(refuse(format!(
                "{} states, but {rows:?} actions, rewards, next states and ends: one of each for a transition",
                states.len()
            )));
        }
        for (row, (reward, is_terminal)) in rewards.iter().zip(are_terminal).enumerate() {
            if !reward.is_finite() {
                return Err(refuse(format!("the reward of row {row} is {reward}")));
            }
            let transition = Transition {
                state: states.row(row),
                action: actions.row(row),
                reward: *reward,
                next_state: next_states.row(row),
                is_terminal: *is_terminal,
            };
            self.learner.observe(&transition).map_err(raise)?;
        }
        Ok(())
    }

    /// So many updates; the critics' loss, the value, the entropy and the temperature.
    fn learn(&mut self, py: Python<'_>, updates: usize) -> PyResult<[f64; 4]> {
        let learner = &mut self.learner;
        let report = py.detach(|| learner.learn(updates)).map_err(raise)?;
        self.noisy = self.learner.policy().map_err(raise)?;
        self.greedy = self.noisy.clone().without_noise();
        Ok([
            report.critic_loss,
            report.value,
            report.entropy,
            report.temperature,
        ])
    }

    /// An action for each state, with exploration noise.
    fn explore<'py>(
        &mut self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let states = self.checked(&states)?;
        let actions = actions_of(&self.noisy, &states, self.actions, &mut self.noise);
        matrix(py, actions, self.actions)
    }

    /// The same outside training, which does not change it.
    fn sample<'py>(
        &mut self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let states = self.checked(&states)?;
        let noise = &mut self.noise_outside;
        let actions = actions_of(&self.noisy, &states, self.actions, noise);
        matrix(py, actions, self.actions)
    }

    /// The action for each state, without noise.
    fn act<'py>(
        &self,
        py: Python<'py>,
        states: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let states = self.checked(&states)?;
        // Draws nothing.
        let mut rng = Seed(0).stream(Purpose::Act, 0, 0);
        let actions = actions_of(&self.greedy, &states, self.actions, &mut rng);
        matrix(py, actions, self.actions)
    }
}

impl PlainLearner {
    fn checked(&self, states: &PyReadonlyArray2<'_, f32>) -> PyResult<Rows> {
        let states = Rows::of(states)?;
        states.check("states", self.inputs, "the learner is for")?;
        Ok(states)
    }
}

fn actions_of(policy: &SquashedPolicy, states: &Rows, width: usize, rng: &mut Rng) -> Vec<f32> {
    let (mut actions, mut scratch) = (vec![0.0; states.len() * width], Vec::new());
    for (row, action) in actions.chunks_exact_mut(width).enumerate() {
        let seen = Observation::F32(states.row(row).to_vec());
        policy.act(&seen, &[], rng, &mut scratch, action);
    }
    actions
}
