//! Critics: Q(s, a), and the slower copies that their targets come from.

use super::Minibatch;
use super::network::Network;
use crate::layers::Pass;
use crate::nn::{NamedArray, NamedArrayError};
use crate::rng::Rng;

/// Q_θ(s, a) and θ̄.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Critic {
    network: Network,
    target: Vec<f32>,
}

impl Critic {
    pub(super) fn untrained(inputs: usize, hidden: &[usize], mut rng: Rng) -> Self {
        let network = Network::untrained(inputs, hidden, 1, &mut rng);
        Self {
            target: network.values.clone(),
            network,
        }
    }

    /// One step towards the targets; ½ mean (Q − y)² before it.
    pub(super) fn regress(&mut self, batch: &Minibatch, targets: &[f32], rate: f64) -> f64 {
        let rows = rows(&batch.inputs, &batch.actions, targets.len());
        let pass = self.network.forward(&rows);
        let n = targets.len().max(1) as f32;
        let errors = pass.output.iter().zip(targets).map(|(q, y)| q - y);
        let errors: Vec<f32> = errors.collect();
        let squares: f64 = errors.iter().map(|e| f64::from(*e) * f64::from(*e)).sum();
        let slopes: Vec<f32> = errors.iter().map(|e| e / n).collect();
        self.network.descend(&rows, &pass, &slopes, rate);
        0.5 * squares / f64::from(n)
    }

    /// θ̄ ← τ θ + (1 − τ) θ̄.
    pub(super) fn follow(&mut self, share: f32) {
        for (slow, fast) in self.target.iter_mut().zip(&self.network.values) {
            *slow += share * (fast - *slow);
        }
    }

    pub(super) fn save(&self, name: &str) -> Vec<NamedArray> {
        let mut arrays = self.network.save(name);
        let layers = &self.network.layers;
        arrays.extend(layers.save(&format!("{name}.target"), &self.target));
        arrays
    }

    pub(super) fn restore(
        &mut self,
        name: &str,
        arrays: &[NamedArray],
    ) -> Result<(), NamedArrayError> {
        self.network.restore(name, arrays)?;
        let layers = &self.network.layers;
        layers.restore(&format!("{name}.target"), arrays, &mut self.target)
    }
}

/// min Q̄_k(s, a), row by row.
pub(super) fn least_target(critics: &[Critic; 2], inputs: &[f32], actions: &[f32]) -> Vec<f32> {
    let width = critics[0].network.layers.inputs();
    let n = (inputs.len() + actions.len()) / width.max(1);
    let rows = rows(inputs, actions, n);
    let [first, second] = critics.each_ref().map(|critic| {
        let mut pass = Pass::default();
        let layers = &critic.network.layers;
        layers.forward(&critic.target, &rows, &mut pass);
        pass.output
    });
    let pairs = first.into_iter().zip(second);
    pairs.map(|(a, b)| least(a, b)).collect()
}

/// min Q_k(s, a), and its derivative by the actions, row by row.
pub(super) fn least_value(critics: &[Critic; 2], inputs: &[f32], actions: &[f32]) -> [Vec<f32>; 2] {
    let width = critics[0].network.layers.inputs();
    let n = (inputs.len() + actions.len()) / width.max(1);
    let rows = rows(inputs, actions, n);
    let passes = critics
        .each_ref()
        .map(|critic| critic.network.forward(&rows));
    let [first, second] = passes.each_ref().map(|pass| &pass.output);
    let pairs = first.iter().zip(second);
    let is_first: Vec<bool> = pairs.clone().map(|(a, b)| a <= b).collect();
    let values = pairs.map(|(a, b)| least(*a, *b)).collect();
    let n_actions = actions.len() / n.max(1);
    let mut slopes = vec![0.0; actions.len()];
    for (number, (critic, pass)) in critics.iter().zip(&passes).enumerate() {
        let chosen = is_first.iter().map(|first| *first == (number == 0));
        let weights: Vec<f32> = chosen.map(|chosen| f32::from(u8::from(chosen))).collect();
        let layers = &critic.network.layers;
        let by_rows = layers.pull_back_to_rows(&critic.network.values, pass, &weights);
        let by_actions = by_rows
            .chunks_exact(width)
            .map(|row| &row[width - n_actions..]);
        let sums = slopes.chunks_exact_mut(n_actions.max(1));
        for (sum, slope) in sums.zip(by_actions) {
            sum.iter_mut().zip(slope).for_each(|(sum, x)| *sum += x);
        }
    }
    [values, slopes]
}

/// Not `f32::min`, which would hide a NaN.
fn least(a: f32, b: f32) -> f32 {
    if b < a || b.is_nan() { b } else { a }
}

/// [s, a], row by row.
fn rows(inputs: &[f32], actions: &[f32], n: usize) -> Vec<f32> {
    let (n_inputs, n_actions) = (inputs.len() / n.max(1), actions.len() / n.max(1));
    let mut rows = Vec::with_capacity(inputs.len() + actions.len());
    for row in 0..n {
        rows.extend_from_slice(&inputs[row * n_inputs..(row + 1) * n_inputs]);
        rows.extend_from_slice(&actions[row * n_actions..(row + 1) * n_actions]);
    }
    rows
}
